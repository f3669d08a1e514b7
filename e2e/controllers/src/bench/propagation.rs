//! What it takes to play a change over a large fleet, on the embedded server.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use krono_e2e_kube::{processor_time, resident};
use kube::api::{DynamicObject, PostParams};
use serde_json::{Value, json};

use super::contest::{api, is_active, until};
use super::work::{fan, instance};
use crate::world::{Controller, World};

const CREATORS: usize = 32;
/// Longer than counts wait to be told.
const AT_REST_AFTER: Duration = Duration::from_secs(7);

/// Plays one change over so many instances; prints what it took.
pub(crate) async fn run(krono: &Path, instances: usize) -> anyhow::Result<Value> {
    let mut world = World::unattended(krono).await?;
    world.start_controller(&Controller::Krono(krono.to_owned())).await?;
    let process = world.controller_process().context("the controller has ended")?;
    let scene = Scene { world: &world, process };
    scene.define("one").await?;
    let created = scene.cost(scene.create(instances)).await?;
    println!("{instances} instances come: {created}");
    let changed = scene.cost(scene.change(instances)).await?;
    println!("a change reaches {instances} instances: {changed}");
    let look = mean_look(&world.counters().await?);
    println!("a look at all instances: {look} ms");
    Ok(json!({"instances": instances, "created": created, "changed": changed, "look_ms": look, "pass": true}))
}

/// How many milliseconds it took on average to read all instances and to decide who may move.
fn mean_look(counters: &str) -> f64 {
    let of = |what: &str| {
        let name = format!("krono_propagation_look_seconds_{what}{{");
        let line = counters.lines().find(|it| it.starts_with(&name));
        line.and_then(|it| it.rsplit(' ').next()?.parse::<f64>().ok()).unwrap_or(f64::NAN)
    };
    (of("sum") / of("count") * 10_000.0).round() / 10.0
}

struct Scene<'w> {
    world: &'w World,
    process: u32,
}

impl Scene<'_> {
    async fn define(&self, edition: &str) -> anyhow::Result<()> {
        let mut definition = fan(edition);
        // One resource is enough: what is measured are instances.
        if let Some(resources) = definition["spec"]["resources"].as_array_mut() {
            resources.truncate(1);
        }
        definition["spec"]["propagateWhen"] = json!(["${exponentiallyUpdated(instances, each)}"]);
        self.world.cluster.apply(&definition).await?;
        self.world.cluster.until_state(&definition, "Active").await
    }

    async fn create(&self, count: usize) -> anyhow::Result<()> {
        let instances = api(self.world, "BenchFan");
        let created = stream::iter(0..count).map(|number| {
            let api = instances.clone();
            async move {
                let object = instance("BenchFan", &format!("fan-{number}"));
                api.create(&PostParams::default(), &serde_json::from_value::<DynamicObject>(object)?).await?;
                anyhow::Ok(())
            }
        });
        let created = created.buffer_unordered(CREATORS).try_collect::<Vec<()>>();
        let (created, active) = tokio::join!(created, until(&instances, count, is_active));
        created?;
        active
    }

    /// Returns when everybody has the new edition, and the definition says that it has reached them.
    async fn change(&self, count: usize) -> anyhow::Result<()> {
        self.define("two").await?;
        until(&api(self.world, "ConfigMap"), count, |it| it.data["data"]["edition"] == "two").await?;
        let is_completed = |it: &DynamicObject| {
            let propagation = &it.data["status"]["propagation"];
            propagation["phase"] == "Completed" && propagation["revision"] == 2
        };
        until(&api(self.world, "ResourceGraphDefinition"), 1, is_completed).await
    }

    /// What a deed costs the controller until it rests again.
    async fn cost(&self, deed: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<Value> {
        let (before, begun) = (processor_time(&[self.process])?, Instant::now());
        deed.await?;
        let seconds = begun.elapsed().as_secs_f64();
        tokio::time::sleep(AT_REST_AFTER).await;
        let processor = processor_time(&[self.process])?.saturating_sub(before).as_secs_f64();
        let rounded = |it: f64| (it * 10.0).round() / 10.0;
        Ok(json!({
            "seconds": rounded(seconds), "cpu_seconds": rounded(processor),
            "controller_mb": resident(&[self.process])? / 1_000_000,
        }))
    }
}
