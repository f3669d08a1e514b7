//! What comes after what: revisions know when they were issued to the second, events to less.

use std::cmp::Ordering;
use std::collections::VecDeque;

use jiff::Timestamp;

use super::{Change, Entry, instant, second};

/// Changes of each kind, newest first.
pub(super) struct Lanes {
    /// Each with the instant at which it was told, where somebody did.
    pub(super) revisions: Vec<(Entry, Option<Timestamp>)>,
    pub(super) told_of_definition: Vec<Entry>,
    pub(super) told_of_instance: Vec<Entry>,
    pub(super) inputs: Vec<Entry>,
}

struct Timed {
    entry: Entry,
    second: Option<Timestamp>,
    /// More precisely, where that is known.
    instant: Option<Timestamp>,
}

/// All of them, newest first; each lane keeps its own order.
pub(super) fn merged(lanes: Lanes) -> Vec<Entry> {
    let revision = |(entry, instant): (Entry, Option<Timestamp>)| Timed::of(entry, instant);
    let event = |entry: Entry| {
        let at = instant(entry.when.as_deref());
        Timed::of(entry, at)
    };
    // At the same second an input follows what was told, and that the revision it is about.
    let mut lanes: [VecDeque<Timed>; 4] = [
        lanes.revisions.into_iter().map(revision).collect(),
        lanes.told_of_definition.into_iter().map(event).collect(),
        lanes.told_of_instance.into_iter().map(event).collect(),
        lanes.inputs.into_iter().map(|it| Timed::of(it, None)).collect(),
    ];
    std::iter::from_fn(|| latest(&mut lanes)).collect()
}

impl Timed {
    fn of(entry: Entry, instant: Option<Timestamp>) -> Self {
        Self { second: second(entry.when.as_deref()), instant, entry }
    }

    /// As far as times tell.
    fn cmp(&self, other: &Self) -> Ordering {
        let instants = self.instant.zip(other.instant).map(|(one, other)| one.cmp(&other));
        self.second.cmp(&other.second).then(instants.unwrap_or(Ordering::Equal))
    }
}

/// The latest of what the lanes have next, of two at the same time that of the later lane.
fn latest(lanes: &mut [VecDeque<Timed>; 4]) -> Option<Entry> {
    let [revisions, .., inputs] = &*lanes;
    let is_overtaken = inputs.front().is_some_and(|it| is_overtaken(it, revisions));
    let last = lanes.len() - 1;
    let heads = lanes.iter().enumerate().filter(|(index, _)| !is_overtaken || *index != last);
    let heads = heads.filter_map(|(index, lane)| Some((index, lane.front()?)));
    let (index, _) = heads.max_by(|(one, this), (other, that)| this.cmp(that).then(one.cmp(other)))?;
    lanes[index].pop_front().map(|it| it.entry)
}

/// Whether the next revision of the definition came at the same second: an instance moves on when there is one.
fn is_overtaken(input: &Timed, revisions: &VecDeque<Timed>) -> bool {
    let Change::Input(_, Some(of)) = input.entry.what else { return false };
    let is_next = |it: &Timed| matches!(it.entry.what, Change::Definition(number) if number > of);
    revisions.iter().any(|it| it.second == input.second && is_next(it))
}
