//! Names and namespaces that objects can have. They become part of addresses, and instances may say anything.

use krono_schema::names::{dns1123_label_complaint, path_segment_complaints};
use serde_json::Value;

use super::NodeError;

/// How much of a text is told, in characters.
const TOLD: usize = 80;

/// The namespace that is written; nothing where none is.
pub(super) fn namespace(written: Option<&Value>) -> Result<Option<&str>, NodeError> {
    let text = match written {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.as_str(),
        Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            return Err(NodeError::NoText { field: "namespace" });
        }
    };
    if text.is_empty() {
        return Ok(None);
    }
    dns1123_label_complaint(text).map_or(Ok(Some(text)), |it| Err(unfit("namespace", text, it)))
}

/// Whether an object can have that name.
pub(super) fn check_name(name: &str) -> Result<(), NodeError> {
    if name.is_empty() {
        return Err(NodeError::Nameless);
    }
    let complaint = path_segment_complaints(name, false).into_iter().next().or_else(|| separator(name));
    complaint.map_or(Ok(()), |it| Err(unfit("name", name, it)))
}

/// What would end the path of an address, or tear it.
fn separator(name: &str) -> Option<String> {
    let found = name.chars().find(|it| matches!(it, '?' | '#') || it.is_whitespace() || it.is_control())?;
    Some(format!("may not contain {found:?}"))
}

fn unfit(field: &'static str, text: &str, complaint: String) -> NodeError {
    NodeError::Unfit { field, found: text.chars().take(TOLD).collect(), complaint }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_fit_into_addresses() {
        let check = |name: &str, expect: &str| {
            let told = check_name(name).map_or_else(|it| it.to_string(), |()| String::new());
            assert_eq!(told, expect, "{name:?}");
        };
        for fine in ["a", "a-b.c", "system:node", "A_b", "..."] {
            check(fine, "");
        }
        check("", "metadata.name: expected text that is not empty");
        check("..", r#"metadata.name: "..": may not be '..'"#);
        check("a/b", r#"metadata.name: "a/b": may not contain '/'"#);
        check("x%2fy", r#"metadata.name: "x%2fy": may not contain '%'"#);
        check("a?dryRun=All", r#"metadata.name: "a?dryRun=All": may not contain '?'"#);
        check("x#y", r#"metadata.name: "x#y": may not contain '#'"#);
        check("a b", r#"metadata.name: "a b": may not contain ' '"#);
        check("a\u{7f}", r#"metadata.name: "a\u{7f}": may not contain '\u{7f}'"#);
    }

    #[test]
    fn namespaces_are_labels() {
        let check = |written: Value, expect: Result<Option<&str>, &str>| {
            let read = namespace(Some(&written)).map_err(|it| it.to_string());
            match (&read, expect) {
                (Err(told), Err(expected)) => assert!(told.starts_with(expected), "{told}"),
                _ => assert_eq!(read.as_ref().ok().copied(), expect.ok(), "{written}"),
            }
        };
        check(json!("team-a"), Ok(Some("team-a")));
        check(json!(""), Ok(None));
        check(json!(null), Ok(None));
        check(json!(5), Err("metadata.namespace: expected text"));
        check(json!(["a"]), Err("metadata.namespace: expected text"));
        for text in ["Team A", "a/b", "../../apis", "a.b"] {
            check(json!(text), Err(&format!("metadata.namespace: {text:?}: ")));
        }
        check(json!("a".repeat(64)), Err("metadata.namespace: \"aaa"));
    }
}
