//! One instance: observe, plan, apply, publish.

mod made;
mod perform;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use jiff::Timestamp;
use krono_graph::KindName;
use krono_history::Digest;
use krono_model::applyset::Inventory;
use krono_model::wire::Author;
use krono_planner::instance::{
    Action, DeletionPolicies, Notice, ObjectName, Plan, Refused, Rollback, Room, Subject, World, assignment,
    may_have_objects, plan, unseen,
};
use krono_planner::replacing;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::cache::{Entry, Incomplete, KindCache, Sample};
use crate::engine::Engine;
use crate::live::is_cut;
use crate::queue::{InstanceKey, Key, Outcome};
use crate::refusal::Refusal;
use crate::requests::Subresource;
use crate::serving::Serving;
use crate::snapshot::Snapshot;

use made::Made;

/// How often an instance is planned in one go: once per level of its graph, and a little more.
const MOST_ROUNDS: usize = 200;
/// How often in a row the server may fail, or something be absent, before it is worth telling.
const PATIENCE: u32 = 3;
/// How often in a row a kind may be found unlisted before that is worth telling: for six seconds, in which a server may start.
const LONG_PATIENCE: u32 = 7;
/// How often in a row a spec may be refused after the CRD was made to serve it: for a second and a half, in which a server takes
/// that in.
const LAG_PATIENCE: u32 = 5;
/// How often an input may be issued in one go: a server that drops what is written must not be asked for ever.
const MOST_ISSUES: usize = 3;

/// Makes the cluster what an instance says, as far as that is possible now.
pub(crate) async fn reconcile(engine: &Engine, key: &InstanceKey) -> Outcome {
    let Some(serving) = engine.serving(&key.definition) else { return Outcome::Done };
    let began = Instant::now();
    let outcome = rounds(engine, key, &serving).await;
    let kind = &serving.instances.resource;
    engine.metrics.looked_at_instance(kind, began.elapsed(), outcome);
    outcome
}

async fn rounds(engine: &Engine, key: &InstanceKey, serving: &Arc<Serving>) -> Outcome {
    let since = engine.hindrances.since(key);
    let (refused, beside) = (Refused { since, ..Refused::default() }, BTreeMap::new());
    let mut pass = Pass { engine, key, serving, refused, beside, issued: 0, has_asked: false };
    for round in 0..MOST_ROUNDS {
        match pass.round(round == 0).await {
            Round::Again => {}
            Round::End(outcome) => return outcome,
        }
    }
    tracing::warn!(definition = &*key.definition, name = key.name, "an instance does not come to rest");
    Outcome::Failed
}

struct Pass<'p> {
    engine: &'p Engine,
    key: &'p InstanceKey,
    serving: &'p Arc<Serving>,
    refused: Refused,
    /// Objects that were read because the caches do not show them.
    beside: BTreeMap<ObjectName, Entry>,
    /// How many inputs were issued.
    issued: usize,
    /// Whether the server was asked for all of the spec.
    has_asked: bool,
}

enum Round {
    Again,
    End(Outcome),
}

impl<'p> Pass<'p> {
    async fn round(&mut self, is_first: bool) -> Round {
        let (instance, is_told) = match self.instance() {
            Ok(Some(found)) => found,
            Ok(None) => return Round::End(self.absent()),
            Err(incomplete) => return Round::End(self.wait(&incomplete, &[])),
        };
        let made = Made::of(self.engine, self.serving, self.key, &instance);
        if is_first {
            let has_graph = made.as_ref().map(|it| it.graph.is_ok());
            self.engine.metrics.resolved_graph(&self.serving.instances.resource, has_graph);
        }
        let Some(made) = made else { return Round::End(Outcome::Done) };
        let inventory = Inventory::read(&instance).ok().flatten().unwrap_or_default();
        let (catalogue, all) = (&self.engine.catalogue, &self.engine.caches);
        let graph = made.graph.as_deref().ok();
        let Ok(mut caches) = self.serving.caches(graph, &inventory, catalogue, all).await else {
            return Round::End(Outcome::Retry);
        };
        if made.by.as_ref().is_some_and(|(facts, _)| may_have_objects(&instance, facts.keeping())) {
            caches.push(Arc::clone(self.engine.inputs()));
        }
        let Ok(rollback) = self.rollback(&made).await else { return Round::End(Outcome::Retry) };
        // Before anything is planned: what comes into a cache later is in no plan.
        if !self.sees_what_ends(&instance, &caches).await {
            return Round::End(Outcome::Retry);
        }
        let Plan { actions, status, status_can_wait_until, interests, resting, retry, notices, room } =
            match self.plan(&instance, &caches, &made, rollback.as_ref()) {
                Ok(plan) => plan,
                Err(incomplete) => {
                    let outcome = self.wait(&incomplete, &caches);
                    let Some(status) = self.unseen(&incomplete, &instance, &caches, &made) else {
                        return Round::End(outcome);
                    };
                    return Round::End(self.publish(&instance, Some(status), outcome).await);
                }
            };
        self.engine.router.set_interests(self.key, interests);
        self.await_room(room);
        let by = rollback.and_then(|it| it.by);
        if actions.is_empty() {
            self.tell_once(&instance, notices, by.as_ref()).await;
            let outcome = match () {
                () if retry && self.is_only_hindered() => Outcome::Retry,
                () if retry => Outcome::Failed,
                () if resting.is_empty() => Outcome::Done,
                () => Outcome::Later(self.engine.contests.pause(&resting)),
            };
            if let Some(pause) = status_can_wait_until.and_then(until)
                && outcome == Outcome::Done
            {
                return Round::End(Outcome::Later(pause));
            }
            return Round::End(self.publish(&instance, status, outcome).await);
        }
        if !is_told && actions.iter().any(Action::issues_input) {
            return self.ask().await;
        }
        if self.issues_in_vain(&actions) {
            return Round::Again;
        }
        let round = self.perform(actions, &caches).await;
        if matches!(round, Round::Again) && !self.refused.is_of_instance() {
            self.tell(&instance, notices, by.as_ref()).await;
        }
        round
    }

    fn is_patient(&self) -> bool {
        self.engine.queue.failures(&Key::Instance(self.key.clone())) < PATIENCE
    }

    /// Whether the server may not have taken in yet what the CRD of the instance was made to serve.
    fn may_lag(&self) -> bool {
        let failures = self.engine.queue.failures(&Key::Instance(self.key.clone()));
        matches!(self.engine.rooms.of(self.key), Room::Settled(_)) && failures < LAG_PATIENCE
    }

    /// Whether all that went wrong is that the API server cannot do now what it is asked for.
    fn is_only_hindered(&self) -> bool {
        self.refused.hinders() && !self.refused.is_lasting
    }

    /// The instance as one round sees it, and whether the server has told all of its spec; nothing when there is none.
    fn instance(&self) -> Result<Option<(Value, bool)>, Incomplete> {
        let reading = self.serving.instances.read()?;
        let entry = reading.objects().get(&self.key.namespace, &self.key.name);
        Ok(entry.map(|it| (self.engine.fleets.assigned(self.key, it.object()), it.is_told())))
    }

    /// Asks the server for all of the spec; once, for what comes after its answer is looked at anew.
    async fn ask(&mut self) -> Round {
        if std::mem::replace(&mut self.has_asked, true) {
            return Round::End(Outcome::Retry);
        }
        let name = (self.key.namespace.as_str(), self.key.name.as_str());
        let by = Key::Instance(self.key.clone());
        match self.serving.instances.ask(&self.engine.requests, name, &by).await {
            Ok(()) => Round::Again,
            Err(_) => Round::End(Outcome::Retry),
        }
    }

    async fn rollback(&self, made: &Made) -> kube::Result<Option<Rollback>> {
        if !made.has_request {
            self.engine.rooms.end(self.key);
        }
        if !made.has_request || self.refused.instance.is_some() {
            return Ok(None);
        }
        made::rollback(self.engine, self.serving, self.key).await
    }

    /// The definition looks after the kind, and has the instance looked at again when it has done what it can.
    fn await_room(&self, content: Option<Digest>) {
        if content.is_some_and(|it| self.engine.rooms.ask(self.key, it)) {
            self.engine.queue.add(Key::Definition(Arc::clone(&self.key.definition)));
        }
    }

    /// Whether the server has dropped what was written about an input; the instance then says so.
    fn issues_in_vain(&mut self, actions: &[Action]) -> bool {
        let issues = actions.iter().any(|it| matches!(it, Action::Begin(_)));
        self.issued += usize::from(issues);
        let in_vain = issues && self.issued > MOST_ISSUES;
        if in_vain {
            let words =
                "the API server drops status.currentInputRevision; see whether the CRD is as krono made it";
            self.refuse(Subject::Instance, words.to_owned(), true);
        }
        in_vain
    }

    /// What is so for a while is told when it begins.
    async fn tell_once(&self, instance: &Value, notices: Vec<Notice>, by: Option<&Author>) {
        let words: Vec<String> = notices.iter().map(|it| it.note.clone()).collect();
        if self.engine.is_news(&Key::Instance(self.key.clone()), &words) {
            self.tell(instance, notices, by).await;
        }
    }

    async fn tell(&self, instance: &Value, notices: Vec<Notice>, by: Option<&Author>) {
        for notice in notices {
            self.engine.events.note(instance, notice, by).await;
        }
    }

    /// A definition counts its instances; one on its way out may wait for just this.
    fn absent(&self) -> Outcome {
        self.engine.is_news(&Key::Instance(self.key.clone()), &[]);
        self.engine.fleets.end_waiting(self.key);
        self.engine.hindrances.end(self.key);
        self.engine.rooms.end(self.key);
        self.engine.router.set_interests(self.key, Vec::new());
        let definition = self.engine.definition(&self.key.definition);
        let is_ending = definition.as_ref().is_some_and(is_ending);
        let pause = if is_ending { Duration::ZERO } else { self.engine.options.counts_every };
        self.engine.queue.add_later(Key::Definition(Arc::clone(&self.key.definition)), pause);
        Outcome::Done
    }

    fn plan(
        &self,
        instance: &Value,
        caches: &[Arc<KindCache>],
        made: &Made,
        rollback: Option<&Rollback>,
    ) -> Result<Plan, Incomplete> {
        let cluster = Snapshot::of(caches.iter().map(AsRef::as_ref), &self.beside)?;
        Ok(self.in_world(instance, caches, made, rollback, &cluster, plan))
    }

    /// What is to be said or done in the world as it is.
    fn in_world(
        &self,
        instance: &Value,
        caches: &[Arc<KindCache>],
        made: &Made,
        rollback: Option<&Rollback>,
        cluster: &Snapshot<'_>,
        plan: impl Fn(&World<'_>) -> Plan,
    ) -> Plan {
        let is_defined = |kind: &KindName| Serving::cache(caches, kind).is_some_and(|cache| cache.is_defined);
        let schemas = self.serving.revisions();
        let assigned =
            made.by.as_ref().map(|(facts, by)| facts.assigned(*by, &is_defined, rollback, schemas));
        let facts = self.engine.fleets.facts(&self.key.definition);
        plan(&World {
            instance,
            graph: made.graph.as_ref().map(|it| &it.compiled).map_err(String::as_str),
            owner: self.serving.owner(),
            assigned: assigned.as_ref(),
            policies: facts.as_ref().map_or(&DeletionPolicies::default(), |it| &it.policies),
            cluster,
            refused: &self.refused,
            resting: &self.engine.contests.resting(),
            now: &crate::clock::now(),
        })
    }

    /// The status of an instance when the server has not let a cache be complete for a while.
    fn unseen(
        &self,
        incomplete: &Incomplete,
        instance: &Value,
        caches: &[Arc<KindCache>],
        made: &Made,
    ) -> Option<Value> {
        let failures = self.engine.queue.failures(&Key::Instance(self.key.clone()));
        incomplete.complaint.as_ref().filter(|_| failures >= LONG_PATIENCE)?;
        let words = incomplete.to_string();
        let nothing = Snapshot::of([], &self.beside).ok()?;
        self.in_world(instance, caches, made, None, &nothing, |world| unseen(world, &words)).status
    }

    /// The cache says when it is complete; unless it has become so meanwhile.
    fn wait(&self, incomplete: &Incomplete, caches: &[Arc<KindCache>]) -> Outcome {
        let key = Key::Instance(self.key.clone());
        self.engine.router.wait(&incomplete.kind, key.clone());
        let mut caches = caches.iter().chain([&self.serving.instances]);
        if caches.any(|it| it.kind == incomplete.kind && it.read().is_ok()) {
            self.engine.queue.add(key);
        }
        if incomplete.complaint.is_some() { Outcome::Retry } else { Outcome::Done }
    }

    /// Writes the status for just the version of the instance that it was found from: whatever came between is looked at
    /// first.
    async fn publish(&self, instance: &Value, status: Option<Value>, outcome: Outcome) -> Outcome {
        let Some(status) = status else {
            self.untroubled(instance);
            return outcome;
        };
        match self.write_status(instance, status).await {
            Ok(answer) if is_dropped(instance, &answer) => Outcome::Retry,
            Ok(answer) => {
                // A watch that is older than the schema of the kind does not show all of a spec.
                let is_all_seen = answer["spec"] == instance["spec"];
                self.published(instance, answer).await;
                if is_all_seen { outcome } else { Outcome::Retry }
            }
            Err(error) => match Refusal::of(&error) {
                Refusal::Absent(_) => Outcome::Done,
                Refusal::Stale => Outcome::Retry,
                Refusal::Transient(words) => {
                    self.status_refused(&words);
                    Outcome::Retry
                }
                Refusal::Rejected(words) => {
                    self.status_refused(&words);
                    self.complain(instance, format!("the status is not written: {words}")).await;
                    Outcome::Failed
                }
            },
        }
    }

    async fn write_status(&self, instance: &Value, status: Value) -> kube::Result<Value> {
        let version = &instance["metadata"]["resourceVersion"];
        let (requests, resource) = (&self.engine.requests, &self.serving.instances.resource);
        if let Some(mut whole) = self.without_status(version) {
            whole["status"] = status;
            return requests.replace_status(resource, &whole).await;
        }
        let status = replacing(&status, &instance["status"]);
        let patch = json!({"metadata": {"resourceVersion": version}, "status": status});
        let name = (self.key.namespace.as_str(), self.key.name.as_str());
        requests.merge(resource, name, &patch, Subresource::Status).await
    }

    /// All of the instance in this version, if nobody has told of it yet. Who owns its fields is the server's to know.
    fn without_status(&self, version: &Value) -> Option<Value> {
        let reading = self.serving.instances.read().ok()?;
        let entry = reading.objects().get(&self.key.namespace, &self.key.name).filter(|it| it.is_told())?;
        let mut object = entry.object();
        let is_same = object["metadata"]["resourceVersion"] == *version;
        object["metadata"].as_object_mut()?.remove("managedFields");
        (is_same && object["status"].is_null() && !is_cut(&object)).then_some(object)
    }

    async fn complain(&self, instance: &Value, words: String) {
        let key = Key::Instance(self.key.clone());
        self.engine.complain(key.clone(), (key, instance), words).await;
    }

    fn status_refused(&self, words: &str) {
        self.engine.hindrances.begin(self.key);
        let (definition, name) = (&*self.key.definition, &self.key.name);
        tracing::warn!(definition, name, "status refused: {words}");
    }

    /// Nothing is refused, and all is told. Who ends stays hindered: what was made without an answer is looked for to the last.
    fn untroubled(&self, instance: &Value) {
        if !self.refused.hinders() && !is_ending(instance) {
            self.engine.hindrances.end(self.key);
        }
    }

    async fn published(&self, before: &Value, answer: Value) {
        self.untroubled(before);
        let state = |of: &Value| of["status"]["state"].as_str().unwrap_or_default().to_owned();
        let (from, to) = (state(before), state(&answer));
        if from != to {
            self.engine.metrics.instance_state_changed(&self.serving.instances.resource, &from, &to);
        }
        self.engine.events.tell(&before["status"], &answer).await;
        self.serving.instances.answer(answer, None, &Key::Instance(self.key.clone()));
        self.engine.fleets.end_waiting(self.key);
    }

    /// What a request without an answer has made may be shown by no cache yet, and may depend on what would go first.
    async fn sees_what_ends(&self, instance: &Value, caches: &[Arc<KindCache>]) -> bool {
        let is_hindered = || self.engine.hindrances.since(self.key).is_some();
        !is_ending(instance) || !is_hindered() || self.place(caches).sees_all().await.unwrap_or(false)
    }

    fn place<'c>(&self, caches: &'c [Arc<KindCache>]) -> perform::Place<'c>
    where
        'p: 'c,
    {
        perform::Place { engine: self.engine, serving: self.serving, key: self.key, caches }
    }

    async fn perform(&mut self, actions: Vec<Action>, caches: &[Arc<KindCache>]) -> Round {
        let place = self.place(caches);
        let tries: Vec<_> = actions.into_iter().map(|action| perform::perform(place, action)).collect();
        self.refused.end_answered();
        let mut stale = false;
        let patience = self.is_patient();
        for done in join_all(tries).await {
            match done {
                Ok(beside) => {
                    let read = |mut object| Entry::read(&mut object, &mut Sample::default());
                    self.beside.extend(beside.map(|(name, object)| (name, read(object))));
                }
                Err(perform::Failure { refusal: Refusal::Stale, .. }) => stale = true,
                Err(perform::Failure { refusal: Refusal::Absent(_), .. }) if patience => stale = true,
                Err(perform::Failure { refusal: Refusal::Transient(_), .. }) if patience => {
                    self.engine.hindrances.begin(self.key);
                    stale = true;
                }
                Err(perform::Failure { of: Subject::Rollback, refusal: Refusal::Rejected(_) })
                    if self.may_lag() =>
                {
                    stale = true;
                }
                Err(perform::Failure { of, refusal: Refusal::Transient(words) }) => {
                    self.refuse(of, words, false);
                }
                Err(perform::Failure { of, refusal: Refusal::Absent(words) | Refusal::Rejected(words) }) => {
                    self.refuse(of, words, true);
                }
            }
        }
        if stale { Round::End(Outcome::Retry) } else { Round::Again }
    }

    fn refuse(&mut self, of: Subject, words: String, is_lasting: bool) {
        self.refused.add(of, words, is_lasting);
        if self.refused.hinders() {
            self.engine.hindrances.begin(self.key);
        }
    }
}

fn is_ending(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}

/// Whether a server has dropped what it was told, because it has not taken in the schema of the kind yet.
fn is_dropped(instance: &Value, answer: &Value) -> bool {
    answer["status"].is_null() || (assignment(instance).is_some() && assignment(answer).is_none())
}

/// How long it takes until then; nothing when that is past.
fn until(time: Timestamp) -> Option<Duration> {
    let pause = time.duration_since(crate::clock::timestamp());
    Duration::try_from(pause).ok().filter(|it| !it.is_zero())
}
