//! Who acted, as far as objects tell: beside what is told by events.

use krono_history::issue::Notice as OfLineage;
use krono_history::names::definition_revision;
use krono_history::witness::Notes;
use krono_history::writer::{author_of_annotation, author_of_request};
use krono_model::definition::HELD;
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
        Notice::Lineage(OfLineage::CreateRefused { .. }) => names::CREATE_REVISION_ANNOTATION,
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

/// Whoever wished for what an object is told to be, by the annotation that says so.
pub fn wisher(reason: &str, object: &Value) -> Option<Author> {
    let keys: &[&str] = match reason {
        "Pinned" => &[names::RGD_REVISION],
        HELD => &[names::ACTIVE_REVISION_ANNOTATION, names::HOLD_INPUT_ANNOTATION],
        _ => &[],
    };
    keys.iter().find_map(|key| author_of_annotation(object, key))
}

#[cfg(test)]
mod tests {
    use krono_history::RevisionNumber;
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

    #[test]
    fn whoever_pins_or_holds_is_named_by_manager() {
        let check = |reason: &str, key: &str, expected: Option<&str>| {
            let author = wisher(reason, &written(key));
            assert_eq!(author.and_then(|it| it.manager).as_deref(), expected, "{reason} {key}");
        };
        check("Pinned", names::RGD_REVISION, Some("kubectl-annotate"));
        check("Held", names::ACTIVE_REVISION_ANNOTATION, Some("kubectl-annotate"));
        check("Held", names::HOLD_INPUT_ANNOTATION, Some("kubectl-annotate"));
        check("Held", names::RGD_REVISION, None);
        check("Released", names::ACTIVE_REVISION_ANNOTATION, None);
    }
}
