//! `allOf`, `anyOf`, `oneOf` and `not`.

use std::sync::Arc;

use serde_json::Value;

use super::node::Node;
use super::value::Findings;
use crate::go_text;
use crate::path::Path;

impl Findings {
    /// Inside a branch nothing is tolerated for being unchanged; the node as a whole may be.
    pub(super) fn check_branches(&mut self, node: &Node, value: &Value, path: &Path<'_>) {
        self.matches += 1;
        let plain =
            node.any_of.is_empty() && node.one_of.is_empty() && node.all_of.is_empty() && node.not.is_none();
        if plain {
            return;
        }
        let place = go_text::quote(&path.dotted());
        let check = |branch: &Arc<Node>| {
            let mut findings = Findings::default();
            findings.check(branch, value, None, path);
            findings
        };
        self.any_of(&node.any_of, &place, check);
        self.one_of(&node.one_of, &place, check);
        self.all_of(&node.all_of, &place, check);
        if node.not.as_ref().is_some_and(|not| check(not).errors.is_empty()) {
            self.fieldless(format!("{place} must not validate the schema (not)"));
        }
    }

    fn any_of(&mut self, branches: &[Arc<Node>], place: &str, check: impl Fn(&Arc<Node>) -> Findings) {
        if branches.is_empty() {
            return;
        }
        let mut closest: Option<Findings> = None;
        for branch in branches {
            let findings = check(branch);
            if findings.errors.is_empty() {
                return self.merge(findings);
            }
            closest = Some(closer(closest, findings));
        }
        self.fieldless(format!("{place} must validate at least one schema (anyOf)"));
        if let Some(findings) = closest {
            self.merge(findings);
        }
    }

    fn one_of(&mut self, branches: &[Arc<Node>], place: &str, check: impl Fn(&Arc<Node>) -> Findings) {
        if branches.is_empty() {
            return;
        }
        let (mut closest, mut first, mut valid) = (None, None, 0_usize);
        for branch in branches {
            let findings = check(branch);
            if findings.errors.is_empty() {
                valid += 1;
                first = first.or(Some(findings));
            } else if valid == 0 {
                closest = Some(closer(closest, findings));
            }
        }
        if let (1, Some(findings)) = (valid, first) {
            return self.merge(findings);
        }
        let found = match valid {
            0 => "Found none valid".to_owned(),
            count => format!("Found {count} valid alternatives"),
        };
        self.fieldless(format!("{place} must validate one and only one schema (oneOf). {found}"));
        if let (0, Some(findings)) = (valid, closest) {
            self.merge(findings);
        }
    }

    fn all_of(&mut self, branches: &[Arc<Node>], place: &str, check: impl Fn(&Arc<Node>) -> Findings) {
        let mut valid = 0;
        for branch in branches {
            let findings = check(branch);
            valid += usize::from(findings.errors.is_empty());
            self.merge(findings);
        }
        if valid != branches.len() {
            let none = if valid == 0 { ". None validated" } else { "" };
            self.fieldless(format!("{place} must validate all the schemas (allOf){none}"));
        }
    }

    fn merge(&mut self, other: Findings) {
        self.errors.extend(other.errors);
        self.matches += other.matches;
    }
}

/// The failed branch that matched more; of equals, the earlier.
fn closer(best: Option<Findings>, next: Findings) -> Findings {
    match best {
        Some(best) if best.matches >= next.matches => best,
        _ => next,
    }
}
