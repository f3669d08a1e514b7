//! Gates that nobody could ever pass: asked about fleets that are made up, as if a new revision came now.

use jiff::{SignedDuration, Timestamp};
use krono_history::{Digest, RevisionNumber};
use serde_json::{Value, json};

use crate::assignment::Assignment;
use crate::decide::valueless;
use crate::fleet::{Controls, Fleet, Health, Leadership, Member, Movement, Observed, Progress, Stance};
use crate::gate::Gates;
use crate::policy::{FailurePolicy, Policy};
use crate::problem::Problem;
use crate::{Wait, decide};

/// So many are made up, one after another: what lets nobody through may ask for more of them.
const SIZES: [usize; 6] = [1, 2, 10, 100, 1_000, 10_000];

static NOTHING: Value = Value::Null;

/// Why nobody could begin to move to a new revision of a definition, whatever its instances are like; nothing where somebody could,
/// or where that depends on more than how many have come how far.
///
/// ```
/// use krono_cel::Type;
/// use krono_propagation::gate::Gates;
/// use krono_propagation::policy::Policy;
/// use krono_propagation::rehearse;
/// use serde_json::{Value, json};
///
/// let told = |expression: &str| {
///     let gates = Gates::compile(&json!([expression]), &Type::Dyn).unwrap();
///     rehearse(&gates, &Policy::default(), &Value::Null).map(|it| it.message)
/// };
/// assert_eq!(told("${exponentiallyUpdated(instances, each)}"), None);
/// assert_eq!(told("${settled(each)}").as_deref(), Some("is true for nobody while nobody has moved: settled(each)"));
/// ```
pub fn rehearse(gates: &Gates, policy: &Policy, definition: &Value) -> Option<Problem> {
    let policy = Policy { failure_policy: policy.failure_policy, ..Policy::default() };
    gates.one_by_one().filter(|(_, it)| it.are_of_progress()).find_map(|(at, gate)| {
        let why = Play { gate: &gate, policy: &policy, definition }.closed()?;
        let source = gate.source(0).unwrap_or_default();
        let message = match why {
            Closed::Error(error) => format!("never has a value: {source} ({error})"),
            Closed::False => format!("is true for nobody while nobody has moved: {source}"),
        };
        let advice = "let the first begin, as `${exponentiallyUpdated(instances, each)}` does";
        Some(Problem::new(format!("spec.propagateWhen[{at}]"), message, advice))
    })
}

/// What is wrong with the expressions that have no value for any instance of a fleet at rest, as if a new revision came now. Nothing
/// where an error counts as true, and before somebody is well: whoever is new may have yet to get what an expression looks at.
pub fn rehearse_at_rest(fleet: &Fleet<'_>, policy: &Policy, gates: &Gates, now: Timestamp) -> Vec<String> {
    let is_well = |it: &Member<'_>| it.stance == Stance::Auto && it.is_ready() && has_arrived(it);
    if gates.is_empty() || policy.failure_policy == FailurePolicy::Open || !fleet.members.iter().any(is_well)
    {
        return Vec::new();
    }
    let Assignment { number, .. } = fleet.target;
    let next = Fleet {
        target: Assignment {
            number: RevisionNumber::new(number.get() + 1).unwrap_or(number),
            digest: content("new"),
        },
        movement: Movement::Forward,
        progress: beginning(now),
        controls: Controls::default(),
        ..fleet.clone()
    };
    let told = |(at, error): (usize, String)| {
        let source = gates.source(at).unwrap_or_default();
        format!("propagateWhen[{at}]: it has no value for any instance: {source} ({error})")
    };
    valueless(&next, policy, gates, now).into_iter().map(told).collect()
}

fn has_arrived(member: &Member<'_>) -> bool {
    member.assigned.is_some_and(|it| member.has_observed(it))
}

fn beginning(now: Timestamp) -> Progress {
    Progress { started: now, is_completed: false, restarted: None, mark: None, waves: 0 }
}

/// One expression, and all that it is asked about.
struct Play<'p> {
    gate: &'p Gates,
    policy: &'p Policy,
    definition: &'p Value,
}

enum Closed {
    Error(String),
    False,
}

impl Play<'_> {
    /// Why nobody passes in any fleet, as it was in the largest.
    fn closed(&self) -> Option<Closed> {
        let mut why = None;
        for size in SIZES {
            why = Some(self.closed_to(size)?);
        }
        // What a definition says may be said for a time: that is somebody's way to let nobody through.
        why.filter(|it| matches!(it, Closed::Error(_)) || !self.gate.mention_definition())
    }

    fn closed_to(&self, size: usize) -> Option<Closed> {
        let members = vec![member(); size];
        let decision = decide(&self.fleet(&members), self.policy, self.gate, Timestamp::UNIX_EPOCH);
        let is_unasked = decision.waiting.iter().any(|it| it.wait == Wait::GateBudget);
        if !decision.moves.is_empty() || is_unasked {
            return None;
        }
        let is_error = decision.waiting.iter().all(|it| matches!(it.wait, Wait::GateError(_)));
        let error = decision.gate_errors.into_iter().next().filter(|_| is_error);
        let error =
            error.map(|it| it.split_once(": ").map_or_else(|| it.clone(), |(_, error)| error.to_owned()));
        Some(error.map_or(Closed::False, Closed::Error))
    }

    fn fleet<'f>(&'f self, members: &'f [Member<'f>]) -> Fleet<'f> {
        Fleet {
            members,
            target: Assignment { number: RevisionNumber::FIRST, digest: content("new") },
            last_good: None,
            movement: Movement::Forward,
            progress: beginning(Timestamp::UNIX_EPOCH),
            controls: Controls::default(),
            leadership: Leadership { since: Timestamp::UNIX_EPOCH, standstills: &[] },
            definition: self.definition,
        }
    }
}

fn content(name: &str) -> Digest {
    Digest::of_content("rehearsal", &json!(name))
}

/// One that is well with what was before.
fn member() -> Member<'static> {
    let before = content("old");
    Member {
        namespace: "",
        name: "",
        created: Timestamp::UNIX_EPOCH,
        assigned: Some(before),
        admission: None,
        observed: Some(Observed { digest: before, since: Timestamp::UNIX_EPOCH }),
        health: Health::Ready,
        hindered: SignedDuration::ZERO,
        stance: Stance::Auto,
        order: 0,
        is_edited: false,
        has_failed: false,
        object: &NOTHING,
        namespace_labels: &NOTHING,
    }
}

#[cfg(test)]
mod tests {
    use krono_cel::Type;

    use super::*;
    use crate::scene::Scene;

    fn told(expression: &str, policy: &Value) -> Option<String> {
        let gates = Gates::compile(&json!([format!("${{{expression}}}")]), &Type::Dyn).unwrap();
        let definition = json!({"metadata": {"name": "app", "annotations": {}}, "spec": {}});
        rehearse(&gates, &Policy::read(policy).unwrap(), &definition).map(|it| it.to_string())
    }

    #[test]
    fn v34_a_gate_that_nobody_can_begin_to_pass_is_told() {
        let check = |expression: &str, expected: &str| {
            let told = told(expression, &Value::Null).unwrap_or_default();
            let expected = format!("spec.propagateWhen[0]: {expected}");
            assert!(told.starts_with(&expected), "{expression}: {told:?}");
        };
        for never in ["settled(each)", "updated(each)", "each.index < 0", "fleet.settled > 0"] {
            check(never, &format!("is true for nobody while nobody has moved: {never}; let the first begin"));
        }
        check("instances.exists(i, settled(i))", "is true for nobody");
        check("fleet.total / 0 == 1", "never has a value: fleet.total / 0 == 1 (");
        check(
            "linearlyUpdated(instances, each, 1-1)",
            "never has a value: linearlyUpdated(instances, each, 1-1) (",
        );
        check("rgd.spec.nope == 3", "never has a value: rgd.spec.nope == 3 (");
    }

    #[test]
    fn v34_a_gate_that_somebody_could_pass_is_not_told() {
        for gate in [
            "exponentiallyUpdated(instances, each)",
            "linearlyUpdated(instances, each, 3)",
            "fleet.inFlight < 5",
            "fleet.ready == fleet.total",
            "fleet.total > 500",
            "each.index == 700",
            "instances.filter(i, updated(i) && !ready(i)).size() < 5",
            // What instances and definitions say may become another.
            "each.metadata.labels.tier == 'x'",
            "each.status.state == 'GONE'",
            "instances.all(i, i.spec.on)",
            "has(rgd.metadata.annotations.go)",
        ] {
            assert_eq!(told(gate, &Value::Null), None, "{gate}");
        }
        assert_eq!(told("fleet.total / 0 == 1", &json!({"failurePolicy": "Open"})), None);
    }

    fn told_at_rest(expression: &str, members: &[&str], policy: &Value) -> Vec<String> {
        let scene = Scene::new(members).gate(expression).policy(policy.clone());
        scene.at_rest(100)
    }

    #[test]
    fn v34_a_gate_without_a_value_for_any_instance_is_told_at_rest() {
        let told = |expression: &str, members: &[&str]| told_at_rest(expression, members, &Value::Null);
        let two = ["x b<a@20 obs@30", "y b"];
        for gate in
            ["int(each.metadata.name) > 0", "each.metadata.labels.tier == 'x'", "instances[0].spec.on"]
        {
            let found = told(gate, &two);
            let expected = format!("propagateWhen[0]: it has no value for any instance: {gate} (");
            assert!(found.len() == 1 && found[0].starts_with(&expected), "{gate}: {found:?}");
            assert_eq!(told_at_rest(gate, &two, &json!({"failurePolicy": "Open"})), [""; 0], "{gate}");
            assert_eq!(told(gate, &[]), [""; 0], "{gate}");
        }
        let tier = "each.metadata.labels.tier == 'x'";
        // That of one who is well has a value, and that is false.
        assert_eq!(told(tier, &["x b", "y b label=tier:z"]), [""; 0]);
        // Whoever takes no part is not asked.
        assert_eq!(told(tier, &["x b", "y b pinned label=tier:z"]).len(), 1);
        assert_eq!(told(tier, &["y b pinned"]), [""; 0]);
        // Nobody is well yet, so that they may have yet to get what they lack.
        assert_eq!(told(tier, &["x b unready@20", "y b<a@20"]), [""; 0]);
        assert_eq!(told("each.metadata.name != ''", &two), [""; 0]);
    }

    #[test]
    fn v34_each_gate_is_asked_by_itself() {
        let mut scene = Scene::new(&["x b", "y b"]);
        let gates = json!(["${each.metadata.name == 'y'}", "${each.spec.on}", "${each.spec.off}"]);
        scene.gates = Gates::compile(&gates, &Type::Dyn).unwrap();
        let told: Vec<String> = scene.at_rest(100).iter().map(|it| it.chars().take(17).collect()).collect();
        assert_eq!(told, ["propagateWhen[1]:", "propagateWhen[2]:"]);
    }

    #[test]
    fn v34_a_large_fleet_is_asked_until_one_has_a_value() {
        let texts: Vec<String> = (0..10_000).map(|it| format!("i{it} b")).collect();
        let mut members: Vec<&str> = texts.iter().map(String::as_str).collect();
        let tier = "each.metadata.labels.tier == 'x'";
        assert_eq!(told_at_rest(tier, &members, &Value::Null).len(), 1);
        members.push("z b label=tier:z created=5");
        assert_eq!(told_at_rest(tier, &members, &Value::Null), [""; 0]);
    }
}
