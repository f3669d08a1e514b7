//! Which functions a controller runs.
//!
//! Memory holds a program in blocks of many pages, so each function that runs brings its neighbours along. A linker that
//! knows which ones run lays them side by side.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, bail};

use crate::bench::{chain, fan, instance};
use crate::corpus::documents;
use crate::world::{Controller, World};

/// How many instances of each kind there are.
const INSTANCES: usize = 8;
/// Fewer than any controller runs.
const FEWEST: usize = 1000;

/// Lets a controller work and writes the symbols of all functions that ran, one per line.
pub(crate) async fn run(krono: &Path, symbols: &Path) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let calls = folder.path().join("calls");
    let mut world = World::unattended(krono).await?;
    mix_styles(&world.cluster.kubeconfig)?;
    let traced = Controller::Traced(krono.to_owned(), calls.clone());
    world.start_controller(&traced).await.context("is valgrind installed?")?;
    work(&world).await?;
    world.end_controller().await?;
    let text = std::fs::read_to_string(&calls).context("valgrind has written nothing")?;
    let ran = functions(&text);
    if ran.len() < FEWEST {
        bail!("only {} functions ran; does the program have its symbols?", ran.len());
    }
    let lines: Vec<&str> = ran.into_iter().collect();
    std::fs::write(symbols, lines.join("\n") + "\n").context("cannot write the symbols")
}

/// Writes a kubeconfig anew in both styles of YAML, since both are in use.
fn mix_styles(kubeconfig: &Path) -> anyhow::Result<()> {
    let parts = documents(kubeconfig)?.into_iter().filter_map(|it| it.as_object().cloned()).flatten();
    let lines: Vec<String> = parts.map(|(name, value)| format!("{name}: {value}\n")).collect();
    std::fs::write(kubeconfig, lines.concat()).context("cannot write the kubeconfig")
}

/// Everything that happens to most definitions and instances.
async fn work(world: &World) -> anyhow::Result<()> {
    let cluster = &world.cluster;
    for definition in [chain(), fan("one")] {
        cluster.apply(&definition).await?;
        cluster.until_state(&definition, "Active").await?;
    }
    for kind in ["BenchChain", "BenchFan"] {
        let instances: Vec<_> = (0..INSTANCES).map(|it| instance(kind, &format!("one-{it}"))).collect();
        for instance in &instances {
            cluster.apply(instance).await?;
        }
        for instance in &instances {
            cluster.until_state(instance, "ACTIVE").await?;
        }
        cluster.delete(&instances[0]).await?;
        cluster.until_gone(&instances[0]).await?;
    }
    cluster.apply(&fan("two")).await?;
    let map = serde_json::json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "one-1-m0", "namespace": "default"}});
    cluster.until(&map, "changed", |it| it.is_some_and(|it| it["data"]["edition"] == "two")).await
}

/// The functions that a file of callgrind names; the program's own and those of the libraries it uses.
fn functions(calls: &str) -> BTreeSet<&str> {
    let named = calls.lines().filter_map(|line| {
        let (_, name) = line.strip_prefix("fn=(").or_else(|| line.strip_prefix("cfn=("))?.split_once(") ")?;
        // A function that calls itself is told once for each depth.
        Some(name.split_once('\'').map_or(name, |(name, _)| name))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_once() {
        let calls = "events: Ir\nfn=(1) _ZN1a17h0E\n+5 1\ncfn=(2) _ZN1b17h1E'2\ncalls=1 0\nfn=(2)\ncfn=(3) _ZN1b17h1E\n";
        assert_eq!(functions(calls).into_iter().collect::<Vec<_>>(), ["_ZN1a17h0E", "_ZN1b17h1E"]);
    }
}
