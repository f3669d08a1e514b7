//! The front-end for kro's `ResourceGraphDefinition`: what the author wrote, told apart.

use krono_schema::Path;
use krono_schema::crd::{InstanceSchema, InvalidInstanceSchema};
use serde_json::{Map, Value};

use crate::cure;
use crate::diagnostic::{Diagnostic, Diagnostics, instead_of};
use crate::names;

/// A definition, read but not understood.
#[derive(Debug)]
pub(crate) struct Source<'v> {
    pub(crate) instance: Option<InstanceSchema>,
    /// The status of instances, which is looked at even if the rest of their schema is wrong.
    pub(crate) status: &'v Value,
    pub(crate) nodes: Vec<NodeSource<'v>>,
}

/// One entry of `spec.resources`.
#[derive(Debug)]
pub(crate) struct NodeSource<'v> {
    /// Its place in `spec.resources`.
    pub(crate) index: usize,
    pub(crate) id: &'v str,
    pub(crate) subject: SubjectSource<'v>,
    /// Conditions, each with its place in the list.
    pub(crate) include_when: Vec<(usize, &'v str)>,
    /// Conditions, each with its place in the list.
    pub(crate) ready_when: Vec<(usize, &'v str)>,
    /// Iterators and the expressions of their lists.
    pub(crate) for_each: Vec<(&'v str, &'v str)>,
    pub(crate) deletion: Option<DeletionPolicy>,
}

/// What a node is about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SubjectSource<'v> {
    /// An object to make.
    Template(&'v Map<String, Value>),
    /// Objects that others make.
    External(&'v Map<String, Value>),
}

/// What becomes of an object that is no longer wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionPolicy {
    /// It is deleted.
    Delete,
    /// It stays.
    Retain,
}

/// The fields of `spec`; beside the graph, how its revisions are kept and reach instances.
const SPEC_FIELDS: [&str; 5] = ["schema", "resources", "revisionManagement", "propagateWhen", "propagation"];
const SCHEMA_FIELDS: [&str; 11] = [
    "kind",
    "apiVersion",
    "group",
    "scope",
    "spec",
    "types",
    "status",
    "additionalPrinterColumns",
    "shortNames",
    "categories",
    "metadata",
];
const FIELDS: [&str; 8] = [
    "id",
    "template",
    "externalRef",
    "readyWhen",
    "includeWhen",
    "forEach",
    "propagateWhen",
    "deletionPolicy",
];

/// Reads a definition as far as it can be read.
pub(crate) fn read<'v>(definition: &'v Value, diagnostics: &mut Diagnostics) -> Source<'v> {
    let instance =
        InstanceSchema::from_definition(definition).map_err(|invalid| report(&invalid, diagnostics)).ok();
    let resources = definition.pointer("/spec/resources").filter(|it| !it.is_null());
    let mut reader = Reader { diagnostics };
    reader.known_fields(definition.get("spec"), &SPEC_FIELDS, &Path::named("spec"));
    reader.known_fields(definition.pointer("/spec/schema"), &SCHEMA_FIELDS, &Path::named("spec.schema"));
    let nodes = resources.map_or_else(Vec::new, |it| reader.nodes(it));
    let status = definition.pointer("/spec/schema/status").unwrap_or(&Value::Null);
    Source { instance, status, nodes }
}

/// The fields of a definition that mean nothing, whatever else may be wrong with it.
pub fn unknown_fields(definition: &Value) -> Vec<Diagnostic> {
    let mut diagnostics = Diagnostics::default();
    let mut reader = Reader { diagnostics: &mut diagnostics };
    reader.known_fields(definition.get("spec"), &SPEC_FIELDS, &Path::named("spec"));
    reader.known_fields(definition.pointer("/spec/schema"), &SCHEMA_FIELDS, &Path::named("spec.schema"));
    let resources = definition.pointer("/spec/resources").and_then(Value::as_array);
    let path = Path::named("spec.resources");
    for (index, entry) in resources.into_iter().flatten().enumerate() {
        reader.known_fields(Some(entry), &FIELDS, &path.index(index));
    }
    diagnostics.finish().err().unwrap_or_default()
}

fn report(invalid: &InvalidInstanceSchema, diagnostics: &mut Diagnostics) {
    let prefix = match invalid {
        InvalidInstanceSchema::Fields(_) => "",
        InvalidInstanceSchema::Spec(_) | InvalidInstanceSchema::Status(_) => "spec.schema.",
    };
    for line in invalid.to_string().lines() {
        let (path, text) = line.split_once(": ").unwrap_or(("spec.schema", line));
        let (message, advice) = cure::of(text);
        diagnostics.report(format!("{prefix}{path}"), message).advise(advice);
    }
}

struct Reader<'d> {
    diagnostics: &'d mut Diagnostics,
}

impl Reader<'_> {
    /// Reports the fields of a map that mean nothing.
    fn known_fields(&mut self, map: Option<&Value>, known: &[&str], path: &Path<'_>) {
        let names = map.and_then(Value::as_object).into_iter().flat_map(Map::keys);
        for unknown in names.filter(|name| !known.contains(&name.as_str())) {
            let advice = instead_of(unknown, known.iter().copied());
            self.diagnostics.report(path.field(unknown), "unknown field").advise(advice);
        }
    }

    fn nodes<'v>(&mut self, resources: &'v Value) -> Vec<NodeSource<'v>> {
        let path = Path::named("spec.resources");
        let Some(entries) = resources.as_array() else {
            self.diagnostics
                .report(path, "expected a list of resources")
                .advise("begin each with `- id:`, and indent the rest below it");
            return Vec::new();
        };
        let mut nodes: Vec<NodeSource<'v>> = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            let Some(node) = self.node(entry, index, &path.index(index)) else { continue };
            if let Some(first) = nodes.iter().find(|it| it.id == node.id) {
                let message = format!("{:?} is the id of spec.resources[{}] already", node.id, first.index);
                self.diagnostics.report(path.index(index).field("id"), message).advise("ids are unique");
            }
            nodes.push(node);
        }
        nodes
    }

    fn node<'v>(&mut self, entry: &'v Value, index: usize, path: &Path<'_>) -> Option<NodeSource<'v>> {
        let Some(fields) = entry.as_object() else {
            self.diagnostics
                .report(path, "expected a map with an id and a template or externalRef")
                .advise("write `- id: name` and the template below it");
            return None;
        };
        self.known_fields(Some(entry), &FIELDS, path);
        let id = self.id(fields, path);
        let subject = self.subject(fields, path);
        Some(NodeSource {
            index,
            include_when: self.texts(fields, "includeWhen", path),
            ready_when: self.texts(fields, "readyWhen", path),
            for_each: self.iterators(fields, path),
            deletion: self.deletion(fields, path),
            id: id?,
            subject: subject?,
        })
    }

    fn id<'v>(&mut self, fields: &'v Map<String, Value>, path: &Path<'_>) -> Option<&'v str> {
        let at = path.field("id");
        let Some(id) = fields.get("id").and_then(Value::as_str) else {
            self.diagnostics
                .report(at, "a resource needs an id")
                .advise("write a lowerCamelCase word such as `webServer`");
            return None;
        };
        if let Some((message, advice)) = names::complaint(id) {
            self.diagnostics.report(at, message).advise(advice);
        }
        Some(id)
    }

    fn subject<'v>(&mut self, fields: &'v Map<String, Value>, path: &Path<'_>) -> Option<SubjectSource<'v>> {
        let present = |name: &str| fields.get(name).filter(|it| !it.is_null());
        let (name, value) = match (present("template"), present("externalRef")) {
            (Some(template), None) => ("template", template),
            (None, Some(external)) => ("externalRef", external),
            (template, _) => {
                let advice = if template.is_some() {
                    "remove one of them, or make two resources"
                } else {
                    "add a template for an object to make, or an externalRef to one that others make"
                };
                let message = "exactly one of template or externalRef must be provided";
                self.diagnostics.report(path, message).advise(advice);
                return None;
            }
        };
        let Some(map) = value.as_object() else {
            self.diagnostics
                .report(path.field(name), "expected a map with apiVersion, kind and metadata")
                .advise("write the object as YAML, not as text");
            return None;
        };
        Some(if name == "template" { SubjectSource::Template(map) } else { SubjectSource::External(map) })
    }

    fn list<'v>(&mut self, fields: &'v Map<String, Value>, name: &str, path: &Path<'_>) -> &'v [Value] {
        match fields.get(name) {
            Some(Value::Array(entries)) => entries,
            None | Some(Value::Null) => &[],
            Some(_) => {
                self.diagnostics
                    .report(path.field(name), "expected a list")
                    .advise("write each entry on a line of its own, behind `- `");
                &[]
            }
        }
    }

    fn texts<'v>(
        &mut self,
        fields: &'v Map<String, Value>,
        name: &str,
        path: &Path<'_>,
    ) -> Vec<(usize, &'v str)> {
        let at = path.field(name);
        let entries = self.list(fields, name, path).iter().enumerate();
        let text = |(index, entry): (usize, &'v Value)| {
            let text = entry.as_str();
            if text.is_none() {
                let advice = "write a condition such as `${schema.spec.enabled}`";
                self.diagnostics.report(at.index(index), "expected an expression, ${…}").advise(advice);
            }
            text.map(|it| (index, it))
        };
        entries.filter_map(text).collect()
    }

    fn iterators<'v>(&mut self, fields: &'v Map<String, Value>, path: &Path<'_>) -> Vec<(&'v str, &'v str)> {
        let at = path.field("forEach");
        let mut iterators = Vec::new();
        for (index, entry) in self.list(fields, "forEach", path).iter().enumerate() {
            let single = entry.as_object().filter(|it| it.len() == 1).and_then(|it| it.iter().next());
            if let Some(iterator) = single.and_then(|(name, list)| Some((name.as_str(), list.as_str()?))) {
                iterators.push(iterator);
            } else {
                self.diagnostics
                    .report(at.index(index), "expected one iterator and its list")
                    .advise("write `- region: ${schema.spec.regions}`, one entry for each iterator");
            }
        }
        iterators
    }

    fn deletion(&mut self, fields: &Map<String, Value>, path: &Path<'_>) -> Option<DeletionPolicy> {
        match fields.get("deletionPolicy")? {
            Value::Null => None,
            Value::String(text) if text == "Delete" => Some(DeletionPolicy::Delete),
            Value::String(text) if text == "Retain" => Some(DeletionPolicy::Retain),
            Value::String(_) | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                self.diagnostics
                    .report(path.field("deletionPolicy"), "unknown policy")
                    .advise("write Delete or Retain");
                None
            }
        }
    }
}
