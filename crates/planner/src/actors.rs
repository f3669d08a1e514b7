//! Who acted, as far as objects tell: beside what is told by events.

use krono_history::hold;
use krono_history::issue::Notice as OfLineage;
use krono_history::names::definition_revision;
use krono_history::witness::Notes;
use krono_history::writer::{author_of_request, author_of_wish};
use krono_model::condition::read_all;
use krono_model::definition::{HELD, HOLD_INVALID};
use krono_model::names;
use krono_model::wire::Author;
use serde_json::Value;

use crate::definition::Notice;

/// Whoever asked for what a definition, as it was before the answer, tells of.
pub fn asker(notice: &Notice, definition: &Value, notes: Notes) -> Option<Author> {
    let key = match notice {
        Notice::Lineage(
            OfLineage::RollingBack { .. } | OfLineage::RollbackRefused(_) | OfLineage::RequestPutBack { .. },
        )
        | Notice::TwoRequests => names::ROLLBACK_ANNOTATION,
        Notice::RequestOfInstance => names::INPUT_ROLLBACK_ANNOTATION,
        Notice::Lineage(OfLineage::CreateRefused { .. }) => {
            return author_of_wish(definition, names::CREATE_REVISION_ANNOTATION, notes);
        }
        Notice::Lineage(OfLineage::Issued { .. } | OfLineage::Pruned { .. })
        | Notice::Superseded { .. }
        | Notice::TakenOver { .. }
        | Notice::InstancesLeftBehind { .. } => return None,
    };
    author_of_request(definition, key, notes)
}

/// The object that holds the revision which a notice tells of.
pub fn revision_told(notice: &Notice, definition: &Value) -> Option<String> {
    let Notice::Lineage(OfLineage::Issued { number, .. }) = notice else { return None };
    Some(definition_revision(definition["metadata"]["name"].as_str()?, *number))
}

/// Whoever wished for what an object is told to be, or no longer to be, by the annotation that says so or said so.
pub fn wisher(reason: &str, object: &Value, notes: Notes) -> Option<Author> {
    let (keys, is_over): (&[&str], bool) = match reason {
        "Pinned" => (&[names::RGD_REVISION], false),
        "Unpinned" | "PinRemoved" => (&[names::RGD_REVISION], true),
        "Approved" => (&[names::APPROVE_REVISION_ANNOTATION], false),
        HELD | HOLD_INVALID => (&[names::ACTIVE_REVISION_ANNOTATION, names::HOLD_INPUT_ANNOTATION], false),
        "Released" => (&[names::HOLD_INPUT_ANNOTATION], true),
        _ => return None,
    };
    let is_so = |key: &&&str| object["metadata"]["annotations"][**key].is_null() == is_over;
    keys.iter().filter(is_so).find_map(|key| author_of_wish(object, key, notes))
}

/// Whoever ended the hold that a definition had while its status was another; other holds than by annotation end otherwise.
pub fn releaser(condition: &str, before: &Value, definition: &Value, notes: Notes) -> Option<Author> {
    let key = names::ACTIVE_REVISION_ANNOTATION;
    let is_gone = definition["metadata"]["annotations"][key].is_null();
    let held = read_all(before.get("conditions")).into_iter().find(|it| it.condition_type == HELD);
    let was_annotated = held.and_then(|it| it.message).is_some_and(|it| hold::is_by_annotation(&it));
    (condition == HELD && is_gone && was_annotated).then(|| author_of_wish(definition, key, notes)).flatten()
}

#[cfg(test)]
mod tests {
    use krono_history::RevisionNumber;
    use krono_history::hold::Place;
    use serde_json::json;

    use super::*;

    fn written(key: &str) -> Value {
        json!({"metadata": {
            "annotations": {key: "1", names::REQUESTED_BY_ANNOTATION: "alice"},
            "managedFields": [{"manager": "kubectl-annotate", "operation": "Update",
                "fieldsV1": {"f:metadata": {"f:annotations": {format!("f:{key}"): {}}}}}],
        }})
    }

    #[test]
    fn whoever_asks_is_named_by_user_where_there_is_a_witness() {
        let to = RevisionNumber::FIRST;
        let notice = Notice::Lineage(OfLineage::RollingBack { to, still_held: None });
        let check = |notes: Notes, expected: [Option<&str>; 2]| {
            let author = asker(&notice, &written(names::ROLLBACK_ANNOTATION), notes).unwrap();
            assert_eq!([author.manager.as_deref(), author.user.as_deref()], expected, "{notes:?}");
        };
        check(Notes::Doubted, [Some("kubectl-annotate"), None]);
        check(Notes::Believed, [Some("kubectl-annotate"), Some("alice")]);
        let pruned = Notice::Lineage(OfLineage::Pruned { numbers: vec![to] });
        assert_eq!(asker(&pruned, &written(names::ROLLBACK_ANNOTATION), Notes::Believed), None);
    }

    fn wished(annotations: &Value, by: &str) -> Value {
        let mut object = written(by);
        object["metadata"]["annotations"] = annotations.clone();
        object["metadata"]["annotations"][names::WISHED_BY_ANNOTATION] =
            json!(json!({by: "alice"}).to_string());
        object
    }

    #[test]
    fn v11_whoever_pins_holds_or_approves_is_named_by_manager_and_by_user_where_there_is_a_witness() {
        let check = |reason: &str, key: &str, expected: bool| {
            let object = wished(&json!({key: "1"}), key);
            let told = |notes: Notes| wisher(reason, &object, notes).map(|it| (it.manager, it.user));
            let manager = expected.then(|| "kubectl-annotate".to_owned());
            assert_eq!(told(Notes::Doubted), manager.clone().map(|it| (Some(it), None)), "{reason} {key}");
            let alice = manager.map(|it| (Some(it), Some("alice".to_owned())));
            assert_eq!(told(Notes::Believed), alice, "{reason} {key}");
        };
        check("Pinned", names::RGD_REVISION, true);
        check("Held", names::ACTIVE_REVISION_ANNOTATION, true);
        check("HoldInvalid", names::ACTIVE_REVISION_ANNOTATION, true);
        check("Held", names::HOLD_INPUT_ANNOTATION, true);
        check("Approved", names::APPROVE_REVISION_ANNOTATION, true);
        check("Held", names::RGD_REVISION, false);
        check("Released", names::ACTIVE_REVISION_ANNOTATION, false);
        // It is still there: something else ended the pin.
        check("Unpinned", names::RGD_REVISION, false);
    }

    #[test]
    fn v11_whoever_ends_a_pin_or_a_hold_is_named_by_user_where_there_is_a_witness() {
        let check = |reason: &str, key: &str, expected: Option<&str>| {
            let mut object = wished(&json!({}), key);
            object["metadata"]["managedFields"] = json!([]);
            let user = |notes: Notes| wisher(reason, &object, notes).and_then(|it| it.user);
            assert_eq!(user(Notes::Believed).as_deref(), expected, "{reason} {key}");
            assert_eq!(user(Notes::Doubted), None, "{reason} {key}");
        };
        check("Unpinned", names::RGD_REVISION, Some("alice"));
        check("PinRemoved", names::RGD_REVISION, Some("alice"));
        check("Released", names::HOLD_INPUT_ANNOTATION, Some("alice"));
        // Something else holds the definition, or the hold is not the first.
        check("Held", names::ACTIVE_REVISION_ANNOTATION, None);
        check("Pinned", names::RGD_REVISION, None);
    }

    #[test]
    fn v11_whoever_releases_a_definition_is_named_unless_the_hold_was_none_of_theirs() {
        let number = RevisionNumber::FIRST;
        let held = |by: Place| {
            let message = hold::Hold::Held { number, by }.to_string();
            json!({"conditions": [{"type": "Held", "status": "True", "reason": "Held", "message": message}]})
        };
        let released = wished(&json!({}), names::ACTIVE_REVISION_ANNOTATION);
        let check = |condition: &str, before: Value, expected: Option<&str>| {
            let author = releaser(condition, &before, &released, Notes::Believed);
            assert_eq!(author.and_then(|it| it.user).as_deref(), expected, "{condition} {before}");
        };
        check(HELD, held(Place::Annotation), Some("alice"));
        check(HELD, held(Place::Field), None);
        check(HOLD_INVALID, held(Place::Annotation), None);
        check(HELD, json!({}), None);
    }
}
