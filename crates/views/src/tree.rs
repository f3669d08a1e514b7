//! Objects and what was made for them.

use krono_model::condition::READY;
use krono_model::instance::STATUS_INVALID;
use krono_model::names;
use serde_json::Value;

use crate::health::{Health, health};

/// An object and what was made for it.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The object.
    pub object: Value,
    /// What was made for it, in any order.
    pub made: Vec<Branch>,
}

/// One line of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What leads from the object above to this one.
    pub lead: String,
    /// Kind and name, with the namespace where it is not that of the object above.
    pub name: String,
    /// The node it was made for.
    pub node: String,
    /// How it is.
    pub health: Health,
    /// What its `Ready` condition says, when it is not ready; else what of its status cannot be told.
    pub message: String,
}

/// The lines of a tree, resources in the order in which they are made.
pub fn rows(root: &Branch) -> Vec<Row> {
    let mut rows = vec![row(&root.object, String::new(), "")];
    let namespace = root.object["metadata"]["namespace"].as_str().unwrap_or_default();
    below(root, "", namespace, &mut rows);
    rows
}

fn below(branch: &Branch, indent: &str, namespace: &str, rows: &mut Vec<Row>) {
    let mut made: Vec<&Branch> = branch.made.iter().collect();
    made.sort_by_key(|it| place(&it.object));
    let last = made.len().saturating_sub(1);
    for (index, child) in made.into_iter().enumerate() {
        let (joint, beside) = if index == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        rows.push(row(&child.object, format!("{indent}{joint}"), namespace));
        let own = child.object["metadata"]["namespace"].as_str().unwrap_or(namespace);
        below(child, &format!("{indent}{beside}"), own, rows);
    }
}

fn row(object: &Value, lead: String, namespace: &str) -> Row {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &object["metadata"];
    let own = metadata["namespace"].as_str().unwrap_or(namespace);
    let place = if own == namespace || lead.is_empty() { String::new() } else { format!(" in {own}") };
    Row {
        lead,
        name: format!("{}/{}{place}", text(&object["kind"]), text(&metadata["name"])),
        node: text(&metadata["labels"][names::NODE_ID_LABEL]),
        health: health(object),
        message: message(object),
    }
}

fn message(object: &Value) -> String {
    let conditions = object["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let unready = conditions.iter().find(|it| it["type"] == READY && it["status"] != "True");
    let untold = || conditions.iter().find(|it| it["type"] == STATUS_INVALID);
    unready.or_else(untold).and_then(|it| it["message"].as_str()).unwrap_or_default().to_owned()
}

/// The order in which resources are made; those of one node by their place in it.
fn place(object: &Value) -> (u64, String, u64, String) {
    let metadata = &object["metadata"];
    let number = |value: &Value| value.as_str().and_then(|it| it.parse().ok()).unwrap_or(0);
    (
        number(&metadata["annotations"][names::APPLY_ORDER_ANNOTATION]),
        metadata["labels"][names::NODE_ID_LABEL].as_str().unwrap_or_default().to_owned(),
        number(&metadata["labels"][names::COLLECTION_INDEX_LABEL]),
        metadata["name"].as_str().unwrap_or_default().to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn branch(kind: &str, namespace: &str, order: &str, made: Vec<Branch>) -> Branch {
        let metadata = json!({"name": kind.to_lowercase(), "namespace": namespace,
            "labels": {names::NODE_ID_LABEL: kind}, "annotations": {names::APPLY_ORDER_ANNOTATION: order}});
        Branch { object: json!({"kind": kind, "metadata": metadata}), made }
    }

    #[test]
    fn behaviour_35_conditions_that_cannot_be_made_are_told() {
        let mut root = branch("App", "here", "", Vec::new());
        let said = |of: &str, status: &str| json!({"type": of, "status": status, "message": of});
        let mut check = |ready: &str, expected: &str| {
            let conditions = json!([said("StatusInvalid", "True"), said("Ready", ready)]);
            root.object["status"] = json!({"conditions": conditions});
            assert_eq!(rows(&root)[0].message, expected);
        };
        check("True", "StatusInvalid");
        check("False", "Ready");
    }

    #[test]
    fn resources_in_the_order_in_which_they_are_made() {
        let nested = branch("Inner", "here", "2", vec![branch("Leaf", "there", "1", Vec::new())]);
        let root = branch("App", "here", "", vec![nested, branch("First", "here", "1", Vec::new())]);
        let lines: Vec<_> = rows(&root).iter().map(|it| format!("{}{}", it.lead, it.name)).collect();
        assert_eq!(lines, ["App/app", "├─ First/first", "└─ Inner/inner", "   └─ Leaf/leaf in there"]);
    }
}
