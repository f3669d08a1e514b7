//! What is kept of a propagation from one look to the next.

use std::collections::BTreeSet;

use jiff::Timestamp;
use krono_history::Digest;
use krono_history::revision::Revision;
use krono_model::names;
use krono_propagation::fleet::{Member, Movement};
use krono_propagation::mark;
use serde_json::{Map, Value, json};

use super::super::failures;
use super::super::ledger::Ledger;
use super::super::step::{Step, annotate, status_patch};
use super::super::telling::{self, Deed};
use super::{Leading, Look, Looking};

impl Looking<'_> {
    /// What was kept of this propagation, if anything was.
    pub(super) fn known(&self) -> Option<Ledger> {
        Ledger::read(self.scene.definition).filter(|it| it.content == self.target.digest)
    }

    /// How many waves were told of, as far as they were of this propagation.
    pub(super) fn waves(&self) -> usize {
        let told = self.known().and_then(|_| self.published["wave"].as_u64());
        told.and_then(|it| usize::try_from(it).ok()).unwrap_or_default()
    }

    /// The failures that are written down.
    pub(super) fn failed(&self) -> failures::Known<'_> {
        self.known().map(|_| failures::Known::read(self.published)).unwrap_or_default()
    }

    /// What is known of this propagation, or what must be written down before anything is decided by it.
    pub(super) fn ledger(&self, members: &[Member<'_>]) -> Result<Ledger, Box<Look>> {
        let now = self.scene.now;
        if let Some(step) = self.published.is_null().then(|| self.first_good(members)).flatten() {
            return Err(Look::of(vec![step], Vec::new()).into());
        }
        let known = self.known();
        let is_new = known.is_none();
        let before = known.unwrap_or_else(|| Ledger::new(self.target, now));
        let mut ledger = before.clone();
        // Whoever takes away the mark has it tried again; a way back has none. Whoever holds what was given up wants it all the same.
        let is_retried = ledger.given_up.is_some()
            && match self.movement() {
                Movement::Forward => self.mark().is_none(),
                Movement::Back { .. } => ledger.restarted.is_none() && ledger.given_up == self.mark(),
            };
        if is_retried {
            (ledger.restarted, ledger.given_up) = (Some(now), None);
        }
        let is_paused = self.request.is_paused || self.rules.policy.is_paused;
        let Leading { since, vacant_from } = self.scene.leading;
        ledger.was_vacant(since, || vacant_from.or_else(|| self.last_sign(&before, members)));
        ledger.pause(is_paused, now);
        if !is_new && ledger == before {
            return Ok(ledger);
        }
        let mut record =
            if is_new { Map::new() } else { self.published.as_object().cloned().unwrap_or_default() };
        if is_new || is_retried {
            record.insert("phase".to_owned(), json!("Propagating"));
            record.remove("reason");
            // What went wrong before does not count.
            for field in failures::FIELDS {
                record.remove(field);
            }
        }
        record.extend(ledger.written(self.target));
        if ledger.paused.is_none() {
            record.remove("pausedSince");
        }
        let patch = status_patch(self.scene.definition, &Value::Object(record));
        let turn = match (before.paused, ledger.paused) {
            (None, Some(_)) => Some(Deed::Paused { is_over: self.is_over(&ledger) }),
            (Some(_), None) => Some(Deed::Resumed { is_over: self.is_over(&ledger) }),
            (None, None) | (Some(_), Some(_)) => None,
        };
        let notices = turn.map(|it| telling::steered(it, self.target.number)).into_iter().collect();
        Err(Look::of(vec![Step::PatchDefinitionStatus(patch)], notices).into())
    }

    /// Whether it has come to an end, good or bad.
    fn is_over(&self, ledger: &Ledger) -> bool {
        let is_given_up = match self.movement() {
            Movement::Forward => self.mark().is_some(),
            Movement::Back { .. } => ledger.given_up.is_some(),
        };
        is_given_up || ledger.completed.is_some()
    }

    /// When whoever looked before has last written something; nothing where no time was being measured.
    fn last_sign(&self, known: &Ledger, members: &[Member<'_>]) -> Option<Timestamp> {
        let (policy, target, since) = (&self.rules.policy, self.target.digest, self.scene.leading.since);
        let soaks = !policy.soak.is_zero() || policy.stages.iter().any(|it| !it.soak.is_zero());
        let was_on_its_way = |it: &Member<'_>| {
            it.assigned == Some(target)
                && it.admission.is_some_and(|it| it.at <= since)
                && !it.has_observed(target)
        };
        if known.completed.is_some() || !(soaks || members.iter().any(was_on_its_way)) {
            return None;
        }
        let of_member = |it: &Member<'_>| [it.admission.map(|it| it.at), it.observed.map(|it| it.since)];
        members.iter().flat_map(of_member).flatten().filter(|it| *it <= since).max()
    }

    /// Where nobody kept a ledger before: what instances were last seen to be well with is what one may go back to.
    fn first_good(&self, members: &[Member<'_>]) -> Option<Step> {
        let history = &self.scene.facts.history;
        let latest = history.latest().map(|it| it.digest);
        let observed: BTreeSet<Digest> =
            members.iter().filter_map(|it| it.observed).map(|it| it.digest).collect();
        let is_good = |it: &&Revision| {
            let content = it.digest;
            content != self.target.digest
                && Some(content) != latest
                && observed.contains(&content)
                && mark::mark_of(history, content).is_none()
        };
        let found = history.live().rfind(is_good).filter(|it| !it.is_completed)?;
        Some(annotate(found, names::COMPLETED_ANNOTATION, Some(&self.scene.now.to_string())))
    }
}
