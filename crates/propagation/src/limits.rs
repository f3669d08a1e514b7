//! What the platform owner lets instances decide for themselves.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp};
use krono_history::RevisionNumber;
use krono_history::revision::History;
use serde_json::Value;

use crate::problem::{Problem, unknown_fields};

/// `revisionManagement.instances` of a definition; without it everything is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Whether instances may refuse to move.
    pub pins: Allowance,
    /// The policies they may choose from; nothing when they may choose freely.
    pub policies: Option<BTreeSet<Policy>>,
    /// Whether they may say when their turn is.
    pub order: Allowance,
    /// The lowest number that anybody may run.
    pub minimum: Option<RevisionNumber>,
    /// How long a pin lasts after the revision that it names was superseded.
    pub pin_expires: Option<SignedDuration>,
}

/// Where they stand.
const PATH: &str = "spec.revisionManagement.instances";
const FIELDS: [&str; 5] = ["pin", "policies", "order", "minimumRevision", "pinExpires"];

/// Whether something may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// It may.
    Allowed,
    /// It may not.
    Forbidden,
}

/// How an instance follows its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Policy {
    /// It moves when the current revision reaches it.
    Auto,
    /// It moves when somebody approves of a revision.
    Manual,
    /// It is left alone.
    Paused,
}

impl Policy {
    /// From the text of an annotation; nothing for a text that is no policy.
    pub fn read(text: &str) -> Option<Self> {
        let is = |word: &str| text.eq_ignore_ascii_case(word);
        match () {
            () if is("Auto") || is("Automatic") => Some(Self::Auto),
            () if is("Manual") => Some(Self::Manual),
            () if is("Paused") => Some(Self::Paused),
            () => None,
        }
    }

    /// As it stands in an annotation.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "Auto",
            Self::Manual => "Manual",
            Self::Paused => "Paused",
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pins: Allowance::Allowed,
            policies: None,
            order: Allowance::Allowed,
            minimum: None,
            pin_expires: None,
        }
    }
}

/// Limits, and what in them could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// What is in force.
    pub limits: Limits,
    /// What was passed over, with the reasons.
    pub problems: Vec<Problem>,
}

impl Limits {
    /// From `revisionManagement.instances`; what cannot be read limits nobody, and is told.
    pub fn read(instances: &Value) -> Read {
        let mut reader = Reader { fields: instances, problems: unknown_fields(instances, PATH, &FIELDS) };
        let limits = Self {
            pins: reader.allowance("pin"),
            policies: reader.policies(),
            order: reader.allowance("order"),
            minimum: reader.minimum(),
            pin_expires: reader.duration("pinExpires"),
        };
        Read { limits, problems: reader.problems }
    }

    /// When a pin to a revision ends, if it does: so long after other content took the place of what it names.
    pub fn end_of_pin(&self, history: &History, number: RevisionNumber) -> Option<Timestamp> {
        history.replaced_at(number)?.checked_add(self.pin_expires?).ok()
    }
}

struct Reader<'v> {
    fields: &'v Value,
    problems: Vec<Problem>,
}

impl<'v> Reader<'v> {
    fn field(&self, name: &str) -> Option<&'v Value> {
        self.fields.get(name).filter(|it| !it.is_null())
    }

    fn pass_over<T>(&mut self, name: &str, value: &Value, expected: &str) -> Option<T> {
        let message = format!("{value} is not {expected}");
        self.problems.push(Problem::new(
            format!("{PATH}.{name}"),
            message,
            "it limits nobody until it is put right",
        ));
        None
    }

    fn allowance(&mut self, name: &str) -> Allowance {
        match self.field(name) {
            Some(Value::Bool(false)) => Allowance::Forbidden,
            Some(Value::Bool(true)) | None => Allowance::Allowed,
            Some(other) => self.pass_over(name, other, "true or false").unwrap_or(Allowance::Allowed),
        }
    }

    fn policies(&mut self) -> Option<BTreeSet<Policy>> {
        let value = self.field("policies")?;
        let read = |it: &Value| it.as_str().and_then(Policy::read);
        let policies: Option<BTreeSet<Policy>> =
            value.as_array().and_then(|it| it.iter().map(read).collect());
        policies.or_else(|| self.pass_over("policies", value, "a list of Auto, Manual, Paused"))
    }

    fn minimum(&mut self) -> Option<RevisionNumber> {
        let value = self.field("minimumRevision")?;
        let number = value.as_i64().and_then(RevisionNumber::from_wire);
        number.or_else(|| self.pass_over("minimumRevision", value, "the number of a revision"))
    }

    fn duration(&mut self, name: &str) -> Option<SignedDuration> {
        let value = self.field(name)?;
        let span = value.as_str().and_then(|it| it.parse::<Span>().ok());
        let duration = span.and_then(|it| it.to_duration(SpanRelativeTo::days_are_24_hours()).ok());
        let duration = duration.filter(SignedDuration::is_positive);
        duration.or_else(|| self.pass_over(name, value, "a duration such as 720h or 30d"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn v28_without_limits_everything_is_allowed() {
        for nothing in [json!(null), json!({}), json!({"pin": null})] {
            assert_eq!(Limits::read(&nothing), Read::default(), "{nothing}");
        }
    }

    #[test]
    fn v28_limits_are_read() {
        let read = Limits::read(&json!({
            "pin": false, "policies": ["Auto", "Manual"], "order": false, "minimumRevision": 4, "pinExpires": "30d",
        }));
        let expected = Limits {
            pins: Allowance::Forbidden,
            policies: Some([Policy::Auto, Policy::Manual].into()),
            order: Allowance::Forbidden,
            minimum: RevisionNumber::new(4),
            pin_expires: Some(SignedDuration::from_hours(720)),
        };
        assert_eq!(read, Read { limits: expected, problems: Vec::new() });
        let hours = Limits::read(&json!({"pinExpires": "720h"})).limits.pin_expires;
        assert_eq!(hours, Some(SignedDuration::from_hours(720)));
    }

    #[test]
    fn v28_what_cannot_be_read_limits_nobody_and_is_told() {
        let check = |instances: Value, expected: &str| {
            let read = Limits::read(&instances);
            let problems: Vec<String> = read.problems.iter().map(ToString::to_string).collect();
            assert_eq!((read.limits, problems.len()), (Limits::default(), 1), "{problems:?}");
            assert!(problems[0].starts_with(expected), "{problems:?}");
        };
        let place = "spec.revisionManagement.instances";
        check(json!({"pinn": false}), &format!("{place}.pinn: there is no such field; did you mean `pin`?"));
        check(json!("no"), &format!("{place}: \"no\" is not a map"));
        check(json!({"pin": "no"}), &format!("{place}.pin: \"no\" is not true or false"));
        check(
            json!({"policies": ["Auto", "Later"]}),
            &format!("{place}.policies: [\"Auto\",\"Later\"] is not a list of Auto, Manual, Paused"),
        );
        check(
            json!({"minimumRevision": 0}),
            &format!("{place}.minimumRevision: 0 is not the number of a revision"),
        );
        for never in ["-5h", "0s"] {
            let told = format!("{place}.pinExpires: {never:?} is not a duration such as 720h or 30d");
            check(json!({"pinExpires": never}), &told);
        }
        check(
            json!({"pinExpires": 30}),
            &format!("{place}.pinExpires: 30 is not a duration such as 720h or 30d"),
        );
    }

    #[test]
    fn v27_policies_are_read_in_any_case() {
        let check = |text: &str, expected: Option<Policy>| assert_eq!(Policy::read(text), expected, "{text}");
        check("Auto", Some(Policy::Auto));
        check("Automatic", Some(Policy::Auto));
        check("manual", Some(Policy::Manual));
        check("PAUSED", Some(Policy::Paused));
        check("", None);
        check("Never", None);
    }
}
