//! Servers with more to do than they can.

use std::time::Duration;

use tokio::sync::watch;

use crate::line::{Fault, Weather};
use crate::world::{World, config_map, definition};

const INSTANCES: usize = 20;

/// A server that takes a while for everything, and may have no time for writes at all.
struct Busy {
    is_overloaded: bool,
    /// The writes that it was asked for.
    asked: watch::Sender<usize>,
}

impl Weather for Busy {
    fn fault(&mut self, request: &str) -> Option<Fault> {
        let is_write = !request.starts_with("GET");
        self.asked.send_modify(|it| *it += usize::from(is_write));
        (is_write && self.is_overloaded).then_some(Fault::Refused(429))
    }

    fn delay(&mut self) -> Duration {
        Duration::from_millis(10)
    }
}

/// From now on the server is like that.
fn is_busy(world: &World, is_overloaded: bool) -> watch::Receiver<usize> {
    let (asked, heard) = watch::channel(0);
    world.line.expose(Busy { is_overloaded, asked });
    heard
}

async fn write(world: &World, text: &str) {
    for index in 0..INSTANCES {
        world.instance(&format!("App a{index}"), &format!("text: {text}")).await;
    }
}

async fn is_written(world: &World, text: &str) {
    for index in 0..INSTANCES {
        for id in ["one", "two", "three", "four"] {
            world.eventually(&format!("ConfigMap a{index}-{id}"), |it| it["data"]["text"] == text).await;
        }
        world.active(&format!("App a{index}")).await;
    }
    world.quiet().await;
}

/// Time passes as fast as there is nothing to do.
#[tokio::test(start_paused = true)]
async fn fewer_requests_are_sent_at_a_time_to_a_server_that_is_overloaded_and_more_again_later() {
    let world = World::start().await;
    let resources =
        ["one", "two", "three", "four"].map(|id| config_map(id, "text: '${schema.spec.text}'", ""));
    world.define(&definition("App", "spec: {text: string}", &resources.concat())).await;
    is_busy(&world, false);
    world.line.most_writes_at_a_time();
    write(&world, "calm").await;
    is_written(&world, "calm").await;
    assert_eq!(world.line.most_writes_at_a_time(), 16);

    let mut refused = is_busy(&world, true);
    write(&world, "storm").await;
    refused.wait_for(|it| *it >= 100).await.expect("a line");
    let mut served = is_busy(&world, false);
    world.line.most_writes_at_a_time();
    served.wait_for(|it| *it >= 12).await.expect("a line");
    let most = world.line.most_writes_at_a_time();
    assert!(most <= 5, "{most} requests at a time after 100 refusals");
    is_written(&world, "storm").await;

    write(&world, "calm").await;
    is_written(&world, "calm").await;
    assert_eq!(world.line.most_writes_at_a_time(), 16);
    world.settled().await;
}
