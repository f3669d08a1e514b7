//! The schema of object metadata.

use std::sync::Arc;

use crate::schema::{ListType, MapType, Schema, SchemaType};

/// The schema of `metadata` of every Kubernetes object.
pub fn object_meta() -> Schema {
    let strings = ["generateName", "name", "namespace", "resourceVersion", "selfLink", "uid"];
    let strings = strings.map(|name| (name, string()));
    let integers = ["deletionGracePeriodSeconds", "generation"].map(|name| (name, integer()));
    let times = ["creationTimestamp", "deletionTimestamp"].map(|name| (name, time()));
    let maps = ["annotations", "labels"].map(|name| (name, Schema::map_of(string())));
    let lists = [
        ("finalizers", list(string(), ListType::Set, &[])),
        ("managedFields", list(managed_fields(), ListType::Atomic, &[])),
        ("ownerReferences", list(owner_reference(), ListType::Map, &["uid"])),
    ];
    let fields = strings.into_iter().chain(integers).chain(times).chain(maps).chain(lists);
    Schema::object(fields)
}

/// The same for objects of a kind that is not in namespaces.
pub fn cluster_object_meta() -> Schema {
    let mut schema = object_meta();
    schema.properties.remove("namespace");
    schema
}

fn owner_reference() -> Schema {
    let names = ["apiVersion", "kind", "name", "uid"];
    let strings = names.map(|name| (name, string()));
    let flags = ["blockOwnerDeletion", "controller"].map(|name| (name, Schema::of_type(SchemaType::Boolean)));
    let required = names.map(str::to_owned).to_vec();
    let map_type = Some(MapType::Atomic);
    Schema { required, map_type, ..Schema::object(strings.into_iter().chain(flags)) }
}

fn managed_fields() -> Schema {
    let strings = ["apiVersion", "fieldsType", "manager", "operation", "subresource"];
    let strings = strings.map(|name| (name, string()));
    let others = [("fieldsV1", Schema::of_type(SchemaType::Object)), ("time", time())];
    Schema::object(strings.into_iter().chain(others))
}

fn string() -> Schema {
    Schema::of_type(SchemaType::String)
}

fn integer() -> Schema {
    Schema { format: Some("int64".to_owned()), ..Schema::of_type(SchemaType::Integer) }
}

fn time() -> Schema {
    Schema { format: Some("date-time".to_owned()), ..string() }
}

fn list(items: Schema, list_type: ListType, keys: &[&str]) -> Schema {
    let list_map_keys = keys.iter().map(ToString::to_string).collect();
    Schema { list_type: Some(list_type), list_map_keys, ..Schema::array_of(Arc::new(items)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::FIELDS;

    #[test]
    fn has_the_known_fields() {
        let known: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).collect();
        assert_eq!(object_meta().properties.keys().collect::<Vec<_>>(), known);
    }
}
