//! kro made it, krono looks after it, and kro again: children are left as they are.

use std::path::Path;

use anyhow::bail;
use krono_e2e_kube::Options;

use crate::corpus::{self, Manifests, documents};
use crate::play::{Report, come, go};
use crate::programs;
use crate::snapshot::{Snapshot, content, differences};
use crate::world::{Controller, World};

/// Those that can be there at the same time, without `core-dns`: under kro it never comes to rest, for it sets what the
/// Deployment controller takes back.
const EXAMPLES: [&str; 2] = ["job-example", "webapp"];
/// Fields of a child that a new master may write: the mark of its release, and who wrote what.
const EXPLAINED: [&str; 1] = [".metadata.labels.kro.run/kro-version"];

/// Plays kro's manifests on the real server under kro, under krono, and under kro again.
pub(crate) async fn run(krono: &Path, report: &mut Report) -> anyhow::Result<()> {
    let Some(folder) = corpus::folder() else { bail!("the corpus is not beside the project") };
    let kro = Controller::Kro(programs::kro()?, Vec::new());
    let mut all = Manifests::read_all(&folder.join("upgrade"))?;
    for example in EXAMPLES {
        all.push(Manifests::read(&folder.join("examples").join(example))?);
    }
    let options = Options { controllers: vec!["*"], durable: false, admission_off: Vec::new() };
    let mut world = World::real(&options, Some(krono)).await?;
    let krono = Controller::Krono(krono.to_owned());
    for file in programs::kro_kinds()? {
        for kind in documents(&file)? {
            world.cluster.apply(&kind).await?;
        }
    }
    world.start_controller(&kro).await?;
    come(&world.cluster, &all).await?;
    println!("kro has made {} instances", all.iter().map(|it| it.instances.len()).sum::<usize>());
    report.add("takeover/kro to krono", take_over(&mut world, &krono).await);
    report.add("takeover/krono to kro", take_over(&mut world, &kro).await);
    report.add("takeover/kro deletes what krono looked after", go(&world.cluster, &all).await);
    come(&world.cluster, &all).await?;
    report.add("takeover/kro to krono again", take_over(&mut world, &krono).await);
    report.add("takeover/krono deletes what kro made", go(&world.cluster, &all).await);
    come(&world.cluster, &all).await?;
    report.add("takeover/what krono made to kro", take_over(&mut world, &kro).await);
    report.add("takeover/kro deletes what krono made", go(&world.cluster, &all).await);
    Ok(())
}

/// Another controller comes: no child gets another content, and every write is explained.
async fn take_over(world: &mut World, controller: &Controller) -> anyhow::Result<()> {
    let before = Snapshot::at_rest(&world.cluster).await?;
    world.start_controller(controller).await?;
    let after = Snapshot::at_rest(&world.cluster).await?;
    let (mut written, mut wrong) = (0, Vec::new());
    for (key, child) in before.children() {
        let Some(now) = after.0.get(key) else {
            wrong.push(format!("{key} is gone"));
            continue;
        };
        let mut fields = Vec::new();
        differences(child, now, String::new(), &mut fields);
        fields.retain(|it| !EXPLAINED.contains(&it.as_str()));
        let same = child["metadata"]["generation"] == now["metadata"]["generation"]
            && content(child) == content(now);
        if !same || !fields.is_empty() {
            wrong.push(format!("{key}: {}", fields.join(", ")));
        }
        written += usize::from(child["metadata"]["resourceVersion"] != now["metadata"]["resourceVersion"]);
    }
    let children = before.children().count();
    println!("      {written} of {children} children written, by no change of content");
    for write in before.writes_until(&after) {
        println!("      {write}");
    }
    if wrong.is_empty() { Ok(()) } else { bail!("{}", wrong.join("\n  ")) }
}
