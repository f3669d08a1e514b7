//! Who changes custom resources, seen by the program around the server.

use std::fmt;

use serde_json::Value;

use crate::api::Call;
use crate::object::Object;

/// Sees who makes custom resources and who changes them, as an admission webhook of the program around the server would.
///
/// What it notes belongs to no field manager.
pub trait Witness: fmt::Debug + Send + Sync {
    /// Whether it looks at objects of the definition with that name and these labels.
    fn looks_at(&self, definition: &str, labels: &Value) -> bool;

    /// Notes on an object, which is about to be stored in place of an old one, who asked for that.
    fn note(&self, user: &str, object: &mut Value, old: Option<&Value>);
}

/// Has a witness see a change, if there is one who looks at the kind.
pub(crate) fn see(witness: Option<&dyn Witness>, call: &Call, object: &mut Object, old: Option<&Object>) {
    let (Some(witness), Some(custom)) = (witness, call.resource.custom_part()) else { return };
    if witness.looks_at(&custom.definition, &custom.labels) {
        witness.note(&call.user.name, object.value_mut(), old.map(Object::value));
    }
}
