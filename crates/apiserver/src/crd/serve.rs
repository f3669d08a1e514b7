//! What a definition adds to what is served.

use std::collections::BTreeMap;
use std::sync::Arc;

use krono_schema::Schema;

use super::definition::{Definition, Version};
use crate::conversion::Converters;
use crate::kind::{Column, Kind, LazySchema, Rules, Scope};
use crate::registry::version_priority;
use crate::resource::{Custom, Resource, api_version};

/// The kinds of an established definition: one for each version that is served.
pub(crate) fn resources(definition: &Definition, converters: &Converters) -> Vec<Arc<Resource>> {
    let Some(storage) = definition.storage_version() else { return Vec::new() };
    let converter = converters.of(definition);
    let served = definition.versions.iter().filter(|version| version.served && definition.established);
    let schemas = Arc::new(schemas(definition));
    let resource = |version| {
        let custom = Custom {
            definition: definition.name.clone(),
            labels: definition.labels.clone(),
            deprecation: version_deprecation(definition, version),
            converter: converter.clone(),
            schemas: Arc::clone(&schemas),
        };
        Arc::new(resource(definition, version, &storage.name, custom))
    };
    served.map(resource).collect()
}

fn resource(definition: &Definition, version: &Version, storage_version: &str, custom: Custom) -> Resource {
    let fingerprint = version.schema.as_ref().map(ToString::to_string).unwrap_or_default();
    Resource::custom(kind(definition, version), storage_version, Arc::new(custom), fingerprint.as_bytes())
}

/// What each version knows, where there are several.
fn schemas(definition: &Definition) -> BTreeMap<String, Schema> {
    let several = definition.versions.iter().filter(|_| definition.versions.len() > 1);
    several.map(|it| (api_version(&definition.group, &it.name), schema(definition, it))).collect()
}

fn version_deprecation(definition: &Definition, version: &Version) -> Option<String> {
    version.deprecated.then(|| deprecation(definition, version))
}

fn deprecation(definition: &Definition, version: &Version) -> String {
    if let Some(said) = &version.deprecation_warning {
        return said.clone();
    }
    let (group, kind) = (&definition.group, &definition.names.kind);
    let newer = definition.versions.iter().filter(|it| it.served && !it.deprecated);
    let newer = newer.map(|it| (version_priority(&it.name), &it.name));
    let newest = newer.filter(|(priority, _)| *priority > version_priority(&version.name)).max();
    let advice = newest.map(|(_, name)| format!("; use {group}/{name} {kind}")).unwrap_or_default();
    format!("{group}/{} {kind} is deprecated{advice}", version.name)
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
