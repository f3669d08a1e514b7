//! The instances of one definition: which revision each should run.

mod assign;
mod newborn;
mod waves;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use jiff::Timestamp;
use krono_planner::fleet::{Facts, Turn};
use serde_json::Value;

use crate::cache::KindCache;
use crate::engine::Engine;
use crate::queue::{InstanceKey, Key, Outcome};
use crate::serving::Serving;

use newborn::Newborn;

/// How many instances are assigned at the same time.
const AT_ONCE: usize = 16;
/// How long to wait at least before another look.
const SHORTEST_WAIT: Duration = Duration::from_millis(10);

/// What is known of the instances of each definition.
#[derive(Default)]
pub(crate) struct Fleets(Mutex<HashMap<Arc<str>, Fleet>>);

#[derive(Default)]
struct Fleet {
    facts: Option<Arc<Facts>>,
    /// Whether the definition was looked at since the facts were found.
    is_stale: bool,
    /// When all instances are to be looked at again.
    due: Option<Timestamp>,
    /// Instances whose assignment may not be what it should be.
    asking: BTreeSet<InstanceKey>,
    /// Instances whose assignment is not written down yet.
    newborns: HashMap<InstanceKey, Newborn>,
}

/// What was the same for all instances before.
struct Before(Option<Arc<Facts>>);

impl Before {
    /// Whether other facts are news for any instance; who is there is not asked where all are to move.
    fn concerns(&self, serving: &Serving, facts: &Facts) -> bool {
        let Some(before) = &self.0 else { return true };
        facts.current != before.current
            || !serving.instances.census().is_ok_and(|it| facts.is_same_for(&it, before))
    }
}

impl Fleets {
    /// What is the same for all instances of a definition; nothing before somebody looked, and without revisions.
    pub(crate) fn facts(&self, definition: &str) -> Option<Arc<Facts>> {
        self.lock().get(definition).and_then(|it| it.facts.clone())
    }

    /// An instance asks for another assignment; its definition is to be looked at.
    pub(crate) fn ask(&self, key: &InstanceKey) {
        self.lock().entry(Arc::clone(&key.definition)).or_default().asking.insert(key.clone());
    }

    /// A definition was looked at: its revisions or its policy may have changed.
    pub(crate) fn doubt(&self, definition: &Arc<str>) {
        self.lock().entry(Arc::clone(definition)).or_default().is_stale = true;
    }

    /// A definition is no longer served.
    pub(crate) fn forget(&self, definition: &str) {
        self.lock().remove(definition);
    }

    /// Takes in what is the same for all; what was known before, if that is news.
    fn learn(&self, definition: &Arc<str>, facts: Option<Facts>) -> Option<Before> {
        let mut fleets = self.lock();
        let fleet = fleets.entry(Arc::clone(definition)).or_default();
        let is_news = fleet.facts.as_deref() != facts.as_ref();
        is_news.then(|| Before(std::mem::replace(&mut fleet.facts, facts.map(Arc::new))))
    }

    /// Whether facts have to be found anew; whoever asks does so.
    fn take_stale(&self, definition: &str) -> bool {
        self.lock().get_mut(definition).is_some_and(|it| std::mem::take(&mut it.is_stale))
    }

    /// How long it takes until all instances are to be looked at again; those who wait for a turn no later than this.
    fn wait(&self, definition: &str, look_again: Option<Timestamp>) -> Option<Duration> {
        let now = crate::clock::timestamp();
        let mut fleets = self.lock();
        let fleet = fleets.get_mut(definition)?;
        fleet.due = fleet.facts.as_ref()?.next_end_of_pins(now);
        let soonest = [fleet.due, look_again].into_iter().flatten().min()?;
        Some(Duration::try_from(soonest.duration_since(now)).unwrap_or_default().max(SHORTEST_WAIT))
    }

    /// Whether all instances are to be looked at again.
    fn is_due(&self, definition: &str) -> bool {
        let now = crate::clock::timestamp();
        self.lock().get(definition).and_then(|it| it.due).is_some_and(|it| it <= now)
    }

    fn take_asking(&self, definition: &str) -> BTreeSet<InstanceKey> {
        self.lock().get_mut(definition).map(|it| std::mem::take(&mut it.asking)).unwrap_or_default()
    }

    /// Nothing came of a look: all that led to it leads to the next one too.
    fn put_back(&self, definition: &Arc<str>, news: Option<Before>, asking: BTreeSet<InstanceKey>) {
        let mut fleets = self.lock();
        let fleet = fleets.entry(Arc::clone(definition)).or_default();
        fleet.asking.extend(asking);
        if let Some(Before(facts)) = news {
            (fleet.facts, fleet.is_stale) = (facts, true);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Fleet>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Assigns instances of a definition: all of them when what is the same for all has changed, else those that ask.
pub(crate) async fn reconcile(engine: &Engine, definition: &Arc<str>) -> Outcome {
    let Some(serving) = engine.serving(definition) else {
        engine.fleets.forget(definition);
        engine.router.follow(definition, None);
        engine.router.follow_namespaces(definition, false);
        engine.metrics.propagation().looked_at(definition, None);
        return Outcome::Done;
    };
    if serving.instances.read().is_err() {
        return wait(engine, &serving, Some(&serving.instances));
    }
    let news = engine.fleets.take_stale(definition).then(|| facts(engine, &serving));
    let news = news.and_then(|facts| engine.fleets.learn(definition, facts));
    let asking = engine.fleets.take_asking(definition);
    let Some(facts) = engine.fleets.facts(definition) else { return Outcome::Done };
    let concerns_all = news.as_ref().is_some_and(|it| it.concerns(&serving, &facts));
    let all = if concerns_all || engine.fleets.is_due(definition) { all(&serving) } else { Vec::new() };
    let is_waited = facts.is_gated || news.is_some();
    let turns = if is_waited { waves::turns(engine, &serving).await } else { Ok(waves::Turns::default()) };
    let turns = match turns {
        Ok(turns) if turns.agrees_with(&facts) => turns,
        Ok(_) => {
            engine.fleets.put_back(definition, news, asking);
            engine.fleets.doubt(definition);
            return Outcome::Retry;
        }
        Err(outcome) => {
            engine.fleets.put_back(definition, news, asking);
            return outcome;
        }
    };
    let look_again = turns.look_again;
    let mut round = Round { facts: &facts, news, asking, turns: None };
    let outcome = round.taken(engine, &serving, turns, all).await;
    match engine.fleets.wait(definition, look_again) {
        Some(pause) if outcome == Outcome::Done => Outcome::Later(pause),
        Some(_) | None => outcome,
    }
}

/// Nothing while no revision is served.
fn facts(engine: &Engine, serving: &Serving) -> Option<Facts> {
    let current = serving.current_revision()?;
    let definition = engine.definition(&serving.name)?;
    let revisions = serving.revisions();
    let notes = engine.options.notes;
    Some(Facts::of(&definition, current, &revisions.history, notes))
}

/// One look at the instances of a definition.
struct Round<'r> {
    facts: &'r Facts,
    /// What was known before, if the facts are new.
    news: Option<Before>,
    /// Those that wait for a decision.
    asking: BTreeSet<InstanceKey>,
    /// Who has a turn, where instances have to wait for theirs.
    turns: Option<waves::Turns>,
}

/// Decides about those that ask and about these others; who is not to be decided about again.
async fn assign_all(
    engine: &Engine,
    serving: &Arc<Serving>,
    round: &Round<'_>,
    others: Vec<InstanceKey>,
) -> (BTreeSet<InstanceKey>, Outcome) {
    let keys: BTreeSet<InstanceKey> = others.into_iter().chain(round.asking.iter().cloned()).collect();
    let assigned = stream::iter(keys.into_iter().map(|key| async move {
        let outcome = assign::assign(engine, serving, round, &key).await;
        (key, outcome)
    }));
    let outcomes: Vec<_> = assigned.buffer_unordered(AT_ONCE).collect().await;
    let (again, done): (Vec<_>, Vec<_>) =
        outcomes.into_iter().partition(|(_, outcome)| *outcome == Outcome::Retry);
    for (key, _) in &again {
        engine.fleets.ask(key);
    }
    let outcome = if again.is_empty() { Outcome::Done } else { Outcome::Retry };
    (done.into_iter().map(|(key, _)| key).collect(), outcome)
}

impl Round<'_> {
    /// Decides about those who have a turn, and then about the others.
    async fn taken(
        &mut self,
        engine: &Engine,
        serving: &Arc<Serving>,
        turns: waves::Turns,
        mut others: Vec<InstanceKey>,
    ) -> Outcome {
        others.extend(turns.by_key.keys().cloned());
        self.turns = self.facts.is_gated.then_some(turns);
        let (done, outcome) = assign_all(engine, serving, self, others).await;
        if let Some(turns) = self.turns.take() {
            turns.taken(engine, &serving.name, &done).await;
        }
        outcome
    }

    /// Whether an instance may move.
    fn turn(&self, key: &InstanceKey) -> Turn {
        match &self.turns {
            Some(turns) => turns.by_key.get(key).copied().unwrap_or(Turn::Waits),
            None => Turn::Free,
        }
    }

    /// Whether an instance whose assignment stays is to be looked at nevertheless.
    fn concerns(&self, key: &InstanceKey, instance: &Value) -> bool {
        let is_new = |Before(before): &Before| match before {
            Some(before) => self.facts.is_other_for(instance, before),
            None => true,
        };
        self.asking.contains(key) || self.news.as_ref().is_some_and(is_new)
    }
}

/// The cache says when it is complete; unless it has become so meanwhile.
fn wait(engine: &Engine, serving: &Serving, cache: Option<&Arc<KindCache>>) -> Outcome {
    let Some(cache) = cache else { return Outcome::Retry };
    let key = Key::Fleet(Arc::clone(&serving.name));
    engine.router.wait(&cache.kind, key.clone());
    if cache.read().is_ok() {
        engine.queue.add(key);
    }
    Outcome::Done
}

fn all(serving: &Serving) -> Vec<InstanceKey> {
    let Ok(reading) = serving.instances.read() else { return Vec::new() };
    let key = |(namespace, name)| InstanceKey { definition: Arc::clone(&serving.name), namespace, name };
    reading.objects().names().into_iter().map(key).collect()
}
