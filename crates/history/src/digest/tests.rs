//! What has the same identity and what has not.

pub(crate) mod random;

use serde_json::{Value, json};

use super::Digest;

/// The spec of a definition as its author writes it.
pub(crate) fn spec() -> Value {
    json!({
        "schema": {
            "kind": "Application",
            "apiVersion": "v1alpha1",
            "spec": {"name": "string", "replicas": "integer | default=3"},
            "status": {"ready": "${deployment.status.readyReplicas}"},
        },
        "resources": [
            {
                "id": "deployment",
                "template": {
                    "apiVersion": "apps/v1",
                    "kind": "Deployment",
                    "metadata": {"name": "${schema.spec.name}"},
                    "spec": {
                        "replicas": 3,
                        "template": {"spec": {"containers": [
                            {"name": "app", "image": "nginx:1.21", "args": ["a", "b"]},
                            {"name": "sidecar", "image": "envoy", "securityContext": {}},
                        ]}},
                    },
                },
                "readyWhen": ["${deployment.status.readyReplicas > 0}", "${deployment.spec.replicas > 0}"],
            },
            {
                "id": "policy",
                "template": {
                    "apiVersion": "networking.k8s.io/v1",
                    "kind": "NetworkPolicy",
                    "metadata": {"name": "${schema.spec.name}"},
                    "spec": {"podSelector": {}},
                },
                "includeWhen": ["${schema.spec.replicas > 1}", "${schema.spec.replicas < 9}"],
            },
            {"id": "secret", "externalRef": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"}}},
        ],
    })
}

/// `spec` with a value put somewhere.
fn with(pointer: &str, value: Value) -> Value {
    let mut spec = spec();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = spec.pointer_mut(parent).unwrap();
    match key.parse::<usize>() {
        Ok(index) => parent[index] = value,
        Err(_) => parent[key] = value,
    }
    spec
}

fn reversed(pointer: &str) -> Value {
    let mut spec = spec();
    spec.pointer_mut(pointer).unwrap().as_array_mut().unwrap().reverse();
    spec
}

#[test]
fn v8_golden_digests() {
    let check = |digest: Digest, expected: &str| assert_eq!(digest.to_string(), expected);
    check(Digest::of_definition(&spec()), "e9cd56327a254979d671299267776a97ac3f5040");
    check(Digest::of_definition(&json!({})), "e4044bed00ee4897aa2ba64c57f77481c1925d3e");
    check(
        Digest::of_input(&json!({"replicas": 5}), Digest::of_definition(&spec())),
        "25d863179550d34eb51a8c0e1ab3d5e3ab035a3a",
    );
    check(Digest::of_content("composition", &json!({"a": 1})), "91a5b8648cd9aaae9a3c7cf37951b1b91ab00c66");
}

#[test]
fn v8_what_is_ignored() {
    let same = |other: Value| {
        assert_eq!(Digest::of_definition(&other), Digest::of_definition(&spec()), "{other}");
    };
    same(serde_json::from_str(&spec().to_string()).unwrap());
    same(reversed("/resources"));
    same(reversed("/resources/0/readyWhen"));
    same(reversed("/resources/1/includeWhen"));
    same(with("/resources/0/template/spec/replicas", json!(3.0)));
    same(with("/schema/group", json!("kro.run")));
    same(with("/schema/scope", json!("Namespaced")));
    for nothing in [json!(null), json!([]), json!({}), json!("")] {
        same(with("/schema/types", nothing.clone()));
        same(with("/schema/shortNames", nothing.clone()));
        same(with("/schema/metadata", nothing.clone()));
        same(with("/schema/metadata", json!({"labels": nothing, "annotations": {"a": null}})));
        same(with("/resources/0/includeWhen", nothing.clone()));
        same(with("/resources/0/forEach", nothing));
    }
    same(with("/resources/0/externalRef", json!(null)));
    same(with("/resources/0/template/spec/paused", json!(null)));
    same(with("/schema/spec/gone", json!(null)));
}

#[test]
fn v1_policy_is_no_content() {
    let same = |other: Value| {
        assert_eq!(Digest::of_definition(&other), Digest::of_definition(&spec()), "{other}");
    };
    same(with("/revisionManagement", json!({"historyLimit": 3})));
    same(with("/propagateWhen", json!(["${true}"])));
    same(with("/propagation", json!({"maxInFlight": 1})));
    same(with("/resources/0/propagateWhen", json!(["${true}"])));
    same(with("/resources/0/deletionPolicy", json!("Retain")));
    // So is what a revision records beside it.
    same(with("/revision", json!(3)));
    same(with("/changeCause", json!("because")));
}

#[test]
fn v8_what_counts() {
    let different = |other: Value| {
        assert_ne!(Digest::of_definition(&other), Digest::of_definition(&spec()), "{other}");
    };
    different(with("/resources/0/template/spec/replicas", json!(5)));
    different(with("/resources/0/template/spec/replicas", json!("3")));
    different(with("/resources/1/template/spec/podSelector", json!(null)));
    different(with("/resources/1/template/spec/ingress", json!([])));
    different(with("/resources/0/template/metadata/namespace", json!("")));
    different(reversed("/resources/0/template/spec/template/spec/containers"));
    different(reversed("/resources/0/template/spec/template/spec/containers/0/args"));
    different(with("/resources/0/template/spec/template/spec/containers/0/args/0", json!(null)));
    different(with("/resources/0/id", json!("web")));
    different(with("/resources/0/forEach", json!([{"zone": "${schema.spec.zones}"}])));
    different(with("/resources/2/externalRef/metadata/namespace", json!("")));
    different(with("/schema/spec/config", json!({})));
    different(with("/schema/scope", json!("Cluster")));
    different(with("/schema/group", json!("example.com")));
    different(with("/resources", json!([])));
}

#[test]
fn v15_the_same_spec_on_other_content_is_another_input() {
    let (one, other) = (Digest::of_definition(&spec()), Digest::of_definition(&json!({})));
    let input = |spec: Value, definition: Digest| Digest::of_input(&spec, definition);
    assert_eq!(input(json!({"a": 1, "b": null}), one), input(json!({"a": 1.0}), one));
    assert_ne!(input(json!({"a": 1}), one), input(json!({"a": 1}), other));
    assert_ne!(input(json!({"a": 1}), one), input(json!({"a": 2}), one));
    assert_ne!(Digest::of_content("composition", &json!({})), Digest::of_content("package", &json!({})));
}

#[test]
fn v10_a_prefix_names_content() {
    let digest = Digest::of_definition(&spec());
    let text = digest.to_string();
    assert!(digest.starts_with(&text) && digest.starts_with(&text[..1]));
    assert!(digest.starts_with(&text[..8].to_uppercase()));
    assert!(!digest.starts_with("") && !digest.starts_with("zz") && !digest.starts_with(&format!("{text}0")));
}

#[test]
fn digests_are_read_as_they_are_printed() {
    let digest = Digest::of_definition(&spec());
    assert_eq!(digest.to_string().parse(), Ok(digest));
    for wrong in ["", "abc123def456", &"é".repeat(20), &"+1".repeat(20)] {
        assert!(wrong.parse::<Digest>().is_err(), "{wrong}");
    }
}
