//! The table and the schemas as a whole.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use krono_schema::{ListType, MapType, SchemaType};
use serde_json::{Value, json};

use super::*;

fn kind(group: &str, version: &str, name: &str) -> Kind {
    let is = |kind: &Kind| &*kind.group == group && &*kind.version == version && &*kind.kind == name;
    kinds().into_iter().find(is).unwrap()
}

#[test]
fn names_are_unique_and_consistent() {
    let kinds = kinds();
    let mut seen = HashSet::new();
    for kind in &kinds {
        assert!(seen.insert((kind.group.clone(), kind.version.clone(), kind.plural.clone())), "{kind:?}");
        assert_eq!(&*kind.plural, kind.plural.to_lowercase());
        assert!(verbs(&kind.group, &kind.plural).is_some());
    }
    let all: HashSet<&str> = kinds
        .iter()
        .filter(|kind| kind.categories.iter().any(|it| &**it == "all"))
        .map(|kind| &*kind.plural)
        .collect();
    assert_eq!(all.len(), 10, "{all:?}");
    assert_eq!(verbs("authorization.k8s.io", "selfsubjectaccessreviews"), Some(Verbs::Create));
    assert_eq!(verbs("example.com", "pods"), None);
}

#[test]
fn every_schema_is_made_of_known_types() {
    for kind in kinds() {
        let schema = kind.schema.get();
        assert_eq!(schema.schema_type, Some(SchemaType::Object), "{}", kind.kind);
        for field in ["apiVersion", "kind", "metadata"] {
            assert!(schema.properties.contains_key(field), "{} has no {field}", kind.kind);
        }
        let status = schema.properties.contains_key("status");
        let review = verbs(&kind.group, &kind.plural) != Some(Verbs::All);
        assert!(review || kind.has_status == status, "{} status", kind.kind);
    }
}

#[test]
fn merging_is_known() {
    let deployment = kind("apps", "v1", "Deployment");
    let spec = &deployment.schema.get().properties["spec"];
    assert_eq!(spec.properties["strategy"].patch_strategy.as_deref(), Some("retainKeys"));
    assert_eq!(spec.properties["selector"].map_type, Some(MapType::Atomic));
    let pod = &spec.properties["template"].properties["spec"];
    assert_eq!(pod.properties["volumes"].patch_strategy.as_deref(), Some("merge,retainKeys"));
    let container = pod.properties["containers"].items.as_ref().unwrap();
    let ports = &container.properties["ports"];
    assert_eq!(ports.list_type, Some(ListType::Map));
    assert_eq!(ports.list_map_keys, ["containerPort", "protocol"]);
    let port = ports.items.as_ref().unwrap();
    assert_eq!(port.properties["protocol"].default, Some("TCP".into()));
    assert!(container.properties["livenessProbe"].properties["httpGet"].properties["port"].int_or_string);
    let volume = kind("", "v1", "PersistentVolume");
    let claim = &volume.schema.get().properties["spec"].properties["claimRef"];
    assert_eq!(claim.map_type, Some(MapType::Granular));
}

#[test]
fn documents_keep_what_is_required() {
    let apps = definitions("apps", "v1");
    assert_eq!(apps["io.k8s.api.apps.v1.DeploymentSpec"].required, ["selector", "template"]);
    assert!(apps["io.k8s.api.apps.v1.Deployment"].required.is_empty());
    assert!(apps["io.k8s.api.apps.v1.Deployment"].properties["spec"].reference.is_some());
    assert!(definitions("example.com", "v1").is_empty());
}

/// A server starts with all kinds and makes the schemas of those that are used.
#[test]
fn kinds_cost_little_until_their_schema_is_asked_for() {
    let start = Instant::now();
    let kinds = kinds();
    // 0.2 to 0.35 ms, and 7 to 13 ms for the schema, in a debug build; the limits leave room for a busy machine.
    println!("all kinds: {:?}", start.elapsed());
    assert!(start.elapsed() < Duration::from_millis(5), "{:?}", start.elapsed());
    let start = Instant::now();
    let deployment = kinds.iter().find(|kind| &*kind.kind == "Deployment").unwrap();
    deployment.schema.get();
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
    println!("Deployment schema: {:?}", start.elapsed());
}

/// A small object of every kind.
const EXAMPLES: &str = include_str!("examples.yaml");

#[test]
fn every_kind_has_an_example_that_fits_its_schema_with_its_defaults() {
    let examples: Vec<Value> = serde_saphyr::from_multiple(EXAMPLES).unwrap();
    let mut unseen: HashSet<String> =
        kinds().iter().map(|kind| name_of(&kind.group, &kind.version, &kind.kind)).collect();
    for mut example in examples {
        let api_version = example["apiVersion"].as_str().unwrap().to_owned();
        let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
        let kind = kind(group, version, example["kind"].as_str().unwrap());
        unseen.remove(&name_of(group, version, &kind.kind));
        let schema = kind.schema.get();
        let unknown = krono_schema::prune_object(schema, &mut example);
        assert_eq!(unknown, [""; 0], "{}", kind.kind);
        (kind.rules.default)(&mut example);
        let unknown = krono_schema::prune_object(schema, &mut example);
        assert_eq!(unknown, [""; 0], "defaults of {}", kind.kind);
        assert_eq!(krono_schema::Validator::new(schema).validate(&example), [], "{}", kind.kind);
        assert_eq!((kind.rules.validate)(&example, None), [], "{}", kind.kind);
        assert_eq!((kind.rules.validate)(&example, Some(&example)), [], "{}", kind.kind);
    }
    assert!(unseen.is_empty(), "no example of {unseen:?}");
}

fn name_of(group: &str, version: &str, kind: &str) -> String {
    format!("{group}/{version}/{kind}")
}

/// Any value in any place must be survived: rules run before and beside the check of types.
#[test]
fn rules_survive_values_of_the_wrong_type() {
    let examples: Vec<Value> = serde_saphyr::from_multiple(EXAMPLES).unwrap();
    let wrong =
        [Value::Null, json!(""), json!(0), json!(true), json!([]), json!({}), json!([0]), json!({"a": 0})];
    for example in examples {
        let kinds = kinds().into_iter().filter(|kind| example["kind"] == *kind.kind);
        for kind in kinds {
            for path in paths(&example) {
                for value in &wrong {
                    let mut broken = example.clone();
                    *broken.pointer_mut(&path).unwrap() = value.clone();
                    (kind.rules.default)(&mut broken);
                    let _errors = (kind.rules.validate)(&broken, None);
                    let _errors = (kind.rules.validate)(&broken, Some(&example));
                    let _errors = (kind.rules.validate)(&example, Some(&broken));
                }
            }
        }
    }
}

/// The places in a value, as JSON pointers.
fn paths(value: &Value) -> Vec<String> {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => {
            fields.iter().map(|(name, child)| (name.replace('/', "~1"), child)).collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, child)| (index.to_string(), child)).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    let below = children
        .into_iter()
        .flat_map(|(name, child)| paths(child).into_iter().map(move |path| format!("/{name}{path}")));
    std::iter::once(String::new()).chain(below).collect()
}

#[test]
fn names_follow_the_rule_of_their_kind() {
    let check = |group: &str, kind: &str, name: &str, fits: bool| {
        assert_eq!(name_complaints(group, kind, name).is_empty(), fits, "{kind} {name}");
    };
    check("", "ConfigMap", "a.b", true);
    check("", "Namespace", "a.b", false);
    check("", "Service", "1a", false);
    check("apps", "StatefulSet", "a.b", false);
    check("rbac.authorization.k8s.io", "ClusterRole", "system:node", true);
    check("example.com", "Widget", "A", false);
}
