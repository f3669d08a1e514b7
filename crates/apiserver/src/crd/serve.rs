//! What a definition adds to what is served.

use std::sync::Arc;

use krono_schema::Schema;

use super::definition::{Definition, Version};
use crate::kind::{Column, Kind, LazySchema, Rules, Scope};
use crate::resource::{Custom, Resource};

/// The kinds of an established definition: one for each version that is served.
pub(crate) fn resources(definition: &Definition) -> Vec<Arc<Resource>> {
    let Some(storage) = definition.storage_version() else { return Vec::new() };
    let served = definition.versions.iter().filter(|version| version.served && definition.established);
    served.map(|version| Arc::new(resource(definition, version, &storage.name))).collect()
}

fn resource(definition: &Definition, version: &Version, storage_version: &str) -> Resource {
    let custom = Arc::new(Custom {
        definition: definition.name.clone(),
        deprecation: version.deprecated.then(|| deprecation(definition, version)),
        converter: None,
    });
    let fingerprint = version.schema.as_ref().map(ToString::to_string).unwrap_or_default();
    Resource::custom(kind(definition, version), storage_version, custom, fingerprint.as_bytes())
}

fn deprecation(definition: &Definition, version: &Version) -> String {
    let said = version.deprecation_warning.clone();
    said.unwrap_or_else(|| {
        format!("{}/{} {} is deprecated", definition.group, version.name, definition.names.kind)
    })
}

fn kind(definition: &Definition, version: &Version) -> Kind {
    let names = &definition.names;
    let shared = |list: &[String]| list.iter().map(|text| Arc::from(text.as_str())).collect();
    let schema = schema(definition, version);
    Kind {
        group: definition.group.as_str().into(),
        version: version.name.as_str().into(),
        kind: names.kind.as_str().into(),
        list_kind: names.list_kind.as_str().into(),
        plural: names.plural.as_str().into(),
        singular: names.singular.as_str().into(),
        short_names: shared(&names.short_names),
        categories: shared(&names.categories),
        scope: definition.scope.unwrap_or(Scope::Namespaced),
        has_status: version.has_status,
        scale: version.scale.clone(),
        columns: columns(version),
        selectable: shared(&version.selectable),
        rules: Rules::NONE,
        schema: LazySchema::new(move || schema.clone()),
    }
}

fn schema(definition: &Definition, version: &Version) -> Schema {
    let read = version.schema.as_ref().and_then(|schema| Schema::from_value(schema).ok());
    let mut schema = read.unwrap_or_else(Schema::any);
    if definition.preserves_unknown_fields {
        schema.preserve_unknown_fields = Some(true);
    }
    schema
}

/// Without columns of its own a kind shows its age.
fn columns(version: &Version) -> Vec<Column> {
    if !version.columns.is_empty() {
        return version.columns.clone();
    }
    vec![Column {
        name: "Age".into(),
        column_type: "date".into(),
        format: "".into(),
        description: "CreationTimestamp is a timestamp representing the server time when this object was created. \
             It is not guaranteed to be set in happens-before order across separate operations. Clients may not set \
             this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null \
             for lists. More info: \
             https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
            .into(),
        priority: 0,
        path: ".metadata.creationTimestamp".into(),
    }]
}
