//! How the lists and maps of built-in types merge: facts that `k8s-openapi` does not carry.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use krono_schema::{ListType, MapType, Schema};
use serde_json::Value;

const TABLE: &str = include_str!("lists.csv");

static ROWS: LazyLock<HashMap<&str, Vec<Row>>> = LazyLock::new(|| {
    let mut rows: HashMap<&str, Vec<Row>> = HashMap::new();
    for (name, row) in TABLE.lines().skip(1).filter_map(row) {
        rows.entry(name).or_default().push(row);
    }
    rows
});

/// What is said of one field, or of a type as a whole when the field is empty.
struct Row {
    field: &'static str,
    list_type: Option<ListType>,
    map_keys: Vec<&'static str>,
    patch_strategy: Option<String>,
    patch_merge_key: Option<&'static str>,
    map_type: Option<MapType>,
    default: Option<&'static str>,
}

/// Writes what is known of the type of this name into its schema.
pub(super) fn annotate(name: &str, schema: &mut Schema) {
    for row in ROWS.get(short_name(name)).into_iter().flatten() {
        match schema.properties.get_mut(row.field) {
            Some(field) => row.write(Arc::make_mut(field)),
            None if row.field.is_empty() => row.write(schema),
            None => {}
        }
    }
}

/// `core.v1.Pod` of `io.k8s.api.core.v1.Pod`: group, version and kind.
fn short_name(name: &str) -> &str {
    name.rmatch_indices('.').nth(2).map_or(name, |(dot, _)| &name[dot + 1..])
}

fn row(line: &'static str) -> Option<(&'static str, Row)> {
    let cells: Vec<&str> = line.split(',').collect();
    let &[name, field, list_type, map_keys, patch_strategy, patch_merge_key, map_type, default] =
        cells.as_slice()
    else {
        return None;
    };
    let row = Row {
        field,
        list_type: ListType::ALL.into_iter().find(|it| it.name() == list_type),
        map_keys: map_keys.split_whitespace().collect(),
        patch_strategy: present(patch_strategy).map(|it| it.replace(' ', ",")),
        patch_merge_key: present(patch_merge_key),
        map_type: MapType::ALL.into_iter().find(|it| it.name() == map_type),
        default: present(default),
    };
    Some((name, row))
}

fn present(cell: &str) -> Option<&str> {
    (!cell.is_empty()).then_some(cell)
}

impl Row {
    fn write(&self, schema: &mut Schema) {
        schema.list_type = self.list_type;
        schema.list_map_keys = self.map_keys.iter().map(|key| (*key).to_owned()).collect();
        schema.patch_strategy.clone_from(&self.patch_strategy);
        schema.patch_merge_key = self.patch_merge_key.map(str::to_owned);
        schema.map_type = self.map_type;
        schema.default = self.default.map(Value::from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names() {
        assert_eq!(short_name("io.k8s.api.core.v1.Pod"), "core.v1.Pod");
        assert_eq!(short_name("core.v1.Pod"), "core.v1.Pod");
        assert_eq!(short_name("Pod"), "Pod");
    }

    #[test]
    fn every_line_is_read() {
        let read: usize = ROWS.values().map(Vec::len).sum();
        assert_eq!(read, TABLE.lines().count() - 1);
    }

    #[test]
    fn every_row_names_a_field_that_exists() {
        let types: HashMap<String, Schema> =
            super::super::schema::definitions(super::super::table::TABLE.iter().map(|entry| entry.schema))
                .into_iter()
                .map(|(name, schema)| (short_name(&name).to_owned(), schema))
                .collect();
        let exists = |name: &str, field: &str| {
            types.get(name).is_some_and(|schema| field.is_empty() || schema.properties.contains_key(field))
        };
        let unknown: Vec<String> = ROWS
            .iter()
            .flat_map(|(name, rows)| rows.iter().map(move |row| (*name, row.field)))
            .filter(|(name, field)| !exists(name, field))
            .map(|(name, field)| format!("{name},{field}"))
            .collect();
        assert!(unknown.is_empty(), "rows of lists.csv without a field:\n{}", unknown.join("\n"));
    }
}
