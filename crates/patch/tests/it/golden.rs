//! What the libraries of the API server (v0.36.3) made of patches and of objects with several managers, recorded with
//! `cargo run -p xtask -- patch-golden`.

use krono_patch::{json, merge, strategic};
use krono_schema::Schema;
use serde_json::{Value, json};

use crate::thing::{Shared, labelled, versions};

const JSON: &str = include_str!("../golden/json.jsonl");
const MERGE: &str = include_str!("../golden/merge.jsonl");
const STRATEGIC: &str = include_str!("../golden/strategic.jsonl");
const APPLY: &str = include_str!("../golden/apply.jsonl");

/// Runs every recorded case; says how many differ, and some of them.
fn check(recorded: &str, differs: impl Fn(&Value) -> Option<String>) {
    let cases: Vec<Value> =
        recorded.lines().map(|line| serde_json::from_str(line).expect("recorded as JSON")).collect();
    let failures: Vec<String> =
        cases.iter().filter_map(|case| differs(case).map(|why| format!("{case}\n  {why}"))).collect();
    let shown = failures.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} of {} differ, such as\n{shown}", failures.len(), cases.len());
    assert!(cases.len() >= 100, "{}", cases.len());
}

/// Compares an outcome with the recorded one.
fn difference(case: &Value, outcome: &Result<Value, String>) -> Option<String> {
    let expect = match case.get("error") {
        Some(error) => Err(error.as_str().unwrap_or_default().to_owned()),
        None => Ok(case.get("patched").cloned().unwrap_or(Value::Null)),
    };
    (*outcome != expect).then(|| format!("we {outcome:?}\n  they {expect:?}"))
}

fn both(case: &Value) -> (Value, Value) {
    (case["document"].clone(), case["patch"].clone())
}

#[test]
fn json_patches() {
    check(JSON, |case| {
        let (document, patch) = both(case);
        difference(case, &json::apply(document, patch).map_err(|it| it.to_string()))
    });
}

#[test]
fn merge_patches() {
    check(MERGE, |case| {
        let (document, patch) = both(case);
        difference(case, &merge::apply(document, patch).map_err(|it| it.to_string()))
    });
}

/// The schema of the type that the recorder merges into.
fn strategic_schema() -> Schema {
    let string = || json!({"type": "string"});
    let keyed = |items: &Value| {
        json!({
            "type": "array", "items": items,
            "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name",
        })
    };
    let texts = || json!({"type": "array", "items": {"type": "string"}});
    let merged_texts =
        || json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-patch-strategy": "merge"});
    let element = |nested: Option<Value>| {
        let mut properties = json!({"name": string(), "value": string(), "tags": merged_texts()});
        if let Some(nested) = nested {
            properties["nested"] = nested;
        }
        json!({"type": "object", "properties": properties})
    };
    let leaf = element(None);
    let item = element(Some(keyed(&leaf)));
    let inner = |strategy: Option<&str>| {
        let properties = json!({"a": string(), "b": string(), "c": keyed(&item)});
        let mut schema = json!({"type": "object", "properties": properties});
        if let Some(strategy) = strategy {
            schema["x-kubernetes-patch-strategy"] = strategy.into();
        }
        schema
    };
    let schema = json!({"type": "object", "properties": {
        "text": string(), "map": {"type": "object", "additionalProperties": string()},
        "merged": keyed(&item), "replaced": {"type": "array", "items": item},
        "primitives": merged_texts(), "plain": texts(),
        "struct": inner(None), "whole": inner(Some("replace")), "retained": inner(Some("retainKeys")),
    }});
    Schema::from_value(&schema).expect("a schema")
}

#[test]
fn strategic_merge_patches() {
    let schema = strategic_schema();
    check(STRATEGIC, |case| {
        let (document, patch) = both(case);
        difference(case, &strategic::apply(document, patch, &schema).map_err(|it| it.to_string()))
    });
}

#[test]
fn objects_with_several_managers() {
    let versions = versions();
    check(APPLY, |case| {
        let mut shared = Shared::new(&versions);
        for step in case["steps"].as_array().unwrap() {
            let manager = step["manager"].as_str().unwrap();
            let object = labelled(&step["spec"], &step["labels"]);
            let outcome = match step["operation"].as_str().unwrap() {
                "update" => shared.update(manager, object),
                operation => {
                    shared.apply(manager, &object, operation == "force").map_err(|it| it.to_string())
                }
            };
            let (said, expect) =
                (outcome.err().unwrap_or_default(), step["error"].as_str().unwrap_or_default());
            if said != expect {
                return Some(format!("{step}\n  we {said}\n  they {expect}"));
            }
        }
        let live = shared.timeless();
        (live != case["live"]).then(|| format!("we {live}\n  they {}", case["live"]))
    });
}
