//! The kinds of the embedded API server, and objects by name.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use krono_apiserver::builtin;
use krono_apiserver::kind::{Kind, Scope};
use krono_graph::{CompiledGraph, KindName, Kinds, KnownKind, Observed, Options, compile};
use serde_json::Value;
use serde_saphyr::DuplicateKeyPolicy;

static BUILT_IN: LazyLock<Vec<Kind>> = LazyLock::new(builtin::kinds);

/// The built-in kinds of Kubernetes.
pub(crate) struct BuiltIn;

impl Kinds for BuiltIn {
    fn find(&self, api_version: &str, kind: &str) -> Option<KnownKind> {
        let found = BUILT_IN.iter().find(|it| *it.kind == *kind && api_version_of(it) == api_version)?;
        let schema = Arc::clone(found.schema.get());
        Some(KnownKind { schema, namespaced: found.scope == Scope::Namespaced, is_defined: false })
    }

    fn similar(&self, _: &str, kind: &str) -> Vec<String> {
        let known = BUILT_IN.iter().map(|it| &*it.kind).collect();
        let near = krono_cel::advice::nearest(kind, &known).unwrap_or(kind);
        let same = BUILT_IN.iter().filter(|it| *it.kind == *kind || *it.kind == *near);
        same.map(|it| format!("{} in {}", it.kind, api_version_of(it))).collect()
    }
}

fn api_version_of(kind: &Kind) -> String {
    if kind.group.is_empty() { kind.version.to_string() } else { format!("{}/{}", kind.group, kind.version) }
}

/// Objects in the order in which they were added.
#[derive(Debug, Default)]
pub(crate) struct Objects(BTreeMap<(String, String, String), Value>);

impl Objects {
    pub(crate) fn add(&mut self, object: Value) {
        let text =
            |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let key = (text("/kind"), text("/metadata/namespace"), text("/metadata/name"));
        self.0.insert(key, object);
    }
}

impl Observed for Objects {
    fn object(&self, kind: &KindName, namespace: &str, name: &str) -> Option<&Value> {
        self.0.get(&(kind.kind.clone(), namespace.to_owned(), name.to_owned()))
    }

    fn selected(&self, kind: &KindName, namespace: Option<&str>, selector: &Value) -> Vec<&Value> {
        let wanted = selector.get("matchLabels").and_then(Value::as_object);
        let fits = |object: &Value| {
            wanted
                .into_iter()
                .flatten()
                .all(|(key, value)| object["metadata"]["labels"].get(key) == Some(value))
        };
        let objects = self.0.iter().filter(|((of, place, _), object)| {
            *of == kind.kind && namespace.is_none_or(|it| it == place) && fits(object)
        });
        objects.map(|(_, object)| object).collect()
    }
}

/// The last of equal keys wins, as it does for kubectl.
pub(crate) fn yaml(text: &str) -> Value {
    let options = serde_saphyr::options! { duplicate_keys: DuplicateKeyPolicy::LastWins };
    serde_saphyr::from_str_with_options(text, options).expect("valid YAML")
}

/// A definition from its `schema` and `resources`.
pub(crate) fn definition(spec: &str) -> Value {
    let indented: Vec<String> = spec.lines().map(|line| format!("  {line}")).collect();
    yaml(&format!(
        "apiVersion: kro.run/v1alpha1\nkind: ResourceGraphDefinition\nspec:\n{}",
        indented.join("\n")
    ))
}

pub(crate) fn compiled(spec: &str) -> CompiledGraph {
    compile(&definition(spec), &BuiltIn, Options::default()).unwrap_or_else(|found| {
        panic!("{}", found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    })
}
