use serde_json::json;

use super::*;

const ID: &str = "applyset-9sHw3-6HBl2VO07VeDzfkQhwSs1_MRB3IBzTC1N-yt8-v1";

fn inventory(group_kinds: &[&str], namespaces: &[&str]) -> Inventory {
    Inventory {
        group_kinds: group_kinds.iter().map(|it| it.parse().unwrap()).collect(),
        namespaces: namespaces.iter().map(|&it| it.to_owned()).collect(),
    }
}

fn parent(label: Option<&str>, annotations: &Value) -> Value {
    json!({
        "apiVersion": "kro.run/v1alpha1",
        "kind": "WebApp",
        "metadata": {
            "name": "my-app",
            "namespace": "default",
            "labels": label.map_or(json!({}), |id| json!({"applyset.kubernetes.io/id": id})),
            "annotations": annotations,
        },
    })
}

#[test]
fn behaviour_26_the_id_is_that_of_kro() {
    assert_eq!(id("my-app", "default", "WebApp", "kro.run"), ID);
    assert_ne!(id("my-app", "", "WebApp", "kro.run"), ID);
}

#[test]
fn kinds_are_written_and_read() {
    let check = |text: &str, expected: Option<(&str, &str)>| {
        let read = text.parse::<GroupKind>();
        let read = read.as_ref().ok();
        assert_eq!(read.map(|it| (it.kind.as_str(), it.group.as_str())), expected, "{text:?}");
        assert!(read.is_none_or(|it| it.to_string() == text), "{text:?}");
    };
    check("ConfigMap", Some(("ConfigMap", "")));
    check("Deployment.apps", Some(("Deployment", "apps")));
    check("Role.rbac.authorization.k8s.io", Some(("Role", "rbac.authorization.k8s.io")));
    check("", None);
    check(".apps", None);
    check("Deployment.", None);
    check("Deployment.Apps", None);
    check("Config Map", None);
}

#[test]
fn what_is_written_is_read() {
    let kinds = ["Service", "ConfigMap", "Deployment.apps"];
    let written = inventory(&kinds, &["b", "a"]);
    let annotations = json!(written.annotations(ID));
    assert_eq!(
        annotations["applyset.kubernetes.io/contains-group-kinds"],
        "ConfigMap,Deployment.apps,Service"
    );
    assert_eq!(annotations["applyset.kubernetes.io/additional-namespaces"], "a,b");
    assert_eq!(annotations["applyset.kubernetes.io/tooling"], "kro/v0.9.4");
    assert_eq!(
        annotations["internal.kro.run/applyset-inventory-hash"],
        "sha256:1XTV61vxZ3X1JXa0XG8pCuiAV493_aRjAVqff9V8MBw"
    );
    assert_eq!(Inventory::read(&parent(Some(ID), &annotations)), Ok(Some(written)));

    let empty = Inventory::default();
    let read = Inventory::read(&parent(Some(ID), &json!(empty.annotations(ID))));
    assert_eq!(read, Ok(Some(empty)));
}

#[test]
fn without_any_part_there_is_no_inventory() {
    assert_eq!(Inventory::read(&parent(None, &json!({"other": "x"}))), Ok(None));
    assert_eq!(Inventory::read(&json!({})), Ok(None));
}

#[test]
fn a_broken_inventory_is_refused() {
    let check = |label: Option<&str>, changes: &[(&str, Option<&str>)], expected: &str| {
        let mut annotations = json!(inventory(&["ConfigMap"], &["a"]).annotations(ID));
        for (key, value) in changes {
            match value {
                Some(value) => annotations[*key] = json!(value),
                None => drop(annotations.as_object_mut().unwrap().remove(*key)),
            }
        }
        let error = Inventory::read(&parent(label, &annotations)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    let kinds = names::APPLYSET_GROUP_KINDS_ANNOTATION;
    let namespaces = names::APPLYSET_NAMESPACES_ANNOTATION;
    check(None, &[], "label applyset.kubernetes.io/id is \"\"");
    check(Some("applyset-x-v1"), &[], "label applyset.kubernetes.io/id is \"applyset-x-v1\"");
    check(Some(ID), &[(names::APPLYSET_TOOLING_ANNOTATION, Some("helm/v3"))], "belongs to another tool");
    check(Some(ID), &[(names::APPLYSET_TOOLING_ANNOTATION, None)], "belongs to another tool");
    check(Some(ID), &[(kinds, None)], "contains-group-kinds is missing");
    check(Some(ID), &[(namespaces, None)], "additional-namespaces is missing");
    check(Some(ID), &[(kinds, Some("ConfigMap,,Secret"))], "\"\" is no kind");
    check(Some(ID), &[(namespaces, Some("a,B"))], "\"B\" is no namespace");
    check(Some(ID), &[(kinds, Some("Secret"))], "kinds or namespaces were edited");
    check(Some(ID), &[(namespaces, Some(""))], "kinds or namespaces were edited");
}

#[test]
fn what_can_be_no_namespace_is_ignored_where_it_was_written_so() {
    let check = |poison: &str| {
        let annotations = json!(inventory(&["ConfigMap"], &["a", poison]).annotations(ID));
        let read = Inventory::read(&parent(Some(ID), &annotations));
        assert_eq!(read, Ok(Some(inventory(&["ConfigMap"], &["a"]))), "{poison:?}");
    };
    for poison in ["Team A", "a/b", "../../apis", " x y", "B "] {
        check(poison);
    }
    check(&"a".repeat(64));
}

/// As kro applies labels in each pass: what follows from the object is written again.
#[test]
fn a_missing_id_is_no_loss_on_an_instance_with_a_finalizer() {
    let written = inventory(&["ConfigMap"], &["a"]);
    let check = |label: Option<&str>, finalizers: Value, expect: bool| {
        let mut instance = parent(label, &json!(written.annotations(ID)));
        instance["metadata"]["finalizers"] = finalizers;
        assert_eq!(Inventory::read(&instance).is_ok(), expect, "{instance}");
    };
    check(None, json!(["kro.run/finalizer"]), true);
    check(None, json!(["acme.io/hold"]), false);
    check(None, json!([]), false);
    check(Some("applyset-x-v1"), json!(["kro.run/finalizer"]), false);
}

#[test]
fn early_releases_wrote_no_digest_and_spaces_are_forgiven() {
    let mut annotations = json!(inventory(&["ConfigMap"], &["a"]).annotations(ID));
    annotations.as_object_mut().unwrap().remove(names::INVENTORY_DIGEST_ANNOTATION);
    annotations[names::APPLYSET_GROUP_KINDS_ANNOTATION] = json!("ConfigMap, Secret");
    let read = Inventory::read(&parent(Some(ID), &annotations));
    assert_eq!(read, Ok(Some(inventory(&["ConfigMap", "Secret"], &["a"]))));
}

#[test]
fn union_holds_what_either_has() {
    let left = inventory(&["ConfigMap"], &["a"]);
    let right = inventory(&["Secret"], &["b"]);
    assert_eq!(left.union(&right), inventory(&["ConfigMap", "Secret"], &["a", "b"]));
}
