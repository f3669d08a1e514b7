//! Conditions: one root that sums up the others.

use serde_json::{Map, Value, json};

/// The root condition of everything krono reports on.
pub const READY: &str = "Ready";
/// The reason of a condition that nothing is known about yet.
pub const AWAITING_RECONCILIATION: &str = "AwaitingReconciliation";

/// What is known about a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// Nobody knows.
    Unknown,
}

impl Status {
    /// As it stands on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }

    fn read(text: &str) -> Option<Self> {
        [Self::True, Self::False, Self::Unknown].into_iter().find(|it| it.as_str() == text)
    }
}

/// One condition of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What it is about.
    pub condition_type: String,
    /// Whether it holds.
    pub status: Status,
    /// Why, as one word; absent on conditions of authors who give none.
    pub reason: Option<String>,
    /// Why, for people; absent on conditions of authors who give none.
    pub message: Option<String>,
    /// When `status` last changed, in RFC 3339.
    pub last_transition_time: Option<String>,
    /// The generation of the object that it was found in; 0 when unknown.
    pub observed_generation: i64,
}

impl Condition {
    /// A condition that nobody has seen yet.
    pub fn new(condition_type: &str, status: Status, reason: String, message: String) -> Self {
        Self {
            condition_type: condition_type.to_owned(),
            status,
            reason: Some(reason),
            message: Some(message),
            last_transition_time: None,
            observed_generation: 0,
        }
    }

    /// Reads a condition; `None` when it has no type or no such status exists.
    pub fn from_value(value: &Value) -> Option<Self> {
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        Some(Self {
            condition_type: text("type").filter(|it| !it.is_empty())?,
            status: Status::read(value["status"].as_str()?)?,
            reason: text("reason"),
            message: text("message"),
            last_transition_time: text("lastTransitionTime"),
            observed_generation: value["observedGeneration"].as_i64().unwrap_or_default(),
        })
    }

    /// As it stands on the wire.
    pub fn to_value(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("type".to_owned(), json!(self.condition_type));
        fields.insert("status".to_owned(), json!(self.status.as_str()));
        let texts = [
            ("lastTransitionTime", &self.last_transition_time),
            ("reason", &self.reason),
            ("message", &self.message),
        ];
        for (key, text) in texts {
            if let Some(text) = text {
                fields.insert(key.to_owned(), json!(text));
            }
        }
        if self.observed_generation != 0 {
            fields.insert("observedGeneration".to_owned(), json!(self.observed_generation));
        }
        Value::Object(fields)
    }
}

/// Reads a list of conditions; what is none is left out.
pub fn read_all(conditions: Option<&Value>) -> Vec<Condition> {
    let list = conditions.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Condition::from_value).collect()
}

/// The conditions of one object: [`READY`] and those it depends on.
///
/// Times are compared with what was read, so setting a condition to and fro leaves its time as it was.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// As they were read; what was missing stands here as unknown since the object was created.
    before: Vec<Condition>,
    /// The same types in the same places.
    after: Vec<Condition>,
    dependents: &'static [&'static str],
    generation: i64,
    now: String,
}

impl Conditions {
    /// Reads `status.conditions`; types other than [`READY`] and its dependents are dropped.
    ///
    /// `created` is when the object was, `now` the time of any change; both in RFC 3339, seconds, UTC.
    pub fn read(
        conditions: Option<&Value>,
        dependents: &'static [&'static str],
        generation: i64,
        created: &str,
        now: &str,
    ) -> Self {
        let known = |it: &Condition| it.condition_type == READY || is_one_of(dependents, it);
        let mut before: Vec<Condition> = Vec::new();
        for condition in read_all(conditions).into_iter().filter(known) {
            if !before.iter().any(|it| it.condition_type == condition.condition_type) {
                before.push(condition);
            }
        }
        for &condition_type in dependents.iter().chain(&[READY]) {
            if !before.iter().any(|it| it.condition_type == condition_type) {
                before.push(awaiting(condition_type, created, generation));
            }
        }
        let after = before.clone();
        let mut all = Self { before, after, dependents, generation, now: now.to_owned() };
        all.recompute_ready();
        all
    }

    /// Says what is known about a dependent now; other types are not these conditions' business and are ignored.
    pub fn set(&mut self, condition_type: &str, status: Status, reason: &str, message: &str) {
        if self.dependents.contains(&condition_type) {
            self.write(condition_type, status, Some(reason.to_owned()), Some(message.to_owned()));
            self.recompute_ready();
        }
    }

    /// Reads conditions of further types beside, on which [`READY`] does not depend.
    #[must_use]
    pub fn with_notes(mut self, conditions: Option<&Value>, types: &[&str]) -> Self {
        for condition in read_all(conditions).into_iter().filter(|it| is_one_of(types, it)) {
            if self.get(&condition.condition_type).is_none() {
                self.before.push(condition.clone());
                self.after.push(condition);
            }
        }
        self
    }

    /// Says that something holds which [`READY`] does not depend on, and why.
    pub fn note(&mut self, condition_type: &str, reason: &str, message: &str) {
        if self.get(condition_type).is_none() {
            self.after.push(awaiting(condition_type, &self.now, self.generation));
        }
        self.write(condition_type, Status::True, Some(reason.to_owned()), Some(message.to_owned()));
    }

    /// Drops a note that no longer holds.
    pub fn drop_note(&mut self, condition_type: &str) {
        self.after.retain(|it| it.condition_type != condition_type);
    }

    /// Marks all as seen in this generation, which is how the conditions of an object that is being deleted are kept.
    pub fn mark_all_observed(&mut self) {
        for condition in &mut self.after {
            condition.observed_generation = self.generation;
        }
        self.recompute_ready();
    }

    /// The condition of a type.
    pub fn get(&self, condition_type: &str) -> Option<&Condition> {
        self.after.iter().find(|it| it.condition_type == condition_type)
    }

    /// Whether a condition holds, in whatever generation.
    pub fn is_true(&self, condition_type: &str) -> bool {
        self.get(condition_type).is_some_and(|it| it.status == Status::True)
    }

    /// Whether [`READY`] holds in this generation.
    pub fn is_ready(&self) -> bool {
        self.get(READY)
            .is_some_and(|it| it.status == Status::True && it.observed_generation == self.generation)
    }

    /// As they stand on the wire: by the time of their last transition, [`READY`] last.
    pub fn into_values(mut self) -> Vec<Value> {
        self.after.sort_by(|left, right| order(left).cmp(&order(right)));
        self.after.iter().map(Condition::to_value).collect()
    }

    /// Copies the dependent that is worst: false before unknown, then whichever changed last.
    ///
    /// Dependents that hold but were seen in an older generation leave it as it is: it may not claim to be current.
    fn recompute_ready(&mut self) {
        let mut unhealthy: Vec<&Condition> =
            self.after.iter().filter(|it| is_one_of(self.dependents, it) && self.is_unhealthy(it)).collect();
        unhealthy.sort_by(|left, right| right.last_transition_time.cmp(&left.last_transition_time));
        let of = |status: Status| unhealthy.iter().find(|it| it.status == status);
        let worst = of(Status::False).or_else(|| of(Status::Unknown));
        match worst.map(|it| (it.status, it.reason.clone(), it.message.clone())) {
            Some((status, reason, message)) => self.write(READY, status, reason, message),
            None if unhealthy.is_empty() => {
                self.write(READY, Status::True, Some(READY.to_owned()), Some(String::new()));
            }
            None => {}
        }
    }

    fn is_unhealthy(&self, condition: &Condition) -> bool {
        condition.status != Status::True || condition.observed_generation != self.generation
    }

    fn write(
        &mut self,
        condition_type: &str,
        status: Status,
        reason: Option<String>,
        message: Option<String>,
    ) {
        let same = |it: &Condition| it.condition_type == condition_type;
        let before = self.before.iter().find(|it| same(it));
        let last_transition_time = match before {
            Some(before) if before.status == status => before.last_transition_time.clone(),
            Some(_) | None => Some(self.now.clone()),
        };
        if let Some(condition) = self.after.iter_mut().find(|it| same(it)) {
            *condition = Condition {
                condition_type: condition_type.to_owned(),
                status,
                reason,
                message,
                last_transition_time,
                observed_generation: self.generation,
            };
        }
    }
}

fn is_one_of(dependents: &[&str], condition: &Condition) -> bool {
    dependents.contains(&condition.condition_type.as_str())
}

fn awaiting(condition_type: &str, created: &str, generation: i64) -> Condition {
    Condition {
        condition_type: condition_type.to_owned(),
        status: Status::Unknown,
        reason: Some(AWAITING_RECONCILIATION.to_owned()),
        message: Some(format!("condition {condition_type:?} is awaiting reconciliation")),
        last_transition_time: Some(created.to_owned()),
        observed_generation: generation,
    }
}

fn order(condition: &Condition) -> (bool, Option<&str>) {
    (condition.condition_type == READY, condition.last_transition_time.as_deref())
}

#[cfg(test)]
mod tests;
