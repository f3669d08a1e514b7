//! The instances of a cluster.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use krono_history::{Digest, RevisionNumber};
use krono_model::condition::{self, Status};
use krono_model::metadata::is_suspended;
use krono_model::names;
use krono_propagation::assignment::Assignment;
use krono_propagation::fleet::{Health, Member, Observed, Stance, read_order};
use krono_propagation::limits::{Allowance, Limits, Policy};
use krono_views::{assigned_revision, krono_status};
use serde_json::{Value, json};

static NOTHING: Value = Value::Null;

/// All instances of a definition, and the namespaces that they are in.
pub(super) struct Roll {
    pub(super) instances: Vec<Value>,
    pub(super) namespaces: Vec<Value>,
}

impl Roll {
    pub(super) fn len(&self) -> usize {
        self.instances.len()
    }

    /// The instances at rest, each at what it should run.
    pub(super) fn members(&self, definition: &Value, start: Timestamp) -> Vec<Member<'_>> {
        let limits = Limits::read(&definition["spec"]["revisionManagement"]["instances"]).limits;
        let before = start.saturating_sub(SignedDuration::from_hours(1)).unwrap_or(Timestamp::MIN);
        let labels: BTreeMap<&str, &Value> =
            self.namespaces.iter().map(|it| (text(it, "name"), &it["metadata"]["labels"])).collect();
        let member = |it| {
            let labels = labels.get(text(it, "namespace")).copied().unwrap_or(&NOTHING);
            member(it, labels, &limits, before)
        };
        self.instances.iter().map(member).collect()
    }

    /// From which revision to which: the new one exists only here, and nobody is at it.
    pub(super) fn step(&self) -> (Assignment, Option<Assignment>) {
        let at = |it: &Value| Some(Assignment { number: assigned_revision(it)?, digest: assigned(it) });
        let last = self.instances.iter().filter_map(at).max_by_key(|it| it.number);
        let number = last.map_or(0, |it| it.number.get()) + 1;
        let number = RevisionNumber::new(number).unwrap_or(RevisionNumber::FIRST);
        (Assignment { number, digest: imagined("new") }, last)
    }
}

fn member<'r>(
    instance: &'r Value,
    namespace_labels: &'r Value,
    limits: &Limits,
    before: Timestamp,
) -> Member<'r> {
    let digest = assigned(instance);
    Member {
        namespace: text(instance, "namespace"),
        name: text(instance, "name"),
        created: text(instance, "creationTimestamp").parse().unwrap_or(before),
        assigned: Some(digest),
        admission: None,
        observed: Some(Observed { digest, since: before }),
        health: if is_ready(instance) { Health::Ready } else { Health::Unready(before) },
        hindered: SignedDuration::ZERO,
        stance: stance(instance, limits),
        order: order(instance, limits),
        is_edited: false,
        has_failed: false,
        object: instance,
        namespace_labels,
    }
}

fn text<'o>(object: &'o Value, field: &str) -> &'o str {
    object["metadata"][field].as_str().unwrap_or_default()
}

fn imagined(word: &str) -> Digest {
    Digest::of_content("simulated", &json!(word))
}

fn assigned(instance: &Value) -> Digest {
    let digest = krono_status(instance, "assignment")["digest"].as_str().and_then(|it| it.parse().ok());
    digest.unwrap_or_else(|| imagined("old"))
}

fn is_ready(instance: &Value) -> bool {
    let all = condition::read_all(instance["status"].get("conditions"));
    all.iter().any(|it| it.condition_type == condition::READY && it.status == Status::True)
}

/// What the instance wishes, as far as the platform owner lets it: its status may not tell of that yet.
fn stance(instance: &Value, limits: &Limits) -> Stance {
    let annotation = |key: &str| instance["metadata"]["annotations"][key].as_str();
    // What nobody understands moves nobody.
    let policy =
        annotation(names::UPDATE_POLICY_ANNOTATION).map(|it| Policy::read(it).unwrap_or(Policy::Manual));
    let policy = policy.filter(|it| limits.policies.as_ref().is_none_or(|allowed| allowed.contains(it)));
    let may_pin = limits.pins == Allowance::Allowed;
    let stays = [names::HOLD_INPUT_ANNOTATION, names::RGD_REVISION].iter().any(|it| annotation(it).is_some());
    match policy {
        _ if !instance["metadata"]["deletionTimestamp"].is_null() => Stance::Deleting,
        _ if is_suspended(instance) => Stance::Paused,
        Some(Policy::Paused) => Stance::Paused,
        _ if may_pin && stays => Stance::Pinned,
        Some(Policy::Manual) => Stance::Manual,
        Some(Policy::Auto) | None => Stance::Auto,
    }
}

fn order(instance: &Value, limits: &Limits) -> i64 {
    let wish = instance["metadata"]["annotations"][names::PROPAGATION_ORDER_ANNOTATION]
        .as_str()
        .and_then(read_order);
    wish.filter(|_| limits.order == Allowance::Allowed).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "tests write it where they need it")]
    fn instance(name: &str, annotations: Value, status: Value) -> Value {
        json!({
            "metadata": {"name": name, "namespace": "shop", "creationTimestamp": "2026-01-01T00:00:00Z", "annotations": annotations},
            "status": status,
        })
    }

    #[test]
    fn v44_instances_are_played_as_they_are() {
        let ready = json!({
            "assignment": {"revision": 3, "digest": "a".repeat(40)}, "conditions": [{"type": "Ready", "status": "True"}],
        });
        let roll = Roll {
            instances: vec![
                instance("follows", json!({names::PROPAGATION_ORDER_ANNOTATION: "-5"}), ready.clone()),
                instance("pinned", json!({names::RGD_REVISION: "2"}), ready.clone()),
                instance("manual", json!({names::UPDATE_POLICY_ANNOTATION: "Manual"}), ready),
                instance("new", json!({names::UPDATE_POLICY_ANNOTATION: "Paused"}), json!({})),
                instance("held", json!({names::HOLD_INPUT_ANNOTATION: "1"}), json!({})),
                instance("unclear", json!({names::UPDATE_POLICY_ANNOTATION: "Never"}), json!({})),
            ],
            namespaces: vec![json!({"metadata": {"name": "shop", "labels": {"team": "core"}}})],
        };
        let members = roll.members(&json!({}), Timestamp::UNIX_EPOCH);
        let stances: Vec<Stance> = members.iter().map(|it| it.stance).collect();
        let expected =
            [Stance::Auto, Stance::Pinned, Stance::Manual, Stance::Paused, Stance::Pinned, Stance::Manual];
        assert_eq!(stances, expected);
        assert_eq!((members[0].order, members[1].order), (-5, 0));
        let ready: Vec<bool> = members.iter().map(Member::is_ready).collect();
        assert_eq!(ready, [true, true, true, false, false, false]);
        assert_eq!(members[0].namespace_labels, &json!({"team": "core"}));
        let (target, last) = roll.step();
        assert_eq!((target.number.get(), last.map(|it| it.number.get())), (4, Some(3)));
        assert!(members.iter().all(|it| it.assigned != Some(target.digest)));
        let forbidden =
            json!({"spec": {"revisionManagement": {"instances": {"order": false, "pin": false}}}});
        let members = roll.members(&forbidden, Timestamp::UNIX_EPOCH);
        let stances = [1, 4].map(|at: usize| members[at].stance);
        assert_eq!((members[0].order, stances), (0, [Stance::Auto; 2]));
    }
}
