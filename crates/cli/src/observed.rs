//! Objects that exist, read from files.

use std::collections::BTreeMap;

use krono_graph::{KindName, Kinds, Observed};
use krono_schema::selector::selects;
use serde_json::Value;

use crate::command_error::CommandError;
use crate::document::Source;
use crate::kinds::KnownKinds;

/// Objects by API version, kind, namespace and name.
#[derive(Debug, Default)]
pub(crate) struct Objects(BTreeMap<[String; 4], Value>);

impl Objects {
    /// Adds the objects of files; those of namespaced kinds that name no namespace are in the given one.
    pub(crate) fn read(
        sources: &[Source],
        kinds: &KnownKinds,
        namespace: &str,
    ) -> Result<Self, CommandError> {
        let mut objects = Self::default();
        for source in sources {
            for value in source.read_documents()?.values {
                for object in unlisted(value) {
                    let named = objects.add(object, kinds, namespace);
                    if !named {
                        let message = format!("{source} holds something without apiVersion, kind and name");
                        return Err(CommandError::wrong(message)
                            .hint("give objects as `kubectl get -o yaml` prints them"));
                    }
                }
            }
        }
        Ok(objects)
    }

    /// Adds an object, in place of what was there; false when it has no name.
    fn add(&mut self, mut object: Value, kinds: &KnownKinds, namespace: &str) -> bool {
        let [version, kind, _, _] = key(&object);
        let namespaced = kinds.find(&version, &kind).is_none_or(|it| it.namespaced);
        if namespaced && let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.entry("namespace").or_insert_with(|| namespace.into());
        }
        let key = key(&object);
        let named = [0, 1, 3].iter().all(|part| !key[*part].is_empty());
        self.0.insert(key, object);
        named
    }

    /// Adds an object unless one of that name is there; tells whether it was added.
    pub(crate) fn add_new(&mut self, object: &Value) -> bool {
        let mut added = false;
        self.0.entry(key(object)).or_insert_with(|| {
            added = true;
            object.clone()
        });
        added
    }
}

impl Observed for Objects {
    fn object(&self, kind: &KindName, namespace: &str, name: &str) -> Option<&Value> {
        self.0.get(&[&*kind.api_version, &*kind.kind, namespace, name].map(str::to_owned))
    }

    fn selected(&self, kind: &KindName, namespace: Option<&str>, selector: &Value) -> Vec<&Value> {
        let fits = |([version, of, place, _], object): &(&[String; 4], &Value)| {
            *version == kind.api_version
                && *of == kind.kind
                && namespace.is_none_or(|it| it == place)
                && selects(selector, &object["metadata"]["labels"])
        };
        self.0.iter().filter(fits).map(|(_, object)| object).collect()
    }
}

/// The elements of a list, or the object itself.
pub(crate) fn unlisted(mut value: Value) -> Vec<Value> {
    let is_list = is_list(&value);
    match value.get_mut("items").filter(|_| is_list).map(Value::take) {
        Some(Value::Array(items)) => items,
        Some(_) | None => vec![value],
    }
}

/// Whether a document is a list of objects, as `kubectl get -o yaml` prints several.
pub(crate) fn is_list(value: &Value) -> bool {
    let is_called_so = value.get("kind").and_then(Value::as_str).is_some_and(|it| it.ends_with("List"));
    is_called_so && value.get("items").is_some_and(Value::is_array)
}

fn key(object: &Value) -> [String; 4] {
    ["/apiVersion", "/kind", "/metadata/namespace", "/metadata/name"]
        .map(|pointer| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned())
}
