//! What people ask for once: to abort a propagation, or to try it again.

use krono_model::names;
use krono_propagation::fleet::{Movement, RollbackBy};
use krono_propagation::mark::{Mark, Outcome};
use serde_json::{Value, json};

use super::super::ledger::{ABORTED, Ledger};
use super::super::step::{Step, annotate, annotate_definition, status_patch};
use super::super::telling::{self, Deed};
use super::super::waves::{Once, PAUSED};
use super::{Look, Looking};
use crate::instance::Notice;

impl Looking<'_> {
    /// What is to be done for it; when that is done, the request is taken away and a pause stays. Nothing when nobody asked.
    pub(super) fn answer(&self) -> Option<Look> {
        let (answer, refused) = match self.request.once? {
            Once::Abort => match self.not_aborted() {
                Ok(()) => (self.abort(), None),
                Err(why) => (None, why.map(|it| self.abort_refused(it))),
            },
            Once::Retry => (self.retry(), None),
        };
        let stays = self.request.is_paused.then_some(PAUSED);
        let answered = || annotate_definition(self.scene.definition, names::PROPAGATION_ANNOTATION, stays);
        Some(answer.unwrap_or_else(|| Look::of(vec![answered()], refused.into_iter().collect())))
    }

    /// An error where there is nothing to abort, with the reason unless it was aborted just now.
    fn not_aborted(&self) -> Result<(), Option<&'static str>> {
        let is_over = self.known().is_some_and(|it| it.completed.is_some());
        match (self.movement(), self.mark()) {
            (Movement::Back { .. }, _) => {
                Err(Some("it is a way back; hold another revision, or edit the definition"))
            }
            (Movement::Forward, Some(mark)) if mark.reason == ABORTED => Err(None),
            // What was halted can be aborted as well: who failed goes back then.
            (Movement::Forward, Some(mark)) if mark.outcome != Outcome::Halted => {
                Err(Some("it was rolled back before"))
            }
            (Movement::Forward, _) if is_over => Err(Some("it has reached everybody")),
            (Movement::Forward, _) => Ok(()),
        }
    }

    fn abort_refused(&self, why: &str) -> Notice {
        let note = format!("revision {} is not aborted: {why}", self.target.number);
        Notice { reason: "AbortRefused", note, is_warning: true }
    }

    fn abort(&self) -> Option<Look> {
        let history = &self.scene.facts.history;
        let marked = history.given_up(self.target.digest).map(|(it, _)| it);
        let revision = marked.or_else(|| history.newest_with(self.target.digest))?;
        let mark = Mark { outcome: Outcome::Halted, reason: ABORTED.to_owned() };
        let step = annotate(revision, names::FAILED_ANNOTATION, Some(&mark.to_string()));
        Some(Look::of(vec![step], vec![telling::steered(Deed::Aborted, self.target.number)]))
    }

    fn retry(&self) -> Option<Look> {
        let way_back = self.known().filter(|_| self.is_back_by_people());
        match way_back {
            Some(ledger) if ledger.given_up.is_some() => return Some(self.retry_back(ledger)),
            // It goes on since it was asked for just now.
            Some(ledger) if ledger.restarted.is_some() && ledger.completed.is_none() => return None,
            Some(_) | None => {}
        }
        let history = &self.scene.facts.history;
        let latest = history.latest()?;
        let marked = history.live().filter(|it| it.digest == latest.digest && Mark::of(it).is_some());
        let steps: Vec<Step> = marked.map(|it| annotate(it, names::FAILED_ANNOTATION, None)).collect();
        let is_elsewhere = self.is_back_by_people() && latest.digest != self.target.digest;
        let deed = if is_elsewhere { Deed::Forgiven } else { Deed::Retried };
        let notices = vec![telling::steered(deed, latest.number)];
        (!steps.is_empty()).then(|| Look::of(steps, notices))
    }

    fn is_back_by_people(&self) -> bool {
        matches!(self.movement(), Movement::Back { by: RollbackBy::Person, .. })
    }

    /// A way back that was halted goes on.
    fn retry_back(&self, mut ledger: Ledger) -> Look {
        (ledger.restarted, ledger.given_up) = (Some(self.scene.now), None);
        let mut record = ledger.written(self.target);
        record.insert("phase".to_owned(), json!("Propagating"));
        let step = Step::PatchDefinitionStatus(status_patch(self.scene.definition, &Value::Object(record)));
        Look::of(vec![step], vec![telling::steered(Deed::Retried, self.target.number)])
    }
}
