//! All revisions there ever were, and what must never happen to them.

use std::collections::BTreeMap;

use krono_graph::KindName;
use krono_history::Digest;
use krono_history::retention::HISTORY_LIMIT;
use krono_model::names;
use krono_planner::definition::Action;
use krono_planner::instance::{assignment, input_kind};
use serde_json::Value;

use super::{Governance, definition_kind, revision_kind};
use crate::server::Server;
use crate::text::{label, metadata};

/// All revisions there ever were.
#[derive(Debug, Default)]
pub struct Chronicle {
    issued: BTreeMap<i64, Digest>,
    /// The contents that numbers were taken for.
    reserved: BTreeMap<i64, Digest>,
    /// The highest input of each instance, by its UID.
    inputs: BTreeMap<String, i64>,
    /// The content of each input, by the UID of its instance and its number.
    asked: BTreeMap<(String, i64), String>,
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
            kind if kind == input_kind().kind => self.kept_input(before, after?),
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
        let uid = metadata(instance, "uid");
        let mut told = instance["status"]["inputRevisionHistory"].as_array().into_iter().flatten();
        let wrong = told.find_map(|it| self.content_of_input(uid, &it["revision"], &it["specHash"]));
        let number = instance["status"]["currentInputRevision"].as_i64()?;
        let highest = self.inputs.entry(uid.to_owned()).or_default();
        let before = std::mem::replace(highest, number.max(*highest));
        wrong.or_else(|| (number < before).then(|| format!("an input went from {before} to {number}")))
    }

    /// What an object says of an input is what the instance says of it.
    fn kept_input(&mut self, before: Option<&Value>, object: &Value) -> Option<String> {
        let (uid, spec) =
            (label(object, names::INPUT_REVISION_OF_LABEL).unwrap_or_default(), &object["spec"]);
        let wrong = before.and_then(|it| changed(it, object));
        wrong.or_else(|| self.content_of_input(uid, &spec["inputRevision"], &spec["digest"]))
    }

    /// A number of an input means the same for ever.
    fn content_of_input(&mut self, uid: &str, number: &Value, digest: &Value) -> Option<String> {
        let (number, digest) = (number.as_i64()?, digest.as_str()?);
        let known = self.asked.entry((uid.to_owned(), number)).or_insert_with(|| digest.to_owned());
        (known != digest).then(|| format!("input {number} of {uid} was {known} and is {digest}"))
    }

    /// What is wrong with what is about to be done to revisions: what is referenced stays.
    pub(crate) fn wrong_with(
        &self,
        actions: &[Action],
        governance: &Governance,
        server: &Server,
    ) -> Option<String> {
        let pruned = |it: &Action| {
            let Action::DeleteRevision { name, .. } = it else { return None };
            Some(name.clone())
        };
        let released = |it: &Action| {
            let Action::PatchRevision { name, patch } = it else { return None };
            patch["metadata"]["finalizers"].is_array().then(|| name.clone())
        };
        let pruned: Vec<String> = actions.iter().filter_map(pruned).collect();
        let released: Vec<String> = actions.iter().filter_map(released).collect();
        if pruned.is_empty() && released.is_empty() {
            return None;
        }
        let (references, past) = (self.references(governance, server), self.past(governance, server));
        let is_used = |(name, _): &&(String, _)| pruned.contains(name) || released.contains(name);
        // What is only to be looked back at goes when somebody deletes it.
        let is_past = |(name, _): &&(String, _)| pruned.contains(name);
        let wrong = references.iter().find(is_used).or_else(|| past.iter().find(is_past));
        wrong.map(|(name, reason)| format!("{name} is {reason}, and is to be pruned"))
    }

    /// The names of all revisions that are kept to be looked back at or gone back to.
    fn past(&self, governance: &Governance, server: &Server) -> Vec<(String, &'static str)> {
        let kind = revision_kind();
        let kept = kept(server, &kind);
        let completed = self.last_completed(&kept).map(|it| (it, "the last completed"));
        let definition = server.get(&governance.definition);
        let current = definition.and_then(|it| current(it, &kept));
        let limit = definition.and_then(|it| it["spec"]["revisionManagement"]["historyLimit"].as_u64());
        let limit = limit.unwrap_or(HISTORY_LIMIT);
        let is_near = |it: &i64| current.is_some_and(|current| it.abs_diff(current) <= limit);
        let recent = kept.keys().copied().filter(is_near).map(|it| (it, "within the limit"));
        named(&kept, completed.into_iter().chain(recent))
    }

    /// The newest with the content of the last that was completed and that nobody has gone back from.
    fn last_completed(&self, kept: &BTreeMap<i64, &Value>) -> Option<i64> {
        let was_left = |number: i64| {
            let next = kept.range(number + 1..).next();
            next.and_then(|(_, it)| it["spec"]["restoredFrom"].as_i64()).is_some_and(|from| from < number)
        };
        let is_completed =
            |it: &Value| it["metadata"]["annotations"][names::COMPLETED_ANNOTATION].is_string();
        let mut completed = kept.iter().rev().filter(|(number, it)| is_completed(it) && !was_left(**number));
        let content = self.content(*completed.next()?.0)?;
        self.newest_with(kept, content)
    }

    fn newest_with(&self, kept: &BTreeMap<i64, &Value>, digest: Digest) -> Option<i64> {
        kept.keys().rev().find(|it| self.issued.get(it) == Some(&digest)).copied()
    }

    /// The names of all revisions that something refers to, with what does; as the server has it.
    pub fn references(&self, governance: &Governance, server: &Server) -> Vec<(String, &'static str)> {
        let kind = revision_kind();
        let kept = kept(server, &kind);
        let newest_with = |digest: Digest| self.newest_with(&kept, digest);
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
        named(&kept, numbers)
    }
}

/// The revisions that the server has.
fn kept<'s>(server: &'s Server, kind: &'s KindName) -> BTreeMap<i64, &'s Value> {
    let number = |it: &Value| it["spec"]["revision"].as_i64().unwrap_or_default();
    server.list(kind).map(|(_, it)| (number(it), it)).collect()
}

/// Those of them that have these numbers.
fn named(
    kept: &BTreeMap<i64, &Value>,
    numbers: impl IntoIterator<Item = (i64, &'static str)>,
) -> Vec<(String, &'static str)> {
    let named = |(number, why)| Some((metadata(kept.get(&number)?, "name").to_owned(), why));
    numbers.into_iter().filter_map(named).collect()
}

/// What instances move to; nothing while a hold leads nowhere.
fn current(definition: &Value, kept: &BTreeMap<i64, &Value>) -> Option<i64> {
    match definition["metadata"]["annotations"][names::ACTIVE_REVISION_ANNOTATION].as_str() {
        Some(held) => held.parse().ok().filter(|it| kept.contains_key(it)),
        None => kept.keys().next_back().copied(),
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
