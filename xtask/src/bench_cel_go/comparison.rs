//! Both sides' figures next to each other.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, bail};
use serde_json::{Map, Value, json};

use crate::bench_cel_go::Work;
use crate::bench_cel_go::counter::Counter;
use crate::bench_cel_go::side::{Row, Side};

/// How long the counted work would take without the counter, which slows it down some fifty times.
const COUNTED_NANOSECONDS: f64 = 20e6;

/// All rounds of one side.
#[derive(Default)]
pub(super) struct Samples {
    rows: BTreeMap<String, Vec<Row>>,
}

impl Samples {
    pub(super) fn add(&mut self, rows: Vec<Row>) {
        for row in rows {
            self.rows.entry(row.name.clone()).or_default().push(row);
        }
    }

    fn median(&self, name: &str, figure: impl Fn(&Row) -> f64) -> anyhow::Result<f64> {
        let rows = self.rows.get(name).with_context(|| format!("one side did not measure `{name}`"))?;
        let mut values: Vec<f64> = rows.iter().map(figure).collect();
        values.sort_by(f64::total_cmp);
        Ok(values[values.len() / 2])
    }
}

/// A figure of krono and the same figure of cel-go.
#[derive(Clone, Copy, Debug)]
struct Pair {
    krono: f64,
    cel_go: f64,
}

impl Pair {
    /// How many times less krono needs.
    fn ratio(self) -> f64 {
        self.cel_go / self.krono
    }

    fn to_json(self) -> Value {
        let [krono, cel_go] = [self.krono, self.cel_go].map(|it| (it * 10.0).round() / 10.0);
        json!({ "krono": krono, "cel_go": cel_go, "ratio": hundredths(self.ratio()) })
    }
}

/// One expression and one kind of work.
struct Line {
    name: String,
    work: Work,
    nanoseconds: Pair,
    instructions: Option<Pair>,
}

pub(super) struct Comparison {
    rounds: usize,
    lines: Vec<Line>,
    allocations: BTreeMap<String, Pair>,
    counter: Option<Counter>,
}

impl Comparison {
    /// The medians; both sides must have measured the same expressions.
    pub(super) fn of(rounds: usize, krono: &Samples, cel_go: &Samples) -> anyhow::Result<Self> {
        if krono.rows.keys().ne(cel_go.rows.keys()) {
            bail!("the sides measured different expressions");
        }
        let pair = |name: &str, figure: &dyn Fn(&Row) -> f64| -> anyhow::Result<Pair> {
            Ok(Pair { krono: krono.median(name, figure)?, cel_go: cel_go.median(name, figure)? })
        };
        let mut comparison = Self { rounds, lines: Vec::new(), allocations: BTreeMap::new(), counter: None };
        for work in Work::ALL {
            for name in krono.rows.keys() {
                let nanoseconds = pair(name, &|row| row.nanoseconds(work))?;
                comparison.lines.push(Line { name: name.clone(), work, nanoseconds, instructions: None });
            }
        }
        for name in krono.rows.keys() {
            comparison.allocations.insert(name.clone(), pair(name, &|row| row.allocations)?);
        }
        Ok(comparison)
    }

    pub(super) fn count_instructions(
        &mut self,
        counter: Counter,
        krono: &Side,
        cel_go: &Side,
    ) -> anyhow::Result<()> {
        self.counter = Some(counter);
        for line in &mut self.lines {
            eprintln!("counting the instructions of {} {}", line.work.mode(), line.name);
            let count = |side: &Side, nanoseconds: f64| {
                instructions(counter, side, &line.name, line.work, nanoseconds)
            };
            line.instructions = Some(Pair {
                krono: count(krono, line.nanoseconds.krono)?,
                cel_go: count(cel_go, line.nanoseconds.cel_go)?,
            });
        }
        Ok(())
    }

    pub(super) fn passes(&self) -> bool {
        Work::ALL.iter().all(|work| self.mean_ratio(*work) >= work.target())
    }

    pub(super) fn to_json(&self) -> Map<String, Value> {
        let figure = |of: &dyn Fn(Work) -> f64| -> Value {
            Work::ALL.iter().map(|it| (it.mode().to_owned(), Value::from(of(*it)))).collect()
        };
        Map::from_iter([
            ("rounds".to_owned(), self.rounds.into()),
            ("instructions_by".to_owned(), self.counter.map(Counter::name).into()),
            ("expressions".to_owned(), self.expressions_json()),
            ("ratios".to_owned(), figure(&|work| hundredths(self.mean_ratio(work)))),
            ("targets".to_owned(), figure(&Work::target)),
            ("pass".to_owned(), self.passes().into()),
        ])
    }

    fn expressions_json(&self) -> Value {
        let mut expressions = Map::new();
        for (name, allocations) in &self.allocations {
            let mut entry = json!({ "allocations": allocations.to_json() });
            for line in self.lines.iter().filter(|it| it.name == *name) {
                entry[line.work.mode()] = json!({
                    "nanoseconds": line.nanoseconds.to_json(),
                    "instructions": line.instructions.map(Pair::to_json),
                });
            }
            expressions.insert(name.clone(), entry);
        }
        Value::Object(expressions)
    }

    /// Of times: they, not instructions, are what a user waits for.
    fn mean_ratio(&self, work: Work) -> f64 {
        geometric_mean(self.lines_of(work).map(|it| it.nanoseconds.ratio()))
    }

    fn mean_instruction_ratio(&self, work: Work) -> Option<f64> {
        self.counter?;
        Some(geometric_mean(self.lines_of(work).filter_map(|it| it.instructions).map(Pair::ratio)))
    }

    fn lines_of(&self, work: Work) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(move |it| it.work == work)
    }

    fn write_line(formatter: &mut fmt::Formatter<'_>, line: &Line) -> fmt::Result {
        let Line { name, work, nanoseconds, instructions } = line;
        write!(formatter, "{name:<16}{:<8}", work.mode())?;
        write!(
            formatter,
            "{:>12.0}{:>12.0}{:>8.1}x",
            nanoseconds.krono,
            nanoseconds.cel_go,
            nanoseconds.ratio()
        )?;
        if let Some(count) = instructions {
            write!(formatter, "{:>14.0}{:>14.0}{:>8.1}x", count.krono, count.cel_go, count.ratio())?;
        }
        writeln!(formatter)
    }

    fn write_mean(&self, formatter: &mut fmt::Formatter<'_>, work: Work) -> fmt::Result {
        write!(
            formatter,
            "{:<16}{:<8}{:>24}{:>8.1}x",
            "geometric mean",
            work.mode(),
            "",
            self.mean_ratio(work)
        )?;
        if let Some(ratio) = self.mean_instruction_ratio(work) {
            write!(formatter, "{:>28}{ratio:>8.1}x", "")?;
        }
        writeln!(formatter, "   (target {:.1}x in time)", work.target())
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "medians of {} alternated runs; compile is parse and check", self.rounds)?;
        write!(formatter, "{:<24}{:>12}{:>12}{:>9}", "", "krono ns", "cel-go ns", "")?;
        if let Some(counter) = self.counter {
            write!(formatter, "{:>14}{:>14}{:>9}   ({})", "krono instr", "cel-go instr", "", counter.name())?;
        }
        writeln!(formatter)?;
        for work in Work::ALL {
            self.lines_of(work).try_for_each(|line| Self::write_line(formatter, line))?;
            self.write_mean(formatter, work)?;
        }
        Ok(())
    }
}

/// Per piece of work: the difference of a long and a short run leaves start-up out.
fn instructions(
    counter: Counter,
    side: &Side,
    name: &str,
    work: Work,
    nanoseconds: f64,
) -> anyhow::Result<f64> {
    let (short, long) = repetitions(nanoseconds);
    let total = |times| counter.count(&side.repetition(name, work, times));
    Ok(per_piece(total(long)?, total(short)?, long - short))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to a small positive range first"
)]
fn repetitions(nanoseconds: f64) -> (u64, u64) {
    let long = (COUNTED_NANOSECONDS / nanoseconds).clamp(20.0, 1e6) as u64;
    (long / 10, long)
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn per_piece(long: u64, short: u64, times: u64) -> f64 {
    long.saturating_sub(short) as f64 / times as f64
}

fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value.ln();
        count += 1.0;
    }
    f64::exp(sum / count)
}

fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests;
