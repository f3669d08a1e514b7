//! An API server as far as a controller can tell: objects with versions, managers, finalizers, and what changed.

mod write;

use std::collections::{BTreeMap, BTreeSet};

use krono_graph::KindName;
use krono_patch::apply::{ObjectType, SameShape, Timestamp, TypeError};
use krono_planner::instance::ObjectName;
use krono_schema::Schema;
use serde_json::Value;

use crate::text;

/// All objects, and what became of them.
#[derive(Debug, Default)]
pub struct Server {
    kinds: BTreeMap<KindName, Served>,
    objects: BTreeMap<ObjectName, Value>,
    events: BTreeMap<KindName, Vec<Event>>,
    version: u64,
    /// How many objects there have been under a name.
    incarnations: BTreeMap<ObjectName, u32>,
    seconds: i64,
}

#[derive(Debug)]
struct Served {
    versions: SameShape,
    habits: Habits,
}

/// What is special about the objects of a kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Habits {
    /// A finalizer that every object gets at its creation.
    pub finalizer: Option<&'static str>,
    /// Spells the values of an object as the server likes them.
    pub spell: Option<fn(&mut Value)>,
    /// Adds what the server itself says about a new object.
    pub greet: Option<fn(&mut Value)>,
}

/// One change of an object.
#[derive(Clone, Debug)]
pub struct Event {
    /// The version of the change.
    pub version: u64,
    /// The object after it; for one that is gone, before it.
    pub object: Value,
    /// Whether the object is gone.
    pub gone: bool,
}

/// One change that somebody asks for.
#[derive(Clone, Debug)]
pub enum Request {
    /// A new object.
    Create {
        /// Which.
        name: ObjectName,
        /// All of it.
        object: Value,
    },
    /// Server-side apply.
    Apply {
        /// Which.
        name: ObjectName,
        /// What the manager wants of it.
        object: Value,
        /// The field manager.
        manager: &'static str,
        /// Whether fields may be taken from others.
        force: bool,
    },
    /// A merge patch; it may name the version it is for.
    Merge {
        /// Which.
        name: ObjectName,
        /// The patch.
        patch: Value,
        /// The field manager.
        manager: &'static str,
    },
    /// Another status.
    Status {
        /// Which.
        name: ObjectName,
        /// All of the status.
        status: Value,
        /// The one that is meant, if only one is.
        uid: Option<String>,
    },
    /// Deletion.
    Delete {
        /// Which.
        name: ObjectName,
        /// The one that is meant, if only one is.
        uid: Option<String>,
    },
}

impl Request {
    /// The object it is about.
    pub fn name(&self) -> &ObjectName {
        match self {
            Self::Create { name, .. }
            | Self::Apply { name, .. }
            | Self::Merge { name, .. }
            | Self::Status { name, .. }
            | Self::Delete { name, .. } => name,
        }
    }
}

/// What the server says to a request that it performed.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The object as it is now.
    Object(Value),
    /// The object is gone.
    Gone,
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// 404.
    #[error("not found")]
    NotFound,
    /// 409 to a creation.
    #[error("already exists")]
    Exists,
    /// 409.
    #[error("conflict: {0}")]
    Conflict(String),
    /// 422.
    #[error("invalid: {0}")]
    Invalid(String),
    /// 429.
    #[error("too many requests")]
    TooMany,
    /// 500.
    #[error("internal error")]
    Internal,
    /// No answer came: nobody knows whether it was performed.
    #[error("timed out")]
    TimedOut,
}

impl Server {
    /// Serves a kind from now on, or with another schema.
    pub fn serve(&mut self, kind: KindName, schema: &Schema, habits: Habits) -> Result<(), TypeError> {
        let versions = SameShape::of(&kind.api_version, ObjectType::custom_resource(schema)?);
        self.events.entry(kind.clone()).or_default();
        self.kinds.insert(kind, Served { versions, habits });
        Ok(())
    }

    /// The kinds that are served.
    pub fn kinds(&self) -> impl Iterator<Item = &KindName> {
        self.kinds.keys()
    }

    /// An object, if it exists.
    pub fn get(&self, name: &ObjectName) -> Option<&Value> {
        self.objects.get(name)
    }

    /// All objects.
    pub fn objects(&self) -> impl Iterator<Item = (&ObjectName, &Value)> {
        self.objects.iter()
    }

    /// The objects of one kind.
    pub fn list<'s>(&'s self, kind: &'s KindName) -> impl Iterator<Item = (&'s ObjectName, &'s Value)> {
        self.objects.iter().filter(move |(name, _)| name.kind == *kind)
    }

    /// All that ever happened to objects of a kind.
    pub fn events(&self, kind: &KindName) -> &[Event] {
        self.events.get(kind).map(Vec::as_slice).unwrap_or_default()
    }

    /// The version of the last change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Lets a second pass.
    pub fn tick(&mut self) {
        self.seconds += 1;
    }

    /// Lets some seconds pass.
    pub fn wait(&mut self, seconds: i64) {
        self.seconds += seconds;
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_seconds(1_767_225_600 + self.seconds)
    }

    /// The same objects in an empty server, as a backup has them: without status, owners, and what only a server writes.
    ///
    /// # Errors
    ///
    /// When an object of that kind cannot be created.
    pub fn restored(self) -> Result<Self, Refusal> {
        let Self { kinds, objects, incarnations, seconds, version, .. } = self;
        let events = kinds.keys().map(|kind| (kind.clone(), Vec::new())).collect();
        let mut restored = Self { kinds, events, version, incarnations, seconds, ..Self::default() };
        for (name, mut object) in objects {
            write::strip(&mut object);
            restored.create(&name, &object)?;
        }
        Ok(restored)
    }

    /// An object as the server spells its values.
    pub fn spelled(&self, kind: &KindName, object: &Value) -> Value {
        let mut object = object.clone();
        if let Some(spell) = self.kinds.get(kind).and_then(|it| it.habits.spell) {
            spell(&mut object);
        }
        object
    }

    /// Performs a request.
    pub fn perform(&mut self, request: &Request) -> Result<Answer, Refusal> {
        let answer = self.answer(request);
        if matches!((request, &answer), (Request::Create { .. }, Ok(_)) | (_, Ok(Answer::Gone))) {
            self.collect_garbage();
        }
        answer
    }

    fn answer(&mut self, request: &Request) -> Result<Answer, Refusal> {
        match request {
            Request::Create { name, object } => self.create(name, object),
            Request::Apply { name, object, manager, force } => self.apply(name, object, manager, *force),
            Request::Merge { name, patch, manager } => self.merge(name, patch, manager),
            Request::Status { name, status, uid } => self.put_status(name, status, uid.as_deref()),
            Request::Delete { name, uid } => self.delete(name, uid.as_deref()),
        }
    }

    /// What belongs to others goes with the last of them.
    fn collect_garbage(&mut self) {
        let there: BTreeSet<&str> = self.objects.values().map(|it| text::metadata(it, "uid")).collect();
        let is_left = |object: &Value| {
            let owners =
                object["metadata"]["ownerReferences"].as_array().map(Vec::as_slice).unwrap_or_default();
            let is_gone = |it: &Value| it["uid"].as_str().is_none_or(|uid| !there.contains(uid));
            !owners.is_empty() && owners.iter().all(is_gone)
        };
        let left = self.objects.iter().filter(|(_, it)| is_left(it)).map(|(name, _)| name.clone());
        for name in left.collect::<Vec<_>>() {
            drop(self.delete(&name, None));
        }
    }

    fn note(&mut self, name: &ObjectName, object: Value, gone: bool) {
        let event = Event { version: self.version, object, gone };
        self.events.entry(name.kind.clone()).or_default().push(event);
    }

    /// UIDs say whose they are, so that two runs of one story have the same ones.
    fn new_uid(&mut self, name: &ObjectName) -> String {
        let count = self.incarnations.entry(name.clone()).or_default();
        *count += 1;
        format!("{}.{}.{}.{count}", name.kind.kind, name.namespace, name.name).to_lowercase()
    }
}

/// The name under which a server keeps an object of a kind.
pub fn name_of(kind: &KindName, object: &Value) -> ObjectName {
    text::name_of(kind, object)
}
