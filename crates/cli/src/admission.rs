//! What the API server would refuse about definitions, the kinds they make and instances.

use std::sync::LazyLock;

use krono_apiserver::{builtin, definition_complaints};
use krono_model::crd::resource_graph_definition;
use krono_schema::crd::CustomResourceDefinition;
use krono_schema::{BadValue, ErrorKind, FieldError, Schema, Validator, prune_object};
use serde_json::Value;

/// The schema of definitions; nothing is known of it only if our own CRD made no sense.
static DEFINITIONS: LazyLock<Schema> = LazyLock::new(|| {
    let crd = resource_graph_definition();
    let schema = crd.pointer("/spec/versions/0/schema/openAPIV3Schema");
    schema.and_then(|it| Schema::from_value(it).ok()).unwrap_or_else(Schema::any)
});

/// Where a CRD has the schema of its only version, in words of the server old and new; what is wrong there is found by compiling.
const COMPILED: [&str; 2] = ["spec.versions[0].schema", "spec.validation"];

/// All that is refused about an object of a custom kind: its metadata and its fields.
pub(crate) fn complaints(schema: &Schema, object: &Value) -> Vec<FieldError> {
    let whole = Schema { embedded_resource: true, ..schema.clone() };
    let mut errors = Validator::new(&whole).validate(object);
    // Said beside the errors that made it so.
    errors.retain(|it| !it.path.is_empty());
    errors.extend(name_complaints(object));
    errors
}

/// Names of custom objects are subdomains.
fn name_complaints(object: &Value) -> Vec<FieldError> {
    let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let found = if name.is_empty() { Vec::new() } else { builtin::name_complaints("", "", name) };
    let error = |detail| FieldError {
        kind: ErrorKind::Invalid,
        path: "metadata.name".to_owned(),
        value: BadValue::Value(name.into()),
        detail,
    };
    found.into_iter().map(error).collect()
}

/// All that is refused about a definition as an object.
pub(crate) fn of_definition(definition: &Value) -> (Vec<String>, Vec<FieldError>) {
    let mut object = definition.clone();
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    let schema = &*DEFINITIONS;
    krono_schema::drop_nulls(schema, &mut object);
    let unknown = prune_object(schema, &mut object);
    krono_schema::default(schema, &mut object);
    (unknown, complaints(schema, &object))
}

/// All that is refused about the CRD that a definition makes, with paths into the definition.
pub(crate) fn of_crd(crd: &CustomResourceDefinition) -> Vec<FieldError> {
    let manifest = serde_json::to_value(crd).unwrap_or_default();
    // Its name is made of names that are looked at themselves.
    let is_told = |it: &FieldError| {
        it.path == "metadata.name" || COMPILED.iter().any(|schema| it.path.starts_with(schema))
    };
    let found = definition_complaints(&manifest).into_iter().filter(|it| !is_told(it));
    found.map(|error| FieldError { path: written(&error.path), ..error }).collect()
}

/// Where in a definition stands what a field of its CRD is made of.
fn written(path: &str) -> String {
    let moved = [
        ("metadata.labels", "metadata.labels"),
        ("metadata.annotations", "metadata.annotations"),
        ("spec.group", "group"),
        ("spec.scope", "scope"),
        ("spec.names.shortNames", "shortNames"),
        ("spec.names.categories", "categories"),
        ("spec.versions[0].additionalPrinterColumns", "additionalPrinterColumns"),
        ("spec.additionalPrinterColumns", "additionalPrinterColumns"),
        ("spec.versions[0].name", "apiVersion"),
    ];
    let found = moved.iter().find_map(|(from, to)| Some((path.strip_prefix(from)?, to)));
    // Every other name of a kind is made of the kind.
    let field = found.map_or("kind".to_owned(), |(rest, to)| format!("{to}{rest}"));
    format!("spec.schema.{}", field.replace(".JSONPath", ".jsonPath"))
}

const KEYS: &str =
    "a key is a word of letters, digits, `-`, `_` and `.`, perhaps behind a domain, as in `acme.io/team`";
const WORDS: &str = "write lower case letters, digits and dashes, and each word once";

/// How paths begin and end, and what to do.
const CURES: &[(&str, &str, &str)] = &[
    ("metadata.labels", "", KEYS),
    ("metadata.annotations", "", KEYS),
    ("metadata.name", "", "write a name of lower case letters, digits and dashes, such as `my-app`"),
    ("metadata", "metadata", "values of labels and annotations are text; write them in quotes"),
    ("spec.schema.metadata", "", KEYS),
    ("spec.schema.group", "", "write a domain of your own, such as `platform.example.com`"),
    ("spec.schema.kind", "", "write a shorter kind of letters and digits, such as `WebApp`"),
    ("spec.schema.shortNames", "", WORDS),
    ("spec.schema.categories", "", WORDS),
    ("spec.schema.additionalPrinterColumns", ".type", "write boolean, date, integer, number or string"),
    (
        "spec.schema.additionalPrinterColumns",
        ".jsonPath",
        "write where the value stands, such as `.status.state`",
    ),
];

/// What to do about what the server refuses of a definition.
pub(crate) fn cure(error: &FieldError) -> &'static str {
    let fits =
        |(start, end, _): &&(&str, &str, &str)| error.path.starts_with(start) && error.path.ends_with(end);
    match (CURES.iter().find(fits), error.kind) {
        (Some((_, _, cure)), _) => cure,
        (None, ErrorKind::Required) => "add it",
        (None, _) => "the API server would refuse it; correct it, or leave it out",
    }
}

/// What to do about what the server refuses of an instance; of its fields, its own words say that.
pub(crate) fn cure_of_instance(error: &FieldError) -> &'static str {
    if error.path.starts_with("metadata") { cure(error) } else { "" }
}
