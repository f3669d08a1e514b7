//! What is kept, and how the rest is given up.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::revision::{Health, History, Ownership, Revision};
use crate::{Digest, RevisionNumber};

/// How many revisions are kept around the current one unless said otherwise.
pub const HISTORY_LIMIT: u64 = 10;

/// How long a revision stays marked before it is deleted, in seconds: longer than anybody's cache lags behind.
pub const GRACE_SECONDS: i64 = 60;

/// A revision whose object is so many seconds younger than itself came from a backup: clocks do not differ by as much.
pub const RESTORED_SECONDS: i64 = 60;

/// How long nothing that came from a backup is given up, in seconds: the instances that need it may come last, and only they
/// tell that they do.
pub const RESTORE_SECONDS: i64 = 60 * 60;

/// What revisions are used for; from caches that are full.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// What instances move to.
    pub current: Option<RevisionNumber>,
    /// What is served whatever the definition says.
    pub held: Option<RevisionNumber>,
    /// The last whose propagation was completed.
    pub last_completed: Option<RevisionNumber>,
    /// What a rollback that is under way takes its content from.
    pub rollback_source: Option<RevisionNumber>,
    /// Those that a pin or an approval names, or another text that people wrote.
    pub named: BTreeSet<RevisionNumber>,
    /// The contents that instances are assigned to or have observed.
    pub contents: BTreeSet<Digest>,
    /// The contents of the installed release and of the one before.
    pub releases: BTreeSet<Digest>,
}

/// Why a revision is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Instances move to it.
    Current,
    /// It is the newest.
    Latest,
    /// It is served whatever the definition says.
    Held,
    /// Its propagation was the last to be completed.
    LastCompleted,
    /// A rollback is taking its content.
    RollbackSource,
    /// A pin or an approval names it.
    Named,
    /// Instances are assigned to its content, or have observed it.
    Assigned,
    /// Its content is that of the installed release or of the one before.
    Released,
    /// It is within the limit.
    Recent,
    /// Its mark tells that the content of another that is kept was given up.
    Mark,
}

/// The revisions that are kept, with all reasons for each.
///
/// The limit counts from the current number and, while a hold keeps the two apart, from the latest one too: both sides of a hold
/// have a history, and neither grows without end.
pub fn kept(history: &History, uses: &Uses, limit: u64) -> BTreeMap<RevisionNumber, BTreeSet<Reason>> {
    let latest = history.latest().map(|it| it.number);
    let mut kept: BTreeMap<RevisionNumber, BTreeSet<Reason>> = BTreeMap::new();
    let mut keep = |revision: Option<&Revision>, reason| {
        if let Some(revision) = revision {
            kept.entry(revision.number).or_default().insert(reason);
        }
    };
    let singles = [
        (uses.current, Reason::Current),
        (latest, Reason::Latest),
        (uses.held, Reason::Held),
        (uses.last_completed, Reason::LastCompleted),
        (uses.rollback_source, Reason::RollbackSource),
    ];
    for (number, reason) in singles {
        keep(number.and_then(|it| history.find(it)), reason);
    }
    for number in &uses.named {
        keep(history.find(*number), Reason::Named);
    }
    for (digests, reason) in [(&uses.contents, Reason::Assigned), (&uses.releases, Reason::Released)] {
        for digest in digests {
            keep(history.newest_with(*digest), reason);
        }
    }
    let is_near = |number: RevisionNumber, other: Option<RevisionNumber>| {
        other.is_some_and(|it| number.distance(it) <= limit)
    };
    for revision in history.live() {
        if is_near(revision.number, uses.current) || is_near(revision.number, latest) {
            keep(Some(revision), Reason::Recent);
        }
    }
    for number in marks(history, &kept) {
        kept.entry(number).or_default().insert(Reason::Mark);
    }
    kept
}

/// The revisions whose marks are told of content that others have too: a mark goes with the last that has its content.
fn marks<T>(history: &History, kept: &BTreeMap<RevisionNumber, T>) -> BTreeSet<RevisionNumber> {
    let unmarked = |it: &&Revision| !matches!(it.health, Health::Failed(_));
    let contents = kept.keys().filter_map(|it| history.find(*it)).filter(unmarked).map(|it| it.digest);
    contents.filter_map(|it| history.given_up(it)).map(|(it, _)| it.number).collect()
}

/// Whether what was observed may be behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// From caches.
    Cached,
    /// Read just now.
    Live,
}

/// What becomes of a revision now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is needed and unmarked.
    Kept,
    /// It is needed again, and its mark goes.
    Unmark,
    /// Nothing needs it: it is marked.
    Mark,
    /// Nothing needs it yet: it came from a backup, and until this time what needs it may come too.
    Spared(Timestamp),
    /// It is marked, and deleted at this time unless something needs it until then.
    Due(Timestamp),
    /// Its time has come, and a look at the world as it is has to confirm that nothing needs it.
    Recheck,
    /// It is deleted.
    Delete,
}

/// What becomes of every revision that is there to stay.
pub fn fates(
    history: &History,
    kept: &BTreeMap<RevisionNumber, BTreeSet<Reason>>,
    now: Timestamp,
    freshness: Freshness,
) -> BTreeMap<RevisionNumber, Fate> {
    let fate = |it: &Revision| match (kept.contains_key(&it.number), it.unused_since) {
        (true, None) => Fate::Kept,
        (true, Some(_)) => Fate::Unmark,
        (false, _) if let Some(until) = spared(it).filter(|until| now < *until) => Fate::Spared(until),
        // A mark that came with it tells of another cluster.
        (false, Some(since)) if spared(it).is_some() && Some(since) < it.object_made_at => Fate::Mark,
        // A mark from before the definition was there tells that its kind was gone.
        (false, Some(_)) if it.ownership == Ownership::Orphan => Fate::Mark,
        // A mark from the future would never fall due.
        (false, Some(since)) if since <= now => after(since, now, freshness),
        (false, Some(_) | None) => Fate::Mark,
    };
    history.live().map(|it| (it.number, fate(it))).collect()
}

fn spared(revision: &Revision) -> Option<Timestamp> {
    spared_until(revision.issued_at, revision.object_made_at)
}

/// Until when a revision that came from a backup is not given up; nothing for one that was issued here.
pub fn spared_until(issued_at: Option<Timestamp>, object_made_at: Option<Timestamp>) -> Option<Timestamp> {
    let (issued, made) = issued_at.zip(object_made_at)?;
    (later(issued, RESTORED_SECONDS) < made).then(|| later(made, RESTORE_SECONDS))
}

fn later(time: Timestamp, seconds: i64) -> Timestamp {
    Timestamp::from_second(time.as_second().saturating_add(seconds)).unwrap_or(Timestamp::MAX)
}

fn after(since: Timestamp, now: Timestamp, freshness: Freshness) -> Fate {
    let due = later(since, GRACE_SECONDS);
    match freshness {
        _ if now < due => Fate::Due(due),
        Freshness::Cached => Fate::Recheck,
        Freshness::Live => Fate::Delete,
    }
}

/// What a list of revisions calls one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Instances move to it.
    Current,
    /// It is served whatever the definition says.
    Held,
    /// Instances are on it, or may only be on it.
    Active,
    /// Kept, but no instance needs it.
    Unused,
    /// Nothing needs it.
    Prunable,
}

impl Standing {
    /// From the reasons why a revision is kept.
    pub fn of(reasons: Option<&BTreeSet<Reason>>) -> Self {
        let Some(reasons) = reasons else { return Self::Prunable };
        let has = |reason: Reason| reasons.contains(&reason);
        match () {
            () if has(Reason::Held) => Self::Held,
            () if has(Reason::Current) => Self::Current,
            () if has(Reason::Assigned) || has(Reason::Named) => Self::Active,
            () => Self::Unused,
        }
    }

    /// As people read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Current => "Current",
            Self::Held => "Held",
            Self::Active => "Active",
            Self::Unused => "Unused",
            Self::Prunable => "Prunable",
        }
    }
}

/// Whether an input revision can be restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restorable {
    /// It can.
    Yes,
    /// No kept revision of the definition has its content.
    DefinitionPruned,
    /// Its own spec was dropped for want of room.
    SpecDropped,
}

/// Whether an input revision can be restored: its spec is there, and so is the definition content that it is for.
pub fn restorable(history: &History, definition: Digest, has_spec: bool) -> Restorable {
    match history.newest_with(definition) {
        None => Restorable::DefinitionPruned,
        Some(_) if !has_spec => Restorable::SpecDropped,
        Some(_) => Restorable::Yes,
    }
}

#[cfg(test)]
mod tests;
