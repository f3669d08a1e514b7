//! What a decision about a fleet costs, and the course of a million instances.
//!
//! ```text
//! cargo bench -p krono-propagation
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use krono_cel::Type;
use krono_history::{Digest, RevisionNumber};
use krono_propagation::assignment::Assignment;
use krono_propagation::decide;
use krono_propagation::fleet::{
    Admission, Controls, Fleet, Health, Leadership, Member, Movement, Observed, Progress, Stance,
};
use krono_propagation::gate::Gates;
use krono_propagation::policy::Policy;
use krono_propagation::simulate::{Chances, Params, simulate, usual_look_every};
use serde_json::{Map, Value, json};

/// A decision about [`FLEET`] instances takes at most so long.
const DECISION: Duration = Duration::from_millis(50);
const FLEET: usize = 10_000;
/// A million instances are played in at most so long.
const MILLION: Duration = Duration::from_mins(1);

const GATES: [(&str, &str); 5] = [
    ("no gate", "true"),
    ("exponentiallyUpdated", "exponentiallyUpdated(instances, each)"),
    (
        "the seed's formula",
        "size(instances.filter(i, i.status.observedRGDRevision == rgd.status.currentRevision)) >= exponentialTarget(each.index)",
    ),
    ("a label of each", "each.metadata.labels.ring == '9' || fleet.settled > 9000"),
    ("all for each", "instances.filter(i, i.index < each.index).all(i, ready(i))"),
];

fn main() {
    let mut figures = Map::new();
    let mut pass = true;
    for (name, gate) in GATES {
        let least = decision(gate);
        println!("{name:24} {least:>10.1?} for {FLEET} instances");
        pass &= least <= DECISION;
        figures.insert(
            format!("decision, {name} (us)"),
            json!(u64::try_from(least.as_micros()).unwrap_or(u64::MAX)),
        );
    }
    let million = million();
    println!("{:24} {million:>10.1?} for a million instances", "simulate");
    pass &= million <= MILLION;
    figures.insert(
        "simulate a million (ms)".to_owned(),
        json!(u64::try_from(million.as_millis()).unwrap_or(u64::MAX)),
    );
    figures.insert("pass".to_owned(), json!(pass));
    hand_over(&Value::Object(figures));
}

fn hand_over(figures: &Value) {
    if let Some(path) = std::env::var_os("KRONO_BENCH_JSON") {
        std::fs::write(path, figures.to_string()).expect("the figures can be written");
    }
}

fn content(number: u64) -> Assignment {
    let digest = Digest::of_content("bench", &json!(number));
    Assignment { number: RevisionNumber::new(number).expect("it is a number"), digest }
}

/// The fastest of a few decisions about a fleet half of which has moved: what others do meanwhile is not counted.
fn decision(gate: &str) -> Duration {
    let gates = Gates::compile(&json!([format!("${{{gate}}}")]), &Type::Dyn).expect("it compiles");
    let objects: Vec<Value> = (0..FLEET).map(object).collect();
    let members: Vec<Member<'_>> = objects.iter().enumerate().map(|(at, it)| member(at, it)).collect();
    let fleet = Fleet {
        members: &members,
        target: content(2),
        last_good: Some(content(1)),
        movement: Movement::Forward,
        progress: Progress { started: second(10), is_completed: false, restarted: None, mark: None },
        controls: Controls::default(),
        leadership: Leadership { since: second(0), standstills: &[] },
        definition: &Value::Null,
    };
    let policy = Policy::default();
    let measure = || {
        let begun = Instant::now();
        black_box(decide(&fleet, &policy, &gates, second(500)));
        begun.elapsed()
    };
    (0..15).map(|_| measure()).min().unwrap_or_default()
}

fn second(second: i64) -> Timestamp {
    Timestamp::from_second(second).expect("it is a time")
}

fn object(at: usize) -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "App",
        "metadata": {"name": format!("app-{at}"), "namespace": format!("team-{}", at % 50), "labels": {"ring": (at % 10).to_string()}},
        "spec": {"replicas": 3, "image": "registry.example/app:1", "size": at},
        "status": {"state": "ACTIVE", "observedRGDRevision": 1, "endpoint": "app.local"},
    })
}

/// Every second has moved, in no order that helps.
fn member(at: usize, object: &Value) -> Member<'_> {
    let (old, new) = (content(1).digest, content(2).digest);
    let has_moved = at.is_multiple_of(2);
    let created = second(i64::try_from(at * 7_919 % FLEET).unwrap_or_default());
    let digest = if has_moved { new } else { old };
    Member {
        namespace: object["metadata"]["namespace"].as_str().unwrap_or_default(),
        name: object["metadata"]["name"].as_str().unwrap_or_default(),
        created,
        assigned: Some(digest),
        admission: has_moved.then_some(Admission { at: second(20), from: old, is_excused: false }),
        observed: Some(Observed { digest, since: second(30) }),
        health: Health::Ready,
        hindered: SignedDuration::ZERO,
        stance: Stance::Auto,
        order: 0,
        is_edited: false,
        object,
        namespace_labels: &Value::Null,
    }
}

fn million() -> Duration {
    let gates = Gates::compile(&json!(["${exponentiallyUpdated(instances, each)}"]), &Type::Dyn)
        .expect("it compiles");
    let begun = Instant::now();
    let course = simulate(&Params {
        instances: 1_000_000,
        policy: &Policy::read(&json!({"maxFailures": "2%", "soakSeconds": 60})).expect("it is a policy"),
        gates: &gates,
        chances: Chances { fails: 0.01, is_broken: 0.01, is_pinned: 0.05 },
        takes: 20..=60,
        look_every: usual_look_every(1_000_000),
        start: Timestamp::UNIX_EPOCH,
        seed: 1,
    });
    println!(
        "{:?} after {:#} in {} waves and {} decisions",
        course.end,
        course.took,
        course.waves.len(),
        course.points.len()
    );
    begun.elapsed()
}
