//! Random writes to one object by three managers.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::kinds::{KINDS, Subject};
use crate::story::Step;

const VERSION: &str = "/metadata/resourceVersion";
const MANAGERS: [&str; 3] = ["one", "two", "three"];

/// Writes to one object, in order.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    subject: &'static Subject,
    writes: Vec<Write>,
}

#[derive(Clone, Debug)]
struct Write {
    manager: &'static str,
    to_status: bool,
    how: How,
}

#[derive(Clone, Debug)]
enum How {
    Apply { force: bool, fields: Value },
    Replace { fields: Value },
    Merge { fields: Value },
    Remove { path: &'static str },
}

/// Sequences over all kinds.
pub(super) fn sequences() -> impl Strategy<Value = Sequence> {
    prop::sample::select((0..KINDS.len()).collect::<Vec<_>>()).prop_flat_map(|index| {
        let subject = &KINDS[index];
        prop::collection::vec(write(subject), 2..9).prop_map(move |writes| Sequence { subject, writes })
    })
}

fn write(subject: &'static Subject) -> impl Strategy<Value = Write> {
    let how = prop_oneof![
        6 => (any::<bool>(), (subject.fields)()).prop_map(|(force, fields)| How::Apply { force, fields }),
        2 => (subject.fields)().prop_map(|fields| How::Replace { fields }),
        2 => (subject.changes)().prop_map(|fields| How::Merge { fields }),
        1 => prop::sample::select(subject.removable).prop_map(|path| How::Remove { path }),
    ];
    let to_status = prop::bool::weighted(if subject.has_status { 0.2 } else { 0.0 });
    (prop::sample::select(MANAGERS.to_vec()), to_status, how).prop_map(|(manager, to_status, how)| Write {
        manager,
        to_status,
        how,
    })
}

impl Sequence {
    /// The requests, for an object of this name.
    pub(super) fn steps(&self, name: &str) -> Vec<Step> {
        // Nothing is there yet, and so there is no version either.
        let first = Step { request: format!("GET {}/{name}", self.subject.collection), ..Step::default() };
        let steps = self.writes.iter().map(|write| self.step(write, name));
        let noting = |step| Step { capture: [("rv".to_owned(), VERSION.to_owned())].into(), ..step };
        std::iter::once(first).chain(steps).map(noting).collect()
    }

    fn step(&self, write: &Write, name: &str) -> Step {
        let subresource = if write.to_status { "/status" } else { "" };
        let place = format!("{}/{name}{subresource}?fieldManager={}", self.subject.collection, write.manager);
        let whole = |fields: &Value| self.subject.object(name, fields);
        match &write.how {
            How::Apply { force, fields } => Step {
                request: format!("PATCH {place}&force={force}"),
                apply: Some(whole(fields)),
                ..Step::default()
            },
            How::Replace { fields } => {
                let mut object = whole(fields);
                object["metadata"]["resourceVersion"] = "${rv}".into();
                Step { request: format!("PUT {place}"), body: Some(object), ..Step::default() }
            }
            How::Merge { fields } => {
                Step { request: format!("PATCH {place}"), merge: Some(fields.clone()), ..Step::default() }
            }
            How::Remove { path } => Step {
                request: format!("PATCH {place}"),
                json: Some(json!([{"op": "remove", "path": if write.to_status { "/status" } else { path }}])),
                ..Step::default()
            },
        }
    }
}

/// A step in one line.
pub(super) fn shown(step: &Step) -> String {
    let body = [&step.apply, &step.body, &step.merge, &step.json].into_iter().find_map(Option::as_ref);
    format!("{} {}", step.request, body.unwrap_or(&Value::Null))
}
