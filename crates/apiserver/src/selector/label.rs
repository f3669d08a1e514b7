//! Selectors by label.

use std::collections::BTreeSet;

use serde_json::Value;

use super::label_text;
use crate::status::Status;

/// A label selector: all requirements must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LabelSelector {
    requirements: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Requirement {
    pub(super) key: String,
    pub(super) test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Test {
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
        let requirements = label_text::requirements(text).map_err(Status::bad_request)?;
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
}
