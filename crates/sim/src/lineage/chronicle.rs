//! All revisions there ever were, and what must never happen to them.

use std::collections::BTreeMap;

use krono_history::Digest;
use krono_model::names;
use krono_planner::definition::Action;
use krono_planner::instance::assignment;
use serde_json::Value;

use super::{Governance, definition_kind, revision_kind};
use crate::server::Server;
use crate::text::metadata;

/// All revisions there ever were.
#[derive(Debug, Default)]
pub struct Chronicle {
    issued: BTreeMap<i64, Digest>,
    /// The contents that numbers were taken for.
    reserved: BTreeMap<i64, Digest>,
    /// The highest input of each instance, by its UID.
    inputs: BTreeMap<String, i64>,
}

impl Chronicle {
    /// How many revisions were issued.
    pub fn issued(&self) -> usize {
        self.issued.len()
    }

    /// The content of a revision that was issued once.
    pub fn content(&self, number: i64) -> Option<Digest> {
        self.issued.get(&number).copied()
    }

    /// Takes in one change of an object; what is wrong with it, if anything is.
    pub(crate) fn note(&mut self, before: Option<&Value>, after: Option<&Value>) -> Option<String> {
        let object = after.or(before)?;
        match object["kind"].as_str().unwrap_or_default() {
            kind if kind == revision_kind().kind => match (before, after) {
                (None, Some(new)) => self.issue(new),
                (Some(before), Some(after)) => changed(before, after),
                (_, None) => None,
            },
            kind if kind == definition_kind().kind => self.reserve(before?, after?),
            _ => self.input(after?),
        }
    }

    /// A number is taken for some content first; its revision may come after that of a higher one.
    fn issue(&mut self, revision: &Value) -> Option<String> {
        let number = revision["spec"]["revision"].as_i64().unwrap_or_default();
        let digest = Digest::of_definition(&revision["spec"]);
        let before = self.issued.get(&(number - 1)) == Some(&digest);
        let known = self.issued.insert(number, digest);
        let wrong = match () {
            () if known.is_some() => "was issued twice",
            () if self.reserved.get(&number) != Some(&digest) => "was not taken for this content",
            () if before => "is the one before it again",
            () => return None,
        };
        Some(format!("{} {wrong}", metadata(revision, "name")))
    }

    /// Numbers that are taken only grow.
    fn reserve(&mut self, before: &Value, after: &Value) -> Option<String> {
        let last = |it: &Value| it["status"]["lastIssuedRevision"].as_i64().unwrap_or_default();
        let (before, number) = (last(before), last(after));
        if number == before {
            return None;
        }
        let highest = self.issued.last_key_value().map_or(before, |(number, _)| before.max(*number));
        let content = after["status"]["reservedRevisionHash"].as_str().and_then(|it| it.parse().ok());
        if let Some(content) = content {
            self.reserved.insert(number, content);
        }
        // After a loss of the status, what is told is not taken.
        let is_told = content.is_none() && number >= highest;
        (number <= highest && !is_told).then(|| format!("revision {number} was taken after {highest}"))
    }

    fn input(&mut self, instance: &Value) -> Option<String> {
        let number = instance["status"]["currentInputRevision"].as_i64()?;
        let highest = self.inputs.entry(metadata(instance, "uid").to_owned()).or_default();
        let before = std::mem::replace(highest, number.max(*highest));
        (number < before).then(|| format!("an input went from {before} to {number}"))
    }

    /// What is wrong with what is about to be done to revisions: what is referenced stays.
    pub(crate) fn wrong_with(
        &self,
        actions: &[Action],
        governance: &Governance,
        server: &Server,
    ) -> Option<String> {
        let doomed = actions.iter().filter_map(|it| {
            if let Action::DeleteRevision { name, .. } = it {
                return Some(name);
            }
            let Action::PatchRevision { name, patch } = it else { return None };
            patch["metadata"]["finalizers"].is_array().then_some(name)
        });
        let doomed: Vec<&String> = doomed.collect();
        if doomed.is_empty() {
            return None;
        }
        let references = self.references(governance, server);
        let wrong = references.iter().find(|(name, _)| doomed.contains(&name));
        wrong.map(|(name, reason)| format!("{name} is {reason}, and is to be pruned"))
    }

    /// The names of all revisions that something refers to, with what does; as the server has it.
    pub fn references(&self, governance: &Governance, server: &Server) -> Vec<(String, &'static str)> {
        let kind = revision_kind();
        let number = |it: &Value| it["spec"]["revision"].as_i64().unwrap_or_default();
        let kept: BTreeMap<i64, &Value> = server.list(&kind).map(|(_, it)| (number(it), it)).collect();
        let newest_with =
            |digest: Digest| kept.keys().rev().find(|it| self.issued.get(it) == Some(&digest)).copied();
        let mut numbers = Vec::from_iter(kept.keys().next_back().map(|it| (*it, "the latest")));
        numbers.extend(server.get(&governance.definition).map(by_definition).unwrap_or_default());
        for (_, instance) in server.list(&governance.instances) {
            numbers.extend(annotated(instance, names::RGD_REVISION).map(|it| (it, "pinned")));
            numbers
                .extend(annotated(instance, names::APPROVE_REVISION_ANNOTATION).map(|it| (it, "approved")));
            let assigned = assignment(instance).and_then(|(_, digest, _)| newest_with(digest));
            numbers.extend(assigned.map(|it| (it, "assigned")));
            let observed = instance["status"]["observedRGDRevision"].as_i64().and_then(|it| self.content(it));
            numbers.extend(observed.and_then(newest_with).map(|it| (it, "observed")));
        }
        let named = |(number, why)| Some((metadata(kept.get(&number)?, "name").to_owned(), why));
        numbers.into_iter().filter_map(named).collect()
    }
}

/// What is current is what is held, or else the latest; the status may not say so yet.
fn by_definition(definition: &Value) -> Vec<(i64, &'static str)> {
    let held = annotated(definition, names::ACTIVE_REVISION_ANNOTATION).map(|it| (it, "held"));
    let restoring = annotated(definition, names::RESTORING_ANNOTATION).map(|it| (it, "being restored"));
    held.into_iter().chain(restoring).collect()
}

fn annotated(object: &Value, key: &str) -> Option<i64> {
    object["metadata"]["annotations"][key].as_str()?.parse().ok()
}

/// What is wrong with a change of a revision.
fn changed(before: &Value, after: &Value) -> Option<String> {
    (before["spec"] != after["spec"]).then(|| format!("{} changed", metadata(before, "name")))
}
