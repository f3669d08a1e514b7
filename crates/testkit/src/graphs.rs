//! Random definitions.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::kinds::SIM_VERSION;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sort {
    Config,
    Part,
    Site,
    /// A reference to the one object that everybody shares.
    External,
    /// References to all objects with a label.
    Selection,
}

#[derive(Clone, Copy, Debug)]
enum Include {
    Flag(usize),
    /// Depends on what another node holds.
    Node(usize),
}

/// One resource of a random definition.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is drawn by itself")]
pub struct NodePlan {
    sort: Sort,
    depends: Vec<usize>,
    include: Option<Include>,
    each: bool,
    ready: bool,
    away: bool,
    retain: bool,
    own: bool,
}

pub(crate) fn graphs() -> impl Strategy<Value = Vec<NodePlan>> {
    prop_oneof![
        6 => prop::collection::vec(node(), 1..8),
        1 => prop::collection::vec(node(), 8..=60),
    ]
}

fn node() -> impl Strategy<Value = NodePlan> {
    let sort = prop_oneof![
        8 => Just(Sort::Config),
        5 => Just(Sort::Part),
        2 => Just(Sort::Site),
        1 => Just(Sort::External),
        1 => Just(Sort::Selection),
    ];
    let include = prop_oneof![
        5 => Just(None),
        2 => (0..3_usize).prop_map(|it| Some(Include::Flag(it))),
        1 => (0..60_usize).prop_map(|it| Some(Include::Node(it))),
    ];
    let often = prop::bool::weighted(0.6);
    let rare = || prop::bool::weighted(0.15);
    let depends = prop::collection::vec(0..60_usize, 0..3);
    (sort, depends, include, rare(), often, rare(), prop::bool::weighted(0.05), any::<bool>()).prop_map(
        |(sort, depends, include, each, ready, away, retain, own)| NodePlan {
            sort,
            depends,
            include,
            each,
            ready,
            away,
            retain,
            own,
        },
    )
}

/// The definition `demos`, of instances of the kind `Demo`.
pub fn definition(nodes: &[NodePlan]) -> Value {
    let resources: Vec<Value> = (0..nodes.len()).map(|index| resource(nodes, index)).collect();
    let mut status = Map::new();
    for (index, node) in nodes.iter().enumerate().take(4) {
        status.insert(format!("s{index}"), format!("${{{}}}", said_by(node, index)).into());
    }
    json!({
        "apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinition", "metadata": {"name": "demos"},
        "spec": {
            "schema": {"kind": "Demo", "apiVersion": "v1alpha1", "status": status, "spec": {
                "a": "string", "b": "string", "f0": "boolean", "f1": "boolean", "f2": "boolean", "items": "[]string"}},
            "resources": resources,
        },
    })
}

/// An expression about a node that others use.
fn said_by(node: &NodePlan, index: usize) -> String {
    match node.sort {
        Sort::Selection => format!("string(n{index}.size())"),
        Sort::External => format!("n{index}.data.own"),
        _ if node.each => format!("string(n{index}.size())"),
        Sort::Config => format!("n{index}.data.own"),
        Sort::Part => format!("n{index}.status.echo"),
        Sort::Site => format!("n{index}.spec.values.own"),
    }
}

fn resource(nodes: &[NodePlan], index: usize) -> Value {
    let node = &nodes[index];
    let mut entry = Map::from_iter([("id".to_owned(), format!("n{index}").into())]);
    let mut set = |field: &str, value: Value| entry.insert(field.to_owned(), value);
    match node.sort {
        Sort::External => {
            set(
                "externalRef",
                json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "shared"}}),
            );
        }
        Sort::Selection => {
            let selector = json!({"matchLabels": {"shared": "yes"}});
            set(
                "externalRef",
                json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"selector": selector}}),
            );
        }
        Sort::Config | Sort::Part | Sort::Site => {
            set("template", template(nodes, index));
            if node.each {
                set("forEach", json!([{"word": "${schema.spec.items}"}]));
            }
            if node.retain {
                set("deletionPolicy", "Retain".into());
            }
        }
    }
    match (node.sort, node.each) {
        (Sort::Part, true) if node.ready => drop(set("readyWhen", json!(["${each.status.ready}"]))),
        (Sort::Part, false) if node.ready => {
            set("readyWhen", json!([format!("${{n{index}.status.ready}}")]));
        }
        _ => {}
    }
    if let Some(condition) = include_when(nodes, index) {
        set("includeWhen", json!([condition]));
    }
    Value::Object(entry)
}

fn include_when(nodes: &[NodePlan], index: usize) -> Option<String> {
    match nodes[index].include? {
        Include::Flag(flag) => Some(format!("${{schema.spec.f{flag}}}")),
        Include::Node(_) if index == 0 => None,
        Include::Node(other) => {
            let other = other % index;
            Some(format!("${{{} != 'two'}}", said_by(&nodes[other], other)))
        }
    }
}

fn template(nodes: &[NodePlan], index: usize) -> Value {
    let node = &nodes[index];
    let item = if node.each { "-${word}" } else { "" };
    let mut metadata = json!({"name": format!("${{schema.metadata.name}}-n{index}{item}")});
    if node.away && node.sort != Sort::Site {
        metadata["namespace"] = "away".into();
    }
    let mut values = Map::new();
    values.insert("own".to_owned(), if node.own { "${schema.spec.a}" } else { "${schema.spec.b}" }.into());
    for other in node.depends.iter().filter(|_| index > 0).map(|it| it % index) {
        values.insert(format!("d{other}"), format!("${{{}}}", said_by(&nodes[other], other)).into());
    }
    let (api_version, kind, content) = match node.sort {
        Sort::Part => (SIM_VERSION, "Part", json!({"spec": {"values": values}})),
        Sort::Site => {
            let amount = if node.ready { "2000m" } else { "2" };
            (SIM_VERSION, "Site", json!({"spec": {"values": values, "amount": amount}}))
        }
        Sort::Config | Sort::External | Sort::Selection => ("v1", "ConfigMap", json!({"data": values})),
    };
    let mut template = json!({"apiVersion": api_version, "kind": kind, "metadata": metadata});
    for (name, value) in content.as_object().into_iter().flatten() {
        template[name] = value.clone();
    }
    template
}
