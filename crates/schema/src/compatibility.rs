//! What changes between two schemas, and whether objects that were valid stay valid.

mod bounds;
mod change;
mod logic;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::schema::{AdditionalProperties, ListType, Schema};

pub use change::{Change, ChangeKind, Effect, Verdict};

/// Compares two schemas.
///
/// If the verdict is compatible, every value that was valid under `old` is valid under `new` and loses no field. Each pair of nodes is
/// compared once, so a definition that both schemas use in many places is reported where it is met first.
///
/// ```
/// use krono_schema::{Schema, compatibility};
/// use serde_json::json;
///
/// let old = Schema::from_value(&json!({"type": "object", "properties": {"size": {"type": "integer"}}}))?;
/// let new = Schema::from_value(&json!({"type": "object", "properties": {"size": {"type": "string"}}}))?;
/// let verdict = compatibility::compare(&old, &new);
/// assert_eq!(verdict.to_string(), "size: type changed from integer to string");
/// # Ok::<(), krono_schema::InvalidSchema>(())
/// ```
pub fn compare(old: &Schema, new: &Schema) -> Verdict {
    let mut comparison = Comparison::default();
    comparison.node("", old, new);
    Verdict::new(comparison.changes)
}

#[derive(Default)]
struct Comparison {
    changes: Vec<Change>,
    /// Pairs of nodes already compared, by address: both schemas outlive the comparison.
    seen: HashSet<(usize, usize)>,
}

impl Comparison {
    fn node(&mut self, path: &str, old: &Schema, new: &Schema) {
        if !self.seen.insert((address(old), address(new))) {
            return;
        }
        let mut at = self.place(path);
        at.texts(old, new);
        if at.types(old, new) {
            return;
        }
        at.formats(old, new);
        at.enumerations(&old.enumeration, &new.enumeration);
        at.bounds(old, new);
        at.lists(old, new);
        at.rules(old, new);
        at.logic(old, new);
        self.fields(path, old, new);
        self.values(path, old, new);
        self.items(path, old, new);
    }

    fn place<'p>(&'p mut self, path: &'p str) -> Place<'p> {
        Place { path, changes: &mut self.changes }
    }

    fn fields(&mut self, path: &str, old: &Schema, new: &Schema) {
        for (name, before) in &old.properties {
            match new.properties.get(name) {
                Some(after) => self.node(&child(path, name), before, after),
                None => {
                    self.place(&child(path, name)).breaking(ChangeKind::PropertyRemoved, "", "");
                }
            }
        }
        for (name, after) in &new.properties {
            if !old.properties.contains_key(name) {
                self.added(path, name, old, new, after);
            }
        }
        self.required(path, old, new);
    }

    /// A new field is harmless where none of that name could be before.
    fn added(&mut self, path: &str, name: &str, old: &Schema, new: &Schema, after: &Arc<Schema>) {
        let path = child(path, name);
        let demanded = new.required.iter().any(|it| it == name) && after.default.is_none();
        match Openness::of(old) {
            _ if demanded => self.place(&path).breaking(ChangeKind::PropertyAdded, "", "required"),
            Openness::Any if !accepts_all(after) => {
                self.place(&path).breaking(ChangeKind::PropertyAdded, "any value", "a schema");
            }
            Openness::Values(before) => self.node(&path, before, after),
            Openness::Closed | Openness::Any => {
                self.place(&path).compatible(ChangeKind::PropertyAdded, "", "optional");
            }
        }
    }

    fn required(&mut self, path: &str, old: &Schema, new: &Schema) {
        let has_default = |schema: &Schema, name: &str| {
            schema.properties.get(name).is_some_and(|property| property.default.is_some())
        };
        for name in &new.required {
            let is_new_field = new.properties.contains_key(name) && !old.properties.contains_key(name);
            let path = child(path, name);
            if !old.required.contains(name) {
                if !is_new_field {
                    self.place(&path).breaking(ChangeKind::RequiredAdded, "", "");
                }
            } else if has_default(old, name) && !has_default(new, name) {
                self.place(&path).breaking(ChangeKind::RequiredDefaultRemoved, "", "");
            }
        }
        for name in old.required.iter().filter(|name| !new.required.contains(name)) {
            self.place(&child(path, name)).compatible(ChangeKind::RequiredRemoved, "", "");
        }
    }

    /// What becomes of fields that have no schema of their own.
    fn values(&mut self, path: &str, old: &Schema, new: &Schema) {
        let (before, after) = (Openness::of(old), Openness::of(new));
        let (from, to) = (before.name(), after.name());
        match (before, after) {
            (Openness::Values(before), Openness::Values(after)) => {
                self.node(&format!("{path}{{}}"), before, after);
            }
            (Openness::Closed, Openness::Closed) | (Openness::Any, Openness::Any) => {}
            (Openness::Closed, _) | (_, Openness::Any) => {
                self.place(path).compatible(ChangeKind::UnknownFieldsWidened, from, to);
            }
            (_, Openness::Closed) | (Openness::Any, _) => {
                self.place(path).breaking(ChangeKind::UnknownFieldsNarrowed, from, to);
            }
        }
    }

    fn items(&mut self, path: &str, old: &Schema, new: &Schema) {
        match (&old.items, &new.items) {
            (Some(before), Some(after)) => self.node(&format!("{path}[]"), before, after),
            (Some(_), None) => self.place(path).breaking(ChangeKind::ItemsRemoved, "", ""),
            (None, Some(_)) => self.place(path).breaking(ChangeKind::ItemsAdded, "", ""),
            (None, None) => {}
        }
    }
}

/// Where changes are noted.
struct Place<'p> {
    path: &'p str,
    changes: &'p mut Vec<Change>,
}

impl Place<'_> {
    fn breaking(&mut self, kind: ChangeKind, old: impl fmt::Display, new: impl fmt::Display) {
        self.note(kind, Effect::Breaking, &old, &new);
    }

    fn compatible(&mut self, kind: ChangeKind, old: impl fmt::Display, new: impl fmt::Display) {
        self.note(kind, Effect::Compatible, &old, &new);
    }

    fn note(&mut self, kind: ChangeKind, effect: Effect, old: &dyn fmt::Display, new: &dyn fmt::Display) {
        let path = self.path.to_owned();
        self.changes.push(Change { path, kind, effect, old: old.to_string(), new: new.to_string() });
    }

    fn texts(&mut self, old: &Schema, new: &Schema) {
        if (&old.description, &old.title) != (&new.description, &new.title) {
            let (old, new) = (old.description.as_deref(), new.description.as_deref());
            self.compatible(ChangeKind::DescriptionChanged, old.unwrap_or_default(), new.unwrap_or_default());
        }
        if old.default != new.default {
            self.compatible(
                ChangeKind::DefaultChanged,
                shown(old.default.as_ref()),
                shown(new.default.as_ref()),
            );
        }
    }

    /// Whether the type changed, after which nothing else can be compared.
    fn types(&mut self, old: &Schema, new: &Schema) -> bool {
        let (from, to) = (type_name(old), type_name(new));
        if from != to {
            self.breaking(ChangeKind::TypeChanged, from, to);
            return true;
        }
        match (old.nullable, new.nullable) {
            (true, false) => self.breaking(ChangeKind::NullableRemoved, "", ""),
            (false, true) => self.compatible(ChangeKind::NullableAdded, "", ""),
            (true, true) | (false, false) => {}
        }
        match (old.embedded_resource, new.embedded_resource) {
            (false, true) => self.breaking(ChangeKind::EmbeddedResourceAdded, "", ""),
            (true, false) => self.compatible(ChangeKind::EmbeddedResourceRemoved, "", ""),
            (true, true) | (false, false) => {}
        }
        false
    }

    fn formats(&mut self, old: &Schema, new: &Schema) {
        use ChangeKind::{
            FormatAdded, FormatChanged, FormatRemoved, PatternAdded, PatternChanged, PatternRemoved,
        };
        self.text([FormatAdded, FormatChanged, FormatRemoved], old.format.as_deref(), new.format.as_deref());
        self.text(
            [PatternAdded, PatternChanged, PatternRemoved],
            old.pattern.as_deref(),
            new.pattern.as_deref(),
        );
    }

    /// A constraint that is there or not, and says something else when it changes.
    fn text(&mut self, [added, changed, removed]: [ChangeKind; 3], old: Option<&str>, new: Option<&str>) {
        match (old, new) {
            (None, Some(new)) => self.breaking(added, "", new),
            (Some(old), Some(new)) if old != new => self.breaking(changed, old, new),
            (Some(old), None) => self.compatible(removed, old, ""),
            (Some(_), Some(_)) | (None, None) => {}
        }
    }

    fn enumerations(&mut self, old: &[Value], new: &[Value]) {
        match (old.is_empty(), new.is_empty()) {
            (true, true) => {}
            (true, false) => self.breaking(ChangeKind::EnumAdded, "", listed(new)),
            (false, true) => self.compatible(ChangeKind::EnumRemoved, listed(old), ""),
            (false, false) => {
                for gone in old.iter().filter(|value| !new.contains(value)) {
                    self.breaking(ChangeKind::EnumRestricted, gone, "");
                }
                for come in new.iter().filter(|value| !old.contains(value)) {
                    self.compatible(ChangeKind::EnumExpanded, "", come);
                }
            }
        }
    }

    fn lists(&mut self, old: &Schema, new: &Schema) {
        let (from, to) = (list_type(old), list_type(new));
        if from != to {
            let (before, after) = (from.name(), to.name());
            match to {
                ListType::Atomic => self.compatible(ChangeKind::ListTypeChanged, before, after),
                ListType::Set | ListType::Map => self.breaking(ChangeKind::ListTypeChanged, before, after),
            }
        } else if old.list_map_keys != new.list_map_keys {
            let (old, new) = (old.list_map_keys.join(", "), new.list_map_keys.join(", "));
            self.breaking(ChangeKind::ListMapKeysChanged, old, new);
        }
        if old.map_type != new.map_type {
            self.compatible(ChangeKind::MapTypeChanged, "", "");
        }
        match (old.unique_items, new.unique_items) {
            (false, true) => self.breaking(ChangeKind::UniqueItemsAdded, "", ""),
            (true, false) => self.compatible(ChangeKind::UniqueItemsRemoved, "", ""),
            (true, true) | (false, false) => {}
        }
    }

    /// Rules are the same when they say the same; a new one can refuse what was valid, or a change that was allowed.
    fn rules(&mut self, old: &Schema, new: &Schema) {
        let before: BTreeMap<_, _> = old.validations.iter().map(|rule| (&rule.rule, rule)).collect();
        let after: BTreeMap<_, _> = new.validations.iter().map(|rule| (&rule.rule, rule)).collect();
        for (text, rule) in &after {
            match before.get(text) {
                None => self.breaking(ChangeKind::ValidationAdded, "", text),
                Some(same) if same.optional_old_self != rule.optional_old_self => {
                    self.breaking(ChangeKind::ValidationChanged, text, text);
                }
                Some(same) if same != rule => self.compatible(ChangeKind::ValidationChanged, text, text),
                Some(_) => {}
            }
        }
        for text in before.keys().filter(|text| !after.contains_key(*text)) {
            self.compatible(ChangeKind::ValidationRemoved, text, "");
        }
    }
}

/// What may stand in an object beside its declared fields.
#[derive(Clone, Copy)]
enum Openness<'s> {
    /// Nothing: other fields are dropped.
    Closed,
    /// Values of this schema.
    Values(&'s Arc<Schema>),
    /// Anything.
    Any,
}

impl<'s> Openness<'s> {
    fn of(schema: &'s Schema) -> Self {
        match &schema.additional_properties {
            Some(AdditionalProperties::Schema(values)) => Self::Values(values),
            Some(AdditionalProperties::Allowed(true)) => Self::Any,
            Some(AdditionalProperties::Allowed(false)) | None if schema.preserves_unknown_fields() => {
                Self::Any
            }
            Some(AdditionalProperties::Allowed(false)) | None => Self::Closed,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Closed => "dropped",
            Self::Values(_) => "values of one schema",
            Self::Any => "kept",
        }
    }
}

fn address(schema: &Schema) -> usize {
    std::ptr::from_ref(schema).addr()
}

fn child(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn type_name(schema: &Schema) -> &'static str {
    match schema.schema_type {
        _ if schema.int_or_string => "int-or-string",
        Some(schema_type) => schema_type.name(),
        None => "any",
    }
}

fn list_type(schema: &Schema) -> ListType {
    schema.list_type.unwrap_or(ListType::Atomic)
}

/// Whether the schema refuses nothing and keeps everything.
fn accepts_all(schema: &Schema) -> bool {
    let bare = Schema { description: None, title: None, default: None, nullable: false, ..schema.clone() };
    schema.nullable && bare == Schema::any()
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "none".to_owned(), Value::to_string)
}

fn listed(values: &[Value]) -> String {
    values.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")
}
