//! What a definition says about how a new revision reaches instances.

use std::sync::Arc;

use jiff::Timestamp;
use krono_cel::Type;
use krono_graph::{CompiledGraph, Diagnostic, ResourceGates};
use krono_history::{RevisionNumber, excerpt};
use krono_model::names;
use krono_propagation::gate::{Gates, is_said, resource_functions};
use krono_propagation::policy::Policy;
use krono_propagation::policy::window::Opening;
use krono_propagation::{Problem, rehearse};
use krono_schema::cel::cel_type;
use krono_schema::crd::InstanceSchema;
use serde_json::Value;

use super::facts::read_mode;

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
    /// From a definition and its graph, where it has one; nothing where it leaves everybody free to move.
    pub fn of(definition: &Value, graph: Option<&CompiledGraph>) -> Option<Self> {
        let spec = &definition["spec"];
        let rules =
            || Rules::read(&spec["propagateWhen"], &spec["propagation"], graph.map(|it| &it.instance));
        Self::are_wanted(definition).then(|| Self(rules()))
    }

    /// Whether a definition says anything about it.
    pub(super) fn are_wanted(definition: &Value) -> bool {
        let resources = definition["spec"]["resources"].as_array().map(Vec::as_slice).unwrap_or_default();
        Self::hold_instances_back(definition) || resources.iter().any(|it| is_said(&it["propagateWhen"]))
    }

    /// Whether a definition says anything about it that concerns whole instances.
    pub(crate) fn hold_instances_back(definition: &Value) -> bool {
        let spec = &definition["spec"];
        !spec["propagation"].is_null() || is_said(&spec["propagateWhen"])
    }

    /// What decides who may move, or all that is wrong with it.
    pub fn rules(&self) -> Result<&Rules, &[Problem]> {
        self.0.as_ref().map_err(Vec::as_slice)
    }
}

impl Rules {
    /// From what is said in `propagateWhen` and `propagation` of a definition with such instances, where that is known; else all
    /// that is wrong with it.
    pub fn read(
        propagate_when: &Value,
        propagation: &Value,
        of: Option<&InstanceSchema>,
    ) -> Result<Self, Vec<Problem>> {
        let gates = match of {
            Some(of) => {
                let spec = cel_type(&Arc::new(of.spec.clone()), "spec");
                Gates::compile_for(propagate_when, &spec, &of.status)
            }
            None => Gates::compile(propagate_when, &Type::Dyn),
        };
        match (Policy::read(propagation), gates) {
            (Ok(policy), Ok(gates)) => Ok(Self { policy, gates }),
            (policy, gates) => Err(policy.err().into_iter().chain(gates.err()).flatten().collect()),
        }
    }

    /// That all windows are past, if they are.
    pub fn past_windows(&self, now: Timestamp) -> Option<Problem> {
        (self.policy.windows.at(now) == Opening::Closed(None)).then(|| Problem {
            path: "spec.propagation.windows".to_owned(),
            span: None,
            message: "no window opens again".to_owned(),
            advice: "write one that does".to_owned(),
        })
    }
}

/// All that is wrong with `propagateWhen` of resources, given the graph that the same resources make.
pub fn gate_problems(resources: &Value, graph: &CompiledGraph) -> Vec<Problem> {
    let (_, found) = ResourceGates::compile(graph, resources, resource_functions());
    let problem = |Diagnostic { path, span, message, advice }| Problem { path, span, message, advice };
    found.into_iter().map(problem).collect()
}

/// What people want of a propagation, as an annotation of the definition says: a pause lasts, the rest is done once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Request {
    /// Nobody else is to be admitted for now.
    pub(crate) is_paused: bool,
    pub(crate) once: Option<Once>,
}

/// What is to be done once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Once {
    /// Nobody else is to be admitted at all, and who is on the way is to go back.
    Abort,
    /// What was given up is to be tried again.
    Retry,
}

/// The word that stays until somebody takes it away.
pub(crate) const PAUSED: &str = "paused";

impl Request {
    /// Of a definition, as words between commas; an error for words that are no request.
    pub(crate) fn of(definition: &Value) -> Result<Self, String> {
        let text = definition["metadata"]["annotations"][names::PROPAGATION_ANNOTATION].as_str();
        let mut request = Self::default();
        for word in text.unwrap_or_default().split(',').map(str::trim) {
            match word {
                "" => {}
                PAUSED => request.is_paused = true,
                "aborted" => request.once = Some(Once::Abort),
                "retry" => request.once = Some(Once::Retry),
                other => {
                    return Err(format!(
                        "{}: {:?} is no request; write paused, aborted or retry, or remove the annotation",
                        names::PROPAGATION_ANNOTATION,
                        excerpt(other)
                    ));
                }
            }
        }
        Ok(request)
    }
}

/// What is wrong with the approvals that stand on a definition; nothing when all are understood.
pub(crate) fn approval_problems(definition: &Value) -> Option<String> {
    let annotation = |key: &str| definition["metadata"]["annotations"][key].as_str();
    let is_number = |text: &str| text.trim().parse::<RevisionNumber>().is_ok();
    let stages = annotation(names::APPROVED_STAGES_ANNOTATION)
        .filter(|it| !it.split_once(':').is_some_and(|(number, _)| is_number(number)))
        .map(|it| {
            format!(
                "{}: {:?} is no approval; write the revision and stages, such as \"3: canary\"",
                names::APPROVED_STAGES_ANNOTATION,
                excerpt(it)
            )
        });
    let deletes = annotation(names::ALLOW_DELETES_ANNOTATION).filter(|it| !is_number(it)).map(|it| {
        format!(
            "{}: {:?} is no approval; write the number of the revision that may delete",
            names::ALLOW_DELETES_ANNOTATION,
            excerpt(it)
        )
    });
    let mode = annotation(names::ROLLBACK_MODE_ANNOTATION).filter(|it| read_mode(it).is_none()).map(|it| {
        format!(
            "{}: {:?} is no mode, so it is ignored; write Instant or Controlled",
            names::ROLLBACK_MODE_ANNOTATION,
            excerpt(it)
        )
    });
    let lines: Vec<String> =
        stages.or_else(|| unknown_stages(definition)).into_iter().chain(deletes).chain(mode).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What is wrong with an approval of stages that there are not; one of the past does no harm.
fn unknown_stages(definition: &Value) -> Option<String> {
    let text = definition["metadata"]["annotations"][names::APPROVED_STAGES_ANNOTATION].as_str()?;
    let (number, approved) = text.split_once(':')?;
    let number: RevisionNumber = number.trim().parse().ok()?;
    let current = definition["status"]["currentRevision"].as_i64().and_then(RevisionNumber::from_wire);
    let stages = definition["spec"]["propagation"]["stages"].as_array().into_iter().flatten();
    let known: Vec<&str> = stages.filter_map(|it| it["name"].as_str()).collect();
    let unknown = approved.split(',').map(str::trim).find(|it| !it.is_empty() && !known.contains(it))?;
    if current.is_some_and(|it| number < it) {
        return None;
    }
    let advice = if known.is_empty() {
        "the definition has no stages, so remove the annotation".to_owned()
    } else {
        format!("there are {}", known.join(", "))
    };
    let unknown = excerpt(unknown);
    Some(format!("{}: there is no stage {unknown:?}; {advice}", names::APPROVED_STAGES_ANNOTATION))
}

/// All that is wrong with what a definition says about its propagation; nothing when all makes sense.
pub(crate) fn problems(definition: &Value, graph: Option<&CompiledGraph>, now: Timestamp) -> Option<String> {
    let waves = Waves::of(definition, graph);
    let never_again = waves.as_ref().and_then(|it| it.rules().ok()).and_then(|it| it.past_windows(now));
    let wrong = waves.as_ref().and_then(|it| it.rules().err()).unwrap_or_default();
    let of_resources =
        graph.map(|it| gate_problems(&definition["spec"]["resources"], it)).unwrap_or_default();
    let mut lines: Vec<String> = wrong.iter().chain(&of_resources).map(ToString::to_string).collect();
    lines.extend(never_again.map(|it| it.to_string()));
    lines.extend(Request::of(definition).err());
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Why nobody could begin to move to a new revision, as far as that can be told whatever instances are like.
pub(crate) fn closed_gate(definition: &Value, graph: Option<&CompiledGraph>) -> Option<String> {
    let waves = Waves::of(definition, graph)?;
    let Rules { policy, gates } = waves.rules().ok()?;
    rehearse(gates, policy, definition).map(|it| it.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(spec: &Value) -> Option<String> {
        problems(&json!({"spec": spec}), None, Timestamp::UNIX_EPOCH)
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
    fn v34_a_status_field_that_nobody_has_is_told() {
        let check = |expression: &str, expected: Option<&str>| {
            let schema = json!({"apiVersion": "v1", "kind": "App", "spec": {}, "status":
                {"endpoint": "${one.data.host}", "at": {"host": "${one.data.host}"}}});
            let of = InstanceSchema::from_definition(&json!({"spec": {"schema": schema}})).unwrap();
            let read = Rules::read(&json!([format!("${{{expression}}}")]), &Value::Null, Some(&of));
            let told = read.err().map(|it| it[0].message.clone());
            assert_eq!(told.as_deref(), expected, "{expression}");
        };
        check("each.status.endpoint == 'x'", None);
        check("instances.all(i, i.status.at.host != '')", None);
        check("each.status.endpiont == 'x'", Some("undefined field 'endpiont'"));
        check("instances.all(i, i.status.at.hots != '')", Some("undefined field 'hots'"));
        for own in ["state", "observedRGDRevision", "propagation.status", "conditions", "krono.state"] {
            check(&format!("has(each.status.{own})"), None);
        }
    }

    #[test]
    fn v36_a_window_that_is_past_is_told() {
        let windows = json!([{"schedule": "0 0 9 * * * 2020", "duration": "1h"}]);
        let definition = json!({"spec": {"propagation": {"windows": windows}}});
        let told = |now: &str| problems(&definition, None, now.parse().unwrap());
        assert_eq!(told("2019-06-01T00:00:00Z"), None);
        let expected = "spec.propagation.windows: no window opens again; write one that does";
        assert_eq!(told("2026-06-01T00:00:00Z").as_deref(), Some(expected));
    }

    #[test]
    fn v42_a_request_that_is_none_is_told() {
        let definition = json!({"metadata": {"annotations": {"krono.dev/propagation": "stop"}}});
        let wrong = problems(&definition, None, Timestamp::UNIX_EPOCH).unwrap_or_default();
        assert!(wrong.starts_with("krono.dev/propagation: \"stop\" is no request"), "{wrong}");
    }

    #[test]
    fn v42_a_pause_may_stand_beside_what_is_done_once() {
        let check = |text: &str, is_paused: bool, once: Option<Once>| {
            let definition = json!({"metadata": {"annotations": {"krono.dev/propagation": text}}});
            assert_eq!(Request::of(&definition), Ok(Request { is_paused, once }), "{text}");
        };
        check("", false, None);
        check("paused", true, None);
        check("retry", false, Some(Once::Retry));
        check("paused, aborted", true, Some(Once::Abort));
    }

    #[test]
    fn v42_approvals_that_are_none_are_told() {
        let check = |key: &str, text: &str, is_wrong: bool| {
            let definition = json!({"metadata": {"annotations": {key: text}}});
            let told = approval_problems(&definition);
            assert_eq!(
                told.is_some_and(|it| it.starts_with(&format!("{key}: {text:?} is no"))),
                is_wrong,
                "{text}"
            );
        };
        check("krono.dev/approved-stages", "3: canary, eu", false);
        check("krono.dev/approved-stages", "canary", true);
        check("krono.dev/approved-stages", "{\"a\":", true);
        check("krono.dev/allow-deletes", "3", false);
        check("krono.dev/allow-deletes", "-7", true);
        check("krono.dev/allow-deletes", "yes", true);
    }

    #[test]
    fn v42_approvals_of_what_there_is_not_are_told() {
        let check = |key: &str, text: &str, expected: Option<&str>| {
            let stages = json!([{"name": "canary"}, {"name": "rest"}]);
            let definition = json!({
                "metadata": {"annotations": {key: text}},
                "spec": {"propagation": {"stages": stages}},
                "status": {"currentRevision": 3},
            });
            assert_eq!(approval_problems(&definition).as_deref(), expected, "{text}");
        };
        let stages = names::APPROVED_STAGES_ANNOTATION;
        check(stages, "3: canary, rest", None);
        let expected = "krono.dev/approved-stages: there is no stage \"eu\"; there are canary, rest";
        check(stages, "3: canary, eu", Some(expected));
        check(stages, "2: eu", None);
        let mode = names::ROLLBACK_MODE_ANNOTATION;
        check(mode, "controlled", None);
        let expected =
            "krono.dev/rollback-mode: \"Fast\" is no mode, so it is ignored; write Instant or Controlled";
        check(mode, "Fast", Some(expected));
    }
}
