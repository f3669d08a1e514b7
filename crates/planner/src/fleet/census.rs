//! What the instances of a definition say about its revisions.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use krono_history::input::Standing;
use krono_history::number::highest_claim;
use krono_history::retention::Uses;
use krono_history::{Digest, RevisionNumber};
use krono_model::names;
use krono_propagation::assignment::Because;
use serde_json::Value;

use crate::definition::{Counts, Instances};
use crate::instance::{ASSIGNMENT, INPUT_HISTORY, PROPAGATION, observed_content, of_krono};

/// What the instances of a definition say about its revisions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// How many there are.
    pub sizes: Instances,
    /// What they need.
    pub uses: Uses,
    /// The contents of all inputs that they tell of.
    pub inputs: BTreeSet<Digest>,
    /// The contents that they stay at whatever becomes current.
    pub staying: BTreeSet<Digest>,
    /// The contents that those are at which follow their definition.
    pub following: BTreeSet<Digest>,
    /// How many are assigned to what.
    pub counts: Counts,
    /// The highest number in a status.
    pub statuses: Option<RevisionNumber>,
    /// The highest number in a pin or an approval.
    pub claims: Option<RevisionNumber>,
}

impl Census {
    /// Of instances, whose specs are not looked at.
    pub fn of(instances: impl IntoIterator<Item = impl Borrow<Value>>) -> Self {
        let mut census = Self::default();
        for instance in instances {
            census.take(instance.borrow());
        }
        census
    }

    /// Somebody waits to go back to some content: it counts as if they were there and stayed.
    pub fn expect(&mut self, content: Digest) {
        self.staying.insert(content);
        self.uses.contents.insert(content);
    }

    /// Takes in one instance; its spec is not looked at.
    pub fn take(&mut self, instance: &Value) {
        self.sizes.total += 1;
        let is_ending = !instance["metadata"]["deletionTimestamp"].is_null();
        self.sizes.terminating += usize::from(is_ending);
        let needs = Needs::of(instance);
        match needs.assigned {
            Some(digest) => *self.counts.assigned.entry(digest).or_default() += 1,
            None => self.counts.following += 1,
        }
        if needs.stays {
            self.staying.extend(needs.assigned);
        } else if !is_ending {
            self.following.extend(needs.assigned);
        }
        self.uses.contents.extend(needs.assigned.into_iter().chain(needs.observed).chain(needs.held));
        self.inputs.extend(contents_of_inputs(instance));
        if needs.is_blocked {
            self.uses.contents.extend(contents_of_inputs(instance));
        }
        let named = || needs.pinned.into_iter().chain(needs.approved);
        self.uses.named.extend(named());
        self.claims = highest_claim(named().chain(self.claims));
        self.statuses = numbers(instance).max().max(self.statuses);
    }
}

/// The revisions that one instance needs; a definition is looked at when they become others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// The content that it is assigned to; nothing when it follows what is current.
    assigned: Option<Digest>,
    /// Whether it does so whatever its definition becomes.
    stays: bool,
    /// The content that it was last seen to be at.
    observed: Option<Digest>,
    /// The content of the input that it is to be held at; one that is paused goes there when that ends.
    held: Option<Digest>,
    pinned: Option<RevisionNumber>,
    approved: Option<RevisionNumber>,
    /// Whether resources of it have to wait at what it asked for before.
    is_blocked: bool,
}

impl Needs {
    /// Of an instance, whose spec is not looked at.
    pub fn of(instance: &Value) -> Self {
        let annotation = |key: &str| instance["metadata"]["annotations"][key].as_str()?.parse().ok();
        Self {
            assigned: of_krono(&instance["status"], ASSIGNMENT)["digest"]
                .as_str()
                .and_then(|it| it.parse().ok()),
            stays: stays(instance),
            observed: observed_content(instance),
            held: annotation(names::HOLD_INPUT_ANNOTATION).and_then(|it| content_of_input(instance, it)),
            pinned: annotation(names::RGD_REVISION),
            approved: annotation(names::APPROVE_REVISION_ANNOTATION),
            is_blocked: is_blocked(instance),
        }
    }
}

/// Whether an instance does not follow its definition.
fn stays(instance: &Value) -> bool {
    let because = of_krono(&instance["status"], ASSIGNMENT)["because"].as_str();
    because.is_some_and(|it| it != Because::Following.as_str() && it != Because::Ending.as_str())
}

/// Whether resources of an instance have to wait.
pub(super) fn is_blocked(instance: &Value) -> bool {
    of_krono(&instance["status"], PROPAGATION)["status"] == Standing::Blocked.as_str()
}

/// The content that an input of an instance is for.
fn content_of_input(instance: &Value, number: RevisionNumber) -> Option<Digest> {
    let mut inputs = of_krono(&instance["status"], INPUT_HISTORY).as_array()?.iter();
    inputs.find(|it| it["revision"] == number.to_wire())?["rgdRevisionHash"].as_str()?.parse().ok()
}

/// The contents that an instance asked for, now and before.
fn contents_of_inputs(instance: &Value) -> impl Iterator<Item = Digest> {
    let inputs = of_krono(&instance["status"], INPUT_HISTORY).as_array().into_iter().flatten();
    inputs.filter_map(|it| it["rgdRevisionHash"].as_str()?.parse().ok())
}

/// The numbers of revisions in the status of an instance.
fn numbers(instance: &Value) -> impl Iterator<Item = RevisionNumber> {
    let status = &instance["status"];
    let plain = ["currentRGDRevision", "observedRGDRevision"].map(|field| of_krono(status, field).as_i64());
    let assigned = of_krono(status, ASSIGNMENT)["revision"].as_i64();
    plain.into_iter().chain([assigned]).flatten().filter_map(RevisionNumber::from_wire)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn v29_who_begins_to_stay_needs_something_else() {
        let at = |because: Because| {
            let assignment = json!({"revision": 2, "digest": "a".repeat(40), "because": because.as_str()});
            Needs::of(&json!({"status": {"assignment": assignment}}))
        };
        for because in [Because::Paused, Because::Pinned, Because::Manual] {
            assert_ne!(at(Because::Following), at(because), "{because:?}");
        }
        assert_eq!(at(Because::Following), at(Because::Ending));
    }

    #[test]
    fn v30_what_a_paused_instance_is_to_be_held_at_is_in_use() {
        let (held, at) = ("a".repeat(40), "b".repeat(40));
        let input = |number: i64, of: &str| json!({"revision": number, "rgdRevisionHash": of});
        let check = |hold: &str, expect: &[&String]| {
            let census = Census::of([json!({
                "metadata": {"annotations": {"krono.dev/hold-input-revision": hold}},
                "status": {
                    "assignment": {"revision": 2, "digest": at, "because": "Paused"},
                    "inputRevisionHistory": [input(2, &at), input(1, &held)],
                },
            })]);
            let found: Vec<String> = census.uses.contents.iter().map(ToString::to_string).collect();
            assert_eq!(found.iter().collect::<Vec<_>>(), expect, "{hold}");
        };
        check("1", &[&held, &at]);
        check("2", &[&at]);
        check("9", &[&at]);
        check("first", &[&at]);
    }

    #[test]
    fn v30_what_an_instance_is_on_its_way_from_is_in_use() {
        let (from, to) = ("a".repeat(40), "b".repeat(40));
        let input = |number: i64, of: &str| json!({"revision": number, "rgdRevisionHash": of});
        let check = |status: Value, expect: &[&String]| {
            let mut census = Census::default();
            census.take(&json!({"status": status}));
            let found: Vec<String> = census.uses.contents.iter().map(ToString::to_string).collect();
            assert_eq!(found.iter().collect::<Vec<_>>(), expect, "{status}");
        };
        let assignment = json!({"revision": 2, "digest": to});
        let history = json!([input(4, &to), input(3, &from)]);
        check(json!({"assignment": assignment}), &[&to]);
        check(
            json!({"assignment": assignment, "observedInputRevision": 3, "inputRevisionHistory": history}),
            &[&from, &to],
        );
        check(
            json!({"krono": {"observedInputRevision": 3, "inputRevisionHistory": history}, "observedInputRevision": 4}),
            &[&from],
        );
        check(json!({"observedInputRevision": 9, "inputRevisionHistory": history}), &[]);
    }
}
