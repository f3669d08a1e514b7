//! The instances of one definition: which revision each should run.

mod assign;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use jiff::Timestamp;
use krono_planner::fleet::Facts;

use crate::engine::Engine;
use crate::queue::{InstanceKey, Key, Outcome};
use crate::serving::Serving;

pub(crate) use assign::decided;

/// How many instances are assigned at the same time.
const AT_ONCE: usize = 16;

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

    /// Takes in what is the same for all; whether that is news.
    fn learn(&self, definition: &Arc<str>, facts: Option<Facts>) -> bool {
        let mut fleets = self.lock();
        let fleet = fleets.entry(Arc::clone(definition)).or_default();
        let is_news = fleet.facts.as_deref() != facts.as_ref();
        if is_news {
            fleet.facts = facts.map(Arc::new);
        }
        is_news
    }

    /// Whether facts have to be found anew; whoever asks does so.
    fn take_stale(&self, definition: &str) -> bool {
        self.lock().get_mut(definition).is_some_and(|it| std::mem::take(&mut it.is_stale))
    }

    /// How long it takes until all instances are to be looked at again.
    fn wait(&self, definition: &str) -> Option<Duration> {
        let now = crate::clock::timestamp();
        let mut fleets = self.lock();
        let fleet = fleets.get_mut(definition)?;
        fleet.due = fleet.facts.as_ref()?.next_end_of_pins(now);
        fleet.due.and_then(|it| Duration::try_from(it.duration_since(now)).ok())
    }

    /// Whether all instances are to be looked at again.
    fn is_due(&self, definition: &str) -> bool {
        let now = crate::clock::timestamp();
        self.lock().get(definition).and_then(|it| it.due).is_some_and(|it| it <= now)
    }

    fn take_asking(&self, definition: &str) -> BTreeSet<InstanceKey> {
        self.lock().get_mut(definition).map(|it| std::mem::take(&mut it.asking)).unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Fleet>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Assigns instances of a definition: all of them when what is the same for all has changed, else those that ask.
pub(crate) async fn reconcile(engine: &Engine, definition: &Arc<str>) -> Outcome {
    let Some(serving) = engine.serving(definition) else {
        engine.fleets.forget(definition);
        return Outcome::Done;
    };
    let is_news =
        engine.fleets.take_stale(definition) && engine.fleets.learn(definition, facts(engine, &serving));
    if is_news || engine.fleets.is_due(definition) {
        for key in all(&serving) {
            engine.fleets.ask(&key);
        }
    }
    if serving.instances.read().is_err() {
        return wait(engine, &serving);
    }
    let asking = engine.fleets.take_asking(definition);
    let outcome = match engine.fleets.facts(definition) {
        Some(facts) => assign_all(engine, &serving, &facts, asking.clone()).await,
        None => Outcome::Done,
    };
    if is_news {
        for key in asking {
            engine.queue.add(Key::Instance(key));
        }
    }
    match engine.fleets.wait(definition) {
        Some(pause) if outcome == Outcome::Done => Outcome::Later(pause),
        Some(_) | None => outcome,
    }
}

/// Nothing while no revision is served.
fn facts(engine: &Engine, serving: &Serving) -> Option<Facts> {
    let current = serving.current_revision()?;
    let definition = engine.definition(&serving.name)?;
    let revisions = serving.revisions();
    Some(Facts::of(&definition, current, &revisions.history, revisions.issued_at()))
}

async fn assign_all(
    engine: &Engine,
    serving: &Arc<Serving>,
    facts: &Facts,
    keys: BTreeSet<InstanceKey>,
) -> Outcome {
    let assigned = stream::iter(keys.into_iter().map(|key| async move {
        let outcome = assign::assign(engine, serving, facts, &key).await;
        (key, outcome)
    }));
    let outcomes: Vec<_> = assigned.buffer_unordered(AT_ONCE).collect().await;
    let again: Vec<_> = outcomes.into_iter().filter(|(_, outcome)| *outcome == Outcome::Retry).collect();
    for (key, _) in &again {
        engine.fleets.ask(key);
    }
    if again.is_empty() { Outcome::Done } else { Outcome::Retry }
}

/// The cache says when it is complete; unless it has become so meanwhile.
fn wait(engine: &Engine, serving: &Serving) -> Outcome {
    let key = Key::Fleet(Arc::clone(&serving.name));
    engine.router.wait(&serving.instances.kind, key.clone());
    if serving.instances.read().is_ok() {
        engine.queue.add(key);
    }
    Outcome::Done
}

fn all(serving: &Serving) -> Vec<InstanceKey> {
    let Ok(reading) = serving.instances.read() else { return Vec::new() };
    let key = |(namespace, name)| InstanceKey { definition: Arc::clone(&serving.name), namespace, name };
    reading.objects().names().into_iter().map(key).collect()
}
