//! What expressions see of a fleet.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use krono_cel::{FieldTypes, Key, Map, ObjectType, Text, Type, Val};
use serde_json::Value;

use super::Round;
use super::functions::FACT_FUNCTIONS;
use super::sight::{Names, Sight};
use crate::assignment::Assignment;
use crate::decide::Counts;
use crate::fleet::Member;

pub(super) const INSTANCE_TYPE: &str = "krono.Instance";
pub(super) const EACH_TYPE: &str = "krono.Candidate";
/// Where functions find what is known about an instance; no source can name it.
pub(super) const FACTS: &str = "@facts";
pub(super) const INDEX: &str = "index";
pub(super) const STATUS: &str = "status";
const METADATA: &str = "metadata";

static DYN: Type = Type::Dyn;
static NOTHING: Value = Value::Null;

pub(super) fn instance_fields(index: Type, spec: Type, status: Type) -> FieldTypes {
    let fields = [
        ("apiVersion", Type::String),
        ("kind", Type::String),
        ("metadata", Type::Dyn),
        ("spec", spec),
        ("status", status),
        ("index", index),
    ];
    fields.into_iter().map(|(name, ty)| (Arc::from(name), ty)).collect()
}

/// The author's own fields are beside krono's, and win; any may be among them where they are not known.
pub(super) fn instance_status(authors: Option<&Value>) -> Type {
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
    let numbers = NUMBERS.map(|it| (it, Type::Int));
    let own = numbers.into_iter().chain([(STATE, Type::String), (PROPAGATION, propagation)]);
    let own = own.chain(OTHERS.map(|it| (it, Type::Dyn))).map(|(name, ty)| (Arc::from(name), ty));
    let fields: FieldTypes = own.chain(authors.into_iter().flat_map(written)).collect();
    Type::Object(Arc::new(ObjectType::new("krono.InstanceStatus", authors.is_none(), || fields)))
}

/// The fields of a status as an author writes it: what an expression leads to is not known.
fn written(status: &Value) -> impl Iterator<Item = (Arc<str>, Type)> {
    let fields = status.as_object().into_iter().flatten();
    fields.map(|(name, value)| (Arc::from(name.as_str()), written_type(value)))
}

fn written_type(value: &Value) -> Type {
    if !value.is_object() {
        return Type::Dyn;
    }
    let fields: FieldTypes = written(value).collect();
    Type::Object(Arc::new(ObjectType::new("krono.AuthorsStatus", false, || fields)))
}

const OBSERVED_REVISION: &str = "observedRGDRevision";
const NUMBERS: [&str; 5] = [
    "currentInputRevision",
    CURRENT_REVISION,
    "observedGeneration",
    "observedInputRevision",
    OBSERVED_REVISION,
];
/// Those that are not always there.
const OTHERS: [&str; 5] = [ASSIGNMENT, CONDITIONS, "ignoredFields", "inputRevisionHistory", KRONO];
const STATE: &str = "state";
const PROPAGATION: &str = "propagation";
const ASSIGNMENT: &str = "assignment";
const CONDITIONS: &str = "conditions";
const CURRENT_REVISION: &str = "currentRGDRevision";
const KRONO: &str = "krono";
/// The fields of a status that become others as soon as an instance is admitted.
pub(super) const MOVING: [&str; 5] = [ASSIGNMENT, CONDITIONS, CURRENT_REVISION, PROPAGATION, STATE];
const PROPAGATION_NUMBERS: [&str; 3] = ["targetInputRevision", "resourcesAtTarget", "totalResources"];
const PROPAGATION_TEXTS: [&str; 2] = ["status", "lastTransitionTime"];

/// The fields of a definition's status that are no more than told.
const DEFINITION_OTHERS: [&str; 9] = [
    "state",
    "conditions",
    "topologicalOrder",
    "resources",
    "lastIssuedRevision",
    "observedGeneration",
    "latestRevisionHash",
    "revisionHistory",
    "propagation",
];

pub(super) fn definition_type() -> Type {
    let own = [
        ("currentRevision", Type::Int),
        ("latestRevision", Type::Int),
        ("currentRevisionName", Type::String),
        ("currentRevisionHash", Type::String),
    ];
    let others = DEFINITION_OTHERS.map(|it| (it, Type::Dyn));
    let status = Type::object("krono.DefinitionStatus", own.into_iter().chain(others));
    let texts = ["apiVersion", "kind"].map(|it| (it, Type::String));
    let parts = [("metadata", Type::Dyn), ("spec", Type::Dyn), ("status", status)];
    Type::object("krono.Definition", texts.into_iter().chain(parts))
}

pub(super) fn fleet_type() -> Type {
    let names = ["total", "eligible", "admitted", "settled", "ready", "failed", "inFlight"];
    Type::object("krono.Fleet", names.map(|it| (it, Type::Int)))
}

/// The numbers of a fleet that stay the same when somebody is admitted.
pub(super) const STEADY: [&str; 4] = ["total", "eligible", "settled", "failed"];

type Entry<'r> = (Key<'r>, Val<'r>);

fn entry<'r>(name: &'r str, value: Val<'r>) -> Entry<'r> {
    (Key::String(Text::Lent(name)), value)
}

fn number<'r>(number: usize) -> Val<'r> {
    Val::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

fn made(entries: Vec<Entry<'_>>) -> Val<'_> {
    // Most are made in order, which is seen at once.
    if entries.is_sorted_by(|a, b| a.0 < b.0) {
        return Val::map(Map::new(entries).unwrap_or_default());
    }
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
        entry("inFlight", number(counts.moving)),
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

/// What many instances have in common, made once and only where somebody asks for it.
pub(super) struct Common<'r> {
    sight: &'r Sight,
    /// By [`Facts::number`].
    facts: LazyCell<Vec<Val<'r>>>,
    /// Of an instance that says nothing about its propagation.
    propagation: LazyCell<Val<'r>>,
}

/// What functions know about an instance.
#[derive(Clone, Copy)]
struct Facts([bool; 4]);

impl Facts {
    fn of(round: &Round<'_>, at: usize) -> Self {
        let (member, standing) = (&round.fleet.members[at], round.standings[at]);
        let target = round.fleet.target.digest;
        let (is_updated, is_ready) = (member.assigned == Some(target), member.is_ready_with(target));
        Self([is_updated, is_ready, standing.failure().is_some(), standing.is_settled()])
    }

    /// Of a candidate as soon as it is admitted.
    const ADMITTED: Self = Self([true, false, false, false]);

    fn number(self) -> usize {
        self.0.iter().fold(0, |number, it| number * 2 + usize::from(*it))
    }

    fn made<'r>(number: usize) -> Val<'r> {
        let fact = |at: usize| number >> (FACT_FUNCTIONS.len() - 1 - at) & 1 == 1;
        made(FACT_FUNCTIONS.iter().enumerate().map(|(at, name)| entry(name, Val::Bool(fact(at)))).collect())
    }
}

impl<'r> Common<'r> {
    pub(super) fn new(sight: &'r Sight) -> Self {
        let facts = || (0..1 << FACT_FUNCTIONS.len()).map(Facts::made).collect();
        Self { sight, facts: LazyCell::new(facts), propagation: LazyCell::new(|| propagation(&NOTHING)) }
    }

    /// Those who take part in the order in which they move, then the others by name.
    pub(super) fn instances(&self, round: &Round<'r>) -> Vec<Val<'r>> {
        let members = round.fleet.members;
        let mut others: Vec<usize> =
            (0..members.len()).filter(|it| !round.standings[*it].is_eligible()).collect();
        others.sort_unstable_by_key(|it| (members[*it].namespace, members[*it].name));
        let ranked = round.ranks.iter().enumerate().map(|(rank, at)| self.instance(round, *at, Some(rank)));
        ranked.chain(others.iter().map(|at| self.instance(round, *at, None))).collect()
    }

    /// As much of an instance as anybody looks at.
    pub(super) fn instance(&self, round: &Round<'r>, at: usize, rank: Option<usize>) -> Val<'r> {
        let is_moving = has_told_nothing(&round.fleet.members[at], round.fleet.target);
        self.seen(round, at, rank, Seen { facts: Facts::of(round, at), is_moving })
    }

    /// The same of a candidate as soon as it is admitted.
    pub(super) fn admitted(&self, round: &Round<'r>, at: usize, rank: usize) -> Val<'r> {
        self.seen(round, at, Some(rank), Seen { facts: Facts::ADMITTED, is_moving: true })
    }

    fn seen(&self, round: &Round<'r>, at: usize, rank: Option<usize>, seen: Seen) -> Val<'r> {
        let member = &round.fleet.members[at];
        let facts = seen.facts;
        let index = || rank.map_or(Val::Null, number);
        match &self.sight.fields {
            Names::All => {
                let own = [
                    Own(FACTS, self.facts(facts), Wins::Own),
                    Own(INDEX, index(), Wins::Own),
                    Own(METADATA, metadata(member), Wins::Own),
                    Own(STATUS, self.status(round, member, seen.is_moving), Wins::Own),
                ];
                merged(own, member.object)
            }
            Names::These(names) => chosen(names, |name| match name {
                FACTS => Some(self.facts(facts)),
                INDEX => Some(index()),
                STATUS => Some(self.status(round, member, seen.is_moving)),
                METADATA => Some(metadata(member)),
                _ => field(member.object, name),
            }),
        }
    }

    fn facts(&self, facts: Facts) -> Val<'r> {
        self.facts.get(facts.number()).cloned().unwrap_or(Val::Null)
    }

    /// krono's own fields are always there, and an instance at the current content is at the current revision whatever its number.
    fn status(&self, round: &Round<'r>, member: &'r Member<'r>, is_moving: bool) -> Val<'r> {
        let status = &member.object[STATUS];
        let target = round.fleet.target;
        let observed = match () {
            () if member.has_observed(target.digest) => Some(target.number.to_wire()),
            // It says what it came from.
            () if member.was_at(target.digest) => Some(0),
            () => None,
        };
        match &self.sight.status {
            Names::All if is_moving => self.moving_status(status, target, observed),
            Names::All => self.whole_status(member, observed),
            Names::These(names) => chosen(names, |name| {
                let moving = is_moving.then(|| moving(status, target, name)).flatten();
                moving.or_else(|| match (name, observed) {
                    (OBSERVED_REVISION, Some(number)) => Some(Val::Int(number)),
                    (PROPAGATION, _) => Some(self.propagation(status)),
                    _ => field(status, name).or_else(|| usual(member, name)),
                })
            }),
        }
    }

    /// The whole status of an instance that has just been admitted.
    fn moving_status(&self, status: &'r Value, target: Assignment, observed: Option<i64>) -> Val<'r> {
        let usual = NUMBERS.map(|it| entry(it, Val::Int(0)));
        let propagation = entry(PROPAGATION, self.propagation(status));
        let observed = observed.map(|it| entry(OBSERVED_REVISION, Val::Int(it)));
        let moving = MOVING.into_iter().filter_map(|it| Some(entry(it, moving(status, target, it)?)));
        let own = std::iter::once(propagation).chain(observed).chain(moving);
        made(usual.into_iter().chain(fields(status)).chain(own).collect())
    }

    fn whole_status(&self, member: &'r Member<'r>, observed: Option<i64>) -> Val<'r> {
        let status = &member.object[STATUS];
        let wins = if observed.is_some() { Wins::Own } else { Wins::Field };
        let [first, second, third, fourth, last] = NUMBERS;
        let own = [
            Own(first, Val::Int(0), Wins::Field),
            Own(second, Val::Int(0), Wins::Field),
            Own(third, Val::Int(0), Wins::Field),
            Own(fourth, Val::Int(0), Wins::Field),
            Own(last, Val::Int(observed.unwrap_or_default()), wins),
            Own(PROPAGATION, self.propagation(status), Wins::Own),
            Own(STATE, state(member), Wins::Field),
        ];
        merged(own, status)
    }

    fn propagation(&self, status: &'r Value) -> Val<'r> {
        let own = &status[PROPAGATION];
        if own.is_null() { self.propagation.clone() } else { propagation(own) }
    }
}

/// How an instance looks.
#[derive(Clone, Copy)]
struct Seen {
    facts: Facts,
    /// Whether it is shown as one on its way, whatever it says.
    is_moving: bool,
}

/// Whether it has been admitted, and what it says is of before.
fn has_told_nothing(member: &Member<'_>, target: Assignment) -> bool {
    let is_on_its_way = member.assigned == Some(target.digest) && member.admission.is_some();
    let status = &member.object[STATUS];
    let is_done = status[STATE] == "ACTIVE" || status[PROPAGATION]["status"] == "Completed";
    is_on_its_way && is_done && !member.has_observed(target.digest)
}

/// What a field of krono's becomes as soon as an instance is admitted; nothing for others, and where an author's stands there.
fn moving<'r>(status: &'r Value, target: Assignment, name: &str) -> Option<Val<'r>> {
    let number = || Val::Int(target.number.to_wire());
    if !status[KRONO][name].is_null() {
        return None;
    }
    match name {
        STATE => Some(Val::str("IN_PROGRESS")),
        CURRENT_REVISION => Some(number()),
        ASSIGNMENT => Some(made(vec![
            entry("because", Val::str("Following")),
            entry("digest", Val::string(target.digest.to_string())),
            entry("revision", number()),
        ])),
        PROPAGATION => {
            let own = [entry("resourcesAtTarget", Val::Int(0)), entry("status", Val::str("Pending"))];
            let numbers = PROPAGATION_NUMBERS.map(|it| entry(it, Val::Int(0)));
            let texts = PROPAGATION_TEXTS.map(|it| entry(it, Val::str("")));
            let usual = numbers.into_iter().chain(texts);
            Some(made(usual.chain(fields(&status[PROPAGATION])).chain(own).collect()))
        }
        CONDITIONS => status[CONDITIONS].as_array().map(|all| Val::list(all.iter().map(unready).collect())),
        _ => None,
    }
}

/// A condition of an instance on its way.
fn unready(condition: &Value) -> Val<'_> {
    let is_of_readiness = ["Ready", "ResourcesReady"].iter().any(|it| condition["type"] == **it);
    let status = is_of_readiness.then(|| entry(STATUS, Val::str("False")));
    made(fields(condition).chain(status).collect())
}

/// Many instances that are made up look alike but for their names and how they are.
fn is_made_up(member: &Member<'_>) -> bool {
    !member.object[METADATA]["name"].is_string()
}

fn state<'r>(member: &Member<'_>) -> Val<'r> {
    Val::str(match is_made_up(member) {
        false => "",
        true if member.is_ready() => "ACTIVE",
        true => "IN_PROGRESS",
    })
}

fn metadata<'r>(member: &'r Member<'r>) -> Val<'r> {
    let metadata = &member.object[METADATA];
    if !is_made_up(member) {
        return Val::from_json(metadata, &DYN);
    }
    let own = [("name", member.name), ("namespace", member.namespace)];
    made(fields(metadata).chain(own.map(|(name, text)| entry(name, Val::str(text)))).collect())
}

/// What a field of krono's is while nobody has written it.
fn usual<'r>(member: &Member<'_>, name: &str) -> Option<Val<'r>> {
    match name {
        STATE => Some(state(member)),
        _ => NUMBERS.contains(&name).then_some(Val::Int(0)),
    }
}

fn field<'r>(object: &'r Value, name: &str) -> Option<Val<'r>> {
    object.get(name).map(|it| Val::from_json(it, &DYN))
}

/// The fields of these names that there are.
fn chosen<'r>(names: &'r BTreeSet<Arc<str>>, value: impl Fn(&str) -> Option<Val<'r>>) -> Val<'r> {
    made(names.iter().filter_map(|name| Some(entry(name, value(name)?))).collect())
}

/// A field that is always there; in the order of their names.
struct Own<'r>(&'static str, Val<'r>, Wins);

/// Which of two fields of the same name is seen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wins {
    Own,
    Field,
}

/// An object with fields that are always there. Both come in the order of their names, so that nothing need be sorted.
fn merged<'r, const N: usize>(own: [Own<'r>; N], object: &'r Value) -> Val<'r> {
    let Some(fields) = object.as_object() else {
        return made(own.into_iter().map(|Own(name, value, _)| entry(name, value)).collect());
    };
    // `serde_json` keeps insertion order when any crate in the build asks it to.
    if !fields.keys().is_sorted() {
        return merged_in_any_order(own.into(), object);
    }
    let mut entries = Vec::with_capacity(fields.len() + N);
    let mut own = own.into_iter().peekable();
    for (name, value) in fields {
        while let Some(Own(name, value, _)) = own.next_if(|it| it.0 < name.as_str()) {
            entries.push(entry(name, value));
        }
        let same = own.next_if(|it| it.0 == name);
        entries.push(match same {
            Some(Own(name, value, Wins::Own)) => entry(name, value),
            Some(Own(_, _, Wins::Field)) | None => entry(name, Val::from_json(value, &DYN)),
        });
    }
    entries.extend(own.map(|Own(name, value, _)| entry(name, value)));
    made(entries)
}

fn merged_in_any_order<'r>(own: Vec<Own<'r>>, object: &'r Value) -> Val<'r> {
    let (first, last): (Vec<Own<'r>>, Vec<Own<'r>>) = own.into_iter().partition(|it| it.2 == Wins::Field);
    let entries = |own: Vec<Own<'r>>| own.into_iter().map(|Own(name, value, _)| entry(name, value));
    made(entries(first).chain(fields(object)).chain(entries(last)).collect())
}

fn propagation(propagation: &Value) -> Val<'_> {
    let numbers = PROPAGATION_NUMBERS.map(|it| entry(it, Val::Int(0)));
    let texts = PROPAGATION_TEXTS.map(|it| entry(it, Val::str("")));
    made(numbers.into_iter().chain(texts).chain(fields(propagation)).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn v34_fields_that_are_always_there_stand_beside_others_in_any_order() {
        let object = json!({"b": 1, "d": 2, "e": 3});
        let own = || {
            [
                Own("a", Val::Int(10), Wins::Own),
                Own("b", Val::Int(11), Wins::Own),
                Own("c", Val::Int(12), Wins::Field),
                Own("d", Val::Int(13), Wins::Field),
            ]
        };
        let expected = json!({"a": 10, "b": 11, "c": 12, "d": 2, "e": 3});
        assert_eq!(merged(own(), &object).to_json().unwrap(), expected);
        assert_eq!(merged_in_any_order(own().into(), &object).to_json().unwrap(), expected);
    }
}
