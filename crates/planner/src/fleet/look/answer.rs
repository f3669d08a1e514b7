//! What people ask for once: to abort a propagation, or to try it again.

use krono_model::names;
use krono_propagation::fleet::{Movement, RollbackBy};
use krono_propagation::mark::{Mark, Outcome};

use super::super::ledger::ABORTED;
use super::super::step::{Step, annotate, annotate_definition};
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
        let history = &self.scene.facts.history;
        let latest = history.latest()?;
        if matches!(self.movement(), Movement::Back { by: RollbackBy::Person, .. }) {
            let back = self.retry_back();
            // Whoever holds the latest may have it tried as if it were not held.
            if back.is_some() || self.target.digest != latest.digest {
                return back;
            }
        }
        let marked = history.live().filter(|it| it.digest == latest.digest && Mark::of(it).is_some());
        let steps: Vec<Step> = marked.map(|it| annotate(it, names::FAILED_ANNOTATION, None)).collect();
        let notices = vec![telling::steered(Deed::Retried, latest.number)];
        (!steps.is_empty()).then(|| Look::of(steps, notices))
    }

    /// A way back that was halted goes on.
    fn retry_back(&self) -> Option<Look> {
        let mut ledger = self.known().filter(|it| it.given_up.is_some())?;
        (ledger.restarted, ledger.given_up) = (Some(self.scene.now), None);
        let step = self.restated(&ledger, "Propagating", None);
        Some(Look::of(vec![step], vec![telling::steered(Deed::Retried, self.target.number)]))
    }
}
