//! Why an instance runs the revision it runs.

use krono_history::{Digest, RevisionNumber};
use krono_model::condition::Status;
use krono_model::definition::PROPAGATION_INVALID;
use krono_model::instance::{RESOURCE_GATED, SPEC_REFUSED, STATUS_INVALID};
use krono_model::{metadata, names};
use krono_propagation::limits::{Limits, Policy};
use serde_json::Value;

use super::{condition, is_deleting, said, told_by, unready};
use crate::instance::{annotation, assigned_revision, krono_status, number};
use crate::propagation::{failure_of, reason_to_wait};
use crate::revisions::RevisionRows;

/// Why an instance runs the revision it runs, in one sentence.
pub fn why_instance(instance: &Value, definition: &Value, revisions: &RevisionRows) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let name = format!("{}/{}", text(&instance["kind"]).to_lowercase(), text(&instance["metadata"]["name"]));
    if is_deleting(instance) {
        return format!("{name} is being deleted{}.", tail(unready(instance)));
    }
    let told = Told {
        instance,
        definition,
        assigned: assigned_revision(instance),
        newest: newest(instance, revisions),
        current: revisions.current().map(|it| it.number),
        is_current: is_current(instance, revisions),
        revisions,
    };
    let problem = unready(instance).map(|it| format!("it is not ready: {it}"));
    let untold =
        told_by(instance, STATUS_INVALID).map(|it| format!("not all of its status can be told: {it}"));
    let refused = told_by(instance, SPEC_REFUSED);
    format!("{name} {}{}{}{}.", told.place(), tail(refused), tail(problem), tail(untold))
}

/// Where an instance was left whose definition of that name is gone.
pub fn why_left(instance: &Value, definition: &str) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let name = format!("{}/{}", text(&instance["kind"]).to_lowercase(), text(&instance["metadata"]["name"]));
    let at = assigned_revision(instance).map(|it| format!("was left at revision {it}, and "));
    format!(
        "{name} {}is looked after by nobody: its definition {definition} is gone; its revisions are kept.",
        at.unwrap_or_default()
    )
}

fn tail(told: Option<String>) -> String {
    told.map(|it| format!("; {it}")).unwrap_or_default()
}

/// Why what somebody wished about revisions cannot be had.
fn problem(instance: &Value) -> Option<String> {
    condition(instance, "Assigned").filter(|it| it.status == Status::False).map(|it| said(&it))
}

/// The reasons of problems that keep an instance from moving, whoever else may.
const KEEPING: [&str; 2] = ["SpecRefused", "BelowMinimumRevision"];

/// Whether what is wrong with its wishes is why it does not move.
fn is_kept(instance: &Value) -> bool {
    let reason = condition(instance, "Assigned").filter(|it| it.status == Status::False);
    reason.and_then(|it| it.reason).is_some_and(|it| KEEPING.contains(&it.as_str()))
}

/// The content that an instance is assigned to.
fn content(instance: &Value) -> Option<Digest> {
    krono_status(instance, "assignment")["digest"].as_str().and_then(|it| it.parse().ok())
}

/// The newest revision with the content that an instance is assigned to, whatever number was current when it came.
fn newest(instance: &Value, revisions: &RevisionRows) -> Option<RevisionNumber> {
    let newest = content(instance).and_then(|it| revisions.history.newest_with(it));
    newest.map(|it| it.number).or_else(|| assigned_revision(instance))
}

/// Whether an instance has the current content, under whichever number.
fn is_current(instance: &Value, revisions: &RevisionRows) -> bool {
    let digest = content(instance);
    let current = revisions.current().and_then(|it| revisions.history.find(it.number));
    digest.is_some() && digest == current.map(|it| it.digest)
}

struct Told<'i> {
    instance: &'i Value,
    definition: &'i Value,
    /// By the number that is stored.
    assigned: Option<RevisionNumber>,
    newest: Option<RevisionNumber>,
    current: Option<RevisionNumber>,
    is_current: bool,
    revisions: &'i RevisionRows,
}

impl Told<'_> {
    /// Where it is and why; the first reason that decides (V14).
    fn place(&self) -> String {
        let limits = Limits::read(&self.definition["spec"]["revisionManagement"]["instances"]).limits;
        let is_allowed = |it: &Policy| limits.policies.as_ref().is_none_or(|all| all.contains(it));
        let policy = annotation(self.instance, names::UPDATE_POLICY_ANNOTATION).and_then(Policy::read);
        let policy = policy.filter(is_allowed);
        if policy == Some(Policy::Paused) || metadata::is_suspended(self.instance) {
            return format!("{} and is left alone: somebody has paused it", self.at());
        }
        if let Some(input) = annotation(self.instance, names::HOLD_INPUT_ANNOTATION) {
            return match problem(self.instance) {
                Some(problem) => {
                    format!("{} though it is to be held at input revision {input}: {problem}", self.at())
                }
                None => format!("{} and is held at input revision {input}", self.at()),
            };
        }
        if let Some(pin) = annotation(self.instance, names::RGD_REVISION) {
            return self.pinned(pin);
        }
        if policy == Some(Policy::Manual) {
            return self.manual();
        }
        self.following()
    }

    fn full_name(&self) -> String {
        let text = |field: &str| self.instance["metadata"][field].as_str().unwrap_or_default();
        format!("{}/{}", text("namespace"), text("name")).trim_start_matches('/').to_owned()
    }

    /// Who has the current content is at the current revision.
    fn at(&self) -> String {
        let at = self.current.filter(|_| self.is_current).or(self.newest);
        at.map_or_else(|| "is at no revision yet".to_owned(), |it| format!("is at revision {it}"))
    }

    fn pinned(&self, pin: &str) -> String {
        let problem = problem(self.instance);
        let newer = self.current.filter(|it| !self.is_current && self.newest.is_some_and(|at| at < *it));
        let newer = newer.map(|it| format!("; the current one is {it}")).unwrap_or_default();
        let is_shown = self.at().ends_with(&format!(" {pin}"));
        match (problem, self.is_there(pin)) {
            (Some(problem), _) => format!("{} though it is pinned to {pin}: {problem}", self.at()),
            (None, true) if is_shown => format!("{} because it is pinned to it{newer}", self.at()),
            // Why it cannot be had is told as what keeps it from being ready.
            (None, false) if self.assigned.is_none() && unready(self.instance).is_some() => {
                format!("{} though it is pinned to {pin}", self.at())
            }
            (None, true) => {
                format!("{} because it is pinned to {pin}, which has the same content{newer}", self.at())
            }
            (None, false) => format!("{} and is pinned to {pin}, where it is going", self.at()),
        }
    }

    /// Whether it has the content of what it is pinned to.
    fn is_there(&self, pin: &str) -> bool {
        let pinned = pin.parse().ok().and_then(|it| self.revisions.history.find(it)).map(|it| it.digest);
        let is_same = pinned.is_some() && pinned == content(self.instance);
        is_same || self.assigned.is_some_and(|it| it.to_string() == pin)
    }

    fn manual(&self) -> String {
        match (self.assigned, self.current) {
            (_, _) if let Some(problem) = problem(self.instance) => format!("{}: {problem}", self.at()),
            (Some(at), Some(current)) if at != current && !self.is_current => {
                format!("{} and waits for approval of revision {current}", self.at())
            }
            (_, _) => format!("{}; newer ones wait for approval", self.at()),
        }
    }

    /// Whether its resources were last complete at the current content, under whichever number.
    fn is_observed(&self) -> bool {
        let observed = krono_status(self.instance, "observedRGDRevision");
        self.is_current && self.current.is_some_and(|it| number(observed) == Some(it))
    }

    fn following(&self) -> String {
        let observed = number(krono_status(self.instance, "observedRGDRevision"));
        match (self.assigned, self.current) {
            (None, _) => self.at(),
            (Some(at), Some(current)) if at != current && !self.is_current => {
                format!("{} and not yet at the current one, {current}: {}", self.at(), self.why_it_waits())
            }
            (Some(_), _) if let Some(waits) = told_by(self.instance, RESOURCE_GATED) => {
                format!("{}, and not all of its resources are: {waits}", self.at())
            }
            (Some(_), _) if let Some(failure) = failure_of(self.definition, &self.full_name()) => {
                format!("{}, the current one, and {failure}", self.at())
            }
            (Some(_), _) if observed.is_some() && observed != self.assigned && !self.is_observed() => {
                format!("{}, the current one, and its resources are on their way to it", self.at())
            }
            (Some(_), _) if let Some(problem) = problem(self.instance) => {
                format!("{}, the current one; {problem}", self.at())
            }
            (Some(_), _) => format!("{}, the current one, which it follows", self.at()),
        }
    }
}

impl Told<'_> {
    /// What is wrong with its wishes comes first only where that is what keeps it.
    fn why_it_waits(&self) -> String {
        let problem = problem(self.instance);
        if let Some(problem) = problem.clone().filter(|_| is_kept(self.instance)) {
            return problem;
        }
        let why = told_by(self.definition, PROPAGATION_INVALID)
            .or_else(|| reason_to_wait(self.definition, &self.full_name()));
        match (why, problem) {
            (Some(why), problem) => why + &tail(problem),
            (None, Some(problem)) => problem,
            (None, None) => "its turn has not come".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixture::{content as content_of, definition, instance, revision, revisions};

    fn check(edit: impl FnOnce(&mut Value), expected: &str) {
        let mut instance = instance();
        edit(&mut instance);
        let rows = RevisionRows::new(&definition(), &revisions());
        assert_eq!(why_instance(&instance, &definition(), &rows), format!("application/my-app {expected}."));
    }

    fn at_two(instance: &mut Value) {
        instance["status"]["currentRGDRevision"] = json!(2);
        instance["status"]["observedRGDRevision"] = json!(2);
    }

    fn annotated(instance: &mut Value, key: &str, value: &str) {
        instance["metadata"]["annotations"][key] = json!(value);
    }

    #[test]
    fn v42_one_sentence_for_an_instance() {
        check(|_| {}, "is at revision 3, the current one, which it follows");
        check(at_two, "is at revision 2 and not yet at the current one, 3: its turn has not come");
        check(
            |it| it["status"]["observedRGDRevision"] = json!(2),
            "is at revision 3, the current one, and its resources are on their way to it",
        );
        check(
            |it| {
                it["status"]["conditions"] =
                    json!([{"type": "ResourceGated", "status": "True", "message": "node \"web\" waits"}]);
            },
            "is at revision 3, and not all of its resources are: node \"web\" waits",
        );
        check(|it| it["status"] = Value::Null, "is at no revision yet");
        check(|it| it["metadata"]["deletionTimestamp"] = json!("now"), "is being deleted");
        check(
            |it| {
                it["status"]["conditions"] =
                    json!([{"type": "Ready", "status": "False", "message": "no image"}]);
            },
            "is at revision 3, the current one, which it follows; it is not ready: no image",
        );
    }

    #[test]
    fn behaviour_35_conditions_that_cannot_be_made_are_told() {
        check(
            |it| {
                let message = "status.conditions[0]: division by zero";
                it["status"]["conditions"] =
                    json!([{"type": "StatusInvalid", "status": "True", "message": message}]);
            },
            "is at revision 3, the current one, which it follows; \
             not all of its status can be told: status.conditions[0]: division by zero",
        );
    }

    #[test]
    fn v26_and_v27_what_somebody_wished_is_the_reason() {
        check(
            |it| {
                at_two(it);
                annotated(it, names::RGD_REVISION, "2");
            },
            "is at revision 2 because it is pinned to it; the current one is 3",
        );
        check(
            |it| {
                annotated(it, names::RGD_REVISION, "9");
                it["status"]["conditions"] =
                    json!([{"type": "Assigned", "status": "False", "message": "there is no revision 9"}]);
            },
            "is at revision 3 though it is pinned to 9: there is no revision 9",
        );
        let nowhere = |it: &mut Value, conditions: Value| {
            it["status"] = json!({"conditions": conditions});
            annotated(it, names::RGD_REVISION, "5");
        };
        check(
            |it| {
                let message = "revision 5, which it is pinned to, was pruned";
                nowhere(it, json!([{"type": "Ready", "status": "False", "message": message}]));
            },
            "is at no revision yet though it is pinned to 5; it is not ready: revision 5, which it is pinned to, was pruned",
        );
        check(|it| nowhere(it, json!([])), "is at no revision yet and is pinned to 5, where it is going");
        check(
            |it| {
                at_two(it);
                annotated(it, names::UPDATE_POLICY_ANNOTATION, "Manual");
            },
            "is at revision 2 and waits for approval of revision 3",
        );
        check(
            |it| annotated(it, names::UPDATE_POLICY_ANNOTATION, "Paused"),
            "is at revision 3 and is left alone: somebody has paused it",
        );
        check(
            |it| annotated(it, names::HOLD_INPUT_ANNOTATION, "10"),
            "is at revision 3 and is held at input revision 10",
        );
    }

    #[test]
    fn v42_what_is_ignored_is_told_as_the_condition_tells_it() {
        let ignored = |it: &mut Value| {
            let message = "it is ignored";
            it["status"]["conditions"] = json!([{"type": "Assigned", "status": "False", "message": message}]);
        };
        let check = |key: &str, value: &str, expected: &str| {
            check(
                |it| {
                    ignored(it);
                    annotated(it, key, value);
                },
                expected,
            );
        };
        let policy = names::UPDATE_POLICY_ANNOTATION;
        check(
            names::HOLD_INPUT_ANNOTATION,
            "zz",
            "is at revision 3 though it is to be held at input revision zz: it is ignored",
        );
        check(policy, "Sometimes", "is at revision 3, the current one; it is ignored");
        check(policy, "manual", "is at revision 3: it is ignored");
    }

    #[test]
    fn v42_what_keeps_it_is_told_first_and_what_is_ignored_after() {
        let mut definition = definition();
        let waits = json!([{"reason": "GateClosed", "message": "the gate is closed", "count": 1, "first": ["default/my-app"]}]);
        definition["status"]["propagation"] = json!({"waiting": waits});
        let check = |reason: &str, message: &str, expected: &str| {
            let mut instance = instance();
            at_two(&mut instance);
            instance["status"]["conditions"] =
                json!([{"type": "Assigned", "status": "False", "reason": reason, "message": message}]);
            let why = why_instance(&instance, &definition, &RevisionRows::new(&definition, &revisions()));
            let place = "application/my-app is at revision 2 and not yet at the current one, 3";
            assert_eq!(why, format!("{place}: {expected}."));
        };
        check("OrderInvalid", "the order is ignored", "the gate is closed; the order is ignored");
        check("SpecRefused", "revision 3 refuses it", "revision 3 refuses it");
    }

    #[test]
    fn v24_it_is_shown_at_the_newest_revision_with_its_content() {
        let again = |number: i64| {
            let mut again = revision(1, "2025-01-16T10:30:00Z");
            again["metadata"]["name"] = json!(format!("application-rev-{number}"));
            again["spec"]["revision"] = json!(number);
            again
        };
        let (mut instance, mut definition) = (instance(), definition());
        let mut all = revisions();
        all.push(again(4));
        all.push(revision(5, "2025-01-17T10:30:00Z"));
        definition["status"]["currentRevision"] = json!(5);
        definition["status"]["latestRevision"] = json!(5);
        definition["spec"] = content_of(9);
        let rows = RevisionRows::new(&definition, &all);
        let digest =
            RevisionNumber::new(1).and_then(|it| rows.history.find(it)).map(|it| it.digest.to_string());
        instance["status"]["assignment"] = json!({"revision": 1, "digest": digest});
        instance["status"]["observedRGDRevision"] = json!(1);
        let expected =
            "application/my-app is at revision 4 and not yet at the current one, 5: its turn has not come.";
        assert_eq!(why_instance(&instance, &definition, &rows), expected);
        annotated(&mut instance, names::RGD_REVISION, "1");
        let expected = "application/my-app is at revision 4 because it is pinned to 1, which has the same content; \
                        the current one is 5.";
        assert_eq!(why_instance(&instance, &definition, &rows), expected);
    }

    #[test]
    fn v28_a_policy_that_is_forbidden_pauses_nobody() {
        let (mut instance, mut definition) = (instance(), definition());
        annotated(&mut instance, names::UPDATE_POLICY_ANNOTATION, "Paused");
        definition["spec"]["revisionManagement"] = json!({"instances": {"policies": ["Auto"]}});
        let rows = RevisionRows::new(&definition, &revisions());
        let expected = "application/my-app is at revision 3, the current one, which it follows.";
        assert_eq!(why_instance(&instance, &definition, &rows), expected);
    }

    #[test]
    fn v42_who_failed_is_told_so_and_equal_contents_are_the_same_revision() {
        let (mut instance, mut definition) = (instance(), definition());
        let failures = json!([{"instance": "default/my-app", "message": "not ready in time"}]);
        definition["status"]["propagation"] = json!({"failures": failures});
        let why = |instance: &Value, definition: &Value| {
            why_instance(instance, definition, &RevisionRows::new(definition, &revisions()))
        };
        let expected = "application/my-app is at revision 3, the current one, and failed on its way to it: not ready in time.";
        assert_eq!(why(&instance, &definition), expected);
        definition["status"]["propagation"] = Value::Null;
        let rows = RevisionRows::new(&definition, &revisions());
        let digest = rows.current().and_then(|it| rows.history.find(it.number)).map(|it| it.digest);
        at_two(&mut instance);
        instance["status"]["assignment"] = json!({"revision": 2, "digest": digest.map(|it| it.to_string())});
        let expected = "application/my-app is at revision 3, the current one, which it follows.";
        assert_eq!(why(&instance, &definition), expected);
    }

    #[test]
    fn v42_while_the_policy_makes_no_sense_that_is_why_it_waits() {
        let (mut instance, mut definition) = (instance(), definition());
        at_two(&mut instance);
        let message = "no instance moves to another revision: a gate has no value";
        definition["status"]["conditions"] =
            json!([{"type": "PropagationInvalid", "status": "True", "message": message}]);
        let why = why_instance(&instance, &definition, &RevisionRows::new(&definition, &revisions()));
        assert_eq!(
            why,
            format!("application/my-app is at revision 2 and not yet at the current one, 3: {message}.")
        );
    }
}
