//! Verdicts that the libraries of the API server gave, recorded with `cargo run -p xtask -- definition-golden`.

use serde_json::Value;

use super::validate;
use crate::builtin;
use crate::crd;
use crate::object::Object;
use crate::resource::Resource;
use crate::write::metadata;

const RECORDED: &str = include_str!("../../../tests/golden/definitions.jsonl");

fn definitions() -> Resource {
    let is_definition = |it: &crate::kind::Kind| &*it.kind == "CustomResourceDefinition";
    Resource::built_in(builtin::kinds().into_iter().find(is_definition).unwrap())
}

fn read(value: &Value) -> Object {
    let mut object = Object::new(value.clone()).unwrap();
    crd::default(&mut object);
    object
}

/// What we say about a recorded case, sorted as it was recorded.
fn verdict(resource: &Resource, case: &Value) -> Vec<String> {
    let mut new = read(&case["new"]);
    let mut errors = match case.get("old").map(read) {
        None => {
            crd::prepare_new(&mut new);
            let mut errors = metadata::errors(resource, &new);
            errors.extend(validate(&new, None));
            errors
        }
        Some(old) => {
            new.set("status", old.get("status").cloned());
            crd::prepare_update(&mut new);
            let mut errors = metadata::update_errors(resource, &new, &old);
            errors.extend(validate(&new, Some(&old)));
            errors
        }
    };
    errors.sort_by_cached_key(ToString::to_string);
    // The recorded verdict looks once at metadata that changes.
    errors.dedup();
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn verdicts_are_those_of_the_api_server() {
    let resource = definitions();
    let mut failures = Vec::new();
    for line in RECORDED.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let expect = case["errors"].as_array().cloned().unwrap_or_default();
        let expect: Vec<&str> = expect.iter().filter_map(Value::as_str).collect();
        let said = verdict(&resource, &case);
        if said != expect {
            let ours: Vec<_> = said.iter().filter(|it| !expect.contains(&it.as_str())).collect();
            let theirs: Vec<_> = expect.iter().filter(|it| !said.iter().any(|said| said == *it)).collect();
            failures.push(format!("{}\n  only we {ours:#?}\n  only they {theirs:#?}", case["new"]));
        }
    }
    let shown = failures.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} differ, such as\n{shown}", failures.len());
}
