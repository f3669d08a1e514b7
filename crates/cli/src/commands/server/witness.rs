//! Who changes definitions and instances, as the server sees it.

use krono_apiserver::Witness;
use krono_apiserver::rbac::{MASTERS, User};
use krono_history::witness::{By, note};
use krono_model::names;
use serde_json::Value;

/// The CRD of definitions.
const DEFINITIONS: &str = "resourcegraphdefinitions.kro.run";
/// Whom changes by the controllers themselves are put down to.
const CONTROLLERS: &str = "system:krono";

/// Notes on definitions and on instances who changed them.
#[derive(Debug)]
pub(super) struct Authors;

impl Witness for Authors {
    fn looks_at(&self, definition: &str, labels: &Value) -> bool {
        definition == DEFINITIONS || labels[names::OWNED_LABEL] == "true"
    }

    fn note(&self, user: &str, object: &mut Value, old: Option<&Value>) {
        let by = if user == CONTROLLERS { By::Controllers(user) } else { By::User(user) };
        note(by, object, old);
    }
}

/// The user that the controllers are.
pub(super) fn controllers() -> User {
    User {
        name: CONTROLLERS.to_owned(),
        groups: vec![MASTERS.to_owned(), "system:authenticated".to_owned()],
        ..User::default()
    }
}
