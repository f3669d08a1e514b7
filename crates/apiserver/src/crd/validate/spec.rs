//! The spec of a definition as the real server keeps it: what all versions share stands at the top.

use serde_json::Value;

use crate::object::Object;

static NOTHING: Value = Value::Null;

/// The spec of a definition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spec<'a> {
    value: &'a Value,
    pub(super) versions: &'a [Value],
}

/// What versions may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Schema,
    Subresources,
    Columns,
    Selectable,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Subresources => "subresources",
            Self::Columns => "additionalPrinterColumns",
            Self::Selectable => "selectableFields",
        }
    }

    /// A list without elements is none.
    fn of(self, version: &Value) -> Option<&Value> {
        version.get(self.name()).filter(|it| !it.is_null() && it.as_array().is_none_or(|it| !it.is_empty()))
    }
}

impl<'a> Spec<'a> {
    pub(super) fn of(object: &'a Object) -> Self {
        let value = object.get("spec").unwrap_or(&NOTHING);
        Self { value, versions: list(value, "versions") }
    }

    pub(super) fn get(&self, name: &str) -> &'a Value {
        self.value.get(name).unwrap_or(&NOTHING)
    }

    pub(super) fn text(&self, name: &str) -> String {
        text(self.value, name).to_owned()
    }

    pub(super) fn names(&self) -> &'a Value {
        self.get("names")
    }

    pub(super) fn preserves_unknown_fields(&self) -> bool {
        flag(self.value, "preserveUnknownFields")
    }

    fn is_shared(&self, part: Part) -> bool {
        let first = self.versions.first().and_then(|it| part.of(it));
        self.versions.iter().all(|version| part.of(version) == first)
    }

    /// What all versions say.
    pub(super) fn shared(&self, part: Part) -> Option<&'a Value> {
        self.versions.first().filter(|_| self.is_shared(part)).and_then(|it| part.of(it))
    }

    /// What one version says, unlike others.
    pub(super) fn own(&self, index: usize, part: Part) -> Option<&'a Value> {
        self.versions.get(index).filter(|_| !self.is_shared(part)).and_then(|it| part.of(it))
    }

    pub(super) fn has_status(&self, index: usize) -> bool {
        let subresources = self.versions.get(index).and_then(|it| Part::Subresources.of(it));
        subresources.and_then(|it| it.get("status")).is_some_and(|it| !it.is_null())
    }

    /// The schemas of all versions.
    pub(super) fn schemas(&self) -> impl Iterator<Item = &'a Value> {
        self.versions.iter().filter_map(|it| it.pointer("/schema/openAPIV3Schema"))
    }
}

pub(super) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn flag(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or(false)
}

pub(super) fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
