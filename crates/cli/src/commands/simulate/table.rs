//! A course as a table of its waves.

use krono_propagation::simulate::{Course, End, Point};
use krono_views::Table;

use super::Played;
use super::words::{Ending, instances, percent, reach, time};

/// Of many waves, so many of the first and of the last are shown.
const FIRST: usize = 12;
const LAST: usize = 8;

pub(super) fn shown(played: &Played) -> String {
    let course = &played.course;
    let of = if played.name.is_empty() { String::new() } else { format!("{}: ", played.name) };
    let counts = course.counts;
    let take = if counts.eligible == 1 { "takes" } else { "take" };
    let mut text = format!("{of}{} of {} {take} part\n\n", counts.eligible, instances(counts.total));
    if !course.waves.is_empty() {
        text.push_str(&waves(course).to_text());
        text.push('\n');
    }
    text.extend([Ending::of(course).sentence, "\n".to_owned(), reach(course), "\n".to_owned()]);
    if matches!(course.end, End::Stuck | End::TooLong) {
        let line = |(count, text): (usize, &str)| format!("{} wait: {text}\n", instances(count));
        text.extend(course.waiting.iter().map(|it| line((it.told.count, &it.text))));
        text.extend(course.gate_errors.iter().map(|it| format!("{it}\n")));
    }
    if course.end == End::TooLong {
        text.push_str("fewer --instances play to the end sooner, a longer --decide-every plays further\n");
    }
    text
}

fn waves(course: &Course) -> Table {
    let heading = vec!["WAVE", "AFTER", "INSTANCES", "REACHED", "SHARE", "SETTLED", "FAILED"];
    let mut rows = Vec::with_capacity(course.waves.len());
    let mut points = course.points.iter();
    let mut reached = 0;
    for (at, wave) in course.waves.iter().enumerate() {
        reached += wave.instances;
        let counts =
            points.find(|it: &&Point| it.after >= wave.after).map(|it| it.counts).unwrap_or_default();
        rows.push(vec![
            (at + 1).to_string(),
            time(wave.after),
            wave.instances.to_string(),
            reached.to_string(),
            percent(reached, course.counts.eligible),
            counts.settled.to_string(),
            counts.failed.to_string(),
        ]);
    }
    Table { heading, rows: shortened(rows) }
}

fn shortened(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    if rows.len() > FIRST + LAST + 1 {
        let left_out = vec!["…".to_owned(); rows[0].len()];
        rows.splice(FIRST..rows.len() - LAST, [left_out]);
    }
    rows
}
