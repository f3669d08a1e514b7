//! What the status of an instance says about revisions.

use std::borrow::Cow;

use jiff::Timestamp;
use krono_graph::CompiledGraph;
use krono_history::input::{self, Inputs, Standing};
use krono_model::condition::{Condition, Status, read_all};
use krono_model::definition::ROLLBACK_REFUSED;
use krono_model::instance::{ASSIGNED, FIELDS_IGNORED, RESOURCE_GATED, SPEC_REFUSED, State};
use krono_propagation::assignment::Remark;
use krono_propagation::fleet::Admission;
use serde_json::{Map, Value, json};

use super::super::desired::{Desired, Standing as Where};
use super::home::{
    ASSIGNMENT, CURRENT_INPUT, CURRENT_REVISION, ERROR_SINCE, IGNORED_FIELDS, INPUT_HISTORY, OBSERVED_INPUT,
    OBSERVED_REVISION, PROPAGATION, assignment, observed_content, observed_since, of_krono, own, put,
    put_observed_since,
};
use super::stamps::input_of;
use super::{Asked, Keeping, Notice};
use crate::fleet::admission;
use crate::hindrance::{HINDERED, Hindrance};
use crate::refused;

/// How far the resources of an instance have come.
pub(in super::super) struct Progress {
    /// How many are as they should be.
    pub(in super::super) at: usize,
    /// How many there are, or will be.
    pub(in super::super) total: usize,
    /// Whether all are as they should be, and ready.
    pub(in super::super) is_done: bool,
    /// Whether one that is as it should be is not ready.
    pub(in super::super) lags: bool,
    /// Which have to wait, and why.
    pub(in super::super) waits: Option<String>,
    /// Which are no longer wanted and wait for somebody to approve of their deletion.
    pub(in super::super) surplus: Option<String>,
    /// What is wrong.
    pub(in super::super) trouble: Trouble,
}

/// What is wrong with the resources of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Trouble {
    /// Nothing that makes the state that of an error.
    None,
    /// Nothing but that the API server cannot do now what it is asked for.
    Hindered,
    /// The state is that of an error.
    Failing,
}

impl Asked<'_> {
    /// Adds krono's own fields to a status that has all of the author's.
    pub(in super::super) fn tell(
        &self,
        status: &mut Map<String, Value>,
        graph: &CompiledGraph,
        progress: &Progress,
    ) {
        let before = &self.world.instance["status"];
        let error_since = (progress.trouble == Trouble::Failing).then(|| self.error_since(graph));
        let mut keep = |name: &str| {
            let value = own(before, graph, name);
            if !value.is_null() {
                put(status, graph, name, value.clone());
            }
        };
        keep(ASSIGNMENT);
        if super::super::suspended_by(self.world, Some(self)).is_some() {
            let all = [
                CURRENT_INPUT,
                CURRENT_REVISION,
                OBSERVED_INPUT,
                OBSERVED_REVISION,
                PROPAGATION,
                INPUT_HISTORY,
                IGNORED_FIELDS,
            ];
            all.into_iter().for_each(keep);
            return;
        }
        let Some(current) = self.inputs.current() else { return };
        let is_observed = self.is_observed(progress);
        if !is_observed {
            keep(OBSERVED_INPUT);
            keep(OBSERVED_REVISION);
        }
        let standing = self.standing(progress);
        let (input, revision) = (json!(current.number.to_wire()), json!(current.definition.number.to_wire()));
        let mut tell = |name: &str, value: Value| put(status, graph, name, value);
        if is_observed {
            tell(OBSERVED_INPUT, input.clone());
            tell(OBSERVED_REVISION, revision.clone());
        }
        tell(CURRENT_INPUT, input);
        tell(CURRENT_REVISION, revision);
        tell(INPUT_HISTORY, self.summaries(&self.inputs_at(self.outcome(progress))));
        let mut propagation = self.propagation(graph, standing, Some(progress));
        if let Some(since) = error_since {
            propagation[ERROR_SINCE] = json!(since);
        }
        tell(PROPAGATION, propagation);
        if !self.ignored.is_empty() {
            tell(IGNORED_FIELDS, json!(self.ignored));
        }
    }

    /// Since when the state is that of an error, which it is: conditions tell only since when it is not ready.
    fn error_since(&self, graph: &CompiledGraph) -> &str {
        let before = &self.world.instance["status"];
        let known = own(before, graph, PROPAGATION)[ERROR_SINCE].as_str();
        known.filter(|_| before["state"] == State::Error.as_str()).unwrap_or(self.world.now)
    }

    /// Latched: what was there once and ready stays observed, whatever becomes of it.
    fn is_observed(&self, progress: &Progress) -> bool {
        progress.is_done && !self.is_new
    }

    /// How far the current input has come.
    pub(super) fn standing(&self, progress: &Progress) -> Standing {
        let was_completed = self.inputs.current().is_some_and(|it| it.standing == Standing::Completed);
        match () {
            () if was_completed || self.is_observed(progress) => Standing::Completed,
            () if progress.waits.is_some() => Standing::Blocked,
            () => Standing::InProgress,
        }
    }

    /// What has become of the current input so far, for its history.
    pub(super) fn outcome(&self, progress: &Progress) -> Standing {
        let standing = self.standing(progress);
        let has_failed = progress.trouble == Trouble::Failing && standing != Standing::Completed;
        if has_failed { Standing::Failed } else { standing }
    }

    /// The inputs with the current one so far; when it is complete, nobody needs more of those before than are kept anyway.
    pub(super) fn inputs_at(&self, standing: Standing) -> Inputs {
        let inputs = self.inputs.with_standing(standing);
        if standing == Standing::Completed {
            inputs.limited(self.limit, &self.held.into_iter().collect())
        } else {
            inputs
        }
    }

    /// `status.inputRevisionHistory`.
    pub(super) fn summaries(&self, inputs: &Inputs) -> Value {
        match self.assigned.keeping {
            Keeping::Inline => input::summaries(inputs, self.assigned.kept),
            Keeping::Objects { .. } => input::summaries(&inputs.elsewhere(), self.assigned.kept),
        }
    }

    /// Whether a resource is at the current input: it was written for it last, or would not be written for it. That others
    /// have changed it since is no step back.
    pub(in super::super) fn is_at(&self, resource: &Desired<'_>) -> bool {
        if resource.waits.is_some() {
            return false;
        }
        match &resource.standing {
            Where::Live | Where::Marked(_) | Where::Contested | Where::Different { again: true, .. } => true,
            Where::Different { exists, .. } => *exists && self.is_stamped(resource),
            Where::Terminating | Where::Foreign(_) | Where::Refused(_) => false,
        }
    }

    fn is_stamped(&self, resource: &Desired<'_>) -> bool {
        let name = &resource.name;
        let seen = self.world.cluster.seen(&name.kind, &name.namespace, &name.name);
        let number = self.inputs.current().map(|it| it.number);
        number.is_some() && seen.and_then(|it| input_of(it.object)) == number
    }

    /// `status.propagation`; its time is that of the last change of status or target.
    pub(super) fn propagation(
        &self,
        graph: &CompiledGraph,
        standing: Standing,
        progress: Option<&Progress>,
    ) -> Value {
        let before = own(&self.world.instance["status"], graph, PROPAGATION);
        let target = self.inputs.current().map(|it| it.number.to_wire());
        let is_same_target = before["targetInputRevision"] == json!(target);
        let was_pending = is_same_target && before["status"] == Standing::Pending.as_str();
        let shown = progress.map_or(standing, |it| shown(standing, it));
        // Told with the first resource that is at it: nothing is written for it alone.
        let is_pending =
            was_pending && shown == Standing::InProgress && progress.is_some_and(|it| it.at == 0);
        let shown = if is_pending { Standing::Pending } else { shown };
        let is_same = is_same_target && before["status"] == shown.as_str();
        let since = before["lastTransitionTime"].as_str().filter(|_| is_same);
        let counted = |count: fn(&Progress) -> usize, field: &str| match progress {
            Some(progress) => json!(count(progress)),
            None if before[field].is_null() || field == "resourcesAtTarget" => json!(0),
            None => before[field].clone(),
        };
        let mut propagation = json!({
            "status": shown.as_str(),
            "targetInputRevision": target,
            "resourcesAtTarget": counted(|it| it.at, "resourcesAtTarget"),
            "totalResources": counted(|it| it.total, "totalResources"),
            "lastTransitionTime": since.unwrap_or(self.world.now),
        });
        put_observed_since(&mut propagation, self.observed_since(before, progress).as_deref());
        if let Some(hindered) = self.hindered(&before[HINDERED], standing, progress) {
            propagation[HINDERED] = hindered;
        }
        propagation
    }

    /// Since when the observed content is that: it does not begin anew with another input of the same content, but whenever the
    /// instance is admitted to it anew.
    fn observed_since<'v>(&'v self, before: &'v Value, progress: Option<&Progress>) -> Option<Cow<'v, str>> {
        let known = observed_content(self.world.instance);
        let since = known.and_then(|_| observed_since(before));
        let admission = self.admission();
        let seen = |it: Option<&str>| it.and_then(|it| it.parse().ok()).unwrap_or(Timestamp::MIN);
        let is_past = |it: &Admission, since| it.is_after(seen(since));
        let is_of_this = known == Some(self.content()) && !admission.is_some_and(|it| is_past(&it, since));
        if is_of_this || !progress.is_some_and(|it| self.is_observed(it)) {
            return since.map(Cow::Borrowed);
        }
        let now = self.world.now;
        // Whoever admitted it may have a clock that is ahead.
        let ahead = admission.filter(|it| is_past(it, Some(now)));
        let ahead = ahead.and_then(|it| Timestamp::from_second(it.at.as_second()).ok());
        Some(ahead.map_or(Cow::Borrowed(now), |it| Cow::Owned(it.to_string())))
    }

    /// How the instance came to what it is assigned to, if it had to wait for its turn.
    fn admission(&self) -> Option<Admission> {
        let instance = self.world.instance;
        let is_of_this = assignment(instance).is_some_and(|(_, content, _)| content == self.content());
        admission(instance).filter(|_| is_of_this)
    }

    /// For how long something else has held the instance up since it was assigned; a null takes away what is known.
    fn hindered(&self, before: &Value, standing: Standing, progress: Option<&Progress>) -> Option<Value> {
        let is_of_this = self.told.current().is_some_and(|it| it.definition.digest == self.content());
        let Some(progress) = progress else {
            return (!before.is_null() && !is_of_this).then_some(Value::Null);
        };
        let now = self.world.now.parse().ok().filter(|_| standing != Standing::Completed)?;
        let refused = self.world.refused;
        let known = Hindrance::read(before).from(refused.since);
        // Gates that wait for what is there already are not what takes so long.
        let is_gated = progress.waits.is_some() && !progress.lags;
        let goes_on = is_gated || refused.hinders();
        if goes_on { known.going_on(now).written() } else { known.ended(now).written() }
    }

    /// Conditions that are there only when there is something to say.
    pub(in super::super) fn conditions(&self, progress: &Progress) -> Vec<Condition> {
        let assignment = of_krono(&self.world.instance["status"], ASSIGNMENT);
        let problem = assignment["reason"].is_string().then_some(assignment).map(|it| {
            let text = |field: &str| it[field].as_str().unwrap_or_default().to_owned();
            Condition::new(ASSIGNED, Status::False, text("reason"), text("message"))
        });
        let refused = refused::words(self.world.instance).map(|words| {
            Condition::new(ROLLBACK_REFUSED, Status::True, ROLLBACK_REFUSED.to_owned(), words.to_owned())
        });
        let waits = progress.waits.as_ref().or(progress.surplus.as_ref());
        let waits = waits.filter(|_| shown(self.standing(progress), progress) == Standing::Blocked);
        let waits = waits
            .map(|it| Condition::new(RESOURCE_GATED, Status::True, RESOURCE_GATED.to_owned(), it.clone()));
        let faults = self
            .faults()
            .map(|Notice { reason, note, .. }| Condition::new(reason, Status::True, reason.to_owned(), note));
        problem.into_iter().chain(faults).chain(refused).chain(waits).collect()
    }

    /// What the assigned revision cannot take of the spec.
    fn faults(&self) -> impl Iterator<Item = Notice> {
        let number = self.assigned.definition.number;
        let ignored = (!self.ignored.is_empty()).then(|| {
            let fields = self.ignored.join(", ");
            let note = format!("revision {number} does not know {fields}; it is as though they were not set");
            Notice::warning(FIELDS_IGNORED, note)
        });
        let refused = self.refusal.clone().zip(self.inputs.current()).map(|(problem, input)| {
            let remark = Remark::SpecRefused { number, problem };
            Notice::warning(SPEC_REFUSED, format!("{remark}; input revision {} stands", input.number))
        });
        ignored.into_iter().chain(refused)
    }

    /// The same, as far as the status does not tell it yet.
    pub(in super::super) fn news_of_faults(&self) -> impl Iterator<Item = Notice> {
        let told = read_all(self.world.instance.pointer("/status/conditions"));
        let is_told = move |it: &Notice| {
            told.iter()
                .any(|told| told.condition_type == it.reason && told.message.as_ref() == Some(&it.note))
        };
        self.faults().filter(move |it| !is_told(it))
    }
}

/// What is complete but for deletions that wait is so for its revision, and not to those who look at it.
fn shown(standing: Standing, progress: &Progress) -> Standing {
    let is_left = standing == Standing::Completed && progress.surplus.is_some();
    if is_left { Standing::Blocked } else { standing }
}
