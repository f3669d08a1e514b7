//! Objects as rows of a table, as `kubectl get` prints them.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::jsonpath::{JsonPath, text};
use crate::kind::{Column, ColumnSource, Kind};
use crate::query::IncludeObject;

const NAME_DESCRIPTION: &str = "Name must be unique within a namespace. Is required when creating resources, although some \
     resources may allow a client to request the generation of an appropriate name automatically. Name is primarily \
     intended for creation idempotence and configuration definition. Cannot be updated. More info: \
     https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
const CREATED_DESCRIPTION: &str = "CreationTimestamp is a timestamp representing the server time when this object was \
     created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this \
     value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More \
     info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/// Makes the rows of one kind.
#[derive(Debug)]
pub(crate) struct Printer<'k> {
    kind: &'k Kind,
    cells: Vec<Cell>,
    now: Timestamp,
}

#[derive(Debug)]
enum Cell {
    Path { path: Option<JsonPath>, column_type: String },
    CreatedAt,
}

impl<'k> Printer<'k> {
    /// A printer for objects of this kind.
    pub(crate) fn new(kind: &'k Kind, now: Timestamp) -> Self {
        let cells = if has_columns(kind) {
            kind.columns.iter().filter(|column| column_path(column).is_some()).map(cell).collect()
        } else {
            vec![Cell::CreatedAt]
        };
        Self { kind, cells, now }
    }

    /// The headings.
    pub(crate) fn columns(&self) -> Value {
        let mut columns = vec![definition("Name", "string", "name", NAME_DESCRIPTION, 0)];
        if has_columns(self.kind) {
            let shown = self.kind.columns.iter().filter(|column| column_path(column).is_some());
            columns.extend(
                shown.map(|it| {
                    definition(&it.name, &it.column_type, &it.format, &it.description, it.priority)
                }),
            );
        } else {
            columns.push(definition("Created At", "date", "", CREATED_DESCRIPTION, 0));
        }
        Value::Array(columns)
    }

    /// One row.
    pub(crate) fn row(&self, object: &Value, include: IncludeObject) -> Value {
        let name = object.pointer("/metadata/name").cloned().unwrap_or_default();
        let cells: Vec<Value> =
            [name].into_iter().chain(self.cells.iter().map(|it| self.show(it, object))).collect();
        match include {
            IncludeObject::None => json!({"cells": cells, "object": null}),
            IncludeObject::Object => json!({"cells": cells, "object": object}),
            IncludeObject::Metadata => json!({"cells": cells, "object": {
                "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": object.get("metadata"),
            }}),
        }
    }

    fn show(&self, cell: &Cell, object: &Value) -> Value {
        match cell {
            Cell::CreatedAt => {
                object.pointer("/metadata/creationTimestamp").cloned().unwrap_or_else(|| "<unknown>".into())
            }
            Cell::Path { path, column_type } => {
                let found = path.as_ref().map(|path| path.find(object)).unwrap_or_default();
                self.shown(&found, column_type)
            }
        }
    }

    fn shown(&self, found: &[&Value], column_type: &str) -> Value {
        let Some(first) = found.first() else { return Value::Null };
        match column_type {
            "integer" | "number" | "boolean" => (*first).clone(),
            "date" => first.as_str().map_or_else(|| "<invalid>".into(), |text| self.age(text).into()),
            _ if found.len() == 1 => text(first).into(),
            _ => found.iter().map(|value| text(value)).collect::<Vec<_>>().join(",").into(),
        }
    }

    fn age(&self, text: &str) -> String {
        match text.parse::<Timestamp>() {
            Ok(then) => human_duration(self.now.as_second() - then.as_second()),
            Err(_) => "<unknown>".to_owned(),
        }
    }
}

/// Columns that a printer of our own would compute are shown once there is such a printer.
fn has_columns(kind: &Kind) -> bool {
    kind.columns.iter().any(|column| column_path(column).is_some())
}

fn column_path(column: &Column) -> Option<&str> {
    match &column.source {
        ColumnSource::JsonPath(path) => Some(path),
        ColumnSource::Printer => None,
    }
}

fn cell(column: &Column) -> Cell {
    let path = column_path(column).and_then(JsonPath::parse);
    Cell::Path { path, column_type: column.column_type.to_string() }
}

fn definition(name: &str, column_type: &str, format: &str, description: &str, priority: i32) -> Value {
    json!({
        "name": name, "type": column_type, "format": format, "description": description, "priority": priority,
    })
}

/// A duration as kubectl shows it: about two significant parts.
fn human_duration(seconds: i64) -> String {
    if seconds < -1 {
        return "<invalid>".to_owned();
    }
    let seconds = seconds.max(0);
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let with = |whole: i64, unit: &str, part: i64, part_unit: &str| {
        if part == 0 { format!("{whole}{unit}") } else { format!("{whole}{unit}{part}{part_unit}") }
    };
    match seconds {
        0..120 => format!("{seconds}s"),
        120..600 => with(minutes, "m", seconds % 60, "s"),
        600..10_800 => format!("{minutes}m"),
        10_800..28_800 => with(hours, "h", minutes % 60, "m"),
        28_800..172_800 => format!("{hours}h"),
        172_800..691_200 => with(days, "d", hours % 24, "h"),
        691_200..63_072_000 => format!("{days}d"),
        63_072_000..252_288_000 => with(days / 365, "y", days % 365, "d"),
        _ => format!("{}y", days / 365),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let check = |seconds: i64, expect: &str| assert_eq!(human_duration(seconds), expect);
        check(-5, "<invalid>");
        check(-1, "0s");
        check(119, "119s");
        check(150, "2m30s");
        check(600, "10m");
        check(3 * 3600, "3h");
        check(3 * 3600 + 61, "3h1m");
        check(9 * 3600, "9h");
        check(49 * 3600, "2d1h");
        check(20 * 86_400, "20d");
        check(3 * 365 * 86_400, "3y");
    }
}
