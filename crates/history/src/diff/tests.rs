//! Differences as they are shown, and that none is missed.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::digest::tests::{random, spec};
use crate::{Digest, RevisionNumber};

const CONTAINERS: &str = "/resources/0/template/spec/template/spec/containers";

fn number(number: u64) -> RevisionNumber {
    RevisionNumber::new(number).unwrap()
}

/// The seed's definition with an edit.
fn edited(edit: impl FnOnce(&mut Value)) -> Value {
    let mut spec = spec();
    edit(&mut spec);
    spec
}

fn check(edit: impl FnOnce(&mut Value), expected: &str) {
    let diff = Diff::of_definitions(&spec(), &edited(edit));
    let text = diff.to_text(number(2), number(3));
    assert_eq!(text, format!("--- revision 2\n+++ revision 3\n{expected}"), "{text}");
}

#[test]
fn a_change_is_shown_as_the_design_shows_it() {
    check(
        |spec| spec["resources"][0]["template"]["spec"]["replicas"] = json!(5),
        "@@ spec.resources.0.template.spec @@\n- replicas: 3\n+ replicas: 5\n",
    );
}

#[test]
fn changes_of_one_object_stand_together() {
    check(
        |spec| {
            spec["schema"]["spec"]["image"] = json!("string");
            spec["schema"]["spec"]["replicas"] = json!("integer");
            spec["schema"]["status"] = json!(null);
            spec["schema"]["metadata"] = json!({"labels": {"example.com/team": "a"}});
        },
        concat!(
            "@@ spec.schema @@\n+ metadata:\n+   labels:\n+     example.com/team: a\n",
            "@@ spec.schema.spec @@\n+ image: string\n- replicas: integer | default=3\n+ replicas: integer\n",
            "@@ spec.schema @@\n- status:\n-   ready: ${deployment.status.readyReplicas}\n",
        ),
    );
}

#[test]
fn items_are_told_apart_by_their_keys() {
    check(
        |spec| {
            let containers = spec.pointer_mut(CONTAINERS).unwrap().as_array_mut().unwrap();
            containers.insert(0, json!({"name": "init", "image": "busybox"}));
            containers[1]["image"] = json!("nginx:1.22");
            containers.remove(2);
        },
        concat!(
            "@@ spec.resources.0.template.spec.template.spec.containers @@\n+ - image: busybox\n+   name: init\n",
            "@@ spec.resources.0.template.spec.template.spec.containers.1 @@\n- image: nginx:1.21\n+ image: nginx:1.22\n",
            "@@ spec.resources.0.template.spec.template.spec.containers @@\n",
            "- - image: envoy\n-   name: sidecar\n-   securityContext: {}\n",
        ),
    );
}

#[test]
fn an_order_that_means_something_is_told() {
    check(
        |spec| spec.pointer_mut(CONTAINERS).unwrap().as_array_mut().unwrap().reverse(),
        "@@ spec.resources.0.template.spec.template.spec.containers @@\n- order: app, sidecar\n+ order: sidecar, app\n",
    );
}

#[test]
fn items_without_keys_are_compared_from_both_ends() {
    let args = format!("{CONTAINERS}/0/args");
    check(
        |spec| spec.pointer_mut(&args).unwrap().as_array_mut().unwrap().insert(1, json!("new")),
        "@@ spec.resources.0.template.spec.template.spec.containers.0.args @@\n+ - new\n",
    );
}

#[test]
fn conditions_have_no_order() {
    check(
        |spec| {
            let conditions = spec["resources"][0]["readyWhen"].as_array_mut().unwrap();
            conditions.reverse();
            conditions[1] = json!("${true}");
        },
        concat!(
            "@@ spec.resources.0.readyWhen @@\n+ - ${true}\n",
            "- - ${deployment.status.readyReplicas > 0}\n",
        ),
    );
}

#[test]
fn policy_and_spelling_are_no_difference() {
    let other = edited(|spec| {
        spec["resources"].as_array_mut().unwrap().reverse();
        spec["resources"][0]["deletionPolicy"] = json!("Retain");
        spec["propagateWhen"] = json!(["${true}"]);
        spec["schema"]["scope"] = json!("Namespaced");
    });
    let diff = Diff::of_definitions(&spec(), &other);
    let text = diff.to_text(number(2), number(4));
    assert_eq!(text, "revision 2 and revision 4 have the same content\n");
    assert_eq!(diff.to_unified(number(2), number(4)), "");
    assert_eq!(diff.to_json(number(2), number(4)), json!({"from": 2, "to": 4, "changes": []}));
}

#[test]
fn ports_are_told_apart_by_number_and_protocol() {
    let port = |port: u16, name: &str| json!({"port": port, "name": name, "protocol": "TCP"});
    let old = json!({"ports": [{"port": 80, "name": "web"}, port(443, "tls")]});
    let new = json!({"ports": [port(443, "secure"), port(80, "web")]});
    let text = Diff::of_specs(&old, &new).to_text(number(1), number(2));
    let expected = concat!(
        "--- revision 1\n+++ revision 2\n@@ spec.ports.0 @@\n- name: tls\n+ name: secure\n",
        "@@ spec.ports.1 @@\n+ protocol: TCP\n@@ spec.ports @@\n- order: 80/TCP, 443/TCP\n+ order: 443/TCP, 80/TCP\n",
    );
    assert_eq!(text, expected);
}

#[test]
fn unified_lines_follow_the_older_order() {
    let other = edited(|spec| {
        spec["resources"].as_array_mut().unwrap().reverse();
        spec["resources"][1]["template"]["spec"]["podSelector"]["matchLabels"] = json!({"app": "a"});
    });
    let text = Diff::of_definitions(&spec(), &other).to_unified(number(2), number(3));
    let expected = "\
--- revision 2
+++ revision 3
@@ -32,7 +32,9 @@
       metadata:
         name: ${schema.spec.name}
       spec:
-        podSelector: {}
+        podSelector:
+          matchLabels:
+            app: a
   - externalRef:
       apiVersion: v1
       kind: Secret
";
    assert_eq!(text, expected, "{text}");
}

#[test]
fn programs_get_paths_of_both_kinds() {
    let other = edited(|spec| {
        spec["resources"][0]["template"]["spec"]["replicas"] = json!(5);
        spec["resources"][0]["template"]["metadata"]["labels"] = json!({"a/b": "c"});
        spec["resources"].as_array_mut().unwrap().truncate(2);
        spec.pointer_mut(CONTAINERS).unwrap().as_array_mut().unwrap().reverse();
    });
    let told = Diff::of_definitions(&spec(), &other).to_json(number(2), number(3));
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"}});
    let expected = json!({"from": 2, "to": 3, "changes": [
        {
            "op": "add", "new": {"a/b": "c"},
            "path": "spec.resources[deployment].template.metadata.labels",
            "pointer": "/spec/resources/0/template/metadata/labels",
        },
        {
            "op": "replace", "old": 3, "new": 5,
            "path": "spec.resources[deployment].template.spec.replicas",
            "pointer": "/spec/resources/0/template/spec/replicas",
        },
        {
            "op": "reorder", "old": ["app", "sidecar"], "new": ["sidecar", "app"],
            "path": "spec.resources[deployment].template.spec.template.spec.containers",
            "pointer": "/spec/resources/0/template/spec/template/spec/containers",
        },
        {
            "op": "remove", "old": {"id": "secret", "externalRef": secret},
            "path": "spec.resources[secret]", "pointer": "/spec/resources/2",
        },
    ]});
    assert_eq!(told, expected, "{told:#}");
}

#[test]
fn names_with_dots_are_quoted() {
    let (old, new) = (json!({"labels": {"a.b/c": {"d": 1}}}), json!({"labels": {"a.b/c": {"d": 2}}}));
    let diff = Diff::of_specs(&old, &new);
    assert_eq!(diff.changes[0].path.to_string(), "spec.labels[\"a.b/c\"].d");
    assert_eq!(diff.changes[0].path.pointer(), "/spec/labels/a.b~1c/d");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn contents_differ_exactly_when_their_digests_do(old in random::definition(), new in random::definition()) {
        let diff = Diff::of_definitions(&old, &new);
        prop_assert_eq!(diff.is_empty(), Digest::of_definition(&old) == Digest::of_definition(&new));
        prop_assert!(Diff::of_definitions(&old, &old).is_empty());
    }

    #[test]
    fn specs_differ_exactly_when_their_digests_do(old in random::value(), new in random::value()) {
        let same = Digest::of_content("spec", &old) == Digest::of_content("spec", &new);
        prop_assert_eq!(Diff::of_specs(&old, &new).is_empty(), same);
    }
}
