//! JSON patch (RFC 6902) as the API server applies it.
//!
//! It is more lenient than the RFC: testing for null passes when the field is absent, replacing an absent field
//! sets it, copying an absent field copies null, and a negative index counts from the end of a list.

mod container;
mod error;
#[cfg(test)]
mod tests;

use krono_schema::go_text::json_kind;
use serde_json::{Map, Value};

use crate::depth;
use container::{Container, Missing};
use error::Failure;
pub use error::JsonPatchError;

/// The most operations of one patch.
pub const MAX_OPERATIONS: usize = 10_000;

/// The most bytes that the copy operations of one patch may add.
pub const MAX_COPIED_BYTES: usize = 3 * 1024 * 1024;

/// Applies `patch`, a list of operations, to `document`.
///
/// ```
/// use serde_json::json;
/// let patch = json!([{"op": "test", "path": "/metadata/finalizers", "value": null},
///                    {"op": "add", "path": "/metadata/finalizers", "value": ["krono.dev/cleanup"]}]);
/// let patched = krono_patch::json::apply(json!({"metadata": {}}), patch)?;
/// assert_eq!(patched, json!({"metadata": {"finalizers": ["krono.dev/cleanup"]}}));
/// # Ok::<(), krono_patch::json::JsonPatchError>(())
/// ```
pub fn apply(document: Value, patch: Value) -> Result<Value, JsonPatchError> {
    let operations = operations(patch)?;
    if operations.len() > MAX_OPERATIONS {
        return Err(JsonPatchError::TooManyOperations { count: operations.len() });
    }
    let mut patcher = Patcher { document, copied: 0 };
    for (position, operation) in operations.into_iter().enumerate() {
        patcher
            .operation(operation)
            .map_err(|failure| JsonPatchError::Failed { position, message: failure.0 })?;
    }
    Ok(patcher.document)
}

/// Null stands for no operations at all, and for an operation without fields.
fn operations(patch: Value) -> Result<Vec<Map<String, Value>>, JsonPatchError> {
    let operations = match patch {
        Value::Null => Vec::new(),
        Value::Array(operations) => operations,
        other @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => {
            return Err(JsonPatchError::NotAList { found: json_kind(&other) });
        }
    };
    operations.into_iter().map(fields).collect()
}

fn fields(operation: Value) -> Result<Map<String, Value>, JsonPatchError> {
    match operation {
        Value::Null => Ok(Map::new()),
        Value::Object(fields) => Ok(fields),
        other @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            Err(JsonPatchError::NotAnOperation { found: json_kind(&other) })
        }
    }
}

struct Patcher {
    document: Value,
    /// Bytes added by copy operations so far.
    copied: usize,
}

type Step = Result<(), Failure>;

impl Patcher {
    fn operation(&mut self, mut operation: Map<String, Value>) -> Step {
        let kind = operation.get("op").and_then(Value::as_str).unwrap_or("unknown").to_owned();
        match kind.as_str() {
            "add" => self.add(&mut operation),
            "remove" => self.remove(&operation),
            "replace" => self.replace(&mut operation),
            "move" => self.move_value(&operation),
            "test" => self.test(&operation),
            "copy" => self.copy(&operation),
            other => Err(Failure(format!("Unexpected kind: {other}"))),
        }
    }

    fn add(&mut self, operation: &mut Map<String, Value>) -> Step {
        let path = path(operation).ok_or("add operation failed to decode path: missing value")?;
        let value = operation.remove("value").unwrap_or_default();
        let (mut container, key) = self.find(&path).ok_or_else(|| {
            format!("add operation does not apply: doc is missing path: \"{path}\": missing value")
        })?;
        check_depth(&value, &path)?;
        container.add(&key, value).map_err(|it| at("add", &path, &it))
    }

    fn remove(&mut self, operation: &Map<String, Value>) -> Step {
        let path = path(operation).ok_or("remove operation failed to decode path: missing value")?;
        let (mut container, key) = self.find(&path).ok_or_else(|| {
            format!("remove operation does not apply: doc is missing path: \"{path}\": missing value")
        })?;
        container.remove(&key).map_err(|it| at("remove", &path, &it))?;
        Ok(())
    }

    fn replace(&mut self, operation: &mut Map<String, Value>) -> Step {
        let path = path(operation)
            .ok_or("replace operation failed to decode path: operation missing path field: missing value")?;
        let value = operation.remove("value").unwrap_or_default();
        check_depth(&value, &path)?;
        if path.is_empty() {
            return self.replace_document(value);
        }
        let (mut container, key) = self.find(&path).ok_or_else(|| {
            format!("replace operation does not apply: doc is missing path: {path}: missing value")
        })?;
        container.set(&key, value).map_err(|_| {
            Failure(format!("replace operation does not apply: doc is missing key: {path}: missing value"))
        })
    }

    fn replace_document(&mut self, value: Value) -> Step {
        if !value.is_object() && !value.is_array() {
            return Err(Failure::from("replace operation value must be object or array: %!w(<nil>)"));
        }
        self.document = value;
        Ok(())
    }

    fn move_value(&mut self, operation: &Map<String, Value>) -> Step {
        let from = from(operation).ok_or_else(|| no_from("move"))?;
        let (mut container, key) = self.find(&from).ok_or_else(|| {
            format!("move operation does not apply: doc is missing from path: {from}: missing value")
        })?;
        let value = container.remove(&key).map_err(|it| at("move", &key, &it))?;
        let path = path(operation)
            .ok_or("move operation failed to decode path: operation missing path field: missing value")?;
        let (mut container, key) = self.find(&path).ok_or_else(|| {
            format!("move operation does not apply: doc is missing destination path: {path}: missing value")
        })?;
        check_depth(&value, &path)?;
        container.add(&key, value).map_err(|it| at("move", &path, &it))
    }

    fn test(&mut self, operation: &Map<String, Value>) -> Step {
        let path = path(operation)
            .ok_or("test operation failed to decode path: operation missing path field: missing value")?;
        let expected = operation.get("value").unwrap_or(&Value::Null);
        let found = if path.is_empty() {
            &self.document
        } else {
            let (container, key) = self.find(&path).ok_or_else(|| {
                format!("test operation does not apply: is missing path: {path}: missing value")
            })?;
            container.into_value(&key).map_err(|it| at("test", &path, &it))?
        };
        if found == expected {
            return Ok(());
        }
        Err(Failure(format!("testing value {path} failed: test failed")))
    }

    fn copy(&mut self, operation: &Map<String, Value>) -> Step {
        let from = from(operation).ok_or_else(|| no_from("copy"))?;
        let (container, key) = self.find(&from).ok_or_else(|| {
            format!("copy operation does not apply: doc is missing from path: {from}: missing value")
        })?;
        let value = container
            .into_value(&key)
            .map_err(|it| Failure(format!("error in copy for from: '{from}': {it}")))?
            .clone();
        let path = path(operation).ok_or("copy operation failed to decode path: missing value")?;
        self.count_copy(&value)?;
        let (mut container, key) = self.find(&path).ok_or_else(|| {
            format!("copy operation does not apply: doc is missing destination path: {path}: missing value")
        })?;
        check_depth(&value, &path)?;
        container
            .add(&key, value)
            .map_err(|it| Failure(format!("error while adding value during copy: {it}")))
    }

    fn count_copy(&mut self, value: &Value) -> Step {
        self.copied = self.copied.saturating_add(encoded_length(value));
        if self.copied <= MAX_COPIED_BYTES {
            return Ok(());
        }
        Err(Failure(format!(
            "Unable to complete the copy, the accumulated size increase of copy is {}, exceeding the limit \
             {MAX_COPIED_BYTES}",
            self.copied
        )))
    }

    /// The object or list that holds what `pointer` points to, and the key in it.
    fn find(&mut self, pointer: &str) -> Option<(Container<'_>, String)> {
        let (above, key) = pointer.rsplit_once('/')?;
        let mut container = Container::new(&mut self.document)?;
        for token in above.split('/').skip(1) {
            container = container.into_child(&unescape(token))?;
        }
        Some((container, unescape(key)))
    }
}

fn check_depth(value: &Value, path: &str) -> Step {
    depth::check_below(value, path.matches('/').count()).map_err(|it| Failure(it.to_string()))
}

fn path(operation: &Map<String, Value>) -> Option<String> {
    operation.get("path").and_then(Value::as_str).map(str::to_owned)
}

fn from(operation: &Map<String, Value>) -> Option<String> {
    operation.get("from").and_then(Value::as_str).map(str::to_owned)
}

fn no_from(kind: &str) -> Failure {
    Failure(format!("{kind} operation failed to decode from: operation, missing from field: missing value"))
}

fn at(operation: &str, path: &str, missing: &Missing) -> Failure {
    Failure(format!("error in {operation} for path: '{path}': {missing}"))
}

fn unescape(token: &str) -> String {
    if token.contains('~') { token.replace("~1", "/").replace("~0", "~") } else { token.to_owned() }
}

/// The length of the value as compact JSON.
fn encoded_length(value: &Value) -> usize {
    struct Counter(usize);
    impl std::io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    let written = serde_json::to_writer(&mut counter, value);
    debug_assert!(written.is_ok(), "counting cannot fail");
    counter.0
}
