//! What a backup brings back that has neither status nor owners (V3).

use serde_json::{Value, json};

use crate::giving_up::careful;
use crate::propagation;
use crate::revisions::APP;
use crate::world::{World, condition, definition, instance};

/// The kinds that every backup has, in the order in which they come back.
const KINDS: [&str; 4] = [
    "CustomResourceDefinition",
    "ResourceGraphDefinitionRevision",
    "ResourceGraphDefinition",
    "ResourceGraphInputRevision",
];

/// An empty server with all that another one has, without status and owners, and controllers that look after it.
pub(crate) async fn restored(world: &World, kinds: &[&str]) -> World {
    let mut other = World::empty().await;
    for kind in KINDS.iter().chain(kinds) {
        for object in world.all(kind).await {
            let name = object["metadata"]["name"].as_str().expect("a name").to_owned();
            other.put_by_hand(&without_status_and_owners(object)).await;
            if *kind == "CustomResourceDefinition" {
                let is_established = |it: &Value| condition(it, "Established")["status"] == "True";
                other.eventually(&format!("{kind} /{name}"), is_established).await;
            }
        }
    }
    other.start_controllers();
    other
}

fn without_status_and_owners(mut object: Value) -> Value {
    for field in
        ["resourceVersion", "uid", "creationTimestamp", "generation", "managedFields", "ownerReferences"]
    {
        object["metadata"].as_object_mut().expect("metadata").remove(field);
    }
    object.as_object_mut().expect("an object").remove("status");
    object
}

/// A definition of which nothing but the schema changes with the note.
fn noted(note: &str, image: &str, keeping: &str) -> Value {
    let mut made = app(image, keeping);
    made["spec"]["schema"]["spec"]["note"] = json!(format!("string | default={note:?}"));
    made
}

fn app(image: &str, keeping: &str) -> Value {
    let resource = format!(
        "
- id: web
  readyWhen: ['${{web.metadata.name != \"\"}}']
  template:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {{name: '${{schema.metadata.name}}'}}
    spec:
      replicas: ${{schema.spec.replicas}}
      selector: {{matchLabels: {{app: '${{schema.metadata.name}}'}}}}
      template:
        metadata: {{labels: {{app: '${{schema.metadata.name}}'}}}}
        spec: {{containers: [{{name: main, image: '{image}'}}]}}
"
    );
    let mut made = definition("App", "spec: {replicas: 'integer | default=1'}", &resource);
    made["spec"]["revisionManagement"] = json!({"inputRevisions": keeping});
    made
}

/// Three instances at three revisions: one follows, one waits for approval, one is pinned.
async fn fleet(keeping: &str) -> World {
    let world = World::start().await;
    world.define(&app("web:1", keeping)).await;
    for name in ["follows", "waits", "pinned"] {
        world.put_by_hand(&instance(&format!("App {name}"), "")).await;
        world.active(&format!("App {name}")).await;
    }
    world.annotate("App pinned", "kro.run/rgd-revision", Some("1")).await;
    world.eventually("App pinned", |it| it["status"]["assignment"]["because"] == "Pinned").await;
    world.define(&app("web:2", keeping)).await;
    world.eventually("App waits", |it| it["status"]["observedRGDRevision"] == 2).await;
    world.annotate("App waits", "kro.run/update-policy", Some("Manual")).await;
    world.eventually("App waits", |it| it["status"]["assignment"]["because"] == "Manual").await;
    world.define(&app("web:3", keeping)).await;
    world.merge("App follows", json!({"spec": {"replicas": 2}})).await;
    world.eventually("Deployment follows", |it| it["spec"]["replicas"] == 2).await;
    world.eventually("App follows", |it| it["status"]["observedRGDRevision"] == 3).await;
    world.settled().await;
    world
}

async fn assignments(world: &World, names: &[&str]) -> Vec<(Value, Value)> {
    let mut all = Vec::new();
    for name in names {
        let observed = |it: &Value| it["status"]["observedInputRevision"].is_i64();
        let told = world.eventually(&format!("App {name}"), observed).await;
        let assignment = &told["status"]["assignment"];
        all.push((assignment["revision"].clone(), assignment["digest"].clone()));
    }
    all
}

/// The specs of all resources.
async fn specs(world: &World) -> Vec<Value> {
    world.all("Deployment").await.iter().map(|it| it["spec"].clone()).collect()
}

async fn check(keeping: &str) -> (World, World) {
    let mut before = fleet(keeping).await;
    before.kill_controllers();
    let after = restored(&before, &["App", "Deployment"]).await;
    let names = ["follows", "waits", "pinned"];
    assert_eq!(assignments(&after, &names).await, assignments(&before, &names).await);
    after.settled().await;
    assert_eq!(specs(&after).await, specs(&before).await);
    // Labels tell of another instance; whoever writes once leaves no spec changed and changed back.
    let writes = after.line.writes();
    for name in names {
        let own = writes.iter().filter(|it| it.contains(&format!("/deployments/{name}?")));
        assert_eq!(own.count(), 1, "{name}: {writes:#?}");
    }
    (before, after)
}

#[tokio::test(flavor = "multi_thread")]
async fn v03_and_v14_assignments_come_back_and_no_spec_of_a_resource_is_written() {
    let (before, after) = check("Inline").await;
    let number = |it: &Value| it["status"]["currentInputRevision"].as_i64().expect("a number");
    let (was, is) = (before.there("App follows").await, after.there("App follows").await);
    assert_eq!(number(&is), number(&was) + 1, "numbers go on from the stamps");
}

#[tokio::test(flavor = "multi_thread")]
async fn v03_and_v04_the_history_of_inputs_comes_back_where_objects_hold_it() {
    let (before, after) = check("Objects").await;
    for name in ["follows", "waits", "pinned"] {
        let what = format!("App {name}");
        let (was, is) = (before.there(&what).await, after.there(&what).await);
        assert_eq!(is["status"]["currentInputRevision"], was["status"]["currentInputRevision"], "{name}");
    }
    let kind = "ResourceGraphInputRevision";
    assert_eq!(after.names(kind, "").await, before.names(kind, "").await);
    // Stamps stay as they were, and with them all that a Deployment counts as a change.
    for it in after.all("Deployment").await {
        assert_eq!(it["metadata"]["generation"], 1, "{it:#}");
    }
    let input = after.there("ResourceGraphInputRevision follows-input-rev-1").await;
    let instance = after.there("App follows").await;
    assert_eq!(input["metadata"]["ownerReferences"][0]["uid"], instance["metadata"]["uid"]);
    after.annotate("App follows", "krono.dev/rollback-force", Some("true")).await;
    after.annotate("App follows", "kro.run/rollback-to-input-revision", Some("1")).await;
    let told = after.eventually("App follows", |it| it["status"]["observedRGDRevision"] == 1).await;
    assert_eq!(told["spec"]["replicas"], 1);
    after.settled().await;
}

/// Instances at revision 3, whose resources were last written for revision 1, and one that follows to revision 5; the first two
/// revisions are lost.
async fn unwritten(keeping: &str) -> World {
    let mut world = World::start().await;
    world.define(&noted("a", "web:1", keeping)).await;
    for name in ["follows", "waits", "pinned", "held"] {
        world.put_by_hand(&instance(&format!("App {name}"), "")).await;
        world.active(&format!("App {name}")).await;
    }
    world.define(&noted("b", "web:1", keeping)).await;
    world.define(&noted("c", "web:1", keeping)).await;
    for name in ["follows", "waits", "pinned", "held"] {
        world.eventually(&format!("App {name}"), |it| it["status"]["observedRGDRevision"] == 3).await;
    }
    let input = world.there("App held").await["status"]["currentInputRevision"].to_string();
    let wishes = [
        ("waits", "kro.run/update-policy", "Manual", "Manual"),
        ("pinned", "kro.run/rgd-revision", "3", "Pinned"),
        ("held", "krono.dev/hold-input-revision", input.as_str(), "InputHeld"),
    ];
    for (name, key, text, because) in wishes {
        world.annotate(&format!("App {name}"), key, Some(text)).await;
        world.eventually(&format!("App {name}"), |it| it["status"]["assignment"]["because"] == because).await;
    }
    world.define(&noted("d", "web:1", keeping)).await;
    world.define(&noted("d", "web:2", keeping)).await;
    world.eventually("App follows", |it| it["status"]["observedRGDRevision"] == 5).await;
    world.settled().await;
    world.kill_controllers();
    for lost in ["app-rev-1", "app-rev-2"] {
        let what = format!("ResourceGraphDefinitionRevision {lost}");
        world.merge(&what, json!({"metadata": {"finalizers": null}})).await;
        world.delete(&what).await;
        world.gone(&what).await;
    }
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn v03_and_v14_instances_whose_stamps_lag_behind_come_back_where_they_were() {
    let before = unwritten("Objects").await;
    let after = restored(&before, &["App", "Deployment"]).await;
    let names = ["follows", "waits", "pinned", "held"];
    assert_eq!(assignments(&after, &names).await, assignments(&before, &names).await);
    after.settled().await;
    assert_eq!(specs(&after).await, specs(&before).await);
    let because = |it: &Value| it["status"]["assignment"]["because"].clone();
    for name in names {
        let what = format!("App {name}");
        let (was, is) = (before.there(&what).await, after.there(&what).await);
        assert_eq!(is["status"]["currentInputRevision"], was["status"]["currentInputRevision"], "{name}");
        assert_eq!(because(&is), because(&was), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v03_and_v14_without_inputs_the_newest_that_makes_the_same_resources_is_taken() {
    let before = unwritten("Inline").await;
    before.annotate("App waits", "krono.dev/approve-revision", Some("3")).await;
    before.annotate("App follows", "krono.dev/answered-rollback", Some("70")).await;
    let after = restored(&before, &["App", "Deployment"]).await;
    let found = assignments(&after, &["follows", "waits", "pinned"]).await;
    let numbers: Vec<i64> = found.iter().filter_map(|(number, _)| number.as_i64()).collect();
    assert_eq!(numbers, [5, 4, 3]);
    after.settled().await;
    assert_eq!(specs(&after).await, specs(&before).await);
    // What somebody has asked for by number is not issued anew as something else (V9).
    let input = |it: Value| it["status"]["currentInputRevision"].as_i64().expect("a number");
    assert_eq!(input(after.there("App follows").await), 71);
    let held =
        before.there("App held").await["metadata"]["annotations"]["krono.dev/hold-input-revision"].clone();
    let held: i64 = held.as_str().and_then(|it| it.parse().ok()).expect("a number");
    assert!(input(after.there("App held").await) > held);
}

/// What was given up is marked on its revision, and that is all that tells of it in a backup.
#[tokio::test(flavor = "multi_thread")]
async fn v03_and_v21_what_was_given_up_comes_back_as_that() {
    for (on_failure, current, phase) in [("Rollback", 1, "Completed"), ("Halt", 2, "Halted")] {
        let policy = careful(on_failure);
        let mut before = propagation::fleet(3, &policy).await;
        propagation::issue(&before, "bad", &policy).await;
        let is_over = |it: &Value| {
            let status = &it["status"];
            status["currentRevision"] == current && status["propagation"]["phase"] == phase
        };
        before.eventually(APP, is_over).await;
        before.settled().await;
        let was = assigned(&before).await;
        let texts = propagation::with_text(&before, "one").await;
        before.kill_controllers();
        let after = restored(&before, &["App", "ConfigMap"]).await;
        after.eventually(APP, |it| it["status"]["currentRevision"] == current).await;
        after.settled().await;
        let told = after.there(APP).await;
        assert_eq!(told["status"]["latestRevision"], 2, "{on_failure}: {told:#}");
        assert_eq!(assigned(&after).await, was, "{on_failure}");
        assert_eq!(propagation::with_text(&after, "one").await, texts, "{on_failure}");
        // Who owns it is another object now, which is written once: nobody went elsewhere and came back.
        let mut written: Vec<String> =
            after.line.writes().into_iter().filter(|it| it.contains("/configmaps/i")).collect();
        let all = written.len();
        written.sort();
        written.dedup();
        assert_eq!(written.len(), all, "{on_failure}: {written:#?}");
        let events = after.told().await;
        assert!(!events.iter().any(|it| it.contains("PropagationWave")), "{on_failure}: {events:#?}");
    }
}

/// The revisions of all instances, whether they have observed them or not.
async fn assigned(world: &World) -> Vec<(Value, Value)> {
    let of = |it: &Value| {
        let assignment = &it["status"]["assignment"];
        (assignment["revision"].clone(), assignment["digest"].clone())
    };
    world.all("App").await.iter().map(of).collect()
}

/// Instances cannot come before their kind: in between nothing tells that they will.
#[tokio::test(flavor = "multi_thread")]
async fn v03_and_v13_what_was_left_for_instances_comes_back_before_them() {
    let before = fleet("Inline").await;
    let names = ["follows", "waits", "pinned"];
    let was = assignments(&before, &names).await;
    before.annotate(APP, "krono.dev/deletion-policy", Some("Orphan")).await;
    before.delete(APP).await;
    before.gone(APP).await;
    let mut after = World::empty().await;
    after.start_controllers();
    for kind in ["CustomResourceDefinition", "ResourceGraphDefinitionRevision", "App", "Deployment"] {
        for mut object in before.all(kind).await {
            if kind == "ResourceGraphDefinitionRevision" {
                object["spec"]["createdAt"] = json!("2020-01-01T00:00:00Z");
            }
            after.put_by_hand(&without_status_and_owners(object)).await;
        }
        after.quiet().await;
    }
    after.define(&app("web:3", "Inline")).await;
    assert_eq!(assignments(&after, &names).await, was);
    after.settled().await;
}
