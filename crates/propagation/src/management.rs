//! What is wrong with how revisions of a definition are issued and kept.

use serde_json::Value;

use crate::limits::Limits;
use crate::problem::{Problem, unknown_fields};

const PATH: &str = "spec.revisionManagement";
const FIELDS: [&str; 7] = [
    "historyLimit",
    "updatePolicy",
    "activeRevision",
    "inputRevisions",
    "inputHistoryLimit",
    "stampResources",
    "instances",
];

/// All that makes no sense in `spec.revisionManagement`, beside what the API server refuses.
pub fn problems(management: &Value) -> Vec<Problem> {
    let mut problems = unknown_fields(management, PATH, &FIELDS);
    problems.extend(unknown_fields(&management["updatePolicy"], &format!("{PATH}.updatePolicy"), &["type"]));
    problems.extend(Limits::read(&management["instances"]).problems);
    problems
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn v28_all_that_makes_no_sense_is_told_at_once() {
        let sound = json!({
            "historyLimit": 3, "updatePolicy": {"type": "Manual"}, "activeRevision": 2, "inputRevisions": "Objects",
            "inputHistoryLimit": 5, "stampResources": "Always", "instances": {"pin": false},
        });
        assert_eq!((problems(&sound), problems(&Value::Null)), (Vec::new(), Vec::new()));
        let wrong = json!({
            "hisstoryLimit": 3, "updatePolicy": {"typ": "Manual"}, "instances": {"pinn": false, "pinExpires": "soon"},
        });
        let told: Vec<String> = problems(&wrong).iter().map(ToString::to_string).collect();
        let expected = [
            "spec.revisionManagement.hisstoryLimit: there is no such field; did you mean `historyLimit`?",
            "spec.revisionManagement.updatePolicy.typ: there is no such field; did you mean `type`?",
            "spec.revisionManagement.instances.pinn: there is no such field; did you mean `pin`?",
            "spec.revisionManagement.instances.pinExpires: \"soon\" is not a duration such as 720h or 30d; \
             it limits nobody until it is put right",
        ];
        assert_eq!(told, expected);
    }
}
