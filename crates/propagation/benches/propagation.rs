//! What decisions about 10,000 instances cost, in time and memory, and what it takes to play the course of a million.
//!
//! ```text
//! cargo bench -p krono-propagation
//! ```
#![expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "a benchmark prints its figures")]

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

const FLEET: usize = 10_000;
/// A decision about all of them takes so many milliseconds at most.
const DECISION: f64 = 50.0;
/// Members, and all that a decision about them makes, are so many megabytes at most.
const MEMORY: f64 = 64.0;
/// A million instances are played in so many seconds at most.
const MILLION: f64 = 60.0;

const GATES: [(&str, &str); 6] = [
    ("no gate", "true"),
    ("exponentiallyUpdated", "exponentiallyUpdated(instances, each)"),
    (
        "the seed's formula",
        "size(instances.filter(i, i.status.observedRGDRevision == rgd.status.currentRevision)) >= exponentialTarget(each.index)",
    ),
    ("a label of each", "each.metadata.labels.ring == '9' || fleet.settled > 9000"),
    ("all for each", "instances.filter(i, i.index < each.index).all(i, ready(i))"),
    ("whole instances", WHOLE),
];
/// Makes all fields of all instances be seen.
const WHOLE: &str = "instances.exists(i, i == instances[0])";

fn main() {
    let mut figures = Figures::default();
    // First of all, before others leave memory behind that could be used again.
    figures.note(
        "megabytes of members and decision, whole instances",
        decision(WHOLE).megabytes,
        Some(MEMORY),
    );
    for (name, gate) in GATES {
        let milliseconds = decision(gate).least.as_secs_f64() * 1_000.0;
        figures.note(&format!("milliseconds of a decision, {name}"), milliseconds, Some(DECISION));
    }
    let (took, processor) = million();
    figures.note("seconds to simulate a million", took.as_secs_f64(), Some(MILLION));
    figures.note("cpu seconds to simulate a million", processor.as_secs_f64(), None);
    figures.finish();
}

/// What was measured, and whether it is within its targets.
#[derive(Default)]
struct Figures {
    noted: Map<String, Value>,
    targets: Map<String, Value>,
    has_missed: bool,
}

impl Figures {
    fn note(&mut self, name: &str, figure: f64, target: Option<f64>) {
        let rounded = (figure * 100.0).round() / 100.0;
        let beside = target.map_or_else(String::new, |it| format!("  {:.2} of {it}", figure / it));
        println!("{name:50} {rounded:>9.2}{beside}");
        self.noted.insert(name.to_owned(), json!(rounded));
        if let Some(target) = target {
            let ratio = (figure / target * 1_000.0).round() / 1_000.0;
            self.targets.insert(name.to_owned(), json!({"at_most": target, "ratio": ratio}));
            self.has_missed |= figure > target;
        }
    }

    fn finish(self) {
        let figures = json!({"figures": self.noted, "targets": self.targets, "pass": !self.has_missed});
        if let Some(path) = std::env::var_os("KRONO_BENCH_JSON") {
            std::fs::write(path, figures.to_string()).expect("the figures can be written");
        }
    }
}

/// What a decision costs.
struct Cost {
    least: Duration,
    megabytes: f64,
}

fn content(number: u64) -> Assignment {
    let digest = Digest::of_content("bench", &json!(number));
    Assignment { number: RevisionNumber::new(number).expect("it is a number"), digest }
}

/// The fastest of a few decisions about a fleet half of which has moved: what others do meanwhile is not counted.
fn decision(gate: &str) -> Cost {
    let gates = Gates::compile(&json!([format!("${{{gate}}}")]), &Type::Dyn).expect("it compiles");
    let objects: Vec<Value> = (0..FLEET).map(object).collect();
    let before = forget_peak();
    let members: Vec<Member<'_>> = objects.iter().enumerate().map(|(at, it)| member(at, it)).collect();
    let fleet = Fleet {
        members: &members,
        target: content(2),
        last_good: Some(content(1)),
        movement: Movement::Forward,
        progress: Progress {
            started: second(10),
            is_completed: false,
            restarted: None,
            mark: None,
            waves: 0,
        },
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
    let least = (0..15).map(|_| measure()).min().unwrap_or_default();
    Cost { least, megabytes: (peak() - before).max(0.0) }
}

/// Megabytes in memory now; from here on the peak is counted anew. Linux only.
fn forget_peak() -> f64 {
    std::fs::write("/proc/self/clear_refs", "5").expect("this is Linux");
    peak()
}

fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|it| it.parse::<u64>().ok()).unwrap_or_default() as f64 / 1024.0
}

/// Of this process, in steps of a clock tick of 10 ms. Linux only.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |it| it.1).split_whitespace().skip(11).take(2);
    Duration::from_millis(fields.filter_map(|it| it.parse::<u64>().ok()).sum::<u64>() * 10)
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
        has_failed: false,
        object,
        namespace_labels: &Value::Null,
    }
}

fn million() -> (Duration, Duration) {
    let gates = Gates::compile(&json!(["${exponentiallyUpdated(instances, each)}"]), &Type::Dyn)
        .expect("it compiles");
    let (begun, processor) = (Instant::now(), processor_time());
    let course = simulate(&Params {
        instances: 1_000_000,
        policy: &Policy::read(&json!({"maxFailures": "2%", "soakSeconds": 60})).expect("it is a policy"),
        gates: &gates,
        chances: Chances { fails: 0.01, is_broken: 0.01, is_pinned: 0.05 },
        takes: 20..=60,
        looks: &[],
        definition: &Value::Null,
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
    (begun.elapsed(), processor_time().saturating_sub(processor))
}
