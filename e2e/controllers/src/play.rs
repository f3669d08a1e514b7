//! Manifests come, rest, and go.

use std::path::Path;

use anyhow::bail;
use krono_e2e_kube::Options;
use serde_json::{Value, json};

use crate::chainsaw::Chainsaw;
use crate::cluster::Cluster;
use crate::corpus::{self, Manifests, entries, file_name};
use crate::snapshot::Snapshot;
use crate::world::{Controller, Server, World};

/// What was played, and what went wrong.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) played: usize,
    pub(crate) failures: Vec<String>,
}

impl Report {
    pub(crate) fn add(&mut self, name: &str, played: anyhow::Result<()>) {
        self.played += 1;
        match played {
            Ok(()) => println!("ok    {name}"),
            Err(error) => {
                println!("FAIL  {name}: {error:#}");
                self.failures.push(format!("{name}: {error:#}"));
            }
        }
    }
}

/// Plays the whole corpus on one server.
pub(crate) async fn on(server: Server, krono: &Path, only: &str, report: &mut Report) -> anyhow::Result<()> {
    let Some(folder) = corpus::folder() else { bail!("the corpus is not beside the project") };
    let mut world = start(server, krono).await?;
    let name = |part: &str| format!("{server:?}/{part}").to_lowercase();
    if "examples".contains(only) {
        // They share names, so each must go before the next comes.
        for example in entries(&folder.join("examples"))? {
            let all = [Manifests::read(&example)?];
            let played = manifests(&mut world, krono, &all).await;
            report.add(&name(&format!("examples/{}", file_name(&example))), played);
        }
    }
    if "upgrade".contains(only) {
        let all = Manifests::read_all(&folder.join("upgrade"))?;
        let played = manifests(&mut world, krono, &all).await;
        report.add(&name("upgrade"), played);
    }
    if "chainsaw".contains(only) {
        let chainsaw = Chainsaw::prepare(&folder.join("chainsaw"))?;
        for test in chainsaw.tests()? {
            let played = tokio::task::block_in_place(|| chainsaw.play(&test, &world.cluster.kubeconfig));
            report.add(&name(&format!("chainsaw/{test}")), played);
        }
        report.add(&name("chainsaw, left as it is"), left(&mut world, krono, &chainsaw).await);
    }
    Ok(())
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

/// They become active, a second look writes nothing, and they go without a trace.
async fn manifests(world: &mut World, krono: &Path, all: &[Manifests]) -> anyhow::Result<()> {
    come(&world.cluster, all).await?;
    second_look(world, krono).await?;
    go(&world.cluster, all).await
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
async fn second_look(world: &mut World, krono: &Path) -> anyhow::Result<()> {
    let before = Snapshot::at_rest(&world.cluster).await?;
    world.restart(krono).await?;
    let after = Snapshot::at_rest(&world.cluster).await?;
    let writes = before.writes_until(&after);
    if !writes.is_empty() {
        bail!("a second look made {} writes:\n  {}", writes.len(), writes.join("\n  "));
    }
    Ok(())
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

/// chainsaw leaves all it made; a second look writes nothing, and everything goes.
async fn left(world: &mut World, krono: &Path, chainsaw: &Chainsaw) -> anyhow::Result<()> {
    for test in chainsaw.tests()? {
        tokio::task::block_in_place(|| chainsaw.play_and_leave(&test, &world.cluster.kubeconfig))?;
    }
    second_look(world, krono).await?;
    let made = Snapshot::take(&world.cluster).await?;
    go(&world.cluster, &[made_of(made)]).await
}

/// Definitions and instances among all objects.
fn made_of(snapshot: Snapshot) -> Manifests {
    let mut manifests = Manifests::default();
    for object in snapshot.0.into_values() {
        let labels = &object["metadata"]["labels"];
        if object["kind"] == "ResourceGraphDefinition" {
            manifests.definitions.push(object);
        } else if labels["applyset.kubernetes.io/id"].is_string()
            && !labels["applyset.kubernetes.io/part-of"].is_string()
        {
            manifests.instances.push(object);
        }
    }
    manifests
}
