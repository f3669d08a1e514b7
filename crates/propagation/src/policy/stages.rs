//! Reading stages.

use std::collections::BTreeSet;

use jiff::SignedDuration;
use serde_json::Value;

use super::read::{Reader, whole_seconds};
use super::{Selector, Stage};
use crate::problem::Problem;

const FIELDS: [&str; 5] = ["name", "instanceSelector", "namespaceSelector", "soakSeconds", "requireApproval"];

impl Reader<'_> {
    pub(super) fn stages(&mut self) -> Vec<Stage> {
        let stages: Vec<Stage> =
            self.list("stages").iter().enumerate().map(|(at, stage)| self.stage(at, stage)).collect();
        self.tell_unreachable(&stages);
        stages
    }

    fn stage(&mut self, at: usize, stage: &Value) -> Stage {
        let path = format!("{}.stages[{at}]", self.path);
        self.tell_unknown(stage, &path, &FIELDS);
        let name = self.stage_name(stage, &path, at);
        Stage {
            name,
            instances: self.selector(stage, &path, "instanceSelector"),
            namespaces: self.selector(stage, &path, "namespaceSelector"),
            soak: self.stage_soak(stage, &path),
            needs_approval: self.flag_of(&stage["requireApproval"], &format!("{path}.requireApproval")),
        }
    }

    fn stage_name(&mut self, stage: &Value, path: &str, at: usize) -> String {
        let name = stage["name"].as_str().unwrap_or_default();
        // Approvals are lists of names.
        let message = match name {
            "" => "the name is missing".to_owned(),
            _ if name.trim() != name || name.contains([',', '\n']) => {
                format!("{name:?} could not be approved of by name")
            }
            _ => return name.to_owned(),
        };
        let advice = "write a name without commas, such as canary; approvals and messages use it";
        self.problems.push(Problem::new(format!("{path}.name"), message, advice));
        format!("stage {at}")
    }

    fn selector(&mut self, stage: &Value, path: &str, field: &str) -> Option<Selector> {
        let selector = stage.get(field).filter(|it| !it.is_null())?;
        Some(Selector::read(selector, &format!("{path}.{field}"), &mut self.problems))
    }

    fn stage_soak(&mut self, stage: &Value, path: &str) -> SignedDuration {
        let value = &stage["soakSeconds"];
        if value.is_null() {
            return SignedDuration::ZERO;
        }
        whole_seconds(value).unwrap_or_else(|(wrong, advice)| {
            let problem = Problem::new(format!("{path}.soakSeconds"), format!("{value} {wrong}"), advice);
            self.problems.push(problem);
            SignedDuration::ZERO
        })
    }

    /// A name that comes twice cannot be approved of, and what follows a stage for everybody has nobody.
    fn tell_unreachable(&mut self, stages: &[Stage]) {
        let mut names = BTreeSet::new();
        for (at, stage) in stages.iter().enumerate() {
            let path = format!("{}.stages[{at}]", self.path);
            if !names.insert(&stage.name) {
                let message = format!("there is another stage {:?}", stage.name);
                self.problems.push(Problem::new(
                    format!("{path}.name"),
                    message,
                    "give each a name of its own",
                ));
            }
            let holds_all = stage.instances.is_none() && stage.namespaces.is_none();
            if holds_all && at + 1 < stages.len() {
                let advice = "add an instanceSelector or a namespaceSelector, or move it to the end";
                self.problems.push(Problem::new(
                    path,
                    "every instance is in it, so nobody is left for the next",
                    advice,
                ));
            }
        }
    }
}
