//! kro made it, krono looks after it, and kro again: children are left as they are.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::bail;
use krono_e2e_kube::Options;
use serde_json::Value;

use crate::corpus::{self, Manifests, documents, entries, file_name};
use crate::play::{come, go, second_look};
use crate::programs;
use crate::report::{Case, Children, Report};
use crate::snapshot::{Snapshot, content, differences};
use crate::world::{Controller, World};

/// Those that can be there at the same time, without `core-dns`: under kro it never comes to rest, for it sets what the
/// Deployment controller takes back. `defaults` has no resources, and the kind of `cel-functions`.
const EXAMPLES: [&str; 4] = ["additionalPrinterColumns", "cel-functions", "job-example", "webapp"];
/// What a chainsaw test begins with.
const CHAINSAW_FILES: [&str; 3] = ["rgd.yaml", "instance.yaml", "valid-instance.yaml"];
/// Fields of a child that a new master may write: the mark of its release, and the stamps that kro does not have.
const EXPLAINED: [&str; 6] = [
    ".metadata.labels.kro.run/kro-version",
    STAMP,
    ".metadata.annotations.kro.run/input-revision",
    ".metadata.annotations.kro.run/instance-name",
    ".metadata.annotations.kro.run/instance-namespace",
    ".metadata.annotations.kro.run/resource-id",
];

const STAMP: &str = ".metadata.annotations.kro.run/rgd-revision";
const GENERATIONS: [&str; 2] = [".metadata.generation", ".status.observedGeneration"];

/// Plays kro's manifests on the real server under kro, under krono, and under kro again.
pub(crate) async fn run(krono: &Path) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let Some(folder) = corpus::folder()? else { return Ok(report) };
    if !programs::go_is_present("kro and the real server")? {
        return Ok(report);
    }
    let kro = Controller::Kro(programs::kro()?, Vec::new());
    let all = manifests(&folder)?;
    let options = Options { controllers: vec!["*"], durable: false, admission_off: Vec::new() };
    let mut world = World::real(&options, Some(krono)).await?;
    for file in programs::kro_kinds()? {
        for kind in documents(&file)? {
            world.cluster.apply(&kind).await?;
        }
    }
    world.start_controller(&kro).await?;
    come(&world.cluster, &all).await?;
    println!("kro has made {} instances", all.iter().map(|it| it.instances.len()).sum::<usize>());
    let mut play = Play { world, krono, kro, all, report: &mut report };
    play.krono_takes_over("kro to krono").await;
    play.kro_takes_over("krono to kro").await;
    play.goes("kro deletes what krono looked after").await;
    play.comes().await?;
    play.krono_takes_over("kro to krono again").await;
    play.goes("krono deletes what kro made").await;
    play.comes().await?;
    play.kro_takes_over("what krono made to kro").await;
    play.goes("kro deletes what krono made").await;
    Ok(report)
}

/// Everything that can be there at the same time.
fn manifests(folder: &Path) -> anyhow::Result<Vec<Manifests>> {
    let mut all = Manifests::read_all(&folder.join("upgrade"))?;
    for example in EXAMPLES {
        let home = format!("example-{}", example.to_lowercase());
        all.push(Manifests::read(&folder.join("examples").join(example))?.at_home(&home));
    }
    for test in entries(&folder.join("chainsaw"))? {
        all.push(Manifests::read_files(&test, &CHAINSAW_FILES)?.at_home(&file_name(&test)));
    }
    Ok(all)
}

struct Play<'p> {
    world: World,
    krono: &'p Path,
    kro: Controller,
    all: Vec<Manifests>,
    report: &'p mut Report,
}

impl Play<'_> {
    async fn comes(&self) -> anyhow::Result<()> {
        come(&self.world.cluster, &self.all).await
    }

    async fn goes(&mut self, name: &str) {
        let case = Case::begin(&format!("takeover/{name}"));
        let gone = go(&self.world.cluster, &self.all).await;
        self.report.add(&case, gone);
    }

    /// And once it has, it looks again and writes nothing at all.
    async fn krono_takes_over(&mut self, name: &str) {
        let mut case = Case::begin(&format!("takeover/{name}"));
        let krono = Controller::Krono(self.krono.to_owned());
        let taken = async {
            take_over(&mut self.world, &krono, &mut case).await?;
            let count = all_revisions_are_krono_s(&Snapshot::take(&self.world.cluster).await?)?;
            println!("      {count} revisions of kro are krono's too");
            second_look(&mut self.world, self.krono, &mut case).await
        }
        .await;
        self.report.add(&case, taken);
    }

    async fn kro_takes_over(&mut self, name: &str) {
        let mut case = Case::begin(&format!("takeover/{name}"));
        let taken = async {
            hand_back(&mut self.world, self.krono).await?;
            take_over(&mut self.world, &self.kro, &mut case).await
        }
        .await;
        self.report.add(&case, taken);
    }
}

/// What kro would not understand comes off; what resources say stays.
async fn hand_back(world: &mut World, krono: &Path) -> anyhow::Result<()> {
    world.stop_controller();
    let before = Snapshot::take(&world.cluster).await?;
    let kubeconfig = format!("--kubeconfig={}", world.cluster.kubeconfig.display());
    let run =
        Command::new(krono).args(["handback", "--yes", "--controllers-stopped", &kubeconfig]).output()?;
    if !run.status.success() {
        bail!("krono handback: {}", String::from_utf8_lossy(&run.stderr));
    }
    let after = Snapshot::take(&world.cluster).await?;
    for (key, child) in before.children() {
        if after.0.get(key).map(content) != Some(content(child)) {
            bail!("krono handback changes {key}");
        }
    }
    Ok(())
}

/// How often which fields of which kind were written.
fn summary(writes: &[String]) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for write in writes {
        let (object, fields) = write.split_once(": ").unwrap_or((write, ""));
        let kind: Vec<_> = object.split(' ').take(2).collect();
        *counts.entry(format!("{}: {fields}", kind.join(" "))).or_default() += 1;
    }
    counts.into_iter().map(|(what, count)| format!("{count} x {what}")).collect()
}

/// Another controller comes: no child gets another content, and every write is explained.
async fn take_over(world: &mut World, controller: &Controller, case: &mut Case) -> anyhow::Result<()> {
    let before = Snapshot::at_rest(&world.cluster).await?;
    world.start_controller(controller).await?;
    world.until_looked_at(before.instances().count()).await?;
    let after = Snapshot::at_rest(&world.cluster).await?;
    let (mut children, mut wrong) = (Children { there: 0, written: 0, changed: 0 }, Vec::new());
    for (key, child) in before.children() {
        children.there += 1;
        let Some(now) = after.0.get(key) else {
            children.changed += 1;
            wrong.push(format!("{key} is gone"));
            continue;
        };
        let mut fields = Vec::new();
        differences(child, now, String::new(), &mut fields);
        let is_stamped = fields.iter().any(|it| it == STAMP);
        fields.retain(|it| !EXPLAINED.contains(&it.as_str()));
        // The API server counts a change of a Deployment's annotations as a generation.
        fields.retain(|it| !is_stamped || !GENERATIONS.contains(&it.as_str()));
        let same = (is_stamped || child["metadata"]["generation"] == now["metadata"]["generation"])
            && content(child) == content(now);
        if !same || !fields.is_empty() {
            wrong.push(format!("{key}: {}", fields.join(", ")));
        }
        children.changed += usize::from(!same);
        children.written +=
            usize::from(child["metadata"]["resourceVersion"] != now["metadata"]["resourceVersion"]);
    }
    for line in summary(&before.writes_until(&after)) {
        println!("      {line}");
    }
    case.taken_over(children);
    if wrong.is_empty() { Ok(()) } else { bail!("{}", wrong.join("\n  ")) }
}

/// Every revision that kro left is there with its number and content, and none is current that is older: so many.
fn all_revisions_are_krono_s(found: &Snapshot) -> anyhow::Result<usize> {
    let of_kind = |kind: &'static str| {
        found.0.values().filter(move |it| it["kind"] == kind && it["metadata"]["deletionTimestamp"].is_null())
    };
    let (mut count, mut wrong) = (0, Vec::new());
    for left in of_kind("GraphRevision") {
        let (number, snapshot) = (&left["spec"]["revision"], &left["spec"]["snapshot"]);
        let is_same = |it: &&Value| {
            it["metadata"]["labels"]["kro.run/rgd-name"] == snapshot["name"]
                && it["spec"]["revision"] == *number
                && it["spec"]["resources"] == snapshot["spec"]["resources"]
        };
        let current = of_kind("ResourceGraphDefinition")
            .find(|it| it["metadata"]["name"] == snapshot["name"])
            .and_then(|it| it["status"]["currentRevision"].as_i64());
        count += 1;
        if of_kind("ResourceGraphDefinitionRevision").find(is_same).is_none() || current < number.as_i64() {
            wrong.push(format!(
                "revision {number} of {} is not taken over; {current:?} is current",
                snapshot["name"]
            ));
        }
    }
    match (count, wrong.is_empty()) {
        (0, _) => bail!("kro left no revisions"),
        (count, true) => Ok(count),
        (_, false) => bail!("{}", wrong.join("\n  ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn revisions_that_were_not_taken_over_are_missed() {
        let left = json!({"kind": "GraphRevision", "spec": {"revision": 2, "snapshot": {"name": "a", "spec": {"resources": [1]}}}});
        let definition = json!({"kind": "ResourceGraphDefinition", "metadata": {"name": "a"}, "status": {"currentRevision": 2}});
        let revision = |resources: Value| {
            let metadata = json!({"labels": {"kro.run/rgd-name": "a"}});
            json!({"kind": "ResourceGraphDefinitionRevision", "metadata": metadata, "spec": {"revision": 2, "resources": resources}})
        };
        let check = |all: &[Value], expected: Option<usize>| {
            let found = all.iter().enumerate().map(|(key, it)| (key.to_string(), it.clone()));
            assert_eq!(all_revisions_are_krono_s(&Snapshot(found.collect())).ok(), expected, "{all:?}");
        };
        check(&[left.clone(), definition.clone(), revision(json!([1]))], Some(1));
        check(&[left.clone(), definition.clone(), revision(json!([2]))], None);
        check(&[left.clone(), definition.clone()], None);
        check(&[left, revision(json!([1]))], None);
        check(&[definition], None);
    }

    #[test]
    fn writes_are_summed_up_by_kind_and_fields() {
        let writes = ["v1 ConfigMap a/b: .data.x", "v1 ConfigMap a/c: .data.x", "v1 Secret a/b: created"];
        let told = summary(&writes.map(str::to_owned));
        assert_eq!(told, ["2 x v1 ConfigMap: .data.x", "1 x v1 Secret: created"]);
    }
}
