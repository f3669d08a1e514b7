//! What an edit would do to the kind that a definition serves.

use std::collections::{BTreeMap, BTreeSet};

use krono_graph::CompiledGraph;
use krono_history::Digest;
use krono_history::retention::{Freshness, Uses};
use krono_history::revision::{History, definition_revision};
use krono_model::names;
use serde_json::{Value, json};

use crate::definition::crd::{self, Standing};
use crate::definition::{Graphs, Instances, Past, Serving, World};

/// What becomes of the CRD of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KindEffect {
    /// It is made.
    Created,
    /// It is changed.
    Changed,
    /// It stays as it is.
    Unchanged,
    /// What it would need may not be done: nothing of the edit reaches any instance.
    Refused(String),
}

/// What the controller would make of an edited definition, given what is there: the definition as it is, the CRD of its kind
/// and the objects that hold its revisions.
pub fn verdict(
    edited: &Value,
    live: Option<&Value>,
    graph: &CompiledGraph,
    crd: Option<&Value>,
    revisions: &[Value],
    now: &str,
) -> KindEffect {
    let definition = applied(edited, live);
    match standing(&definition, graph, crd, &history(revisions, &definition), now) {
        Standing::Absent(_) => KindEffect::Created,
        Standing::Different(_) => KindEffect::Changed,
        Standing::Good | Standing::NotEstablished | Standing::NotServed => KindEffect::Unchanged,
        Standing::Terminating => KindEffect::Refused("its CRD is being deleted".to_owned()),
        Standing::Foreign(words)
        | Standing::OfAnother(words)
        | Standing::Breaking(words)
        | Standing::Refused(words) => KindEffect::Refused(words),
    }
}

/// The CRD that the controller would have made for a definition, as the API server shows it once it is established.
pub fn crd_made_by(definition: &Value, graph: &CompiledGraph) -> Option<Value> {
    let definition = applied(definition, Some(definition));
    let Standing::Absent(mut crd) = standing(&definition, graph, None, &History::default(), "") else {
        return None;
    };
    crd["status"] = json!({"conditions": [{"type": "Established", "status": "True"}]});
    Some(crd)
}

/// How the CRD stands to what the graph of a definition needs.
fn standing(
    definition: &Value,
    graph: &CompiledGraph,
    crd: Option<&Value>,
    history: &History,
    now: &str,
) -> Standing {
    let past = Past {
        history,
        objects: &BTreeMap::new(),
        deleted: &BTreeSet::new(),
        graphs: &NoGraphs,
        uses: &Uses::default(),
        staying: &BTreeSet::new(),
        instances: &[],
        statuses: None,
        claims: None,
        counts: None,
        interface: None,
        left_by_kro: &[],
        freshness: Freshness::Live,
    };
    let world = World {
        definition,
        compiled: Ok(graph),
        crd,
        served: crd.is_some(),
        serving: Serving::Nothing,
        past,
        instances: Instances::default(),
        failure: None,
        allow_crd_deletion: false,
        now,
    };
    crd::standing(&world, graph)
}

/// Nobody compiles what a preview has no use for.
struct NoGraphs;

impl Graphs for NoGraphs {
    fn graph_of(&self, _: Digest) -> Option<Result<&CompiledGraph, &str>> {
        None
    }
}

/// The revisions that objects hold; what cannot be read is none.
fn history(revisions: &[Value], definition: &Value) -> History {
    let owner = definition["metadata"]["uid"].as_str().unwrap_or_default();
    History::new(revisions.iter().filter_map(|it| definition_revision(it, owner).ok()).collect())
}

/// The definition as it would be after an apply of the edit.
fn applied(edited: &Value, live: Option<&Value>) -> Value {
    let map =
        |object: &Value, field: &str| object["metadata"][field].as_object().cloned().unwrap_or_default();
    let mut annotations = live.map(|it| map(it, "annotations")).unwrap_or_default();
    annotations.extend(map(edited, "annotations"));
    json!({
        "apiVersion": edited["apiVersion"],
        "kind": edited["kind"],
        "metadata": {
            "name": edited["metadata"]["name"],
            "uid": live.map_or(&Value::Null, |it| &it["metadata"]["uid"]),
            "annotations": annotations,
            "finalizers": [names::FINALIZER],
        },
        "spec": edited["spec"],
        "status": live.map_or(&Value::Null, |it| &it["status"]),
    })
}
