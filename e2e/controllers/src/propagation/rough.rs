//! A change reaches a large fleet though almost everything goes wrong meanwhile.
//!
//! Some instances are broken before, some are pinned, some are deleted and others created on the way; whoever leads is killed
//! twice; and a tool puts the old definition back every half minute, after which the author writes the new one again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use krono_e2e_kube::Options;
use kube::api::{Api, DynamicObject, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::fleet::{BROKEN, KIND, definition, doomed, instance, is_pinned, name, plain};
use super::leaders::Leaders;
use super::tally::Tally;
use super::tracker::{Rollout, Track, Tracker, Tracks};
use super::wire::Wire;
use crate::cluster::Cluster;
use crate::report::Case;
use crate::world::{Server, World};

const CONTROLLERS: usize = 3;
/// How many instances go, and how many come.
const EXCHANGED: usize = 10;
const CREATORS: usize = 32;
/// How often the tool strikes, and how long it takes the author to notice.
const STRIKES_EVERY: Duration = Duration::from_secs(30);
const NOTICED_AFTER: Duration = Duration::from_secs(5);
const AUTHOR: &str = "kubectl";
const TOOL: &str = "argocd-controller";
/// How long everything may take.
const PATIENCE: Duration = Duration::from_mins(20);
const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(500);
/// Longer than counts wait to be told.
const AT_REST_AFTER: Duration = Duration::from_secs(10);

/// How large the fleet is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) instances: usize,
}

/// Plays the whole story on one server.
pub(super) async fn play(server: Server, krono: &Path, size: Size, case: &mut Case) -> anyhow::Result<()> {
    let world = start(server, krono).await?;
    let folder = tempfile::tempdir()?;
    let stage = Stage::set(&world.cluster, krono, &folder, size).await?;
    case.measured(stage.change().await?);
    Ok(())
}

async fn start(server: Server, krono: &Path) -> anyhow::Result<World> {
    match server {
        Server::Embedded => World::with_workloads(krono).await,
        Server::Real => {
            let options = Options { controllers: vec!["*"], durable: false, admission_off: Vec::new() };
            World::real(&options, Some(krono)).await
        }
    }
}

/// A fleet at rest, at the first revision.
struct Stage<'s> {
    cluster: &'s Cluster,
    wire: Wire,
    leaders: Leaders,
    tracker: Tracker<Track>,
    rollouts: Tracker<Rollout>,
    size: Size,
    /// The content of the first revision; there is only one other.
    first: String,
}

impl<'s> Stage<'s> {
    async fn set(cluster: &'s Cluster, krono: &Path, folder: &TempDir, size: Size) -> anyhow::Result<Self> {
        let wire = Wire::open(&cluster.kubeconfig, &folder.path().join("kubeconfig")).await?;
        let leaders = Leaders::start(krono, wire.kubeconfig(), folder.path(), CONTROLLERS)?;
        let definition = definition("one");
        cluster.apply_as(AUTHOR, &definition).await?;
        cluster.until_state(&definition, "Active").await?;
        let (tracker, rollouts) = (Tracker::start(sites(cluster)), Tracker::start(deployments(cluster)));
        let mut stage = Self { cluster, wire, leaders, tracker, rollouts, size, first: String::new() };
        let begun = Instant::now();
        create(&sites(cluster), (0..size.instances).map(instance)).await?;
        stage.tracker.until("ready", size.instances - BROKEN.len(), PATIENCE, |it| it.is_ready).await?;
        stage.tracker.until("assigned", size.instances, PATIENCE, |it| !it.content.is_empty()).await?;
        stage.at_rest().await?;
        println!("      {} instances are ready after {:.0?}", size.instances, begun.elapsed());
        let contents: BTreeSet<String> = stage.tracker.tracks()?.into_values().map(|it| it.content).collect();
        ensure!(contents.len() == 1, "there are {} contents", contents.len());
        stage.first = contents.into_iter().next().unwrap_or_default();
        Ok(stage)
    }

    /// The change and all that happens meanwhile; what it came to, in figures.
    async fn change(mut self) -> anyhow::Result<Value> {
        let (since, begun) = (self.wire.count(), Instant::now());
        let (before, rollouts) = (self.tracker.tracks()?, self.rollouts.tracks()?);
        self.cluster.apply_as(AUTHOR, &definition("two")).await?;
        let mut strikes = 0;
        let impostor = impostor(self.cluster, begun, &mut strikes);
        tokio::select! {
            arrived = self.troubles() => arrived?,
            failed = impostor => failed?,
        }
        // The tool may have had the last word.
        self.cluster.apply_as(AUTHOR, &definition("two")).await?;
        self.arrived().await?;
        let seconds = begun.elapsed().as_secs();
        println!("      everybody has arrived after {seconds} s and {strikes} strikes");
        ensure!(strikes > 0, "it was over before the tool struck");
        self.at_rest().await?;
        self.everybody_is_where_they_should_be().await?;
        let after = self.tracker.tracks()?;
        let gone: BTreeSet<String> = doomed(self.size.instances, EXCHANGED).map(name).collect();
        let stayed = after.iter().filter(|(name, _)| before.contains_key(*name) && !gone.contains(*name));
        let relapses = relapses(&rollouts, &self.rollouts.tracks()?);
        let mut figures = Tally::of(&self.wire.since(since)).check(stayed, &relapses)?;
        let definition = self.cluster.get(&definition("two")).await?.unwrap_or_default();
        figures["revisions"] = definition["status"]["latestRevision"].clone();
        figures["strikes"] = json!(strikes);
        figures["seconds"] = json!(seconds);
        figures["controller_mb"] = json!(self.leaders.resident(self.cluster).await?);
        Ok(figures)
    }

    /// What happens to the fleet and to whoever leads it, each when the change has come so far; then it arrives.
    async fn troubles(&mut self) -> anyhow::Result<()> {
        self.until_moved(3).await?;
        self.exchange().await?;
        self.until_moved(10).await?;
        self.leaders.kill_leader(self.cluster).await?;
        self.until_moved(30).await?;
        self.leaders.kill_leader(self.cluster).await?;
        self.arrived().await
    }

    /// Waits until this share of the fleet has the new content.
    async fn until_moved(&self, percent: usize) -> anyhow::Result<()> {
        let share = self.size.instances * percent / 100;
        self.tracker.until("at the new content", share, PATIENCE, |it| self.has_moved(it)).await
    }

    fn has_moved(&self, track: &Track) -> bool {
        !track.content.is_empty() && track.content != self.first
    }

    /// Some go, and as many come.
    async fn exchange(&self) -> anyhow::Result<()> {
        println!("      {EXCHANGED} instances go, and {EXCHANGED} come");
        for number in doomed(self.size.instances, EXCHANGED) {
            self.cluster.delete(&plain(&name(number))).await?;
        }
        create(&sites(self.cluster), (0..EXCHANGED).map(|it| plain(&newcomer(it)))).await
    }

    /// Waits until the new content has reached everybody who follows, and the definition says so.
    async fn arrived(&self) -> anyhow::Result<()> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let told = self.cluster.get(&definition("two")).await?.unwrap_or_default();
            let propagation = &told["status"]["propagation"];
            if propagation["phase"] == "Halted" {
                bail!("it is halted: {}", propagation["reason"]);
            }
            let following = self.tracker.count(|_| true) - self.pinned();
            let is_told = propagation["phase"] == "Completed"
                && propagation["revision"] == told["status"]["latestRevision"];
            if is_told && self.tracker.count(|it| self.has_moved(it)) == following {
                return Ok(());
            }
            if Instant::now() > deadline {
                bail!("not everybody has arrived after {} s: {propagation:#}", PATIENCE.as_secs());
            }
            tokio::time::sleep(LOOK_AGAIN_AFTER).await;
        }
    }

    fn pinned(&self) -> usize {
        (0..self.size.instances).filter(|it| is_pinned(*it)).count()
    }

    /// Waits until controllers write nothing any more.
    async fn at_rest(&self) -> anyhow::Result<()> {
        let deadline = Instant::now() + PATIENCE;
        let mut before = self.wire.count();
        loop {
            tokio::time::sleep(AT_REST_AFTER).await;
            let after = self.wire.count();
            if after == before {
                return Ok(());
            }
            if Instant::now() > deadline {
                let last = self.wire.since(before);
                bail!("controllers do not come to rest; {} writes, such as {:?}", last.len(), last.first());
            }
            before = after;
        }
    }

    /// Compares what there is with what there should be.
    async fn everybody_is_where_they_should_be(&self) -> anyhow::Result<()> {
        let gone: BTreeSet<usize> = doomed(self.size.instances, EXCHANGED).collect();
        let stayed = (0..self.size.instances).filter(|it| !gone.contains(it));
        let expected = stayed.map(|it| {
            let edition = if is_pinned(it) { "one" } else { "two" };
            let suffix = if BROKEN.contains(&it) { "-hang" } else { "" };
            (name(it), format!("web:{edition}{suffix}"))
        });
        let newcomers = (0..EXCHANGED).map(|it| (newcomer(it), "web:two".to_owned()));
        let expected: BTreeSet<(String, String)> = expected.chain(newcomers).collect();
        let found = self.images().await?;
        let wrong: Vec<_> = expected.symmetric_difference(&found).take(10).collect();
        ensure!(wrong.is_empty(), "these Deployments are too many, too few or wrong: {wrong:?}");
        let ready = self.tracker.count(|it| it.is_ready);
        ensure!(ready == expected.len() - BROKEN.len(), "{ready} instances are ready");
        Ok(())
    }

    async fn images(&self) -> anyhow::Result<BTreeSet<(String, String)>> {
        let listed = deployments(self.cluster).list(&kube::api::ListParams::default()).await?;
        let image = |it: DynamicObject| {
            let image = &it.data["spec"]["template"]["spec"]["containers"][0]["image"];
            (it.metadata.name.unwrap_or_default(), image.as_str().unwrap_or_default().to_owned())
        };
        Ok(listed.into_iter().map(image).collect())
    }
}

/// Puts the old definition back, again and again; the author notices each time.
async fn impostor(cluster: &Cluster, begun: Instant, strikes: &mut u32) -> anyhow::Result<()> {
    loop {
        tokio::time::sleep_until((begun + STRIKES_EVERY * (*strikes + 1)).into()).await;
        cluster.apply_as(TOOL, &definition("one")).await?;
        *strikes += 1;
        println!("      the old definition is back");
        tokio::time::sleep(NOTICED_AFTER).await;
        cluster.apply_as(AUTHOR, &definition("two")).await?;
    }
}

fn newcomer(number: usize) -> String {
    format!("new{number}")
}

fn sites(cluster: &Cluster) -> Api<DynamicObject> {
    api(cluster, "kro.run", "v1alpha1", KIND)
}

fn deployments(cluster: &Cluster) -> Api<DynamicObject> {
    api(cluster, "apps", "v1", "Deployment")
}

/// How often each Deployment fell back since then, as it says itself.
fn relapses(before: &Tracks<Rollout>, after: &Tracks<Rollout>) -> BTreeMap<String, usize> {
    let earlier = |name: &String| before.get(name).map_or(0, |it| it.relapses);
    after.iter().map(|(name, it)| (name.clone(), it.relapses - earlier(name))).collect()
}

fn api(cluster: &Cluster, group: &str, version: &str, kind: &str) -> Api<DynamicObject> {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
    Api::namespaced_with(cluster.client.clone(), "default", &resource)
}

async fn create(api: &Api<DynamicObject>, objects: impl Iterator<Item = Value>) -> anyhow::Result<()> {
    let created = stream::iter(objects).map(|object| async move {
        let object: DynamicObject = serde_json::from_value(object)?;
        api.create(&PostParams::default(), &object).await?;
        anyhow::Ok(())
    });
    created.buffer_unordered(CREATORS).try_collect().await
}
