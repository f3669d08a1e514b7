//! Concurrent histories over power cuts have an order that explains them.
//!
//! Each key is checked for itself (linearizability is local), in the manner of Wing and Gong: states that an era may have ended
//! in are those the next era may begin with. A write without an answer happened before the power cut or never.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use krono_store::{DiskStore, Entry, Expected, Options, Store, Write, WriteError};

use crate::conformance::remembering;
use crate::power::Disks;
use crate::random::{Random, cases, seed};

const CLIENTS: u64 = 6;
const KEYS: u64 = 8;
const ORDINARY: u64 = 4_000;
/// Operations of a client after which the power goes at the latest.
const LONGEST_ERA: usize = 150;

/// What a key holds: the number of the write that made it so.
type State = Option<u64>;

#[derive(Clone, Debug)]
struct Operation {
    key: u64,
    called: u64,
    /// `u64::MAX` without an answer.
    answered: u64,
    action: Action,
}

#[derive(Clone, Debug)]
enum Action {
    Get { seen: State },
    Write { expected: State, new: State, outcome: Outcome },
}

#[derive(Clone, Debug)]
enum Outcome {
    Done {
        version: u64,
    },
    Stale {
        seen: State,
    },
    /// It may have happened.
    Unknown,
    /// It did not happen.
    Refused,
}

#[test]
fn histories_over_power_cuts_are_linearizable() {
    let seed = seed("store-linearizable");
    let wanted = cases().unwrap_or(ORDINARY);
    let deadline = cases().is_none().then(|| Instant::now() + Duration::from_mins(1));
    let mut world = World::new(seed);
    let (mut checked, mut unknown) = (0, 0);
    while checked < wanted && deadline.is_none_or(|it| Instant::now() < it) {
        let history = world.live_until_power_cut();
        unknown += history.iter().filter(|it| it.answered == u64::MAX).count();
        world.check(&history);
        checked += history.len() as u64;
    }
    println!("{} power cuts, {unknown} writes without an answer", world.cuts);
    println!("store-linearizable: {checked}/{checked}");
}

struct World {
    disks: Disks,
    random: Random,
    cuts: u64,
    /// Counts calls and answers.
    clock: AtomicU64,
    /// Numbers the writes.
    writes: AtomicU64,
    /// What each key may hold now.
    states: BTreeMap<u64, BTreeSet<State>>,
    /// Versions that were answered with or seen, and the write each stands for.
    versions: Mutex<BTreeMap<u64, u64>>,
    newest_answered: u64,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let disks = Disks::new(random.next());
        // A store that was opened and closed once: its tables are there.
        drop(open(&disks));
        let states = (0..KEYS).map(|key| (key, BTreeSet::from([None]))).collect();
        let versions = Mutex::new(BTreeMap::new());
        let (clock, writes) = (AtomicU64::new(1), AtomicU64::new(1));
        Self { disks, random, cuts: 0, clock, writes, states, versions, newest_answered: 0 }
    }

    fn live_until_power_cut(&mut self) -> Vec<Operation> {
        let store = open(&self.disks);
        self.disks.cut_after(50 + self.random.below(3_000));
        let seeds: Vec<_> = (0..CLIENTS).map(|_| self.random.next()).collect();
        let histories = std::thread::scope(|scope| {
            let (this, store) = (&*self, &store);
            let clients: Vec<_> = seeds
                .into_iter()
                .map(|seed| scope.spawn(move || this.client(store, Random::new(seed))))
                .collect();
            clients.into_iter().map(|it| it.join().unwrap()).collect::<Vec<_>>()
        });
        self.disks.cut_after(0);
        drop(store);
        self.disks = self.disks.restarted();
        self.cuts += 1;
        histories.into_iter().flatten().collect()
    }

    /// Works until the store fails, or for long enough.
    fn client(&self, store: &DiskStore, mut random: Random) -> Vec<Operation> {
        let mut history = Vec::new();
        let mut known: BTreeMap<u64, Option<Entry>> = BTreeMap::new();
        while history.len() < LONGEST_ERA {
            let key = random.below(KEYS);
            let called = self.tick();
            let action = if random.below(3) == 0 {
                let entry = store.get(&name(key));
                let seen = self.seen(entry.as_ref());
                known.insert(key, entry);
                Action::Get { seen }
            } else {
                self.write(store, key, known.entry(key).or_default(), random.below(3) > 0)
            };
            let answered = self.tick();
            let unknown = matches!(action, Action::Write { outcome: Outcome::Unknown, .. });
            let refused = matches!(action, Action::Write { outcome: Outcome::Refused, .. });
            let answered = if unknown { u64::MAX } else { answered };
            history.push(Operation { key, called, answered, action });
            if unknown || refused {
                break;
            }
        }
        history
    }

    fn write(&self, store: &DiskStore, key: u64, known: &mut Option<Entry>, puts: bool) -> Action {
        let number = self.writes.fetch_add(1, Ordering::SeqCst);
        let new = (puts || known.is_none()).then_some(number);
        let expected = known.as_ref().map_or(Expected::Absent, |it| Expected::At(it.version));
        let value = new.map(value);
        let write = Write { key: name(key).into(), expected, value: value.clone().map(Into::into) };
        let expected = known.as_ref().map(|it| number_of(&it.value));
        let outcome = match store.write(write).wait() {
            Ok(version) => {
                self.note(version, number);
                *known = value.map(|it| Entry { value: it.into(), version });
                Outcome::Done { version }
            }
            Err(WriteError::Stale(entry)) => {
                let seen = self.seen(entry.as_ref());
                *known = entry;
                Outcome::Stale { seen }
            }
            Err(WriteError::Unknown(_)) => Outcome::Unknown,
            Err(WriteError::Failed(_)) => Outcome::Refused,
        };
        Action::Write { expected, new, outcome }
    }

    fn seen(&self, entry: Option<&Entry>) -> State {
        entry.map(|it| {
            let number = number_of(&it.value);
            self.note(it.version, number);
            number
        })
    }

    /// A version stands for one write, whoever sees it and when.
    fn note(&self, version: u64, number: u64) {
        let found = *self.versions.lock().unwrap().entry(version).or_insert(number);
        assert_eq!(found, number, "version {version} stands for two writes");
    }

    fn tick(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    fn check(&mut self, history: &[Operation]) {
        self.check_versions(history);
        for key in 0..KEYS {
            let mut operations: Vec<_> = history.iter().filter(|it| it.key == key).cloned().collect();
            operations.sort_by_key(|it| it.called);
            let before = &self.states[&key];
            let after: BTreeSet<State> = before.iter().flat_map(|state| ends(&operations, *state)).collect();
            assert!(!after.is_empty(), "no order explains key {key} from {before:?}: {operations:#?}");
            self.states.insert(key, after);
        }
    }

    /// A write gets a higher version than every write that was answered before it was called.
    fn check_versions(&mut self, history: &[Operation]) {
        let done = |it: &Operation| match it.action {
            Action::Write { outcome: Outcome::Done { version }, .. } => {
                Some((it.called, it.answered, version))
            }
            Action::Get { .. } | Action::Write { .. } => None,
        };
        let mut calls: Vec<_> = history.iter().filter_map(done).collect();
        let mut answers = calls.clone();
        calls.sort_unstable();
        answers.sort_unstable_by_key(|it| it.1);
        let mut answers = answers.into_iter().peekable();
        for (called, _, version) in calls {
            while let Some((_, _, earlier)) = answers.next_if(|it| it.1 < called) {
                self.newest_answered = self.newest_answered.max(earlier);
            }
            assert!(version > self.newest_answered, "version {version} after {}", self.newest_answered);
        }
        self.newest_answered = answers.map(|it| it.2).fold(self.newest_answered, u64::max);
    }
}

/// The states that the key may be in after the operations, in any order that explains all answers.
fn ends(operations: &[Operation], start: State) -> BTreeSet<State> {
    let mut ends = BTreeSet::new();
    let mut visited = HashSet::new();
    let mut open = vec![(0_usize, BTreeSet::<usize>::new(), start)];
    while let Some((first, taken, state)) = open.pop() {
        let left = || (first..operations.len()).filter(|it| !taken.contains(it));
        let Some(horizon) = left().map(|it| operations[it].answered).filter(|it| *it != u64::MAX).min()
        else {
            ends.insert(state);
            open.extend(steps(operations, left(), u64::MAX, &taken, first, state, &mut visited));
            continue;
        };
        open.extend(steps(operations, left(), horizon, &taken, first, state, &mut visited));
    }
    ends
}

type Configuration = (usize, BTreeSet<usize>, State);

fn steps(
    operations: &[Operation],
    left: impl Iterator<Item = usize>,
    horizon: u64,
    taken: &BTreeSet<usize>,
    first: usize,
    state: State,
    visited: &mut HashSet<Configuration>,
) -> Vec<Configuration> {
    let mut found = Vec::new();
    for index in left.take_while(|it| operations[*it].called < horizon) {
        let Some(next) = after(&operations[index].action, state) else { continue };
        let (mut first, mut taken) = (first, taken.clone());
        taken.insert(index);
        while taken.remove(&first) {
            first += 1;
        }
        if visited.insert((first, taken.clone(), next)) {
            found.push((first, taken, next));
        }
    }
    found
}

/// The state after an action, if its answer fits.
fn after(action: &Action, state: State) -> Option<State> {
    match action {
        Action::Get { seen } => (*seen == state).then_some(state),
        Action::Write { expected, new, outcome } => match outcome {
            Outcome::Done { .. } | Outcome::Unknown => (*expected == state).then_some(*new),
            Outcome::Stale { seen } => (*expected != state && *seen == state).then_some(state),
            Outcome::Refused => Some(state),
        },
    }
}

fn open(disks: &Disks) -> DiskStore {
    disks.open(&Options { journal: 4_000, ..remembering(500) }).unwrap()
}

fn name(key: u64) -> String {
    format!("keys/{key}")
}

/// A value that shows when it is not whole.
fn value(number: u64) -> String {
    format!("{number:010}").repeat(usize::try_from(20 + number % 300).unwrap())
}

fn number_of(bytes: &[u8]) -> u64 {
    let text = std::str::from_utf8(bytes).unwrap();
    let number = text[..10].parse().unwrap();
    assert_eq!(text, value(number), "a half-written value");
    number
}

#[test]
fn the_checker_finds_faults() {
    let get = |called, answered, seen| Operation { key: 0, called, answered, action: Action::Get { seen } };
    let put = |called, answered, expected, new, outcome| Operation {
        key: 0,
        called,
        answered,
        action: Action::Write { expected, new: Some(new), outcome },
    };
    let done = || Outcome::Done { version: 1 };
    let check = |operations: &[Operation], expected: &[State]| {
        assert_eq!(ends(operations, None).into_iter().collect::<Vec<_>>(), expected, "{operations:#?}");
    };
    check(&[put(1, 2, None, 7, done()), get(3, 4, Some(7))], &[Some(7)]);
    check(&[put(1, 2, None, 7, done()), get(3, 4, None)], &[]);
    check(&[put(1, 4, None, 7, done()), get(2, 3, None)], &[Some(7)]);
    check(&[put(1, 4, None, 7, done()), put(2, 3, None, 8, done())], &[]);
    check(&[put(1, u64::MAX, None, 7, Outcome::Unknown)], &[None, Some(7)]);
    check(&[put(1, u64::MAX, None, 7, Outcome::Unknown), get(2, 3, Some(7))], &[Some(7)]);
    check(&[get(1, 2, Some(7)), put(3, u64::MAX, None, 7, Outcome::Unknown)], &[]);
    check(&[put(1, 2, None, 7, Outcome::Stale { seen: None })], &[]);
    check(&[put(1, 2, None, 7, Outcome::Refused)], &[None]);
    check(&[put(1, 2, None, 7, Outcome::Refused), get(3, 4, Some(7))], &[]);
}
