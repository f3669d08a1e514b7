//! `krono plan` on a cluster whose instances do not all go where their definition goes (V43).

use std::fs;

use serde_json::{Value, json};

use crate::cluster::boxes::{self, instance};
use crate::cluster::{Cluster, Controllers};

fn definition(text: &str, most: i64, policy: &Value) -> Value {
    boxes::definition("box", text, most, policy)
}

/// A definition at revision 2.
fn defined() -> Cluster {
    let cluster = Cluster::start(Controllers::Run);
    for (number, text) in [(1, "one"), (2, "two")] {
        let definition = definition(text, 9, &json!({}));
        cluster.apply(&definition);
        cluster.until(&definition, |it| it["status"]["currentRevision"] == number);
    }
    cluster
}

/// Creates an instance and waits until it is at a revision.
fn settle(cluster: &Cluster, instance: &Value, at: i64) {
    cluster.apply(instance);
    cluster.until(instance, |it| it["status"]["observedRGDRevision"] == at);
}

/// Annotates an instance and waits until that decides about it.
fn decide(cluster: &Cluster, name: &str, annotations: &Value, because: &str) {
    let instance = instance(name, 1, annotations);
    cluster.apply(&instance);
    cluster.until(&instance, |it| it["status"]["assignment"]["because"] == because);
}

fn file(cluster: &Cluster, definition: &Value) -> String {
    let path = cluster.kubeconfig().with_file_name("edited.json");
    fs::write(&path, definition.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn v43_whoever_stays_is_told_with_the_reason() {
    let cluster = defined();
    for name in ["follows", "held", "paused", "waits", "waits-too"] {
        settle(&cluster, &instance(name, 1, &json!({})), 2);
    }
    settle(&cluster, &instance("pinned", 1, &json!({"kro.run/rgd-revision": "1"})), 1);
    decide(&cluster, "held", &json!({"krono.dev/hold-input-revision": "1"}), "InputHeld");
    decide(&cluster, "paused", &json!({"kro.run/update-policy": "Paused"}), "Paused");
    decide(&cluster, "waits", &json!({"kro.run/update-policy": "Manual"}), "Manual");
    decide(&cluster, "waits-too", &json!({"kro.run/update-policy": "Manual"}), "Manual");
    let edited = file(&cluster, &definition("three", 9, &json!({})));
    let expected = "\
definition box of Parcel: the schema of the kind stays

default/follows
  ~ ConfigMap follows (map)
      @@ data @@
      - text: two
      + text: three

default/pinned
  stays at revision 1: it is pinned

default/held
  stays at revision 2: it is held at an older input

default/paused
  stays at revision 2: it is left alone

2 instances: default/waits, default/waits-too
  stays at revision 2: revision 3 waits for approval

6 instances: 5 unchanged, 1 changed, 0 with deletions or replacements, 1 suspended, 4 staying behind
1 resource write: 1 changed
";
    assert_eq!(cluster.told(&["plan", "-f", &edited]), expected);
    let plan: Value = serde_json::from_str(&cluster.told(&["plan", "-f", &edited, "-o", "json"])).unwrap();
    let plan = &plan["definitions"][0];
    assert_eq!(plan["instances"][0]["from"], 2);
    assert_eq!(plan["instances"][0]["to"], 3);
    let reasons: Vec<&Value> = plan["staying"].as_array().unwrap().iter().map(|it| &it["reason"]).collect();
    assert_eq!(reasons, ["InputHeld", "Paused", "Pinned", "Manual", "Manual"]);
    happens(&cluster, &definition("three", 9, &json!({})));
}

#[test]
fn v43_an_instance_that_is_held_is_foretold_with_the_input_that_it_is_held_at() {
    for keeping in ["Inline", "Objects"] {
        let policy = json!({"inputRevisions": keeping});
        let cluster = Cluster::start(Controllers::Run);
        let first = definition("${'one ' + string(schema.spec.size)}", 9, &policy);
        cluster.apply(&first);
        cluster.until(&first, |it| it["status"]["currentRevision"] == 1);
        settle(&cluster, &instance("held", 1, &json!({})), 1);
        cluster.apply(&instance("held", 2, &json!({})));
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "held", "namespace": "default"}});
        cluster.until(&map, |it| it["data"]["text"] == "one 2");
        cluster.apply(&instance("held", 2, &json!({"krono.dev/hold-input-revision": "1"})));
        cluster.until(&map, |it| it["data"]["text"] == "one 1");
        let edited = file(&cluster, &definition("${'two ' + string(schema.spec.size)}", 9, &policy));
        let told = cluster.told(&["plan", "-f", &edited]);
        let expected = "\
definition box of Parcel: the schema of the kind stays

default/held
  stays at revision 1: it is held at an older input

1 instance: 1 unchanged, 0 changed, 0 with deletions or replacements, 1 staying behind
0 resource writes
";
        assert_eq!(told, expected, "{keeping}");
    }
}

#[test]
fn v13_what_is_being_deleted_is_asked_for_nothing_else() {
    let cluster = defined();
    settle(&cluster, &instance("stays", 1, &json!({})), 2);
    cluster.delete(&definition("two", 9, &json!({})));
    let expected = "error: ResourceGraphDefinition box is being deleted, and does nothing else any more\n";
    let line = ["rollback", "rgd/box", "--to-revision=1", "--yes"];
    let refused = cluster.krono(&line);
    assert!(refused.code == Some(1) && refused.stderr.ends_with(expected), "{refused}");
    assert_eq!(cluster.complaint(&["propagation", "pause", "box"], 1), expected);
    assert_eq!(cluster.annotations(&definition("two", 9, &json!({}))), Value::Null);
}

/// What was foretold is what comes.
fn happens(cluster: &Cluster, definition: &Value) {
    cluster.apply(definition);
    cluster.until(&instance("follows", 1, &json!({})), |it| it["status"]["observedRGDRevision"] == 3);
    for (name, at) in [("pinned", 1), ("held", 2), ("paused", 2), ("waits", 2)] {
        let status = &cluster.get(&instance(name, 1, &json!({})))["status"];
        assert_eq!(status["assignment"]["revision"], at, "{name}");
    }
}

#[test]
fn v43_a_hold_of_the_definition_keeps_everybody() {
    let cluster = defined();
    settle(&cluster, &instance("follows", 1, &json!({})), 2);
    let edited = file(&cluster, &definition("three", 9, &json!({"activeRevision": 1})));
    let told = cluster.told(&["plan", "-f", &edited]);
    assert!(told.contains("      - text: two\n      + text: one\n"), "{told}");
    assert!(told.contains("default/follows\n  stays at revision 1: the definition holds it\n"), "{told}");
    let manual = json!({"updatePolicy": {"type": "Manual"}});
    let told = cluster.told(&["plan", "-f", &file(&cluster, &definition("three", 9, &manual))]);
    let waits = "    it waits to be issued (updatePolicy.type: Manual): krono revisions create rgd/box\n";
    assert!(told.contains(waits) && told.contains("      + text: three\n"), "{told}");
}

#[test]
fn v29_what_would_break_those_that_stay_is_refused() {
    let cluster = defined();
    settle(&cluster, &instance("large", 8, &json!({})), 2);
    let mut edited = definition("three", 5, &json!({}));
    edited["metadata"]["annotations"] = json!({"kro.run/allow-breaking-changes": "true"});
    let file = file(&cluster, &edited);
    let told = cluster.told(&["plan", "-f", &file]);
    let stays = "default/large\n  stays at revision 2: revision 3 does not accept the spec: ";
    assert!(told.contains(stays), "{told}");
    settle(&cluster, &instance("pinned", 1, &json!({"kro.run/rgd-revision": "1"})), 1);
    let run = cluster.krono(&["plan", "-f", &file]);
    assert_eq!(run.code, Some(1), "{run}");
    let refused = "REFUSED, nothing of the edit reaches any instance\n    cannot update CRD parcels.kro.run: instances stay at \
                   revision 1, which it would break: ";
    assert!(run.stdout.contains(refused), "{run}");
    assert!(run.stdout.contains("2 instances: 2 unchanged, 0 changed"), "{run}");
}
