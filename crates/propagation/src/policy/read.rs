//! Reading a policy.

use jiff::SignedDuration;
use serde_json::Value;

use super::window::Windows;
use super::{
    Amount, DEADLINE_SECONDS, Deletes, FailurePolicy, NewInstances, OnFailure, Policy, RollbackMode,
};
use crate::problem::{Problem, unknown_fields};

const FIELDS: [&str; 12] = [
    "maxInFlight",
    "soakSeconds",
    "progressDeadlineSeconds",
    "maxFailures",
    "onFailure",
    "rollbackMode",
    "newInstances",
    "deletes",
    "paused",
    "windows",
    "stages",
    "failurePolicy",
];
const AMOUNT: &str = "write a number, such as 5, or a share, such as \"20%\"";

pub(super) fn read(propagation: &Value) -> Result<Policy, Vec<Problem>> {
    let mut reader =
        Reader { fields: propagation, path: "spec.propagation".to_owned(), problems: Vec::new() };
    let policy = reader.policy();
    if reader.problems.is_empty() { Ok(policy) } else { Err(reader.problems) }
}

pub(super) struct Reader<'v> {
    pub(super) fields: &'v Value,
    pub(super) path: String,
    pub(super) problems: Vec<Problem>,
}

impl<'v> Reader<'v> {
    fn policy(&mut self) -> Policy {
        self.tell_unknown(self.fields, &self.path.clone(), &FIELDS);
        Policy {
            max_in_flight: self.max_in_flight(),
            max_failures: self.amount("maxFailures").unwrap_or(Amount::Count(0)),
            soak: self.seconds("soakSeconds", 0),
            deadline: self.deadline(),
            on_failure: self.one_of("onFailure", ON_FAILURE).unwrap_or(OnFailure::Halt),
            rollback_mode: self.one_of("rollbackMode", ROLLBACK_MODE).unwrap_or(RollbackMode::Instant),
            new_instances: self.one_of("newInstances", NEW_INSTANCES),
            deletes: self.one_of("deletes", DELETES),
            is_paused: self.flag_of(&self.fields["paused"], &self.at("paused")),
            windows: self.windows(),
            stages: self.stages(),
            failure_policy: self.one_of("failurePolicy", FAILURE_POLICY).unwrap_or(FailurePolicy::Closed),
        }
    }

    fn at(&self, name: &str) -> String {
        format!("{}.{name}", self.path)
    }

    fn field(&self, name: &str) -> Option<&'v Value> {
        self.fields.get(name).filter(|it| !it.is_null())
    }

    fn report(&mut self, name: &str, message: impl Into<String>, advice: impl Into<String>) {
        self.problems.push(Problem::new(self.at(name), message, advice));
    }

    pub(super) fn tell_unknown(&mut self, value: &Value, path: &str, known: &[&str]) {
        self.problems.extend(unknown_fields(value, path, known));
    }

    fn amount(&mut self, name: &str) -> Option<Amount> {
        let value = self.field(name)?;
        match Amount::read(value) {
            Ok(amount) => Some(amount),
            Err(wrong) => {
                self.report(name, format!("{value} {wrong}"), AMOUNT);
                None
            }
        }
    }

    fn max_in_flight(&mut self) -> Option<Amount> {
        let amount = self.amount("maxInFlight")?;
        if matches!(amount, Amount::Count(0) | Amount::Percent(0)) {
            self.report(
                "maxInFlight",
                "0 would let no instance move, ever",
                "write at least 1, or `paused: true` for a pause",
            );
        }
        Some(amount)
    }

    fn seconds(&mut self, name: &str, usual: i64) -> SignedDuration {
        let usual = SignedDuration::from_secs(usual);
        let Some(value) = self.field(name) else { return usual };
        whole_seconds(value).unwrap_or_else(|(wrong, advice)| {
            self.report(name, format!("{value} {wrong}"), advice);
            usual
        })
    }

    fn deadline(&mut self) -> SignedDuration {
        const NAME: &str = "progressDeadlineSeconds";
        let advice = format!("write at least 1, or leave it out for {DEADLINE_SECONDS}");
        if self.field(NAME).and_then(Value::as_i64).is_some_and(i64::is_negative) {
            self.report(NAME, "no time is less than none", advice);
            return SignedDuration::from_secs(DEADLINE_SECONDS);
        }
        let deadline = self.seconds(NAME, DEADLINE_SECONDS);
        if deadline.is_zero() {
            self.report(NAME, "0 would let every instance fail at once", advice);
        }
        deadline
    }

    fn one_of<T: Copy>(&mut self, name: &str, choices: &[(&str, T)]) -> Option<T> {
        let value = self.field(name)?;
        let found = choices.iter().find(|(word, _)| value.as_str() == Some(word));
        if found.is_none() {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            self.report(
                name,
                format!("{value} is none of the choices"),
                format!("write {}", words.join(" or ")),
            );
        }
        found.map(|(_, choice)| *choice)
    }

    pub(super) fn flag_of(&mut self, value: &Value, path: &str) -> bool {
        match value {
            Value::Null => false,
            Value::Bool(flag) => *flag,
            Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                let message = format!("{value} is neither true nor false");
                self.problems.push(Problem::new(path, message, "write true or false, without quotes"));
                false
            }
        }
    }

    pub(super) fn list(&mut self, name: &str) -> &'v [Value] {
        match self.field(name) {
            None => &[],
            Some(Value::Array(list)) => list,
            Some(other) => {
                self.report(name, format!("{other} is not a list"), "begin each entry with a dash");
                &[]
            }
        }
    }

    fn windows(&mut self) -> Windows {
        let (list, path) = (self.list("windows"), self.at("windows"));
        for (at, window) in list.iter().enumerate() {
            self.tell_unknown(window, &format!("{path}[{at}]"), &["schedule", "duration", "timeZone"]);
        }
        Windows::read(list, &path, &mut self.problems)
    }
}

/// A duration, or what is wrong with it and what to do.
pub(super) fn whole_seconds(value: &Value) -> Result<SignedDuration, (&'static str, &'static str)> {
    // A century is more than anybody waits, and keeps sums of times within what can be told.
    const LONGEST: i64 = 100 * 366 * 86_400;
    let seconds = value.as_u64().ok_or(("is not a whole number of seconds", "write 0 or more"))?;
    let seconds = i64::try_from(seconds).ok().filter(|it| *it <= LONGEST);
    seconds.map(SignedDuration::from_secs).ok_or(("is more than a hundred years", "it is in seconds"))
}

const ON_FAILURE: &[(&str, OnFailure)] =
    &[("Halt", OnFailure::Halt), ("Rollback", OnFailure::Rollback), ("Continue", OnFailure::Continue)];
const ROLLBACK_MODE: &[(&str, RollbackMode)] =
    &[("Instant", RollbackMode::Instant), ("Controlled", RollbackMode::Controlled)];
const NEW_INSTANCES: &[(&str, NewInstances)] =
    &[("Current", NewInstances::Current), ("LastGood", NewInstances::LastGood)];
const DELETES: &[(&str, Deletes)] =
    &[("Allow", Deletes::Allow), ("RequireApproval", Deletes::RequireApproval)];
const FAILURE_POLICY: &[(&str, FailurePolicy)] =
    &[("Closed", FailurePolicy::Closed), ("Open", FailurePolicy::Open)];
