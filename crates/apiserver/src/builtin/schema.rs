//! Schemas of built-in kinds, made from the types of `k8s-openapi`.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::schemars::generate::SchemaSettings;
use k8s_openapi::schemars::{JsonSchema, SchemaGenerator};
use krono_schema::{AdditionalProperties, Definitions, Schema, SchemaType};

use super::lists;

/// Adds the definition of a type, and of all that it refers to; gives its name.
pub(super) type AddType = fn(&mut SchemaGenerator) -> String;

/// Adds the definition of `T`.
pub(super) fn add<T: JsonSchema>(generator: &mut SchemaGenerator) -> String {
    // Asking for a reference makes the generator keep the definition.
    generator.subschema_for::<T>();
    T::schema_name().into_owned()
}

/// The schema of one kind, without references and without `required`: what a kind requires is said by its rules, with
/// the words of the API server. The title of a schema is the name of its definition.
pub(super) fn of(add: AddType) -> Schema {
    let mut generator = generator();
    let name = add(&mut generator);
    let titled = |(name, schema): (String, Schema)| {
        let schema = Schema { title: Some(name.clone()), ..optional(schema) };
        (name, schema)
    };
    let definitions = read(&mut generator).into_iter().map(titled);
    let resolved = Definitions::new(definitions).resolve(&name);
    // Published types refer only to each other; the tests make every kind's schema.
    resolved.map_or_else(|_| Schema::any(), Arc::unwrap_or_clone)
}

/// The definitions of several types together.
pub(super) fn definitions(types: impl Iterator<Item = AddType>) -> BTreeMap<String, Schema> {
    let mut generator = generator();
    for add in types {
        add(&mut generator);
    }
    read(&mut generator).into_iter().collect()
}

fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12();
    settings.with(|settings| settings.definitions_path = "/components/schemas".into()).into_generator()
}

fn read(generator: &mut SchemaGenerator) -> Vec<(String, Schema)> {
    let values = generator.take_definitions(false);
    let schemas = values.into_iter().map(|(name, value)| {
        let schema = Schema::from_value(&value).unwrap_or_else(|_| Schema::any());
        let schema = corrected(&name, schema);
        (name, schema)
    });
    schemas.collect()
}

/// A definition with all that `k8s-openapi` leaves out or says of Rust rather than of Kubernetes.
fn corrected(name: &str, mut schema: Schema) -> Schema {
    match name.rsplit_once('.').map_or(name, |(_, last)| last) {
        "Quantity" => {
            schema.int_or_string = false;
            schema.one_of =
                [SchemaType::String, SchemaType::Number].map(|it| Schema::of_type(it).into()).to_vec();
        }
        "IntOrString" => schema.format = Some("int-or-string".to_owned()),
        "RawExtension" | "FieldsV1" => schema.preserve_unknown_fields = Some(true),
        "JSON" | "JSONSchemaPropsOrBool" | "JSONSchemaPropsOrArray" | "JSONSchemaPropsOrStringArray" => {
            schema = Schema { description: schema.description, ..Schema::any() };
        }
        _ => {}
    }
    // Of all kinds only events of the core group are published as requiring it.
    if !name.ends_with(".core.v1.Event") {
        schema.required.retain(|field| field != "metadata");
    }
    // Servers show some fields as null when there is nothing to show, because Go has no other way to write them.
    for (field, property) in &mut schema.properties {
        if crate::protobuf::is_null_when_absent(name, field) {
            Arc::make_mut(property).nullable = true;
        }
    }
    lists::annotate(name, &mut schema);
    schema
}

/// The schema with nothing required, at any depth.
fn optional(mut schema: Schema) -> Schema {
    schema.required.clear();
    for property in schema.properties.values_mut() {
        relax(property);
    }
    if let Some(items) = &mut schema.items {
        relax(items);
    }
    if let Some(AdditionalProperties::Schema(values)) = &mut schema.additional_properties {
        relax(values);
    }
    schema
}

fn relax(child: &mut Arc<Schema>) {
    let schema = std::mem::take(Arc::make_mut(child));
    *child = Arc::new(optional(schema));
}
