//! A fleet that chance has made.

use jiff::{SignedDuration, Timestamp};
use krono_history::{Digest, RevisionNumber};
use serde_json::{Value, json};

use super::play::play_within;
use super::{Course, Fate, Look, Params, Play};
use crate::assignment::Assignment;
use crate::fleet::{Health, Member, Observed, Stance};

/// The digits of a name.
const DIGITS: usize = 9;
static NOTHING: Value = Value::Null;

pub(super) fn simulate(most_work: usize, params: &Params<'_>) -> Course {
    let names = names(params.instances);
    let old = content(1);
    let members = (0..params.instances).map(|at| member(params, at, &names, old.digest)).collect();
    let fates = (0..params.instances).map(|at| fate(params, at)).collect();
    let (target, last_good, definition) = (content(2), Some(old), params.definition);
    let (policy, gates, look_every, start) = (params.policy, params.gates, params.look_every, params.start);
    let play = Play { members, fates, target, last_good, definition, policy, gates, look_every, start };
    play_within(most_work, play)
}

fn content(number: u64) -> Assignment {
    let digest = Digest::of_content("simulated", &json!(number));
    Assignment { number: RevisionNumber::new(number).unwrap_or(RevisionNumber::FIRST), digest }
}

/// All names in one text: a million texts would be most of the memory.
fn names(count: usize) -> String {
    let mut names = String::with_capacity(count * DIGITS);
    for number in (0..count).map(|it| it.to_string()) {
        names.extend(std::iter::repeat_n('0', DIGITS.saturating_sub(number.len())));
        names.push_str(&number);
    }
    names
}

fn member<'n>(params: &Params<'n>, at: usize, names: &'n str, old: Digest) -> Member<'n> {
    let mut chance = Chance::new(params.seed, at, Purpose::Before);
    let since = params.start.saturating_sub(SignedDuration::from_hours(1)).unwrap_or(Timestamp::MIN);
    let is_broken = chance.comes(params.chances.is_broken);
    let is_pinned = chance.comes(params.chances.is_pinned);
    let object = chance.one_of(params.looks);
    Member {
        namespace: "default",
        name: names.get(at * DIGITS..(at + 1) * DIGITS).unwrap_or_default(),
        created: since,
        assigned: Some(old),
        admission: None,
        observed: Some(Observed { digest: old, since }),
        health: if is_broken { Health::Unready(since) } else { Health::Ready },
        hindered: SignedDuration::ZERO,
        stance: if is_pinned { Stance::Pinned } else { Stance::Auto },
        order: 0,
        is_edited: false,
        has_failed: false,
        object,
        namespace_labels: &NOTHING,
    }
}

pub(super) fn fate(params: &Params<'_>, at: usize) -> Fate {
    let mut chance = Chance::new(params.seed, at, Purpose::After);
    let (least, most) = (u64::from(*params.takes.start()), u64::from(*params.takes.end()));
    let spread = most.saturating_sub(least) + 1;
    let seconds = least + chance.next() % spread;
    let takes = SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX));
    Fate { takes, fails: chance.comes(params.chances.fails) }
}

#[derive(Clone, Copy)]
enum Purpose {
    Before,
    After,
}

/// Numbers that look random and follow from a seed, by `SplitMix64`.
struct Chance(u64);

impl Chance {
    fn new(seed: u64, at: usize, purpose: Purpose) -> Self {
        let mut place = Self(at as u64 * 2 + purpose as u64);
        Self(seed ^ place.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Whether something of this share happens.
    fn comes(&mut self, share: f64) -> bool {
        self.share() < share
    }

    /// One of these by their shares, which leave something over.
    fn one_of<'l>(&mut self, looks: &'l [Look]) -> &'l Value {
        let mut left = self.share();
        for look in looks {
            if left < look.share {
                return &look.object;
            }
            left -= look.share;
        }
        &NOTHING
    }

    /// At least 0, less than 1.
    fn share(&mut self) -> f64 {
        let drawn = u32::try_from(self.next() >> 32).unwrap_or(u32::MAX);
        f64::from(drawn) / (f64::from(u32::MAX) + 1.0)
    }
}
