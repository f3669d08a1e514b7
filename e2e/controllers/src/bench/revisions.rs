//! What many revisions and many instances cost the controllers, on the embedded server.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use krono_e2e_kube::{children_time, processor_time, resident};
use kube::api::{Api, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use super::contest::{api, is_active, until};
use super::work::{fan, instance};
use crate::world::{Controller, World};

/// How many revisions there are, and over how many of them instances are spread.
const REVISIONS: usize = 50;
const SPREAD: usize = 20;
/// The sizes that growth is shown at.
const SIZES: [usize; 4] = [100, 1_000, 2_000, 10_000];
/// The size that the target is for, and the most processor time that each thing may take there.
const TARGET: (usize, f64) = (2_000, 100.0);
/// How many instances move to the newest revision at last, and the most writes that each may take: one of the resource that
/// changes, and three of its status (V16).
const MOVED: usize = 50;
const WRITES_PER_MOVE: usize = 4;
/// Beside them the definition and its revisions tell how far it is.
const WRITES_ABOUT_ALL: usize = 12;
const CREATORS: usize = 32;
/// Longer than counts wait to be told.
const AT_REST_AFTER: Duration = Duration::from_secs(7);
/// Longer than what nobody needs is kept.
const PRUNED_AFTER: Duration = Duration::from_secs(75);

/// All figures; prints them.
pub(crate) async fn run(krono: &Path, only: Option<usize>) -> anyhow::Result<Value> {
    let mut sizes = Vec::new();
    println!(
        "{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>12}",
        "instances", "issue ms", "list ms", "diff ms", "prune ms", "written", "rss MB", "move writes"
    );
    for size in SIZES.into_iter().filter(|it| only.is_none_or(|only| only == *it)) {
        let figures = measure(krono, size).await.with_context(|| format!("{size} instances"))?;
        let shown = |field: &str| figures[field].as_f64().unwrap_or_default();
        println!(
            "{size:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>12}",
            shown("issue_ms"),
            shown("list_ms"),
            shown("diff_ms"),
            shown("prune_ms"),
            shown("written"),
            shown("rss_mb"),
            shown("move_writes"),
        );
        sizes.push(figures);
    }
    let pass = sizes.iter().filter(|it| it["instances"] == TARGET.0).all(is_within);
    Ok(json!({"revisions": REVISIONS, "spread": SPREAD, "sizes": sizes, "target_ms": TARGET.1, "pass": pass}))
}

fn is_within(figures: &Value) -> bool {
    let fields = ["issue_ms", "list_ms", "diff_ms", "prune_ms"];
    let is_quick = |it: &&str| figures[*it].as_f64().is_some_and(|it| it <= TARGET.1);
    let most = MOVED * WRITES_PER_MOVE + WRITES_ABOUT_ALL;
    let is_frugal = figures["move_writes"].as_u64().is_some_and(|it| it <= most as u64);
    figures["written"] == 0 && fields.iter().all(is_quick) && figures["move_resources"] == MOVED && is_frugal
}

async fn measure(krono: &Path, instances: usize) -> anyhow::Result<Value> {
    let mut world = World::unattended(krono).await?;
    world.start_controller(&Controller::Krono(krono.to_owned())).await?;
    let process = world.controller_process().context("the controller has ended")?;
    let scene = Scene { world: &world, krono, process };
    for number in 1..=REVISIONS {
        scene.issue(number).await?;
    }
    scene.create(instances).await?;
    scene.at_rest().await;
    let before = scene.written().await?;
    let issue = scene.cost(async { scene.issue(REVISIONS + 1).await }).await?;
    let written = changed(&before, &scene.written().await?).count();
    let list = scene.command(&["revisions", "list", "rgd/benchfan"])?;
    let (to, kind) = (format!("--to={REVISIONS}"), "rgd/benchfan");
    let diff = scene.command(&["revisions", "diff", kind, "--from=1", &to])?;
    let prune = scene.cost(async { scene.prune().await }).await?;
    let rss = resident(&[process])? / 1_000_000;
    let (before, writes) = (scene.written().await?, world.writes().await?);
    scene.unpin().await?;
    let writes = world.writes().await? - writes;
    let after = scene.written().await?;
    let resources = changed(&before, &after).filter(|it| it.starts_with("ConfigMap ")).count();
    Ok(json!({"instances": instances, "issue_ms": issue, "list_ms": list, "diff_ms": diff, "prune_ms": prune,
        "written": written, "rss_mb": rss, "moved": MOVED, "move_resources": resources, "move_writes": writes}))
}

struct Scene<'w> {
    world: &'w World,
    krono: &'w Path,
    process: u32,
}

impl Scene<'_> {
    /// Another content, which is current when this returns.
    async fn issue(&self, number: usize) -> anyhow::Result<()> {
        self.define(number, REVISIONS + 10).await?;
        let definitions = api(self.world, "ResourceGraphDefinition");
        until(&definitions, 1, |it| it.data["status"]["currentRevision"] == number).await
    }

    async fn define(&self, number: usize, limit: usize) -> anyhow::Result<()> {
        let mut definition = fan(&format!("edition {number}"));
        definition["spec"]["revisionManagement"] = json!({"historyLimit": limit});
        self.world.cluster.apply(&definition).await
    }

    /// Instances that are pinned to the newest revisions, as many to each.
    async fn create(&self, count: usize) -> anyhow::Result<()> {
        let instances = api(self.world, "BenchFan");
        let created = stream::iter(0..count).map(|number| {
            let mut object = instance("BenchFan", &format!("fan-{number}"));
            let pin = REVISIONS - number % SPREAD;
            object["metadata"]["annotations"] = json!({"kro.run/rgd-revision": pin.to_string()});
            let api = instances.clone();
            async move {
                let object: DynamicObject = serde_json::from_value(object)?;
                api.create(&PostParams::default(), &object).await?;
                anyhow::Ok(())
            }
        });
        let created = created.buffer_unordered(CREATORS).try_collect::<Vec<()>>();
        let (created, active) = tokio::join!(created, until(&instances, count, is_active));
        created?;
        active
    }

    /// Gives up all revisions that nobody needs.
    async fn prune(&self) -> anyhow::Result<()> {
        self.define(REVISIONS + 1, 1).await?;
        tokio::time::sleep(PRUNED_AFTER).await;
        let revisions: Api<DynamicObject> = api(self.world, "ResourceGraphDefinitionRevision");
        let left = revisions.list_metadata(&ListParams::default()).await?.items.len();
        ensure!(left == SPREAD + 1, "{left} revisions are left");
        Ok(())
    }

    /// Lets some instances follow what is current.
    async fn unpin(&self) -> anyhow::Result<()> {
        let instances = api(self.world, "BenchFan");
        let patch = Patch::Merge(json!({"metadata": {"annotations": {"kro.run/rgd-revision": null}}}));
        for number in 0..MOVED {
            instances.patch(&format!("fan-{number}"), &PatchParams::default(), &patch).await?;
        }
        until(&instances, MOVED, |it| it.data["status"]["observedRGDRevision"] == REVISIONS + 1).await?;
        self.at_rest().await;
        Ok(())
    }

    /// Milliseconds of the controller's processor time until it rests again.
    async fn cost(&self, deed: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<u64> {
        let before = processor_time(&[self.process])?;
        deed.await?;
        self.at_rest().await;
        Ok(u64::try_from(processor_time(&[self.process])?.saturating_sub(before).as_millis())?)
    }

    async fn at_rest(&self) {
        tokio::time::sleep(AT_REST_AFTER).await;
    }

    /// Milliseconds of the processor time of a command.
    fn command(&self, arguments: &[&str]) -> anyhow::Result<u64> {
        let before = children_time()?;
        let mut command = Command::new(self.krono);
        let run = command.args(arguments).arg("--kubeconfig").arg(&self.world.cluster.kubeconfig).output()?;
        if !run.status.success() {
            bail!("krono {}: {}", arguments.join(" "), String::from_utf8_lossy(&run.stderr));
        }
        Ok(u64::try_from(children_time()?.saturating_sub(before).as_millis())?)
    }

    /// The versions of all instances and of their resources.
    async fn written(&self) -> anyhow::Result<BTreeMap<String, String>> {
        let mut versions = BTreeMap::new();
        for kind in ["BenchFan", "ConfigMap"] {
            for object in api(self.world, kind).list_metadata(&ListParams::default()).await? {
                let metadata = object.metadata;
                let name = format!("{kind} {}", metadata.name.unwrap_or_default());
                versions.insert(name, metadata.resource_version.unwrap_or_default());
            }
        }
        Ok(versions)
    }
}

/// The names of those that were written in between.
fn changed<'o>(
    before: &BTreeMap<String, String>,
    after: &'o BTreeMap<String, String>,
) -> impl Iterator<Item = &'o String> {
    after.iter().filter(|(name, version)| before.get(*name) != Some(version)).map(|(name, _)| name)
}
