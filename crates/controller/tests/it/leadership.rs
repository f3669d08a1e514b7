//! One process leads at a time.

use krono_apiserver::Server;
use krono_controller::{Leadership, Lost};
use kube::Client;

fn process(client: &Client, name: &str) -> Leadership {
    Leadership::new(client.clone(), "kube-system", name.to_owned())
}

#[tokio::test(start_paused = true)]
async fn who_lets_go_is_followed_at_once() {
    let server = Server::in_memory().await.unwrap();
    let (mut first, mut second) = (process(&server.client(), "first"), process(&server.client(), "second"));
    first.acquire().await;
    let waiting = tokio::spawn(async move {
        second.acquire().await;
        second
    });
    first.release().await;
    let mut second = waiting.await.unwrap();
    second.release().await;
}

#[tokio::test(start_paused = true)]
async fn who_says_nothing_is_followed_after_a_while_and_stops() {
    let server = Server::in_memory().await.unwrap();
    let (mut first, mut second) = (process(&server.client(), "first"), process(&server.client(), "second"));
    first.acquire().await;
    second.acquire().await;
    let lost = first.hold().await;
    assert!(matches!(&lost, Lost::Taken(by) if by == "second"), "{lost}");
}
