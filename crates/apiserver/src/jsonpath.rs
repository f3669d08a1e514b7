//! The part of JSON path that printer columns and scale paths use.

use serde_json::Value;

/// Steps of a path such as `.status.conditions[?(@.type=="Ready")].status`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonPath {
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Field(String),
    Index(i64),
    All,
    Filter { path: Vec<String>, value: String, equal: bool },
}

impl JsonPath {
    /// Reads a path; `None` for what we do not understand.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
        let mut rest = text.strip_prefix('$').unwrap_or(text);
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (step, after) = step(rest)?;
            steps.extend(step);
            rest = after;
        }
        Some(Self { steps })
    }

    /// Every value the path leads to.
    pub(crate) fn find<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        let mut found = vec![value];
        for step in &self.steps {
            found = found.into_iter().flat_map(|value| step.take(value)).collect();
        }
        found
    }

    /// The field names of a path that has no other steps.
    pub(crate) fn fields(&self) -> Option<Vec<&str>> {
        self.steps.iter().map(Step::field).collect()
    }
}

fn step(rest: &str) -> Option<(Option<Step>, &str)> {
    if let Some(after) = rest.strip_prefix('[') {
        let end = bracket_end(after)?;
        return Some((Some(bracket(after[..end].trim())?), &after[end + 1..]));
    }
    let after = rest.strip_prefix('.').unwrap_or(rest);
    let (name, after) = field_name(after);
    match name.as_str() {
        "" if after.len() == rest.len() => None,
        "" => Some((None, after)),
        "*" => Some((Some(Step::All), after)),
        _ => Some((Some(Step::Field(name)), after)),
    }
}

/// A name ends at a dot or bracket that no backslash precedes.
fn field_name(text: &str) -> (String, &str) {
    let (mut name, mut escaped) = (String::new(), false);
    for (at, character) in text.char_indices() {
        match character {
            '\\' if !escaped => escaped = true,
            '.' | '[' if !escaped => return (name, &text[at..]),
            _ => {
                name.push(character);
                escaped = false;
            }
        }
    }
    (name, "")
}

/// Where the bracket closes: not inside quotes.
fn bracket_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            (None, ']') => return Some(at),
            _ => {}
        }
    }
    None
}

fn bracket(inside: &str) -> Option<Step> {
    if inside == "*" {
        return Some(Step::All);
    }
    if let Some(name) = unquote(inside) {
        return Some(Step::Field(name.to_owned()));
    }
    if let Some(filter) = inside.strip_prefix("?(").and_then(|text| text.strip_suffix(')')) {
        return self::filter(filter);
    }
    inside.parse().ok().map(Step::Index)
}

fn filter(text: &str) -> Option<Step> {
    let (left, right, equal) = if let Some((left, right)) = text.split_once("!=") {
        (left, right, false)
    } else {
        let (left, right) = text.split_once("==")?;
        (left, right, true)
    };
    let path = left.trim().strip_prefix("@.")?.split('.').map(str::to_owned).collect();
    let right = right.trim();
    Some(Step::Filter { path, value: unquote(right).unwrap_or(right).to_owned(), equal })
}

fn unquote(text: &str) -> Option<&str> {
    let inside = |quote: char| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    inside('\'').or_else(|| inside('"'))
}

impl Step {
    fn field(&self) -> Option<&str> {
        match self {
            Self::Field(name) => Some(name),
            Self::Index(_) | Self::All | Self::Filter { .. } => None,
        }
    }

    fn take<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        match self {
            Self::Field(name) => value.get(name).into_iter().collect(),
            Self::Index(index) => element(value, *index).into_iter().collect(),
            Self::All => children(value).collect(),
            Self::Filter { path, value: wanted, equal } => {
                let matches = |item: &&Value| {
                    let at = path.iter().try_fold(*item, |at, name| at.get(name));
                    at.map(text).is_some_and(|found| (found == *wanted) == *equal)
                };
                value.as_array().into_iter().flatten().filter(matches).collect()
            }
        }
    }
}

fn element(value: &Value, index: i64) -> Option<&Value> {
    let list = value.as_array()?;
    let at = if index < 0 { i64::try_from(list.len()).ok()? + index } else { index };
    list.get(usize::try_from(at).ok()?)
}

fn children(value: &Value) -> impl Iterator<Item = &Value> {
    let list = value.as_array().into_iter().flatten();
    list.chain(value.as_object().into_iter().flat_map(|fields| fields.values()))
}

/// A value as a cell or a filter shows it.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths() {
        let value = json!({
            "spec": {"a": [1, 2, {"b": 3}], "x.y": "dotted"},
            "status": {"conditions": [{"type": "A", "status": "False"}, {"type": "Ready", "status": "True"}]},
        });
        let check = |path: &str, expect: Value| {
            let found = JsonPath::parse(path).unwrap_or_else(|| panic!("{path}")).find(&value);
            assert_eq!(json!(found), expect, "{path}");
        };
        check(".spec.a[0]", json!([1]));
        check(".spec.a[-1].b", json!([3]));
        check(".spec.a[9]", json!([]));
        check(".spec['x.y']", json!(["dotted"]));
        check(".spec.x\\.y", json!(["dotted"]));
        check("{.status.conditions[*].status}", json!(["False", "True"]));
        check(r#".status.conditions[?(@.type=="Ready")].status"#, json!(["True"]));
        check(".status.conditions[?(@.type!='Ready')].status", json!(["False"]));
        check(".nothing.here", json!([]));
        for bad in [".a[", ".a[b]", ".a[?(x)]"] {
            assert_eq!(JsonPath::parse(bad), None, "{bad}");
        }
    }
}
