//! What the API server would make of what is applied, without asking it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use krono_apiserver::kind::Kind;
use krono_apiserver::protobuf;
use krono_graph::{KindName, Kinds};
use krono_model::names;
use krono_patch::apply::{Applier, Endpoint, FieldSet, ObjectType, SameShape, Timestamp, apply};
use krono_planner::preview::Server;
use krono_schema::{FieldError, Schema, Validator};
use serde_json::Value;

use crate::kinds::KnownKinds;

/// Server-side apply with the schemas, defaults and rules of the built-in kinds, and the schemas of all others.
pub(super) struct Rehearsal<'k> {
    kinds: &'k KnownKinds,
    /// By kind, what it takes to apply.
    compiled: RefCell<BTreeMap<KindName, Rc<Compiled>>>,
}

struct Compiled {
    versions: SameShape,
    schema: Arc<Schema>,
    built_in: Option<&'static Kind>,
}

impl<'k> Rehearsal<'k> {
    pub(super) fn new(kinds: &'k KnownKinds) -> Self {
        Self { kinds, compiled: RefCell::default() }
    }

    fn compiled(&self, kind: &KindName) -> Rc<Compiled> {
        let mut compiled = self.compiled.borrow_mut();
        Rc::clone(compiled.entry(kind.clone()).or_insert_with(|| Rc::new(Compiled::new(self.kinds, kind))))
    }
}

impl Server for Rehearsal<'_> {
    fn applied(&self, kind: &KindName, live: Option<&Value>, object: &Value) -> Result<Value, String> {
        let compiled = self.compiled(kind);
        let mut after = compiled.apply(kind, live, object)?;
        compiled.default(kind, &mut after);
        match live.map(|live| compiled.errors(&after, live)) {
            Some(errors) if !errors.is_empty() => Err(words(&errors)),
            Some(_) | None => Ok(after),
        }
    }
}

impl Compiled {
    fn new(kinds: &KnownKinds, kind: &KindName) -> Self {
        let known = kinds.find(&kind.api_version, &kind.kind);
        let schema = known.map_or_else(|| Arc::new(Schema::any()), |it| it.schema);
        let built_in = KnownKinds::built_in(&kind.api_version, &kind.kind);
        let object_type = match built_in {
            Some(_) => ObjectType::built_in(&schema),
            None => ObjectType::custom_resource(&schema),
        };
        let object_type = object_type.unwrap_or_else(|_| ObjectType::deduced());
        let versions = SameShape::of(&kind.api_version, object_type);
        Self { versions: versions.without(&FieldSet::of_fields([&["status"]])), schema, built_in }
    }

    fn apply(&self, kind: &KindName, live: Option<&Value>, object: &Value) -> Result<Value, String> {
        let endpoint = Endpoint {
            api_version: &kind.api_version,
            kind: &kind.kind,
            subresource: "",
            versions: &self.versions,
            blank: &Value::Null,
        };
        let now = Timestamp::from_seconds(0);
        let applier = Applier { manager: names::MANAGER_RESOURCES, force: true, now };
        apply(&endpoint, live, object, &applier).map_err(|it| it.to_string())
    }

    fn default(&self, kind: &KindName, object: &mut Value) {
        if let Some(built_in) = self.built_in {
            krono_schema::empty_null_texts(&self.schema, object);
            krono_schema::drop_nulls(&self.schema, object);
            krono_schema::default(&self.schema, object);
            (built_in.rules.default)(object);
            protobuf::normalise(&kind.api_version, &kind.kind, object);
        } else {
            krono_schema::default(&self.schema, object);
        }
    }

    /// What is wrong with a change; new objects are left to the API server, which gives them what they lack.
    fn errors(&self, after: &Value, live: &Value) -> Vec<FieldError> {
        match self.built_in {
            Some(built_in) => (built_in.rules.validate)(after, Some(live)),
            None => Validator::new(&self.schema).validate_update(after, live),
        }
    }
}

/// Without the values, which are shown anyway and may be large.
fn words(errors: &[FieldError]) -> String {
    let words = |it: &FieldError| match it.detail.as_str() {
        "" => it.to_string(),
        detail => format!("{}: {detail}", it.path),
    };
    errors.iter().map(words).collect::<Vec<_>>().join("; ")
}
