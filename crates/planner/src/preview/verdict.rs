//! What an edit would do to the kind that a definition serves.

use krono_graph::CompiledGraph;
use krono_model::names;
use serde_json::{Value, json};

use crate::definition::crd::{self, Standing};

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

/// What the standing of a CRD means for an edit.
pub(super) fn effect(standing: Standing) -> KindEffect {
    match standing {
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
    let mut crd = crd::first(&definition, graph)?;
    crd["status"] = json!({"conditions": [{"type": "Established", "status": "True"}]});
    Some(crd)
}

/// The definition as it would be after an apply of the edit.
pub(super) fn applied(edited: &Value, live: Option<&Value>) -> Value {
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
