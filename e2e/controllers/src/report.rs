//! What was played, and how it went.

use std::time::Instant;

use anyhow::bail;
use serde_json::{Value, json};

/// One thing that was played.
#[derive(Debug)]
pub(crate) struct Case {
    name: String,
    begun: Instant,
    /// How many writes controllers made that looked at a settled world again.
    writes_after_settling: Option<usize>,
    children: Option<Children>,
    /// Whatever else was measured, by name.
    measured: Option<Value>,
}

/// The children of instances whose controller was replaced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Children {
    pub(crate) there: usize,
    /// Those with other labels or managers than before.
    pub(crate) written: usize,
    /// Those with another content than before.
    pub(crate) changed: usize,
}

impl Case {
    pub(crate) fn begin(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            begun: Instant::now(),
            writes_after_settling: None,
            children: None,
            measured: None,
        }
    }

    /// Controllers have looked at a settled world again; what they wrote is a failure.
    pub(crate) fn looked_again(&mut self, writes: &[String]) -> anyhow::Result<()> {
        self.writes_after_settling = Some(writes.len());
        if writes.is_empty() {
            return Ok(());
        }
        bail!("a second look made {} writes:\n  {}", writes.len(), writes.join("\n  "))
    }

    /// What it came to in figures of its own.
    pub(crate) fn measured(&mut self, figures: Value) {
        self.measured = Some(figures);
    }

    pub(crate) fn taken_over(&mut self, children: Children) {
        self.children = Some(children);
    }
}

/// All that was played.
#[derive(Debug, Default)]
pub(crate) struct Report {
    cases: Vec<Value>,
    failures: Vec<String>,
}

impl Report {
    /// A case has come to its end.
    pub(crate) fn add(&mut self, case: &Case, played: anyhow::Result<()>) {
        self.add_timed(case, case.begun.elapsed().as_secs_f64(), played);
    }

    /// A case that somebody else has measured.
    pub(crate) fn add_timed(&mut self, case: &Case, seconds: f64, played: anyhow::Result<()>) {
        let verdict = if played.is_ok() { "ok" } else { "FAIL" };
        println!("{verdict:5} {} ({seconds:.1} s)", case.name);
        if let Err(error) = played {
            println!("      {error:#}");
            self.failures.push(format!("{}: {error:#}", case.name));
        }
        let mut figures =
            json!({"name": case.name, "verdict": verdict, "seconds": (seconds * 10.0).round() / 10.0});
        if let Some(writes) = case.writes_after_settling {
            figures["writes_after_settling"] = writes.into();
        }
        if let Some(Children { there, written, changed }) = case.children {
            figures["children"] = json!({"there": there, "written": written, "changed": changed});
        }
        if let Some(measured) = &case.measured {
            println!("      {measured}");
            figures["measured"] = measured.clone();
        }
        self.cases.push(figures);
    }

    /// Appends what was played elsewhere.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.cases.append(&mut other.cases);
        self.failures.append(&mut other.failures);
    }

    pub(crate) fn pass(&self) -> bool {
        self.failures.is_empty()
    }

    pub(crate) fn figures(&self) -> Value {
        json!({
            "pass": self.pass(),
            "played": self.cases.len(),
            "cases": self.cases,
            "failures": self.failures,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_after_settling_is_a_failure_and_counted() {
        let mut report = Report::default();
        for writes in [vec![], vec!["x: .data".to_owned()]] {
            let mut case = Case::begin("one");
            let played = case.looked_again(&writes);
            report.add_timed(&case, 1.25, played);
        }
        let figures = report.figures();
        let counts = [0, 1].map(|it| figures["cases"][it]["writes_after_settling"].clone());
        assert_eq!(counts, [json!(0), json!(1)]);
        assert_eq!((figures["pass"].clone(), figures["played"].clone()), (json!(false), json!(2)));
    }
}
