//! Manifests come, rest, and go.

use std::path::Path;

use anyhow::bail;
use krono_e2e_kube::Options;
use serde_json::{Value, json};

use crate::chainsaw::{Chainsaw, Remains};
use crate::cluster::Cluster;
use crate::corpus::{self, Manifests, entries, file_name};
use crate::programs;
use crate::report::{Case, Report};
use crate::snapshot::Snapshot;
use crate::world::{Controller, Server, World};

/// Plays the corpus on one server, or only a part of it.
pub(crate) async fn on(server: Server, krono: &Path, only: &str) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let Some(folder) = corpus::folder()? else { return Ok(report) };
    if server == Server::Real && !programs::go_is_present("the real server")? {
        return Ok(report);
    }
    let mut stage = Stage { world: start(server, krono).await?, server, krono, report: &mut report };
    if "examples".contains(only) {
        // They share names, so each must go before the next comes.
        for example in entries(&folder.join("examples"))? {
            stage
                .manifests(&format!("examples/{}", file_name(&example)), &[Manifests::read(&example)?])
                .await;
        }
    }
    if "upgrade".contains(only) {
        stage.manifests("upgrade", &Manifests::read_all(&folder.join("upgrade"))?).await;
    }
    if "chainsaw".contains(only) && programs::go_is_present("chainsaw")? {
        stage.chainsaw(&Chainsaw::prepare(&folder.join("chainsaw"))?).await?;
    }
    Ok(report)
}

async fn start(server: Server, krono: &Path) -> anyhow::Result<World> {
    match server {
        Server::Embedded => World::embedded(krono).await,
        Server::Real => {
            let options = Options { controllers: vec!["*"], durable: false, admission_off: Vec::new() };
            let mut world = World::real(&options, Some(krono)).await?;
            world.start_controller(&Controller::Krono(krono.to_owned())).await?;
            Ok(world)
        }
    }
}

/// A server that things are played on.
struct Stage<'s> {
    world: World,
    server: Server,
    krono: &'s Path,
    report: &'s mut Report,
}

impl Stage<'_> {
    fn name(&self, part: &str) -> String {
        format!("{}/{part}", self.server.name())
    }

    /// They become active, a second look writes nothing, and they go without a trace.
    async fn manifests(&mut self, part: &str, all: &[Manifests]) {
        let mut case = Case::begin(&self.name(part));
        let settled = async {
            come(&self.world.cluster, all).await?;
            second_look(&mut self.world, self.krono, &mut case).await
        }
        .await;
        // What failed must not be in the way of what follows.
        let gone = go(&self.world.cluster, all).await;
        self.report.add(&case, settled.and(gone));
    }

    /// chainsaw plays its tests and cleans up; then it leaves all it made, a second look writes nothing, and everything goes.
    async fn chainsaw(&mut self, chainsaw: &Chainsaw) -> anyhow::Result<()> {
        self.chainsaw_tests(chainsaw, "chainsaw", Remains::Deleted)?;
        self.chainsaw_tests(chainsaw, "chainsaw, left as it is", Remains::Kept)?;
        let mut case = Case::begin(&self.name("chainsaw, looked at again"));
        let settled = second_look(&mut self.world, self.krono, &mut case).await;
        let gone = async {
            let made = Snapshot::take(&self.world.cluster).await?;
            go(&self.world.cluster, &[made.manifests()]).await
        }
        .await;
        self.report.add(&case, settled.and(gone));
        Ok(())
    }

    fn chainsaw_tests(&mut self, chainsaw: &Chainsaw, part: &str, remains: Remains) -> anyhow::Result<()> {
        let kubeconfig = &self.world.cluster.kubeconfig;
        for test in tokio::task::block_in_place(|| chainsaw.play(kubeconfig, remains))? {
            let case = Case::begin(&self.name(&format!("{part}/{}", test.name)));
            self.report.add_timed(&case, test.seconds, test.played);
        }
        Ok(())
    }
}

/// Applies everything and waits until it is active.
pub(crate) async fn come(cluster: &Cluster, all: &[Manifests]) -> anyhow::Result<()> {
    for object in all.iter().flat_map(|it| &it.others).chain(all.iter().flat_map(|it| &it.definitions)) {
        cluster.apply(object).await?;
    }
    for definition in all.iter().flat_map(|it| &it.definitions) {
        cluster.until_state(definition, "Active").await?;
    }
    for instance in all.iter().flat_map(|it| &it.instances) {
        cluster.apply(instance).await?;
    }
    for instance in all.iter().flat_map(|it| &it.instances) {
        cluster.until_state(instance, "ACTIVE").await?;
    }
    Ok(())
}

/// Controllers that start anew find nothing to write.
pub(crate) async fn second_look(world: &mut World, krono: &Path, case: &mut Case) -> anyhow::Result<()> {
    let before = Snapshot::at_rest(&world.cluster).await?;
    world.restart(krono).await?;
    world.until_looked_at(before.instances().count()).await?;
    let after = Snapshot::at_rest(&world.cluster).await?;
    case.looked_again(&before.writes_until(&after))
}

/// Deletes everything and waits until nothing is left of it but the kinds, which are deleted at last.
pub(crate) async fn go(cluster: &Cluster, all: &[Manifests]) -> anyhow::Result<()> {
    for instance in all.iter().flat_map(|it| &it.instances) {
        cluster.delete(instance).await?;
    }
    for instance in all.iter().flat_map(|it| &it.instances) {
        cluster.until_gone(instance).await?;
    }
    let left = Snapshot::take(cluster).await?;
    let children: Vec<_> = left.children().map(|(key, _)| key.clone()).collect();
    if !children.is_empty() {
        bail!("left behind:\n  {}", children.join("\n  "));
    }
    for definition in all.iter().flat_map(|it| &it.definitions) {
        cluster.delete(definition).await?;
    }
    for definition in all.iter().flat_map(|it| &it.definitions) {
        cluster.until_gone(definition).await?;
    }
    for kind in left.0.values().filter(|it| is_generated_kind(it)) {
        cluster.delete(kind).await?;
    }
    Ok(())
}

fn is_generated_kind(object: &Value) -> bool {
    object["kind"] == "CustomResourceDefinition"
        && object["metadata"]["labels"]["kro.run/owned"] == json!("true")
}
