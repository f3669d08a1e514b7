//! What expressions see of a fleet.

use std::sync::Arc;

use krono_cel::{FieldTypes, Key, Map, ObjectType, Text, Type, Val};
use serde_json::Value;

use super::Round;
use crate::decide::Counts;
use crate::fleet::Member;

pub(super) const INSTANCE_TYPE: &str = "krono.Instance";
pub(super) const EACH_TYPE: &str = "krono.Candidate";
/// Where functions find what is known about an instance; no source can name it.
pub(super) const FACTS: &str = "@facts";

static DYN: Type = Type::Dyn;

pub(super) fn instance_fields(index: Type, spec: Type) -> FieldTypes {
    let fields = [
        ("apiVersion", Type::String),
        ("kind", Type::String),
        ("metadata", Type::Dyn),
        ("spec", spec),
        ("status", instance_status()),
        ("index", index),
    ];
    fields.into_iter().map(|(name, ty)| (Arc::from(name), ty)).collect()
}

/// The author's own fields are beside krono's.
fn instance_status() -> Type {
    let propagation = Type::object(
        "krono.InstancePropagation",
        [
            ("status", Type::String),
            ("targetInputRevision", Type::Int),
            ("resourcesAtTarget", Type::Int),
            ("totalResources", Type::Int),
            ("lastTransitionTime", Type::Dyn),
        ],
    );
    open(
        "krono.InstanceStatus",
        NUMBERS
            .map(|it| (it, Type::Int))
            .into_iter()
            .chain([("state", Type::String), ("propagation", propagation)]),
    )
}

const OBSERVED_REVISION: &str = "observedRGDRevision";
const NUMBERS: [&str; 4] =
    ["currentInputRevision", "currentRGDRevision", "observedInputRevision", OBSERVED_REVISION];
const PROPAGATION_NUMBERS: [&str; 3] = ["targetInputRevision", "resourcesAtTarget", "totalResources"];
const PROPAGATION_TEXTS: [&str; 2] = ["status", "lastTransitionTime"];

pub(super) fn definition_type() -> Type {
    let status = open(
        "krono.DefinitionStatus",
        [
            ("currentRevision", Type::Int),
            ("latestRevision", Type::Int),
            ("currentRevisionName", Type::String),
            ("currentRevisionHash", Type::String),
        ],
    );
    open("krono.Definition", [("metadata", Type::Dyn), ("spec", Type::Dyn), ("status", status)])
}

pub(super) fn fleet_type() -> Type {
    let names = ["total", "eligible", "admitted", "settled", "ready", "failed", "inFlight"];
    Type::object("krono.Fleet", names.map(|it| (it, Type::Int)))
}

fn open(name: &str, fields: impl IntoIterator<Item = (&'static str, Type)>) -> Type {
    let fields: FieldTypes = fields.into_iter().map(|(name, ty)| (Arc::from(name), ty)).collect();
    Type::Object(Arc::new(ObjectType::new(name, true, || fields)))
}

type Entry<'r> = (Key<'r>, Val<'r>);

fn entry<'r>(name: &'r str, value: Val<'r>) -> Entry<'r> {
    (Key::String(Text::Lent(name)), value)
}

fn number<'r>(number: usize) -> Val<'r> {
    Val::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

fn made(entries: Vec<Entry<'_>>) -> Val<'_> {
    Val::map(Map::last_wins(entries))
}

/// The fields of an object as they are.
fn fields(object: &Value) -> impl Iterator<Item = Entry<'_>> {
    let fields = object.as_object().into_iter().flatten();
    fields.map(|(name, value)| entry(name, Val::from_json(value, &DYN)))
}

pub(super) fn fleet<'r>(counts: &Counts) -> Val<'r> {
    made(vec![
        entry("total", number(counts.total)),
        entry("eligible", number(counts.eligible)),
        entry("admitted", number(counts.admitted)),
        entry("settled", number(counts.settled)),
        entry("ready", number(counts.ready)),
        entry("failed", number(counts.failed)),
        entry("inFlight", number(counts.in_flight)),
    ])
}

pub(super) fn definition<'r>(round: &Round<'r>) -> Val<'r> {
    let (definition, target) = (round.fleet.definition, round.fleet.target);
    let usual = [
        entry("latestRevision", Val::Int(0)),
        entry("currentRevisionName", Val::str("")),
        entry("currentRevisionHash", Val::string(target.digest.to_string())),
    ];
    let current = entry("currentRevision", Val::Int(target.number.to_wire()));
    let status = usual.into_iter().chain(fields(&definition["status"])).chain([current]).collect();
    made(fields(definition).chain([entry("status", made(status))]).collect())
}

/// A candidate of whom nothing but the index is asked.
pub(super) fn only_index<'r>(rank: usize) -> Val<'r> {
    made(vec![entry("index", number(rank))])
}

/// Those who take part in the order in which they move, then the others by name.
pub(super) fn instances<'r>(round: &Round<'r>) -> Vec<Val<'r>> {
    let members = round.fleet.members;
    let mut others: Vec<usize> =
        (0..members.len()).filter(|it| !round.standings[*it].is_eligible()).collect();
    others.sort_unstable_by_key(|it| (members[*it].namespace, members[*it].name));
    let ranked = round.ranks.iter().enumerate().map(|(rank, at)| instance(round, *at, Some(rank)));
    ranked.chain(others.iter().map(|at| instance(round, *at, None))).collect()
}

pub(super) fn instance<'r>(round: &Round<'r>, at: usize, rank: Option<usize>) -> Val<'r> {
    let member = &round.fleet.members[at];
    let own = [
        entry("status", status(round, member)),
        entry("index", rank.map_or(Val::Null, number)),
        entry(FACTS, facts(round, at)),
    ];
    made(fields(member.object).chain(own).collect())
}

/// krono's own fields are always there, and an instance at the current content is at the current revision whatever its number.
fn status<'r>(round: &Round<'r>, member: &'r Member<'r>) -> Val<'r> {
    let status = &member.object["status"];
    let usual = NUMBERS.map(|it| entry(it, Val::Int(0)));
    let mut entries: Vec<Entry<'r>> = usual.into_iter().chain([entry("state", Val::str(""))]).collect();
    entries.extend(fields(status));
    entries.push(entry("propagation", propagation(&status["propagation"])));
    if member.has_observed(round.fleet.target.digest) {
        entries.push(entry(OBSERVED_REVISION, Val::Int(round.fleet.target.number.to_wire())));
    }
    made(entries)
}

fn propagation(propagation: &Value) -> Val<'_> {
    let numbers = PROPAGATION_NUMBERS.map(|it| entry(it, Val::Int(0)));
    let texts = PROPAGATION_TEXTS.map(|it| entry(it, Val::str("")));
    made(numbers.into_iter().chain(texts).chain(fields(propagation)).collect())
}

fn facts<'r>(round: &Round<'r>, at: usize) -> Val<'r> {
    let (member, standing) = (&round.fleet.members[at], round.standings[at]);
    made(vec![
        entry("updated", Val::Bool(member.has_observed(round.fleet.target.digest))),
        entry("ready", Val::Bool(member.is_ready())),
        entry("failed", Val::Bool(standing.failure().is_some())),
        entry("settled", Val::Bool(standing.is_settled())),
    ])
}
