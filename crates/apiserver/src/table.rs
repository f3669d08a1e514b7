//! Objects as rows of a table, as `kubectl get` prints them.

use std::sync::Arc;

use jiff::Timestamp;
use krono_schema::Schema;
use serde_json::{Value, json};

use crate::jsonpath::{JsonPath, text};
use crate::kind::{Column, Kind};
use crate::printers::{self, Description, Heading, NAME_DESCRIPTION, Sheet, Shown};
use crate::query::IncludeObject;

const CREATED_DESCRIPTION: &str = "CreationTimestamp is a timestamp representing the server time when this object was \
     created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this \
     value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More \
     info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/// Makes the rows of one kind.
#[derive(Debug)]
pub(crate) struct Printer<'k> {
    kind: &'k Kind,
    layout: Layout,
    now: Timestamp,
}

/// Where the columns of a kind come from.
#[derive(Debug)]
enum Layout {
    /// From a custom resource definition: paths, and the types of what they lead to.
    Paths(Vec<(Option<JsonPath>, String)>),
    /// Built in.
    Sheet(Sheet),
    /// Nobody says.
    CreatedAt,
}

impl<'k> Printer<'k> {
    /// A printer for objects of this kind.
    pub(crate) fn new(kind: &'k Kind, now: Timestamp) -> Self {
        let layout = if kind.columns.is_empty() {
            printers::sheet(&kind.group, &kind.kind).map_or(Layout::CreatedAt, Layout::Sheet)
        } else {
            Layout::Paths(
                kind.columns
                    .iter()
                    .map(|it| (JsonPath::parse(&it.path), it.column_type.to_string()))
                    .collect(),
            )
        };
        Self { kind, layout, now }
    }

    /// A printer for the `scale` of objects of this kind.
    pub(crate) fn of_scale(kind: &'k Kind, now: Timestamp) -> Self {
        let layout = printers::sheet("autoscaling", "Scale").map_or(Layout::CreatedAt, Layout::Sheet);
        Self { kind, layout, now }
    }

    /// The headings.
    pub(crate) fn columns(&self) -> Value {
        let name = || definition("Name", "string", "name", NAME_DESCRIPTION, 0);
        match &self.layout {
            Layout::Paths(_) => [name()].into_iter().chain(self.kind.columns.iter().map(of_column)).collect(),
            Layout::Sheet(sheet) => sheet.headings.iter().map(|it| self.heading(it)).collect(),
            Layout::CreatedAt => {
                json!([name(), definition("Created At", "date", "", CREATED_DESCRIPTION, 0)])
            }
        }
    }

    fn heading(&self, heading: &Heading) -> Value {
        let described = match heading.description {
            Description::Said(text) => text,
            Description::Field("/metadata/creationTimestamp") => CREATED_DESCRIPTION,
            Description::Field(place) => described(self.kind.schema.get(), place).unwrap_or_default(),
        };
        definition(heading.name, heading.column_type, heading.format, described, heading.priority)
    }

    /// One row.
    pub(crate) fn row(&self, object: &Value, include: IncludeObject) -> Value {
        let mut row = json!({"cells": self.cells(object), "object": included(object, include)});
        if let Some(conditions) = self.conditions(object) {
            row["conditions"] = conditions;
        }
        row
    }

    /// Where the row of an object stands among others.
    pub(crate) fn rank(&self, object: &Value) -> i64 {
        match &self.layout {
            Layout::Sheet(sheet) => (sheet.rank)(object),
            Layout::Paths(_) | Layout::CreatedAt => 0,
        }
    }

    fn conditions(&self, object: &Value) -> Option<Value> {
        match &self.layout {
            Layout::Sheet(sheet) => (sheet.conditions)(&Shown { object, now: self.now }),
            Layout::Paths(_) | Layout::CreatedAt => None,
        }
    }

    fn cells(&self, object: &Value) -> Vec<Value> {
        let name = || object.pointer("/metadata/name").cloned().unwrap_or_default();
        match &self.layout {
            Layout::Paths(paths) => [name()]
                .into_iter()
                .chain(paths.iter().map(|(path, column_type)| self.found(path.as_ref(), column_type, object)))
                .collect(),
            Layout::Sheet(sheet) => {
                let shown = Shown { object, now: self.now };
                sheet.headings.iter().map(|heading| heading.cell(&shown)).collect()
            }
            Layout::CreatedAt => {
                let created = object.pointer("/metadata/creationTimestamp").cloned();
                vec![name(), created.unwrap_or_else(|| "<unknown>".into())]
            }
        }
    }

    fn found(&self, path: Option<&JsonPath>, column_type: &str, object: &Value) -> Value {
        let found = path.map(|path| path.find(object)).unwrap_or_default();
        let Some(first) = found.first() else { return Value::Null };
        match column_type {
            "integer" | "number" | "boolean" => (*first).clone(),
            "date" => match first.as_str() {
                Some(text) => printers::age(text.parse().ok(), self.now).into(),
                None => "<invalid>".into(),
            },
            _ => found.iter().map(|value| text(value)).collect::<Vec<_>>().join(",").into(),
        }
    }
}

fn included(object: &Value, include: IncludeObject) -> Value {
    match include {
        IncludeObject::None => Value::Null,
        IncludeObject::Object => object.clone(),
        IncludeObject::Metadata => json!({
            "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": object.get("metadata"),
        }),
    }
}

/// What the schema says of the field at a place.
fn described<'s>(schema: &'s Schema, place: &str) -> Option<&'s str> {
    let names = place.split('/').skip(1);
    let field = names.into_iter().try_fold(schema, |at, name| at.properties.get(name).map(Arc::as_ref))?;
    field.description.as_deref()
}

fn of_column(column: &Column) -> Value {
    definition(&column.name, &column.column_type, &column.format, &column.description, column.priority)
}

fn definition(name: &str, column_type: &str, format: &str, description: &str, priority: i32) -> Value {
    json!({
        "name": name, "type": column_type, "format": format, "description": description, "priority": priority,
    })
}
