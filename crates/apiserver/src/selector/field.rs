//! Selectors by field.

use serde_json::Value;

use super::MAX_REQUIREMENTS;
use crate::status::Status;

/// A field selector: all terms must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldSelector {
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    path: String,
    value: String,
    equal: bool,
}

impl FieldSelector {
    /// Reads `metadata.name=a,spec.nodeName!=b`; `supported` says what is wrong with a field that may not be named.
    pub(crate) fn parse(text: &str, supported: impl Fn(&str) -> Result<(), String>) -> Result<Self, Status> {
        let mut terms = Vec::new();
        for part in split_terms(text) {
            let term = term(&part).ok_or_else(|| {
                let message = format!("invalid selector: '{text}'; can't understand '{part}'");
                Status::bad_request(message)
            })?;
            supported(&term.path).map_err(Status::bad_request)?;
            terms.push(term);
            if terms.len() > MAX_REQUIREMENTS {
                return Err(Status::bad_request("the field selector has too many terms"));
            }
        }
        Ok(Self { terms })
    }

    /// Whether everything matches.
    pub(crate) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether only names and namespaces are asked for.
    pub(crate) fn only_metadata(&self) -> bool {
        self.terms.iter().all(|it| matches!(it.path.as_str(), "metadata.name" | "metadata.namespace"))
    }

    /// The only value that a field may have, where the selector says so.
    pub(crate) fn exact(&self, path: &str) -> Option<&str> {
        self.terms.iter().find(|it| it.equal && it.path == path).map(|it| it.value.as_str())
    }

    /// Whether an object (or just `{"metadata": …}`) matches.
    pub(crate) fn matches(&self, object: &Value) -> bool {
        self.terms.iter().all(|it| (field_text(object, &it.path) == it.value) == it.equal)
    }
}

/// A field as text: absent fields are empty.
fn field_text(object: &Value, path: &str) -> String {
    if path == SOURCE {
        return source(object);
    }
    let mut at = object;
    for name in path.split('.').filter(|name| !name.is_empty()) {
        match at.get(name) {
            Some(next) => at = next,
            None => return String::new(),
        }
    }
    match at {
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => at.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    }
}

/// Only Events can be selected so, by the component that told of them.
const SOURCE: &str = "source";

fn source(event: &Value) -> String {
    let component =
        event.pointer("/source/component").or_else(|| event.pointer("/deprecatedSource/component"));
    let component = component.filter(|it| it.as_str() != Some(""));
    let controller = event.get("reportingComponent").or_else(|| event.get("reportingController"));
    component.or(controller).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Terms are separated by commas; a backslash keeps the character after it.
fn split_terms(text: &str) -> Vec<String> {
    let (mut parts, mut part, mut escaped) = (Vec::new(), String::new(), false);
    for character in text.chars() {
        match character {
            ',' if !escaped => parts.push(std::mem::take(&mut part)),
            _ => part.push(character),
        }
        escaped = character == '\\' && !escaped;
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    parts
}

fn term(part: &str) -> Option<Term> {
    let (path, value, equal) = if let Some((path, value)) = part.split_once("!=") {
        (path, value, false)
    } else {
        let (path, value) = part.split_once("==").or_else(|| part.split_once('='))?;
        (path, value, true)
    };
    Some(Term { path: path.to_owned(), value: unescape(value)?, equal })
}

fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        out.push(if character == '\\' { characters.next()? } else { character });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields() {
        let object = json!({"metadata": {"name": "n"}, "spec": {"a": 1, "b,c": true}});
        let check = |text: &str, expect: bool| {
            assert_eq!(FieldSelector::parse(text, |_| Ok(())).unwrap().matches(&object), expect, "{text}");
        };
        check("", true);
        check("metadata.name=n", true);
        check("metadata.name==n,spec.a=1", true);
        check("metadata.name!=n", false);
        check("spec.x=", true);
        check("spec.a=1\\,2", false);
        assert!(FieldSelector::parse("a", |_| Ok(())).is_err());
        assert!(FieldSelector::parse("a=b", |_| Err(String::new())).is_err());
    }
}
