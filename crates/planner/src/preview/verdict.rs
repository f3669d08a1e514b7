//! What an edit would do to the kind that a definition serves.

use krono_graph::CompiledGraph;
use krono_model::definition::KIND_READY;
use krono_model::names;
use serde_json::{Value, json};

use crate::definition::{Action, Instances, Plan, Serving, World, plan};

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

/// What the controller would make of an edited definition, given what is there.
pub fn verdict(
    edited: &Value,
    live: Option<&Value>,
    graph: &CompiledGraph,
    crd: Option<&Value>,
    now: &str,
) -> KindEffect {
    let definition = applied(edited, live);
    let planned = |serving: Serving| {
        plan(&World {
            definition: &definition,
            compiled: Ok(graph),
            crd,
            served: crd.is_some(),
            serving,
            instances: Instances::default(),
            failure: None,
            allow_crd_deletion: false,
            now,
        })
    };
    let plan = planned(Serving::Older);
    match plan.actions.first() {
        None if plan.waiting.is_some() => refused(&plan),
        Some(Action::CreateCrd(_)) => KindEffect::Created,
        Some(Action::PatchCrd(_)) => KindEffect::Changed,
        Some(Action::StopServing) => refused(&planned(Serving::Nothing)),
        Some(
            Action::AddFinalizer(_)
            | Action::DeleteCrd { .. }
            | Action::Serve
            | Action::ServeWithoutGraph { .. }
            | Action::RemoveFinalizer(_),
        )
        | None => KindEffect::Unchanged,
    }
}

/// The CRD that the controller would have made for a definition, as the API server shows it once it is established.
pub fn crd_made_by(definition: &Value, graph: &CompiledGraph) -> Option<Value> {
    let definition = applied(definition, Some(definition));
    let world = World {
        definition: &definition,
        compiled: Ok(graph),
        crd: None,
        served: false,
        serving: Serving::Nothing,
        instances: Instances::default(),
        failure: None,
        allow_crd_deletion: false,
        now: "",
    };
    let Some(Action::CreateCrd(mut crd)) = plan(&world).actions.into_iter().next() else { return None };
    crd["status"] = json!({"conditions": [{"type": "Established", "status": "True"}]});
    Some(crd)
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
    })
}

fn refused(plan: &Plan) -> KindEffect {
    let conditions = plan.status.as_ref().and_then(|it| it["conditions"].as_array());
    let mut conditions = conditions.into_iter().flatten();
    let message = conditions.find(|it| it["type"] == KIND_READY).and_then(|it| it["message"].as_str());
    KindEffect::Refused(message.unwrap_or("its kind cannot be served").to_owned())
}
