//! Where a difference is.

use std::fmt;

/// The way from the root of a content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(Vec<Step>);

/// One step of the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To a field of an object.
    Field(String),
    /// To an item of a list.
    Item {
        /// Its place, from 0.
        index: usize,
        /// What it was told apart by, if it has such a key.
        key: Option<String>,
    },
}

impl Path {
    pub(super) fn root(name: &str) -> Self {
        Self(vec![Step::Field(name.to_owned())])
    }

    pub(super) fn field(&self, name: &str) -> Self {
        self.and(Step::Field(name.to_owned()))
    }

    pub(super) fn item(&self, index: usize, key: Option<&str>) -> Self {
        self.and(Step::Item { index, key: key.map(str::to_owned) })
    }

    fn and(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The path of what holds it, and the last step.
    pub(super) fn split(&self) -> (Self, Option<&Step>) {
        match self.0.split_last() {
            None => (self.clone(), None),
            Some((last, parent)) => (Self(parent.to_vec()), Some(last)),
        }
    }

    /// As JSON pointers are written: `/spec/resources/0/id`.
    pub fn pointer(&self) -> String {
        let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
        let step = |step: &Step| match step {
            Step::Field(name) => format!("/{}", escaped(name)),
            Step::Item { index, .. } => format!("/{index}"),
        };
        self.0.iter().map(step).collect()
    }

    /// With items called by their keys: `spec.resources[deployment].template`.
    pub fn with_keys(&self) -> String {
        let mut text = String::new();
        for step in &self.0 {
            match step {
                Step::Field(name) => push_field(&mut text, name),
                Step::Item { key: Some(key), .. } => text.extend(["[", key, "]"]),
                Step::Item { index, key: None } => text.extend(["[", &index.to_string(), "]"]),
            }
        }
        text
    }
}

/// Dots lead from step to step; a name that has dots itself stands in brackets and quotes.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for step in &self.0 {
            match step {
                Step::Field(name) => push_field(&mut text, name),
                Step::Item { index, .. } => push_field(&mut text, &index.to_string()),
            }
        }
        f.write_str(&text)
    }
}

fn push_field(text: &mut String, name: &str) {
    if name.is_empty() || name.contains(['.', '[', ']', '"', ' ', '\n']) {
        text.extend(["[", &serde_json::Value::from(name).to_string(), "]"]);
    } else {
        let dot = if text.is_empty() { "" } else { "." };
        text.extend([dot, name]);
    }
}
