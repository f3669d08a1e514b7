//! One controller at work.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use anyhow::Context;
use futures_util::{Stream, StreamExt as _, TryStreamExt as _, stream};
use krono_e2e_kube::{processor_time, resident};
use kube::api::{
    Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams,
};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

use super::Size;
use super::requests::Requests;
use super::work::{MARK, chain, fan, instance};
use crate::world::{Controller, World};

const CHAINS: usize = 5;
const CREATORS: usize = 32;
/// Longer than what happens within a while is gathered before it is told at once.
const AT_REST_AFTER: Duration = Duration::from_secs(10);
/// A patient limit: kro takes its time.
const PATIENCE: Duration = Duration::from_mins(30);

/// Lets the controller work, measures, and takes everything away again.
pub(super) async fn measure(
    world: &mut World,
    name: &str,
    controller: &Controller,
    size: Size,
) -> anyhow::Result<Value> {
    world.start_controller(controller).await?;
    let contest = Contest::new(world).with_context(|| format!("{name} has ended"))?;
    contest.warm_up().await?;
    let chain = contest.chains().await?;
    println!("{name}: chain {chain:.0} ms");
    let many = contest.many(size.instances).await?;
    println!("{name}: {many}");
    let quiet = contest.quiet(size.quiet).await?;
    println!("{name}: quiet {quiet}");
    let change = contest.change(size.instances).await?;
    println!("{name}: change {change:.2} s");
    world.stop_controller();
    Contest::clean_up(world).await?;
    Ok(json!({"chain_ms": chain, "many": many, "quiet": quiet, "change_s": change}))
}

struct Contest<'w> {
    world: &'w World,
    process: u32,
}

impl<'w> Contest<'w> {
    fn new(world: &'w World) -> Option<Self> {
        Some(Self { world, process: world.controller_process()? })
    }

    /// The first instance of a new kind waits for the server.
    async fn warm_up(&self) -> anyhow::Result<()> {
        let cluster = &self.world.cluster;
        for definition in [chain(), fan("one")] {
            cluster.apply(&definition).await?;
            cluster.until_state(&definition, "Active").await?;
        }
        for kind in ["BenchChain", "BenchFan"] {
            let first = instance(kind, "first");
            cluster.apply(&first).await?;
            cluster.until_state(&first, "ACTIVE").await?;
        }
        self.at_rest().await.map(drop)
    }

    /// Milliseconds from create to active, in the middle of some tries.
    ///
    /// One watch is open all the time: what a connection costs is not the controller's.
    async fn chains(&self) -> anyhow::Result<f64> {
        let api = api(self.world, "BenchChain");
        let mut events = api.watch(&WatchParams::default(), "0").await?.boxed();
        let mut times = Vec::new();
        for number in 0..CHAINS {
            let name = format!("chain-{number}");
            let begin = Instant::now();
            create(&api, &instance("BenchChain", &name)).await?;
            let wanted = |it: &DynamicObject| it.metadata.name.as_deref() == Some(&name) && is_active(it);
            let active = tokio::time::timeout(PATIENCE, told(&mut events, &wanted)).await?;
            active?.with_context(|| format!("the watch ended before {name} was active"))?;
            times.push(begin.elapsed().as_secs_f64() * 1000.0);
        }
        times.sort_by(f64::total_cmp);
        Ok(times[CHAINS / 2])
    }

    async fn many(&self, count: usize) -> anyhow::Result<Value> {
        let api = api(self.world, "BenchFan");
        let before = Requests::count(&self.world.cluster).await?;
        let processor = processor_time(&[self.process])?;
        let begin = Instant::now();
        let created = stream::iter(0..count).map(|number| {
            let api = api.clone();
            async move { create(&api, &instance("BenchFan", &format!("fan-{number}"))).await }
        });
        let created = created.buffer_unordered(CREATORS).try_collect::<Vec<()>>();
        // The first instance is there already.
        let active = until(&api, count + 1, is_active);
        let (created, active) = tokio::join!(created, active);
        created?;
        active?;
        let wall = begin.elapsed();
        let requests = self.at_rest().await?.since(&before);
        let ours = u64::try_from(count)?;
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let per_instance = (requests.total() - ours) as f64 / count as f64;
        let processor = processor_time(&[self.process])?.saturating_sub(processor);
        Ok(json!({
            "wall_s": wall.as_secs_f64(), "requests_per_instance": per_instance, "requests": requests.by_kind(),
            "cpu_s": processor.as_secs_f64(), "rss_mb": megabytes(resident(&[self.process])?),
        }))
    }

    async fn quiet(&self, long: Duration) -> anyhow::Result<Value> {
        let before = Requests::count(&self.world.cluster).await?;
        tokio::time::sleep(long).await;
        let requests = Requests::count(&self.world.cluster).await?.since(&before);
        Ok(json!({"seconds": long.as_secs(), "requests": requests.total(), "by_kind": requests.by_kind()}))
    }

    /// Seconds until a changed definition has reached all instances.
    async fn change(&self, count: usize) -> anyhow::Result<f64> {
        let begin = Instant::now();
        self.world.cluster.apply(&fan("two")).await?;
        let maps = api(self.world, "ConfigMap");
        until(&maps, count + 1, |it| it.data["data"]["edition"] == "two").await?;
        Ok(begin.elapsed().as_secs_f64())
    }

    /// Waits until the server is asked nothing more; what it was asked till then.
    async fn at_rest(&self) -> anyhow::Result<Requests> {
        let mut before = Requests::count(&self.world.cluster).await?;
        loop {
            tokio::time::sleep(AT_REST_AFTER).await;
            let after = Requests::count(&self.world.cluster).await?;
            // A controller that never rests is not waited for.
            if after.since(&before).total() < 10 {
                return Ok(after);
            }
            before = after;
        }
    }

    /// Takes away what was made, without any controller.
    async fn clean_up(world: &World) -> anyhow::Result<()> {
        for kind in ["BenchChain", "BenchFan"] {
            release(&api(world, kind)).await?;
        }
        api(world, "ConfigMap")
            .delete_collection(&DeleteParams::default(), &ListParams::default().labels(MARK))
            .await?;
        let definitions = api(world, "ResourceGraphDefinition");
        release(&definitions).await?;
        let kinds: Api<DynamicObject> = Api::all_with(
            world.cluster.client.clone(),
            &resource("apiextensions.k8s.io", "v1", "CustomResourceDefinition"),
        );
        let ours = ListParams::default().labels("kro.run/owned=true");
        kinds.delete_collection(&DeleteParams::default(), &ours).await?;
        tokio::time::sleep(AT_REST_AFTER).await;
        Ok(())
    }
}

/// To a tenth: krono's whole ones are a twentieth of it each.
fn megabytes(bytes: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let tenths = (bytes / 100_000) as f64;
    tenths / 10.0
}

/// Deletes all objects, and lets none of them wait for anybody.
async fn release(api: &Api<DynamicObject>) -> anyhow::Result<()> {
    let everything = ListParams::default();
    api.delete_collection(&DeleteParams::default(), &everything).await?;
    let free = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    for object in api.list_metadata(&everything).await? {
        let name = object.metadata.name.unwrap_or_default();
        match api.patch(&name, &PatchParams::default(), &free).await {
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            other => drop(other?),
        }
    }
    Ok(())
}

async fn create(api: &Api<DynamicObject>, object: &Value) -> anyhow::Result<()> {
    let object: DynamicObject = serde_json::from_value(object.clone())?;
    api.create(&PostParams::default(), &object).await?;
    Ok(())
}

/// Watches until so many objects are as they should be.
pub(super) async fn until(
    api: &Api<DynamicObject>,
    count: usize,
    wanted: impl Fn(&DynamicObject) -> bool,
) -> anyhow::Result<()> {
    let mut done = HashSet::new();
    let watching = async {
        while done.len() < count {
            let mut events = api.watch(&WatchParams::default(), "0").await?.boxed();
            while let Some(object) = told(&mut events, &wanted).await? {
                done.insert(object.metadata.name.unwrap_or_default());
                if done.len() >= count {
                    break;
                }
            }
        }
        anyhow::Ok(())
    };
    let watched = tokio::time::timeout(PATIENCE, watching).await;
    let count = format!("{} of {count} objects are as they should be", done.len());
    watched.context(count)?
}

/// The next object that is as it should be; nothing when the watch ends first.
async fn told(
    events: &mut (impl Stream<Item = kube::Result<WatchEvent<DynamicObject>>> + Unpin),
    wanted: &impl Fn(&DynamicObject) -> bool,
) -> anyhow::Result<Option<DynamicObject>> {
    while let Some(event) = events.try_next().await? {
        if let WatchEvent::Added(object) | WatchEvent::Modified(object) = event
            && wanted(&object)
        {
            return Ok(Some(object));
        }
    }
    Ok(None)
}

pub(super) fn is_active(object: &DynamicObject) -> bool {
    object.data["status"]["state"] == "ACTIVE"
}

pub(super) fn api(world: &World, kind: &str) -> Api<DynamicObject> {
    let resource = match kind {
        "ConfigMap" => resource("", "v1", kind),
        _ => resource("kro.run", "v1alpha1", kind),
    };
    match kind {
        "ResourceGraphDefinition" | "ResourceGraphDefinitionRevision" => {
            Api::all_with(world.cluster.client.clone(), &resource)
        }
        _ => Api::namespaced_with(world.cluster.client.clone(), "default", &resource),
    }
}

/// All these kinds have regular plurals.
fn resource(group: &str, version: &str, kind: &str) -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind))
}
