//! The kinds that random sequences write to, and random contents of theirs.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::story::Step;

/// A kind and how to make contents of it.
#[derive(Debug)]
pub(super) struct Subject {
    api_version: &'static str,
    kind: &'static str,
    /// The path of its objects in the namespace of the suite.
    pub(super) collection: &'static str,
    pub(super) has_status: bool,
    /// Fields beside version, kind and name.
    pub(super) fields: fn() -> BoxedStrategy<Value>,
    /// The same for merge patches, where null removes.
    pub(super) changes: fn() -> BoxedStrategy<Value>,
    /// What a JSON patch may try to remove.
    pub(super) removable: &'static [&'static str],
}

pub(super) const KINDS: [Subject; 4] = [
    Subject {
        api_version: "v1",
        kind: "ConfigMap",
        collection: "/api/v1/namespaces/random-apply/configmaps",
        has_status: false,
        fields: || fields([("metadata", metadata(text())), ("data", map(text()))]),
        changes: || {
            fields([("metadata", metadata(or_null(text()))), ("data", or_null(map(or_null(text()))))])
        },
        removable: &["/data", "/data/a", "/metadata/labels", "/metadata/labels/b", "/metadata/managedFields"],
    },
    Subject {
        api_version: "v1",
        kind: "Service",
        collection: "/api/v1/namespaces/random-apply/services",
        has_status: false,
        fields: || fields([("metadata", metadata(text())), ("spec", service())]),
        changes: || {
            fields([
                ("metadata", metadata(or_null(text()))),
                ("spec", fields([("selector", or_null(map(text())))])),
            ])
        },
        removable: &["/spec/selector", "/spec/ports/1", "/metadata/labels"],
    },
    Subject {
        api_version: "apps/v1",
        kind: "Deployment",
        collection: "/apis/apps/v1/namespaces/random-apply/deployments",
        has_status: true,
        fields: || {
            fields([("metadata", metadata(text())), ("spec", deployment()), ("status", deployment_status())])
        },
        changes: || {
            let spec = fields([
                ("replicas", or_null(number())),
                ("paused", or_null(any::<bool>().prop_map(Value::from).boxed())),
            ]);
            fields([("metadata", metadata(or_null(text()))), ("spec", spec)])
        },
        removable: &[
            "/spec/replicas",
            "/spec/template/spec/containers/1",
            "/spec/template/spec/containers/0/env",
            "/status/conditions",
        ],
    },
    Subject {
        api_version: "apply.krono.dev/v1",
        kind: "Gizmo",
        collection: "/apis/apply.krono.dev/v1/namespaces/random-apply/gizmos",
        has_status: true,
        fields: || {
            fields([("metadata", metadata(text())), ("spec", gizmo(false)), ("status", gizmo_status())])
        },
        changes: || {
            fields([
                ("metadata", metadata(or_null(text()))),
                ("spec", or_null(gizmo(true))),
                ("status", or_null(gizmo_status())),
            ])
        },
        removable: &["/spec", "/spec/parts/0", "/spec/tags", "/spec/free", "/spec/nested", "/status"],
    },
];

impl Subject {
    /// A whole object.
    pub(super) fn object(&self, name: &str, fields: &Value) -> Value {
        let mut object = fields.clone();
        object["apiVersion"] = json!(self.api_version);
        object["kind"] = json!(self.kind);
        object["metadata"]["name"] = json!(name);
        object
    }
}

/// What must exist before the first sequence.
pub(super) fn preparation() -> Vec<Step> {
    let served = "GET /apis/apply.krono.dev/v1/namespaces/random-apply/gizmos".to_owned();
    vec![
        Step {
            request: "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions".to_owned(),
            body: Some(definition()),
            ..Step::default()
        },
        Step { request: served, awaited: Some(200), ..Step::default() },
    ]
}

fn definition() -> Value {
    let text = json!({"type": "string"});
    let element = json!({"type": "object", "required": ["name"], "properties": {
        "name": text, "kind": {"type": "string", "default": "plain"}, "value": text, "more": {"type": "array", "items": text}}});
    let spec = json!({"type": "object", "properties": {
        "size": {"type": "integer"},
        "color": {"type": "string", "default": "red"},
        "tags": {"type": "array", "items": text, "x-kubernetes-list-type": "set"},
        "list": {"type": "array", "items": text},
        "parts": {"type": "array", "items": element, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]},
        "pairs": {"type": "array", "items": element, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "kind"]},
        "labels": {"type": "object", "additionalProperties": text},
        "whole": {"type": "object", "additionalProperties": text, "x-kubernetes-map-type": "atomic"},
        "nested": {"type": "object", "properties": {"a": text, "b": {"type": "string", "nullable": true}}},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
    }});
    let status = json!({"type": "object", "properties": {"phase": text, "parts": {"type": "array", "items": element,
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}}});
    let schema = json!({"type": "object", "properties": {"spec": spec, "status": status}});
    let version = json!({"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gizmos.apply.krono.dev"},
        "spec": {"group": "apply.krono.dev", "scope": "Namespaced", "names": {"plural": "gizmos", "kind": "Gizmo"}, "versions": [version]},
    })
}

/// Each field is there or not.
fn fields<const N: usize>(fields: [(&'static str, BoxedStrategy<Value>); N]) -> BoxedStrategy<Value> {
    let some: Vec<_> = fields
        .into_iter()
        .map(|(name, value)| prop::option::weighted(0.6, value).prop_map(move |it| (name, it)))
        .collect();
    some.prop_map(|found| {
        let present = found.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(present.collect())
    })
    .boxed()
}

/// As [`fields`], with fields that are always there.
fn with(always: Value, value: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    value
        .prop_map(move |mut value| {
            let (Some(target), Some(source)) = (value.as_object_mut(), always.as_object()) else {
                return value;
            };
            target.extend(source.clone());
            value
        })
        .boxed()
}

fn or_null(value: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    prop_oneof![3 => value, 1 => Just(Value::Null)].boxed()
}

fn text() -> BoxedStrategy<Value> {
    prop::sample::select(vec!["x", "y", "z"]).prop_map(Value::from).boxed()
}

fn number() -> BoxedStrategy<Value> {
    (0..4_i64).prop_map(Value::from).boxed()
}

fn map(value: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    prop::collection::btree_map(prop::sample::select(vec!["a", "b", "c"]), value, 0..4)
        .prop_map(|entries| {
            Value::Object(
                entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>(),
            )
        })
        .boxed()
}

fn list(items: &'static [&'static str]) -> BoxedStrategy<Value> {
    prop::sample::subsequence(items.to_vec(), 0..=items.len()).prop_shuffle().prop_map(Value::from).boxed()
}

/// A list of elements that differ in their keys.
fn keyed(keys: Vec<Value>, element: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let most = keys.len();
    prop::sample::subsequence(keys, 0..=most)
        .prop_shuffle()
        .prop_flat_map(move |keys| keys.into_iter().map(|key| with(key, element.clone())).collect::<Vec<_>>())
        .prop_map(Value::from)
        .boxed()
}

fn names() -> Vec<Value> {
    ["a", "b", "c"].map(|name| json!({"name": name})).to_vec()
}

/// Maps that are not empty: an empty one is written by the real server and forgotten when read, so that the next write
/// which changes nothing gives the object a new version all the same.
fn metadata(value: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let filled = |value| map(value).prop_filter("empty", |it| it != &json!({})).boxed();
    fields([("labels", filled(value.clone())), ("annotations", filled(value))])
}

fn service() -> BoxedStrategy<Value> {
    let port =
        |port: u16, protocol: &str, name: &str| json!({"port": port, "protocol": protocol, "name": name});
    let keys = vec![port(80, "TCP", "http"), port(53, "UDP", "dns"), port(53, "TCP", "dns-tcp")];
    let ports = keyed(
        keys,
        fields([("targetPort", number().prop_map(|it| json!(it.as_i64().unwrap_or(0) + 8080)).boxed())]),
    );
    fields([("ports", ports), ("selector", map(text())), ("externalIPs", list(&["1.1.1.1", "2.2.2.2"]))])
}

fn deployment() -> BoxedStrategy<Value> {
    let env = keyed(names(), fields([("value", text())]));
    let ports = keyed(
        vec![json!({"containerPort": 80}), json!({"containerPort": 81, "protocol": "UDP"})],
        fields([]),
    );
    let container = with(
        json!({"image": "i:1"}),
        fields([("env", env), ("args", list(&["p", "q"])), ("ports", ports), ("workingDir", text())]),
    );
    let containers = keyed(names(), container)
        .prop_map(|it| if it == json!([]) { json!([{"name": "a", "image": "i"}]) } else { it });
    let pod = (containers, map(text()))
        .prop_map(|(containers, nodes)| json!({"containers": containers, "nodeSelector": nodes}));
    let template = pod.prop_map(|pod| json!({"metadata": {"labels": {"app": "d"}}, "spec": pod}));
    let rest = fields([
        ("replicas", number()),
        ("paused", any::<bool>().prop_map(Value::from).boxed()),
        ("minReadySeconds", number()),
    ]);
    let whole = (rest.clone(), template).prop_map(|(mut rest, template)| {
        rest["template"] = template;
        rest["selector"] = json!({"matchLabels": {"app": "d"}});
        rest
    });
    prop_oneof![3 => whole, 1 => rest].boxed()
}

fn deployment_status() -> BoxedStrategy<Value> {
    let types = ["Available", "Progressing"].map(|it| json!({"type": it, "status": "True"})).to_vec();
    fields([
        ("conditions", keyed(types, fields([("reason", text())]))),
        ("replicas", number()),
        ("observedGeneration", number()),
    ])
}

fn gizmo(nulls: bool) -> BoxedStrategy<Value> {
    let leaf = if nulls { or_null(text()) } else { text() };
    let more = fields([("value", text()), ("more", list(&["x", "y"]))]);
    let pairs =
        vec![json!({"name": "a"}), json!({"name": "a", "kind": "odd"}), json!({"name": "b", "kind": "odd"})];
    fields([
        ("size", number()),
        ("color", leaf.clone()),
        ("tags", list(&["x", "y", "z"])),
        ("list", list(&["x", "y", "z"])),
        ("parts", keyed(names(), more.clone())),
        ("pairs", keyed(pairs, more)),
        ("labels", map(leaf.clone())),
        ("whole", map(text())),
        ("nested", fields([("a", leaf.clone()), ("b", or_null(text()))])),
        ("free", map(prop_oneof![leaf, map(text())].boxed())),
    ])
}

fn gizmo_status() -> BoxedStrategy<Value> {
    fields([("phase", text()), ("parts", keyed(names(), fields([("value", text())])))])
}
