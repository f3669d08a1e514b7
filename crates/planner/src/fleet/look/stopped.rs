//! What is done while nobody decides: what a definition says about its waves makes no sense, or a hold cannot be had.

use jiff::Timestamp;
use krono_propagation::fleet::Movement;
use krono_propagation::gate::Gates;
use krono_propagation::mark::{Mark, Outcome};
use krono_propagation::policy::{NewInstances, OnFailure, Policy};
use krono_propagation::{Decision, decide};
use serde_json::{Value, json};

use super::super::ledger::{ABORTED, Ledger};
use super::super::step::status_patch;
use super::super::telling;
use super::{Look, Looking};

impl Looking<'_> {
    /// Nobody is admitted. Who is new begins nevertheless, and who is on the way to what was aborted goes back.
    pub(super) fn stopped(&self) -> Look {
        let (members, now) = (self.members(), self.scene.now);
        let ledger = self.known().unwrap_or_else(|| Ledger::new(self.target, now));
        let policy = Policy {
            new_instances: Some(self.begun_with()),
            on_failure: OnFailure::Continue,
            ..Policy::default()
        };
        let decision = decide(&self.fleet(&members, &ledger), &policy, &Gates::default(), now);
        let turns = self.turns(&members, &ledger, &Decision { moves: Vec::new(), ..decision });
        Look { turns, status: self.stopped_status(now), ..Look::default() }
    }

    /// What is said about it holds as far as it can be read, whatever else is wrong.
    fn begun_with(&self) -> NewInstances {
        match self.scene.definition["spec"]["propagation"]["newInstances"].as_str() {
            Some("Current") => NewInstances::Current,
            Some("LastGood") => NewInstances::LastGood,
            Some(_) | None if self.given_up().is_some() => NewInstances::LastGood,
            Some(_) | None => NewInstances::Current,
        }
    }

    /// What became of what instances move to, if it was given up.
    fn given_up(&self) -> Option<Mark> {
        match self.movement() {
            Movement::Forward => self.mark(),
            Movement::Back { .. } => self.known()?.given_up,
        }
    }

    /// Who waited for what is no longer so; what was given up is told as long as it is, and what has come to its end stays that.
    fn stopped_status(&self, now: Timestamp) -> Option<Value> {
        let mark = self.given_up().filter(|_| self.known().is_some());
        let (phase, reason) = mark.as_ref().map_or(("Invalid", None), told);
        let (before, why) = (self.published["phase"].as_str()?, self.published["reason"].as_str());
        if before == "Completed" || (before, why) == (phase, reason) {
            return None;
        }
        let mut record = self.published.as_object()?.clone();
        record.retain(|field, _| !telling::FOUND.contains(&field.as_str()) && field != "reason");
        record.insert("phase".to_owned(), json!(phase));
        if let Some(reason) = reason {
            record.insert("reason".to_owned(), json!(reason));
        }
        // Whoever takes away the mark has it tried again as soon as it can be.
        if mark.is_none() && self.known().is_some_and(|it| it.given_up.is_some()) {
            record.insert("restartedAt".to_owned(), json!(now.to_string()));
        }
        Some(status_patch(self.scene.definition, &Value::Object(record)))
    }
}

fn told(mark: &Mark) -> (&'static str, Option<&str>) {
    match mark.outcome {
        Outcome::Halted if mark.reason == ABORTED => ("Aborted", None),
        Outcome::Halted => ("Halted", Some(&mark.reason)),
        Outcome::RolledBack => ("RolledBack", Some(&mark.reason)),
    }
}
