//! The revisions of a definition.

use std::collections::BTreeMap;
use std::fmt;

use krono_history::hold::{self, Hold, Wish};
use krono_history::revision::{Health, History, Presence, Unreadable, definition_revision, is_of_same_kind};
use krono_history::{Digest, Revision, RevisionNumber};
use krono_model::names;
use krono_propagation::mark;
use serde_json::{Value, json};

use crate::author;
use crate::table::{Table, cell};
use crate::time::shown_time;

/// One revision of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisionRow {
    /// Its number.
    pub number: RevisionNumber,
    /// The name of the object that holds it.
    pub name: String,
    /// When it was issued, in RFC 3339.
    pub created: Option<String>,
    /// How many instances are assigned to its content; nothing while nobody has counted.
    pub instances: Option<u64>,
    /// What it is to instances.
    pub standing: Standing,
    /// The revision whose content it is again.
    pub restored_from: Option<RevisionNumber>,
    /// Who made the change.
    pub author: Option<String>,
    /// Why, in the words of whoever made the change.
    pub change_cause: Option<String>,
    /// The identity of its content.
    pub digest: Digest,
    /// Why a propagation gave it up.
    pub failed: Option<String>,
}

/// What a revision is to instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Instances move to it.
    Current,
    /// It is served whatever the definition says.
    Held,
    /// Instances are assigned to it though another one is current.
    Active,
    /// No instance is assigned to it; it is kept.
    Unused,
    /// Nothing needs it: it is deleted before long.
    Prunable,
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Current => "Current",
            Self::Held => "Held",
            Self::Active => "Active",
            Self::Unused => "Unused",
            Self::Prunable => "Prunable",
        })
    }
}

/// The revisions of one definition as they are shown, newest first.
#[derive(Clone, Debug)]
pub struct RevisionRows {
    /// Newest first.
    pub rows: Vec<RevisionRow>,
    /// Objects that hold no revision.
    pub unreadable: Vec<Unreadable>,
    /// The same revisions as rules see them.
    pub history: History,
    /// What is served whatever the definition says.
    pub hold: Hold,
}

impl RevisionRows {
    /// From a definition and the objects of its revisions.
    pub fn new(definition: &Value, objects: &[Value]) -> Self {
        let uid = definition["metadata"]["uid"].as_str().unwrap_or_default();
        let mut unreadable = Vec::new();
        let mut read: Vec<(Revision, &Value)> = Vec::new();
        for object in objects.iter().filter(|it| !is_of_another_kind(definition, it)) {
            match definition_revision(object, uid) {
                Ok(revision) => read.push((revision, object)),
                Err(problem) => unreadable.push(problem),
            }
        }
        read.sort_by_key(|(revision, _)| std::cmp::Reverse(revision.number));
        let history = History::new(read.iter().map(|(revision, object)| served(revision, object)).collect());
        let hold = hold::hold(wish(definition, &history), &history);
        let situation = Situation::new(definition, &history, &hold, &read);
        let rows = read.iter().map(|(revision, object)| situation.row(revision, object, &history)).collect();
        Self { rows, unreadable, history, hold }
    }

    /// The same of a definition that is gone, as its newest revision has it: nobody moves to any of them.
    pub fn left(definition: &Value, objects: &[Value]) -> Self {
        let mut all = Self::new(definition, objects);
        for row in &mut all.rows {
            if matches!(row.standing, Standing::Current | Standing::Held) {
                let is_used = row.instances.is_some_and(|it| it > 0);
                row.standing = if is_used { Standing::Active } else { Standing::Unused };
            }
        }
        Self { hold: Hold::Released, ..all }
    }

    /// The row of a number.
    pub fn find(&self, number: RevisionNumber) -> Option<&RevisionRow> {
        self.rows.iter().find(|it| it.number == number)
    }

    /// What instances move to.
    pub fn current(&self) -> Option<&RevisionRow> {
        self.rows.iter().find(|it| matches!(it.standing, Standing::Current | Standing::Held))
    }

    /// In columns.
    pub fn table(&self) -> Table {
        Table {
            heading: vec!["REVISION", "CREATED", "INSTANCES", "STATUS"],
            rows: self.rows.iter().map(RevisionRow::cells).collect(),
        }
    }

    /// In more columns.
    pub fn wide_table(&self) -> Table {
        let more = ["RESTORED-FROM", "AUTHOR", "DIGEST", "CHANGE-CAUSE"];
        let Table { heading, .. } = self.table();
        Table {
            heading: heading.into_iter().chain(more).collect(),
            rows: self.rows.iter().map(RevisionRow::wide_cells).collect(),
        }
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        self.rows.iter().map(RevisionRow::to_json).collect()
    }
}

/// What the definition wants to be served whatever it says.
pub(crate) fn wish<'d>(definition: &'d Value, history: &History) -> Wish<'d> {
    let management = &definition["spec"]["revisionManagement"];
    Wish {
        annotation: definition["metadata"]["annotations"][names::ACTIVE_REVISION_ANNOTATION].as_str(),
        field: management["activeRevision"].as_i64(),
        minimum: management["instances"]["minimumRevision"].as_i64().and_then(RevisionNumber::from_wire),
        automatic: mark::way_back(history),
    }
}

/// A definition of the same name may have made another kind before.
fn is_of_another_kind(definition: &Value, revision: &Value) -> bool {
    revision["spec"]["schema"]["kind"].is_string() && !is_of_same_kind(definition, revision)
}

/// What was deleted is served as before while it is needed, which a finalizer tells.
fn served(revision: &Revision, object: &Value) -> Revision {
    let finalizers = object["metadata"]["finalizers"].as_array();
    let is_held = finalizers.is_some_and(|all| all.iter().any(|it| it == names::FINALIZER));
    let presence = if is_held { Presence::Live } else { revision.presence };
    Revision { presence, ..revision.clone() }
}

/// What rows are told from.
struct Situation {
    current: Option<RevisionNumber>,
    held: Option<RevisionNumber>,
    counts: BTreeMap<RevisionNumber, u64>,
}

impl Situation {
    fn new(definition: &Value, history: &History, wished: &Hold, read: &[(Revision, &Value)]) -> Self {
        let status = &definition["status"];
        let published = status["currentRevision"].as_i64().and_then(RevisionNumber::from_wire);
        let held = match wished {
            Hold::Held { number, .. } => Some(*number),
            Hold::Released | Hold::Invalid(_) => None,
        };
        let current = held.or(published).or_else(|| history.latest().map(|it| it.number));
        Self { current, held, counts: counts(status, read) }
    }

    fn row(&self, revision: &Revision, object: &Value, history: &History) -> RevisionRow {
        let spec = &object["spec"];
        let created =
            [&spec["createdAt"], &object["status"]["createdAt"], &object["metadata"]["creationTimestamp"]];
        RevisionRow {
            number: revision.number,
            name: revision.object.name.clone(),
            created: created.into_iter().find_map(Value::as_str).map(str::to_owned),
            instances: self.counts.get(&revision.number).copied(),
            standing: self.standing(revision),
            restored_from: revision.restored_from,
            author: author::of(spec),
            change_cause: spec["changeCause"].as_str().map(str::to_owned),
            digest: revision.digest,
            failed: match &revision.health {
                Health::Failed(reason) | Health::DoesNotCompile(reason) => Some(reason.clone()),
                Health::Good => history.given_up(revision.digest).map(|(_, reason)| reason.to_owned()),
            },
        }
    }

    /// What is needed stays, also where somebody has deleted it; what else goes is for the controllers to say.
    fn standing(&self, revision: &Revision) -> Standing {
        let number = Some(revision.number);
        let count = self.counts.get(&revision.number).copied().unwrap_or_default();
        match () {
            () if number == self.held => Standing::Held,
            () if number == self.current => Standing::Current,
            () if count > 0 => Standing::Active,
            () if revision.presence == Presence::Live && revision.unused_since.is_none() => Standing::Unused,
            () => Standing::Prunable,
        }
    }
}

/// As the revisions themselves say, or else the definition.
fn counts(status: &Value, read: &[(Revision, &Value)]) -> BTreeMap<RevisionNumber, u64> {
    let listed = status["revisionHistory"].as_array().into_iter().flatten();
    let mut counts: BTreeMap<_, _> =
        listed.filter_map(|it| counted(&it["revision"], &it["instanceCount"])).collect();
    let own =
        read.iter().map(|(revision, object)| (revision.number, object["status"]["instanceCount"].as_u64()));
    counts.extend(own.filter_map(|(number, count)| Some((number, count?))));
    counts
}

fn counted(number: &Value, count: &Value) -> Option<(RevisionNumber, u64)> {
    Some((RevisionNumber::from_wire(number.as_i64()?)?, count.as_u64()?))
}

impl RevisionRow {
    fn cells(&self) -> Vec<String> {
        vec![
            self.number.to_string(),
            self.created.as_deref().map(shown_time).unwrap_or_default(),
            self.instances.map_or_else(|| "-".to_owned(), |it| it.to_string()),
            self.standing.to_string(),
        ]
    }

    fn wide_cells(&self) -> Vec<String> {
        let cause = self.change_cause.as_deref().map(cell).unwrap_or_default();
        let failed = self.failed.as_deref().map(|it| format!("failed: {}", cell(it)));
        let told = [Some(cause).filter(|it| !it.is_empty()), failed].into_iter().flatten();
        let more = [
            self.restored_from.map_or_else(|| "-".to_owned(), |it| it.to_string()),
            self.author.as_deref().map_or_else(|| "-".to_owned(), cell),
            self.digest.to_string().chars().take(12).collect(),
            told.collect::<Vec<_>>().join("; "),
        ];
        [self.cells(), more.to_vec()].concat()
    }

    fn to_json(&self) -> Value {
        json!({
            "revision": self.number.get(),
            "name": self.name,
            "createdAt": self.created,
            "instances": self.instances,
            "status": self.standing.to_string(),
            "restoredFrom": self.restored_from.map(RevisionNumber::get),
            "author": self.author,
            "changeCause": self.change_cause,
            "digest": self.digest.to_string(),
            "failed": self.failed,
        })
    }
}

#[cfg(test)]
mod tests;
