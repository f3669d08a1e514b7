//! Plans that are kept, and whether they still hold.

use std::collections::BTreeMap;
use std::path::Path;

use krono_history::Digest;
use serde_json::{Map, Value, json};

use crate::command_error::CommandError;
use crate::document::Source;
use crate::format::Format;

/// How many changes are named.
const NAMED: usize = 10;

/// By what it is, the digest of everything that a plan was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Versions(BTreeMap<String, String>);

impl Versions {
    /// Notes a definition, its CRD or an instance; nothing is planned from the status of those.
    pub(super) fn note(&mut self, object: &Value) {
        let fields = object.as_object().into_iter().flatten().filter(|(name, _)| *name != "status");
        let object: Value = fields.map(|(name, it)| (name.clone(), it.clone())).collect::<Map<_, _>>().into();
        self.0.insert(title(&object), digest(&object));
    }

    /// Notes any other object, all of which may count.
    pub(super) fn note_resource(&mut self, object: &Value) {
        self.0.entry(title(object)).or_insert_with(|| digest(object));
    }

    fn read(value: &Value) -> Self {
        let entries = value.as_object().into_iter().flatten();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Self(entries.map(|(title, it)| (title.clone(), text(it))).collect())
    }

    fn to_json(&self) -> Value {
        let entries = self.0.iter().map(|(title, it)| (title.clone(), json!(it)));
        Value::Object(entries.collect::<Map<_, _>>())
    }

    /// What became of each thing that is no longer as it was.
    fn changes_to(&self, now: &Self) -> Vec<String> {
        let titles: std::collections::BTreeSet<&String> = self.0.keys().chain(now.0.keys()).collect();
        let told = |title: &String| match (self.0.get(title), now.0.get(title)) {
            (Some(old), Some(new)) if old != new => Some(format!("{title} has changed")),
            (Some(_), None) => Some(format!("{title} is gone")),
            (None, Some(_)) => Some(format!("{title} is new")),
            (Some(_), Some(_)) | (None, None) => None,
        };
        titles.into_iter().filter_map(told).collect()
    }
}

fn title(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &object["metadata"];
    let place = match text(&metadata["namespace"]) {
        namespace if namespace.is_empty() => text(&metadata["name"]),
        namespace => format!("{namespace}/{}", text(&metadata["name"])),
    };
    format!("{} {place}", text(&object["kind"]))
}

/// The identity of an object, whoever wrote it last and however often.
fn digest(object: &Value) -> String {
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
        metadata.remove("resourceVersion");
    }
    Digest::of_content("object", &object).to_string()
}

/// Keeps a plan.
pub(super) fn write(
    path: &Path,
    edits: &[&Value],
    versions: &Versions,
    plan: &Value,
) -> Result<(), CommandError> {
    let edits: Vec<String> = edits.iter().map(|it| digest(it)).collect();
    let kept = json!({"kind": "KronoPlan", "edits": edits, "read": versions.to_json(), "plan": plan});
    std::fs::write(path, Format::Json.render(&kept))
        .map_err(|error| CommandError::usage(format!("cannot write {}: {error}", path.display())))
}

/// Refuses a kept plan that was made from something else.
pub(super) fn check(source: &Source, edits: &[&Value], now: &Versions) -> Result<(), CommandError> {
    let (kept, _) = source.read_document()?;
    if kept["kind"] != "KronoPlan" {
        return Err(CommandError::wrong(format!("{source} is no kept plan"))
            .hint("keep one with `krono plan -f FILE --out PLAN`"));
    }
    let again = "plan again with --out, and look at what it says";
    let same: Vec<Value> = edits.iter().map(|it| json!(digest(it))).collect();
    if kept["edits"] != Value::Array(same) {
        return Err(CommandError::wrong(format!("{source} is the plan of another edit")).hint(again));
    }
    let changes = Versions::read(&kept["read"]).changes_to(now);
    if changes.is_empty() {
        return Ok(());
    }
    let named = changes.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join("; ");
    let more = match changes.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    Err(CommandError::wrong(format!("{source} no longer holds: {named}{more}")).hint(again))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(objects: &[(&str, u32, &str)]) -> Versions {
        let mut versions = Versions::default();
        for (name, content, version) in objects {
            let metadata = json!({"name": name, "namespace": "n", "resourceVersion": version});
            versions.note(&json!({"kind": "App", "metadata": metadata, "spec": content}));
        }
        versions
    }

    #[test]
    fn what_moved_on_is_named() {
        let old = versions(&[("a", 1, "1"), ("b", 1, "1"), ("c", 1, "1")]);
        let new = versions(&[("a", 1, "7"), ("b", 2, "8"), ("d", 1, "9")]);
        assert_eq!(old.changes_to(&new), ["App n/b has changed", "App n/c is gone", "App n/d is new"]);
        assert_eq!(Versions::read(&old.to_json()), old);
    }
}
