//! Label and field selectors.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::status::Status;

/// Most requirements in one selector.
const MAX_REQUIREMENTS: usize = 1000;

/// A label selector: all requirements must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LabelSelector {
    requirements: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Exists,
    Absent,
    In(BTreeSet<String>),
    NotIn(BTreeSet<String>),
    Greater(i64),
    Less(i64),
}

impl LabelSelector {
    /// Reads `a=b,c in (d,e),!f`.
    pub(crate) fn parse(text: &str) -> Result<Self, Status> {
        let mut requirements = Vec::new();
        for part in split_outside_parentheses(text) {
            if part.trim().is_empty() {
                continue;
            }
            let read = requirement(part.trim()).ok_or_else(|| unparsable(text))?;
            if let Some(wrong) = crate::builtin::key_complaints(&read.key).first() {
                let message =
                    format!("unable to parse requirement: <nil>: Invalid value: {:?}: {wrong}", read.key);
                return Err(Status::bad_request(message));
            }
            requirements.push(read);
            if requirements.len() > MAX_REQUIREMENTS {
                return Err(Status::bad_request("the label selector has too many requirements"));
            }
        }
        Ok(Self { requirements })
    }

    /// Whether everything matches.
    pub(crate) fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Whether an object with this metadata matches.
    pub(crate) fn matches(&self, metadata: &Value) -> bool {
        let labels = metadata.get("labels");
        self.requirements
            .iter()
            .all(|it| it.test.holds(labels.and_then(|labels| labels.get(&it.key)).and_then(Value::as_str)))
    }
}

impl Test {
    fn holds(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::Exists => value.is_some(),
            Self::Absent => value.is_none(),
            Self::In(values) => value.is_some_and(|value| values.contains(value)),
            Self::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            Self::Greater(than) => number().is_some_and(|number| number > *than),
            Self::Less(than) => number().is_some_and(|number| number < *than),
        }
    }
}

fn unparsable(text: &str) -> Status {
    Status::bad_request(format!("unable to parse requirement: invalid label selector {text:?}"))
}

fn split_outside_parentheses(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn requirement(part: &str) -> Option<Requirement> {
    if let Some(key) = part.strip_prefix('!') {
        return Some(Requirement { key: key_name(key)?, test: Test::Absent });
    }
    if part.ends_with(')') {
        return set_requirement(part);
    }
    let one = |value: &str| BTreeSet::from([value.trim().to_owned()]);
    let (key, test) = if let Some((key, value)) = part.split_once("!=") {
        (key, Test::NotIn(one(value)))
    } else if let Some((key, value)) = part.split_once("==").or_else(|| part.split_once('=')) {
        (key, Test::In(one(value)))
    } else if let Some((key, value)) = part.split_once('>') {
        (key, Test::Greater(value.trim().parse().ok()?))
    } else if let Some((key, value)) = part.split_once('<') {
        (key, Test::Less(value.trim().parse().ok()?))
    } else {
        (part, Test::Exists)
    };
    let sound = match &test {
        Test::In(values) | Test::NotIn(values) => values.iter().all(|it| is_label_value(it)),
        Test::Exists | Test::Absent | Test::Greater(_) | Test::Less(_) => true,
    };
    let key = key_name(key).filter(|_| sound)?;
    Some(Requirement { key, test })
}

/// `key in (a,b)` and `key notin (a,b)`.
fn set_requirement(part: &str) -> Option<Requirement> {
    let (head, values) = part.strip_suffix(')')?.split_once('(')?;
    let values: BTreeSet<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
    if !values.iter().all(|value| is_label_value(value)) {
        return None;
    }
    let mut words = head.split_whitespace();
    let (key, operator) = (words.next()?, words.next()?);
    let test = match (operator, words.next()) {
        ("in", None) => Test::In(values),
        ("notin", None) => Test::NotIn(values),
        _ => return None,
    };
    Some(Requirement { key: key_name(key)?, test })
}

fn key_name(text: &str) -> Option<String> {
    let text = text.trim();
    let (prefix, name) = text.split_once('/').unwrap_or(("x", text));
    let sound = |part: &str, longest: usize| {
        !part.is_empty()
            && part.len() <= longest
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    (sound(prefix, 253) && sound(name, 63)).then(|| text.to_owned())
}

fn is_label_value(text: &str) -> bool {
    let end = |byte: Option<u8>| byte.is_none_or(|byte| byte.is_ascii_alphanumeric());
    let bytes = text.as_bytes();
    text.len() <= 63
        && end(bytes.first().copied())
        && end(bytes.last().copied())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

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
    fn labels() {
        let metadata = json!({"labels": {"app": "web", "tier": "7", "a.io/b": ""}});
        let check = |text: &str, expect: bool| {
            assert_eq!(LabelSelector::parse(text).unwrap().matches(&metadata), expect, "{text}");
        };
        check("", true);
        check("app=web", true);
        check("app==web,tier=7", true);
        check("app!=web", false);
        check("other!=web", true);
        check("app in (web, db),tier notin (1,2)", true);
        check("app in (db)", false);
        check("a.io/b", true);
        check("a.io/b=", true);
        check("!app", false);
        check("!other", true);
        check("tier>6,tier<8", true);
        check("app>6", false);
        for text in ["a b", "a in", "a in b)", "=x", "a=b c", "a>x", "a in (b))", "a/b/c=d"] {
            assert_eq!(LabelSelector::parse(text).unwrap_err().code, 400, "{text}");
        }
    }

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
