//! What people should know about all instances of a definition.

use std::collections::BTreeMap;

use super::{Because, Remark, Verdict};

/// How many names are told of each group.
const NAMED: usize = 3;

/// How the instances of a definition stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How many instances each reason decided about.
    pub decided: BTreeMap<Because, Told>,
    /// How many instances there is something to say about, by the reason of the remark.
    pub remarked: BTreeMap<&'static str, Told>,
}

/// A number of instances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// How many.
    pub count: usize,
    /// The first of them.
    pub first: Vec<String>,
}

impl Told {
    fn add(&mut self, name: &str) {
        self.add_with(|| name.to_owned());
    }

    /// Counts one more; its name is made only where it is told.
    pub fn add_with(&mut self, name: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(name());
        }
    }
}

/// Counts verdicts, with the names of the instances they are about.
pub fn report<'v>(verdicts: impl IntoIterator<Item = (&'v str, &'v Verdict)>) -> Report {
    let mut report = Report::default();
    for (name, verdict) in verdicts {
        report.decided.entry(verdict.because).or_default().add(name);
        for reason in verdict.remarks.iter().map(Remark::reason) {
            report.remarked.entry(reason).or_default().add(name);
        }
    }
    report
}
