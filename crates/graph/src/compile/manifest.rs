//! Templates of objects.

use std::collections::BTreeSet;
use std::sync::Arc;

use krono_cel::Env;
use krono_schema::crd::{InstanceSchema, Names, Scope};
use krono_schema::{Path, Schema, SchemaType, cluster_object_meta, object_meta};
use serde_json::{Map, Value};

use super::{Compiler, type_name};
use crate::diagnostic::Diagnostics;
use crate::fields::Lowering;
use crate::graph::{KindName, Manifest};
use crate::kinds::{Kinds, KnownKind};
use crate::rgd::{NodeSource, SubjectSource};
use crate::shape::Shape;

/// Prefixes of labels and annotations that controllers write.
const OWN_PREFIXES: [&str; 2] = ["kro.run/", "internal.kro.run/"];
/// Annotations by which an instance says how it follows its definition.
const WISHES: [&str; 2] = ["kro.run/rgd-revision", "kro.run/update-policy"];
const RAW_KIND: &str = "CustomResourceDefinition";

/// The kind of a node, when its name is right and the kind exists.
pub(super) fn known_kind(
    node: &NodeSource<'_>,
    kinds: &dyn Kinds,
    diagnostics: &mut Diagnostics,
) -> Option<KnownKind> {
    let root = Path::named("spec.resources");
    let entry = root.index(node.index);
    let (name, fields) = match node.subject {
        SubjectSource::Template(fields) => ("template", fields),
        SubjectSource::External(fields) => ("externalRef", fields),
    };
    let path = entry.field(name);
    let api_version = word(fields, "apiVersion", &path, diagnostics);
    let kind = word(fields, "kind", &path, diagnostics);
    let (api_version, kind) = (api_version?, kind?);
    let found = kinds.find(api_version, kind);
    if found.is_none() {
        let message = format!("there is no kind {kind:?} in {api_version:?}");
        let similar = kinds.similar(api_version, kind);
        let advice = match similar.as_slice() {
            [] => "install its CustomResourceDefinition first, or correct the name".to_owned(),
            [only] => format!("there is {only}"),
            names => format!("there are {}", names.join(", ")),
        };
        diagnostics.report(path.field("kind"), message).advise(advice);
    }
    found
}

/// A name that must be known before anything is evaluated.
fn word<'v>(
    fields: &'v Map<String, Value>,
    name: &str,
    path: &Path<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<&'v str> {
    match fields.get(name).and_then(Value::as_str) {
        Some(text) if text.contains("${") => {
            let message = format!("{name} cannot be an expression");
            let advice = "the kind of a resource is fixed; make one resource for each kind, with includeWhen";
            diagnostics.report(path.field(name), message).advise(advice);
            None
        }
        Some(text) if !text.is_empty() => Some(text),
        Some(_) | None => {
            let example = if name == "kind" { "Deployment" } else { "apps/v1" };
            diagnostics
                .report(path.field(name), "expected a string, which is required")
                .advise(format!("write `{name}: {example}`, say"));
            None
        }
    }
}

/// The schema of whole objects: with metadata in full.
pub(super) fn object_schema(known: &KnownKind) -> Arc<Schema> {
    let has_metadata = known.schema.properties.get("metadata").is_some_and(|it| !it.properties.is_empty());
    if has_metadata || known.schema.schema_type != Some(SchemaType::Object) {
        return Arc::clone(&known.schema);
    }
    let mut schema = Schema::clone(&known.schema);
    let metadata = if known.namespaced { object_meta() } else { cluster_object_meta() };
    schema.properties.insert("metadata".to_owned(), Arc::new(metadata));
    for name in ["apiVersion", "kind"] {
        let string = || Arc::new(Schema::of_type(SchemaType::String));
        schema.properties.entry(name.to_owned()).or_insert_with(string);
    }
    Arc::new(schema)
}

impl Compiler<'_> {
    pub(super) fn manifest(
        &mut self,
        source: &NodeSource<'_>,
        template: &Map<String, Value>,
        known: Option<&KnownKind>,
        env: &Env,
        path: &Path<'_>,
    ) -> Option<Manifest> {
        let path = path.field("template");
        if !template.get("metadata").is_some_and(Value::is_object) {
            self.diagnostics
                .report(path.field("metadata"), "expected a map with a name, which is required")
                .advise("write `metadata: {name: ${schema.metadata.name}}`, say");
        }
        self.check_name(template, &path);
        let kind = kind_name(template, known);
        let raw = kind.kind == RAW_KIND;
        let schema = known.filter(|_| !raw).map(object_schema);
        let type_name = type_name(source.id);
        let mut lowering = Lowering { expressions: self.expressions(env), type_name: &type_name };
        let shape = lowering.lower(&Value::Object(template.clone()), schema.as_ref(), &path);
        self.check_scope(template, &kind, known.is_some(), &path);
        self.check_prefixes(template, &path, known.is_some_and(|it| it.is_defined));
        if raw {
            self.check_raw(&shape, &path);
            self.check_own_crd(template, &path);
        }
        self.check_identity(source, &shape, &kind, env, &path);
        known.map(|_| Manifest { kind, shape })
    }

    /// Objects live where their kind says, and those of cluster-wide instances nowhere by default.
    fn check_scope(&mut self, template: &Map<String, Value>, kind: &KindName, known: bool, path: &Path<'_>) {
        let metadata = path.field("metadata");
        let at = metadata.field("namespace");
        let namespace = template.get("metadata").and_then(|it| it.get("namespace"));
        if known && !kind.namespaced && namespace.is_some() {
            let message = format!("{} is not namespaced", kind.kind);
            self.diagnostics.report(at, message).advise("remove the namespace");
            return;
        }
        if known {
            self.check_own_namespace(kind, namespace, &metadata);
        }
    }

    /// What belongs to cluster-wide instances names its namespace.
    pub(super) fn check_own_namespace(
        &mut self,
        kind: &KindName,
        namespace: Option<&Value>,
        metadata: &Path<'_>,
    ) {
        let cluster = self.source.instance.as_ref().is_some_and(|it| it.scope == Scope::Cluster);
        if kind.namespaced && cluster && namespace.is_none_or(is_blank) {
            let message = "instances of this definition are in no namespace, so there is none to take over";
            let advice = "write a namespace, such as `${schema.spec.namespace}`";
            self.diagnostics.report(metadata.field("namespace"), message).advise(advice);
        }
    }

    fn check_name(&mut self, template: &Map<String, Value>, path: &Path<'_>) {
        let Some(metadata) = template.get("metadata").and_then(Value::as_object) else { return };
        if metadata.get("name").is_none_or(|it| it.is_null() || it == "") {
            let advice = if metadata.contains_key("generateName") {
                "a name that is made up anew each time would never be found again; write a name"
            } else {
                "write a name, such as `${schema.metadata.name}`"
            };
            let metadata = path.field("metadata");
            self.diagnostics.report(metadata.field("name"), "the object has no name").advise(advice);
        }
    }

    /// What an instance decides for itself may be decided in the template of an instance.
    fn check_prefixes(&mut self, template: &Map<String, Value>, path: &Path<'_>, is_defined: bool) {
        let metadata = path.field("metadata");
        for map in ["labels", "annotations"] {
            let entries = template.get("metadata").and_then(|it| it.get(map)).and_then(Value::as_object);
            for key in entries.into_iter().flat_map(Map::keys) {
                let is_wish = is_defined && map == "annotations" && WISHES.contains(&key.as_str());
                if !is_wish && OWN_PREFIXES.iter().any(|prefix| key.starts_with(prefix)) {
                    let message = "keys under kro.run/ are written by the controller";
                    self.diagnostics
                        .report(metadata.field(map).key(key), message)
                        .advise("use another prefix");
                }
            }
        }
    }

    /// The schemas of such objects are full of text that only looks like expressions.
    fn check_raw(&mut self, shape: &Shape, path: &Path<'_>) {
        let Shape::Object(fields) = shape else { return };
        for (name, field) in fields.iter().filter(|(name, _)| name != "metadata") {
            let mut found = Vec::new();
            field.for_each_place(&mut vec![name.clone()], &mut |steps| found.push(joined(steps)));
            for place in found {
                let message = format!("expressions in a {RAW_KIND} may stand under metadata only");
                let advice = "write the value itself; what depends on the instance is made by a definition";
                self.diagnostics.report(format!("{path}.{place}"), message).advise(advice);
            }
        }
    }

    /// The kind of the instances is the controller's to make; two would change it in turns for ever.
    fn check_own_crd(&mut self, template: &Map<String, Value>, path: &Path<'_>) {
        let Some(InstanceSchema { kind, group, .. }) = &self.source.instance else { return };
        let own = format!("{}.{group}", Names::of(kind).plural);
        if template.get("metadata").and_then(|it| it.get("name")).is_some_and(|it| *it == own) {
            let message =
                format!("{own} is the kind of this definition's instances, which the controller makes");
            let advice = "remove the resource; spec.schema says all of that kind";
            self.diagnostics.report(path.field("metadata").field("name"), message).advise(advice);
        }
    }

    /// Each combination of a collection must have a name of its own.
    fn check_identity(
        &mut self,
        source: &NodeSource<'_>,
        shape: &Shape,
        kind: &KindName,
        env: &Env,
        path: &Path<'_>,
    ) {
        let fields: &[&str] = if kind.namespaced { &["name", "namespace"] } else { &["name"] };
        let metadata = path.field("metadata");
        let mut used = BTreeSet::new();
        for field in fields {
            let Some(identity) = shape.at(&["metadata", field]) else { continue };
            used.extend(identity.variables());
            let mut expressions = Vec::new();
            identity.for_each_expression(&mut |it| expressions.push(it));
            for expression in expressions {
                self.expressions(env).refuse_omit(expression, &metadata.field(field));
            }
        }
        for (iterator, _) in &source.for_each {
            if env.slot(iterator).is_none_or(|slot| used.contains(&slot)) {
                continue;
            }
            let message =
                format!("all objects of this collection that differ in {iterator:?} alone have one name");
            let advice = format!("use {iterator} in metadata.name, as in `${{{iterator}}}-…`");
            self.diagnostics.report(metadata.field("name"), message).advise(advice);
        }
    }
}

pub(super) fn kind_name(fields: &Map<String, Value>, known: Option<&KnownKind>) -> KindName {
    let word = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    KindName {
        api_version: word("apiVersion"),
        kind: word("kind"),
        namespaced: known.is_none_or(|it| it.namespaced),
    }
}

fn is_blank(namespace: &Value) -> bool {
    namespace.as_str().is_none_or(|text| text.trim().is_empty())
}

/// Steps such as `spec`, `names` and `[0]` as one path.
fn joined(steps: &[String]) -> String {
    let mut path = String::new();
    for step in steps {
        let separator = if path.is_empty() || step.starts_with('[') { "" } else { "." };
        path.push_str(separator);
        path.push_str(step);
    }
    path
}
