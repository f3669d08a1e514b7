//! A course for programs.

use krono_planner::fleet::counts;
use krono_propagation::simulate::{Course, Point};
use serde_json::{Value, json};

use super::Played;
use super::words::Ending;

pub(super) fn shown(played: &Played) -> Value {
    let course = &played.course;
    let ending = Ending::of(course);
    json!({
        "definition": if played.name.is_empty() { Value::Null } else { json!(played.name) },
        "seed": played.seed,
        "failureRate": played.failure_rate,
        "end": ending.word,
        "message": ending.sentence,
        "seconds": course.took.as_secs(),
        "blastRadius": course.blast_radius(),
        "peakInFlight": course.peak_in_flight,
        "instances": counts(&course.counts),
        "waves": waves(course),
        "decisions": course.points.iter().map(decision).collect::<Vec<_>>(),
        "waiting": course.waiting.iter().map(|it| json!({
            "reason": it.wait.as_str(), "message": it.text, "instances": it.told.count,
        })).collect::<Vec<_>>(),
        "gateErrors": course.gate_errors,
    })
}

fn waves(course: &Course) -> Vec<Value> {
    let wave = |reached: &mut usize, it: &krono_propagation::simulate::Wave| {
        *reached += it.instances;
        Some(json!({"seconds": it.after.as_secs(), "instances": it.instances, "reached": *reached}))
    };
    course.waves.iter().scan(0, wave).collect()
}

/// How the fleet stood before the decision.
fn decision(point: &Point) -> Value {
    let counts = point.counts;
    json!({
        "seconds": point.after.as_secs(),
        "admitted": counts.admitted,
        "settled": counts.settled,
        "inFlight": counts.in_flight,
        "failed": counts.failed,
    })
}
