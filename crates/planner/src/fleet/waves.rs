//! What a definition says about how a new revision reaches instances.

use std::sync::Arc;

use krono_cel::Type;
use krono_graph::{CompiledGraph, Diagnostic, ResourceGates};
use krono_model::names;
use krono_propagation::Problem;
use krono_propagation::gate::{Gates, is_said, resource_functions};
use krono_propagation::policy::Policy;
use krono_schema::cel::cel_type;
use serde_json::Value;

/// What a definition says about how a new revision reaches instances, as far as it makes sense.
#[derive(Clone, Debug)]
pub struct Waves(Result<Rules, Vec<Problem>>);

/// What decides who may move.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// `spec.propagation`.
    pub policy: Policy,
    /// `spec.propagateWhen`.
    pub gates: Gates,
}

impl Waves {
    /// From a definition and the graph that its instances move to; nothing where it leaves everybody free to move.
    pub fn of(definition: &Value, graph: Option<&CompiledGraph>) -> Option<Self> {
        Self::are_wanted(definition).then(|| Self(read(&definition["spec"], graph)))
    }

    /// Whether a definition says anything about it.
    pub(super) fn are_wanted(definition: &Value) -> bool {
        let spec = &definition["spec"];
        let resources = spec["resources"].as_array().map(Vec::as_slice).unwrap_or_default();
        !spec["propagation"].is_null()
            || is_said(&spec["propagateWhen"])
            || resources.iter().any(|it| is_said(&it["propagateWhen"]))
    }

    /// What decides who may move, or all that is wrong with it.
    pub fn rules(&self) -> Result<&Rules, &[Problem]> {
        self.0.as_ref().map_err(Vec::as_slice)
    }
}

impl Rules {
    /// From what is said in `propagateWhen` and `propagation` of a definition whose instances have specs of this type; else
    /// all that is wrong with it.
    pub fn read(
        propagate_when: &Value,
        propagation: &Value,
        of_instance: &Type,
    ) -> Result<Self, Vec<Problem>> {
        match (Policy::read(propagation), Gates::compile(propagate_when, of_instance)) {
            (Ok(policy), Ok(gates)) => Ok(Self { policy, gates }),
            (policy, gates) => Err(policy.err().into_iter().chain(gates.err()).flatten().collect()),
        }
    }
}

fn read(spec: &Value, graph: Option<&CompiledGraph>) -> Result<Rules, Vec<Problem>> {
    let of_instance = match graph {
        Some(graph) => cel_type(&Arc::new(graph.instance.spec.clone()), "spec"),
        None => Type::Dyn,
    };
    Rules::read(&spec["propagateWhen"], &spec["propagation"], &of_instance)
}

/// All that is wrong with `propagateWhen` of resources, given the graph that the same resources make.
pub fn gate_problems(resources: &Value, graph: &CompiledGraph) -> Vec<Problem> {
    let (_, found) = ResourceGates::compile(graph, resources, resource_functions());
    let problem = |Diagnostic { path, span, message, advice }| Problem { path, span, message, advice };
    found.into_iter().map(problem).collect()
}

/// What people want of a propagation, as an annotation of the definition says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// Nobody else is to be admitted for now.
    Pause,
    /// Nobody else is to be admitted at all, and who is on the way is to go back.
    Abort,
    /// What was given up is to be tried again.
    Retry,
}

impl Request {
    /// Of a definition; an error for words that are no request.
    pub(crate) fn of(definition: &Value) -> Result<Option<Self>, String> {
        let annotations = &definition["metadata"]["annotations"];
        match annotations[names::PROPAGATION_ANNOTATION].as_str() {
            None | Some("") => Ok(None),
            Some("paused") => Ok(Some(Self::Pause)),
            Some("aborted") => Ok(Some(Self::Abort)),
            Some("retry") => Ok(Some(Self::Retry)),
            Some(other) => Err(format!(
                "{}: {other:?} is no request; write paused, aborted or retry, or remove the annotation",
                names::PROPAGATION_ANNOTATION
            )),
        }
    }
}

/// All that is wrong with what a definition says about its propagation; nothing when all makes sense.
pub(crate) fn problems(definition: &Value, graph: Option<&CompiledGraph>) -> Option<String> {
    let waves = Waves::of(definition, graph);
    let wrong = waves.as_ref().and_then(|it| it.rules().err()).unwrap_or_default();
    let of_resources =
        graph.map(|it| gate_problems(&definition["spec"]["resources"], it)).unwrap_or_default();
    let mut lines: Vec<String> = wrong.iter().chain(&of_resources).map(ToString::to_string).collect();
    lines.extend(Request::of(definition).err());
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(spec: &Value) -> Option<String> {
        problems(&json!({"spec": spec}), None)
    }

    #[test]
    fn v36_without_policy_there_are_no_waves() {
        for spec in [json!({}), json!({"propagateWhen": []}), json!({"propagation": null})] {
            assert!(Waves::of(&json!({"spec": spec}), None).is_none(), "{spec}");
        }
        assert!(Waves::of(&json!({"spec": {"propagation": {}}}), None).is_some());
    }

    #[test]
    fn v36_all_that_is_wrong_is_told_at_once() {
        let wrong = told(&json!({
            "propagation": {"progressDeadlineSeconds": 0, "windows": [{"schedule": "0 0 30 2 *", "duration": "1h"}]},
            "propagateWhen": ["${fleet.setled > 3}"],
        }));
        let wrong = wrong.unwrap_or_default();
        let expected = [
            "spec.propagation.progressDeadlineSeconds: 0 would let every instance fail at once",
            "spec.propagation.windows[0].schedule: \"0 0 30 2 *\" never comes",
            "spec.propagateWhen[0]: undefined field 'setled'; did you mean `settled`?",
        ];
        for (line, expected) in wrong.lines().zip(expected) {
            assert!(line.starts_with(expected), "{line}");
        }
        assert_eq!(wrong.lines().count(), expected.len(), "{wrong}");
        assert_eq!(told(&json!({"propagation": {"maxInFlight": 1}})), None);
    }

    #[test]
    fn v42_a_request_that_is_none_is_told() {
        let definition = json!({"metadata": {"annotations": {"krono.dev/propagation": "stop"}}});
        let wrong = problems(&definition, None).unwrap_or_default();
        assert!(wrong.starts_with("krono.dev/propagation: \"stop\" is no request"), "{wrong}");
    }
}
