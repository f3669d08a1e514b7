//! A course as a picture: how many instances were reached, settled and failed, over time.

use krono_propagation::simulate::{Course, Point};

use super::Played;
use super::scale::Scale;
use super::words::{Ending, instances, reach, time};
use crate::commands::svg::{self, escaped};

/// Of the whole picture, in pixels.
const SIZE: (i64, i64) = (960, 570);
/// The corner of the plot that is left and above, and its size.
const LEFT: i64 = 104;
const TOP: i64 = 132;
const WIDTH: i64 = 824;
const HEIGHT: i64 = 352;
/// More waves than these have no numbers.
const NUMBERED: usize = 24;
/// Numbers of waves that are nearer to each other would cover each other.
const NUMBER: i64 = 18;
/// More failures than these have no dots.
const DOTTED: usize = 50;
/// The width of a letter in the legend and on the axes, in tenths of a pixel.
const LETTER: i64 = 73;
/// More letters than these do not fit into the title, or into a line below it.
const TITLE: usize = 88;
const LINE: usize = 115;

const STYLE: &str = ".sub{font-size:12px;fill:#4b5563}.mark{font-size:11px;fill:#6b7280}.axis{font-size:12px}\
.key{font-size:12px}.grid{stroke:#e5e7eb}.line{stroke:#9ca3af}.all{stroke:#9ca3af;stroke-dasharray:6 4}\
.reached{fill:#dbeafe;stroke:#3b82f6;stroke-width:1.5}.settled{fill:#bbf7d0;stroke:#16a34a;stroke-width:1.5}\
.failed{fill:none;stroke:#dc2626;stroke-width:2}.dot{fill:#dc2626;stroke:#ffffff}.wave{stroke:#3b82f6;stroke-dasharray:2 3}\
.number{font-size:11px;fill:#3b82f6}.end{stroke-width:1.5}.good{stroke:#16a34a}.bad{stroke:#dc2626}\
.word{font-size:12px;font-weight:bold}.well{fill:#16a34a}.ill{fill:#dc2626}";

pub(super) fn drawn(played: &Played) -> String {
    let plot = Plot::of(&played.course);
    let mut out = svg::begin(SIZE, STYLE);
    out.push_str(&plot.heading(played));
    out.push_str(&plot.legend());
    out.extend([format!("<g transform=\"translate({LEFT} {TOP})\">\n")]);
    out.push_str(&plot.grid());
    out.push_str(&Plot::area("reached", &plot.reached()));
    out.push_str(&Plot::area("settled", &plot.series(|it| it.counts.settled)));
    out.push_str(&plot.failures());
    out.push_str(&plot.waves());
    out.push_str(&plot.end());
    out.push_str(&footer(played));
    out.push_str("</g>\n</svg>\n");
    out
}

fn count(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn text(class: &str, (x, y): (i64, i64), anchor: &str, text: &str) -> String {
    let text = escaped(text);
    format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{text}</text>\n")
}

fn stroke(class: &str, (x1, y1): (i64, i64), (x2, y2): (i64, i64)) -> String {
    format!("<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>\n")
}

/// `1,000,000`
fn grouped(count: &impl ToString) -> String {
    let digits = count.to_string();
    let is_first = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    let mut out = String::new();
    for (at, digit) in digits.char_indices() {
        out.extend(is_first(at).then_some(','));
        out.push(digit);
    }
    out
}

fn fitted(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// What plays the same course again.
fn footer(played: &Played) -> String {
    let percent = (played.failure_rate * 1e6).round() / 1e4;
    let words = format!("failure rate {percent}%, seed {}", played.seed);
    text("mark", (WIDTH, HEIGHT + 44), "end", &words)
}

/// What stands for a series in the legend.
fn sign(class: &str, x: i64, y: i64) -> String {
    match class {
        "reached" | "settled" => {
            format!("<rect class=\"{class}\" x=\"{x}\" y=\"{}\" width=\"22\" height=\"11\"/>\n", y - 10)
        }
        _ => stroke(class, (x, y - 4), (x + 22, y - 4)),
    }
}

/// A little after the end, so that it can be seen how things stood then.
fn beyond(took: i64) -> i64 {
    took.saturating_add((took / 32).max(1))
}

/// A course in its axes; up is less.
struct Plot<'c> {
    x: Scale,
    y: Scale,
    course: &'c Course,
}

impl<'c> Plot<'c> {
    fn of(course: &'c Course) -> Self {
        // Of a fleet that is hardly touched, what is touched is shown.
        let (all, reached) = (course.counts.eligible, course.blast_radius());
        let top = if reached * 4 < all { reached } else { all };
        Self {
            x: Scale::of_time(beyond(course.took.as_secs()), WIDTH, 8),
            y: Scale::of_count(count(top), HEIGHT, 5),
            course,
        }
    }

    fn is_all_shown(&self) -> bool {
        count(self.course.counts.eligible) <= self.y.end
    }

    fn are_waves_shown(&self) -> bool {
        self.course.waves.len() <= NUMBERED
    }

    fn legend(&self) -> String {
        let counts = self.course.counts;
        let all = if self.is_all_shown() { "" } else { ", off the scale" };
        let keys = [
            ("reached", true, format!("reached {}", grouped(&counts.admitted))),
            ("settled", true, format!("settled {}", grouped(&counts.settled))),
            ("failed", true, format!("failed {}", grouped(&counts.failed))),
            ("all", self.is_all_shown(), format!("all {}{all}", grouped(&counts.eligible))),
            ("wave", self.are_waves_shown(), format!("waves {}", grouped(&self.course.waves.len()))),
        ];
        let (mut out, mut x, y) = (String::new(), LEFT, TOP - 40);
        for (class, has_sign, words) in keys {
            if has_sign {
                out.push_str(&sign(class, x, y));
                x += 30;
            }
            out.push_str(&text("key", (x, y), "start", &words));
            x += count(words.chars().count()) * LETTER / 10 + 26;
        }
        out
    }

    fn heading(&self, played: &Played) -> String {
        let fleet = instances(self.course.counts.total);
        let name = if played.name.is_empty() { "propagation" } else { played.name.as_str() };
        let title = format!("{name}: a new revision on its way to {fleet}");
        text("title", (LEFT, 30), "start", &fitted(&title, TITLE))
            + &text("sub", (LEFT, 50), "start", &fitted(&Ending::of(self.course).sentence, LINE))
            + &text("sub", (LEFT, 66), "start", &fitted(&reach(self.course), LINE))
    }

    fn grid(&self) -> String {
        let mut out = String::new();
        for value in self.y.marks() {
            let y = self.above(value);
            out.push_str(&stroke("grid", (0, y), (WIDTH, y)));
            out.push_str(&text("mark", (-8, y + 4), "end", &grouped(&value)));
        }
        for value in self.x.marks() {
            let x = self.x.at(value);
            out.push_str(&stroke("line", (x, HEIGHT), (x, HEIGHT + 5)));
            let shown = time(jiff::SignedDuration::from_secs(value));
            out.push_str(&text("mark", (x, HEIGHT + 20), "middle", &shown));
        }
        out.push_str(&stroke("line", (0, HEIGHT), (WIDTH, HEIGHT)));
        if self.is_all_shown() {
            let all = self.above(count(self.course.counts.eligible));
            out.push_str(&stroke("all", (0, all), (WIDTH, all)));
        }
        out.push_str(&text(
            "axis",
            (WIDTH / 2, HEIGHT + 44),
            "middle",
            "time since the new revision was issued",
        ));
        let widest = count(grouped(&self.y.end).len()) * LETTER / 10;
        let (x, y) = (-18 - widest, HEIGHT / 2);
        out + &format!(
            "<text class=\"axis\" transform=\"translate({x} {y}) rotate(-90)\" text-anchor=\"middle\">instances</text>\n"
        )
    }

    fn above(&self, value: i64) -> i64 {
        HEIGHT - self.y.at(value)
    }

    /// How many were reached: from each wave on, that many more.
    fn reached(&self) -> Vec<(i64, i64)> {
        let mut reached = 0;
        let step = |it: &krono_propagation::simulate::Wave| {
            reached += it.instances;
            (self.x.at(it.after.as_secs()), self.above(count(reached)))
        };
        self.course.waves.iter().map(step).collect()
    }

    /// What was counted at each decision; of those that fall on one pixel, the last; from the first on that can be seen.
    fn series(&self, of: impl Fn(&Point) -> usize) -> Vec<(i64, i64)> {
        let mut points: Vec<(i64, i64)> = Vec::new();
        for point in &self.course.points {
            let new = (self.x.at(point.after.as_secs()), self.above(count(of(point))));
            match points.last_mut() {
                Some(last) if last.0 == new.0 => *last = new,
                Some(last) if last.1 == new.1 => {}
                Some(_) | None => points.push(new),
            }
        }
        points.into_iter().skip_while(|(_, y)| *y == HEIGHT).collect()
    }

    /// Stays where it is until the next point.
    fn steps(points: &[(i64, i64)]) -> String {
        let first = points.first().map_or(WIDTH, |(x, _)| *x);
        let mut path = format!("M{first} {HEIGHT}");
        for (x, y) in points {
            path.extend([format!("H{x}V{y}")]);
        }
        path + &format!("H{WIDTH}")
    }

    fn area(class: &str, points: &[(i64, i64)]) -> String {
        let steps = Self::steps(points);
        // What lies below is filled, and only its upper edge is drawn.
        format!(
            "<path class=\"{class}\" style=\"stroke:none\" d=\"{steps}V{HEIGHT}Z\"/>\n\
             <path class=\"{class}\" style=\"fill:none\" d=\"{steps}\"/>\n"
        )
    }

    /// A line, with a dot for each time that there were more.
    fn failures(&self) -> String {
        let points = self.series(|it| it.counts.failed);
        let mut out = format!("<path class=\"failed\" d=\"{}\"/>\n", Self::steps(&points));
        for (x, y) in points.iter().take(DOTTED) {
            out.extend([format!("<circle class=\"dot\" cx=\"{x}\" cy=\"{y}\" r=\"3.5\"/>\n")]);
        }
        out
    }

    fn waves(&self) -> String {
        let waves = &self.course.waves;
        let mut out = String::new();
        if !self.are_waves_shown() {
            return out;
        }
        let end = self.x.at(self.course.took.as_secs());
        let mut free = i64::MIN;
        for (wave, number) in waves.iter().zip(1_usize..) {
            let x = self.x.at(wave.after.as_secs());
            out.push_str(&stroke("wave", (x, 0), (x, HEIGHT)));
            if x >= free {
                let (place, anchor) = if end - x < NUMBER / 2 { (end - 4, "end") } else { (x, "middle") };
                out.push_str(&text("number", (place, -6), anchor, &number.to_string()));
                free = x + NUMBER;
            }
        }
        out
    }

    fn end(&self) -> String {
        let word = Ending::of(self.course).word;
        let (line, ink) =
            if word == "Completed" { ("end good", "word well") } else { ("end bad", "word ill") };
        let x = self.x.at(self.course.took.as_secs());
        stroke(line, (x, -16), (x, HEIGHT)) + &text(ink, (WIDTH, -22), "end", word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_groups_of_three_digits() {
        let check = |count: i64, expected: &str| assert_eq!(grouped(&count), expected);
        check(0, "0");
        check(999, "999");
        check(1_000, "1,000");
        check(123_456, "123,456");
        check(1_000_000, "1,000,000");
    }

    #[test]
    fn text_that_is_too_long_is_cut() {
        let check = |text: &str, expected: &str| assert_eq!(fitted(text, 5), expected);
        check("", "");
        check("fünf5", "fünf5");
        check("sechs6", "sech…");
    }
}
