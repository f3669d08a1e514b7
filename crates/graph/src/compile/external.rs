//! References to objects that others make.

use std::sync::Arc;

use krono_schema::{Path, Schema, SchemaType};
use serde_json::{Map, Value};

use super::{Compiler, manifest, type_name};
use crate::fields::Lowering;
use crate::graph::Reference;
use crate::kinds::KnownKind;
use crate::rgd::NodeSource;
use crate::shape::Shape;

impl Compiler<'_> {
    pub(super) fn reference(
        &mut self,
        source: &NodeSource<'_>,
        external: &Map<String, Value>,
        known: Option<&KnownKind>,
        path: &Path<'_>,
    ) -> Option<Reference> {
        if !source.for_each.is_empty() {
            let message = "an externalRef cannot have forEach";
            self.diagnostics.report(path.field("forEach"), message).advise("select several objects by label");
        }
        let reference = path.field("externalRef");
        let path = reference.field("metadata");
        let Some(metadata) = external.get("metadata").and_then(Value::as_object) else {
            self.diagnostics
                .report(path, "expected a map with a name or a selector")
                .advise("write `metadata: {name: …}` or `metadata: {selector: {matchLabels: …}}`");
            return None;
        };
        let known_fields = ["apiVersion", "kind", "metadata"];
        for unknown in external.keys().filter(|name| !known_fields.contains(&name.as_str())) {
            let advice = "a reference only names objects: apiVersion, kind and metadata";
            self.diagnostics.report(reference.field(unknown), "unknown field").advise(advice);
        }
        self.check_target(metadata, &path);
        let kind = manifest::kind_name(external, known);
        if known.is_some() && !kind.namespaced && metadata.get("namespace").is_some_and(|it| !it.is_null()) {
            let message = format!("{} is not namespaced", kind.kind);
            self.diagnostics.report(path.field("namespace"), message).advise("remove the namespace");
        }
        let by_name = metadata.get("selector").is_none_or(Value::is_null);
        if known.is_some() && by_name {
            self.check_own_namespace(&kind, metadata.get("namespace"), &path);
        }
        let text = Arc::new(Schema::of_type(SchemaType::String));
        let mut part = |name: &str, schema: &Arc<Schema>| {
            let value = metadata.get(name).filter(|it| !it.is_null())?;
            Some(self.lower(source, value, schema, &path.field(name)))
        };
        let (name, namespace) = (part("name", &text), part("namespace", &text));
        let selector = part("selector", &label_selector().into());
        self.check_selector(metadata.get("selector"), &path.field("selector"));
        known.map(|_| Reference { kind, namespace, name, selector })
    }

    fn lower(
        &mut self,
        source: &NodeSource<'_>,
        value: &Value,
        schema: &Arc<Schema>,
        path: &Path<'_>,
    ) -> Shape {
        let (env, type_name) = (self.env.clone(), type_name(source.id));
        Lowering { expressions: self.expressions(&env), type_name: &type_name }.lower(
            value,
            Some(schema),
            path,
        )
    }

    /// What selects nothing was meant otherwise.
    fn check_selector(&mut self, selector: Option<&Value>, path: &Path<'_>) {
        for flaw in selector.map(krono_schema::selector::flaws_as_written).unwrap_or_default() {
            self.diagnostics.report(format!("{path}{}", flaw.place), flaw.message).advise(flaw.advice);
        }
    }

    fn check_target(&mut self, metadata: &Map<String, Value>, path: &Path<'_>) {
        for unknown in
            metadata.keys().filter(|name| !["name", "namespace", "selector"].contains(&name.as_str()))
        {
            let advice = "a reference has name or selector, and namespace";
            self.diagnostics.report(path.field(unknown), "unknown field").advise(advice);
        }
        let present = |name: &str| metadata.get(name).is_some_and(|it| !it.is_null() && it != "");
        if present("name") == present("selector") {
            self.diagnostics
                .report(path, "exactly one of name or selector must be provided")
                .advise("a name refers to one object, a selector to a list");
        }
    }
}

fn label_selector() -> Schema {
    let text = || Schema::of_type(SchemaType::String);
    let requirement =
        Schema::object([("key", text()), ("operator", text()), ("values", Schema::array_of(text()))]);
    Schema::object([
        ("matchLabels", Schema::map_of(text())),
        ("matchExpressions", Schema::array_of(requirement)),
    ])
}
