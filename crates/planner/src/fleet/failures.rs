//! The failures that the status of a definition tells of: so many by name, and of those beyond no more than what tells them apart.

use std::collections::{BTreeMap, BTreeSet};

use krono_history::Digest;
use krono_propagation::fleet::Member;
use krono_propagation::{Decision, FailureTold};
use serde_json::{Map, Value, json};

/// How many are told by name.
const BY_NAME: usize = 500;
/// How many more are known, as fingerprints of their names: a status of so many has a few hundred kB.
const MOST: usize = 20_000;
/// In hexadecimal digits: of ten thousand names, hardly ever two have the same.
const FINGERPRINT: usize = 10;

/// In the record: those by name, and the fingerprints of the others.
pub(super) const FIELDS: [&str; 2] = ["failures", "furtherFailures"];
const COUNTED: &str = "counted";
const EXCUSED: &str = "excused";

/// The failures that a record tells of, and whether each counts.
#[derive(Default)]
pub(super) struct Known<'v> {
    by_name: BTreeMap<&'v str, bool>,
    further: BTreeMap<&'v str, bool>,
}

impl<'v> Known<'v> {
    pub(super) fn read(record: &'v Value) -> Self {
        let [by_name, further] = FIELDS.map(|it| &record[it]);
        let named = by_name.as_array().into_iter().flatten();
        let named = named.filter_map(|it| Some((it["instance"].as_str()?, it["excused"] != true)));
        let of = |field: &str| further[field].as_str().unwrap_or_default();
        let further = [(COUNTED, true), (EXCUSED, false)].into_iter();
        Self {
            by_name: named.collect(),
            further: further.flat_map(|(field, counts)| cut(of(field)).map(move |it| (it, counts))).collect(),
        }
    }

    /// Whether a failure of an instance counts; nothing where none is told.
    fn counted(&self, full_name: &str) -> Option<bool> {
        let further = || self.further.get(fingerprint(full_name).as_str()).copied();
        let named = self.by_name.get(full_name).copied();
        named.or_else(|| if self.further.is_empty() { None } else { further() })
    }

    pub(super) fn tells_of(&self, full_name: &str) -> bool {
        self.counted(full_name).is_some()
    }

    /// Whether an instance has a failure that counts.
    pub(super) fn blames(&self, member: &Member<'_>) -> bool {
        !self.by_name.is_empty() && self.counted(&member.full_name()) == Some(true)
    }
}

/// Those that are kept; those that count come first.
pub(super) fn kept(decision: &Decision) -> impl Iterator<Item = &FailureTold> {
    let of = |is_excused: bool| decision.failures.iter().filter(move |it| it.is_excused == is_excused);
    of(false).chain(of(true)).take(BY_NAME + MOST)
}

/// Puts them into a record.
pub(super) fn put(record: &mut Map<String, Value>, members: &[Member<'_>], decision: &Decision) {
    let [by_name, further] = FIELDS;
    let named: Vec<Value> = kept(decision).take(BY_NAME).map(|it| named(members, it)).collect();
    if !named.is_empty() {
        record.insert(by_name.to_owned(), json!(named));
    }
    let rest = |is_excused: bool| {
        let rest = kept(decision).skip(BY_NAME).filter(move |it| it.is_excused == is_excused);
        let marks: BTreeSet<String> = rest.map(|it| fingerprint(&name(members, it))).collect();
        marks.into_iter().collect::<String>()
    };
    let rest = [(COUNTED, rest(false)), (EXCUSED, rest(true))];
    let rest: Map<String, Value> = rest
        .into_iter()
        .filter(|it| !it.1.is_empty())
        .map(|(field, it)| (field.to_owned(), json!(it)))
        .collect();
    if !rest.is_empty() {
        record.insert(further.to_owned(), Value::Object(rest));
    }
}

fn named(members: &[Member<'_>], told: &FailureTold) -> Value {
    let mut failure = json!({"instance": name(members, told), "message": told.failure.as_str()});
    if told.is_excused {
        failure["excused"] = json!(true);
    }
    failure
}

pub(super) fn name(members: &[Member<'_>], told: &FailureTold) -> String {
    members.get(told.member).map(Member::full_name).unwrap_or_default()
}

fn fingerprint(full_name: &str) -> String {
    let digest = Digest::of_content("failure", &json!(full_name)).to_string();
    digest.chars().take(FINGERPRINT).collect()
}

/// The fingerprints in a text that has one after another.
fn cut(text: &str) -> impl Iterator<Item = &str> {
    (0..text.len() / FINGERPRINT).filter_map(|it| text.get(it * FINGERPRINT..(it + 1) * FINGERPRINT))
}
