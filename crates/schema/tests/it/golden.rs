//! Verdicts that the libraries of the API server (v0.36.3) gave, recorded with `cargo run -p xtask -- schema-golden`.
//!
//! Known differences, which the recorded cases do not have:
//! - an overload that is missing at run time is named (`no such overload: string > int`);
//! - a missing key is named as the field is, not as the rule escapes it (`namespace`, not `__namespace__`);
//! - a rule sees what is there, also when it is of the wrong type and tolerated because it did not change;
//! - types of `self` are called `selfType`, without a number that changes with every start;
//! - defaults of type, kind and metadata are not tried out on a whole object;
//! - what rules could cost at most is not estimated.

use std::fs;
use std::path::Path;

use krono_schema::{Schema, Validator, default, drop_nulls, prune, structural};
use serde_json::Value;

/// One recorded case: a schema, a value, the value it replaces, and what the API server made of it.
fn check(case: &Value) -> Result<(), String> {
    let schema = Schema::from_value(&case["schema"]).unwrap();
    if case.get("value").is_none() {
        return check_definition(&schema, case);
    }
    let validator = Validator::new(&schema);
    let errors = match case.get("old") {
        None => validator.validate(&case["value"]),
        Some(old) => validator.validate_update(&case["value"], old),
    };
    let mut errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    errors.sort();
    same("errors", &Value::from(errors), &list(case, "errors"))?;

    let mut value = case["value"].clone();
    let removed = prune(&schema, &mut value);
    same("pruned", &Value::from(removed), &list(case, "pruned"))?;
    same("kept", &value, &case["kept"])?;
    drop_nulls(&schema, &mut value);
    default(&schema, &mut value);
    same("defaulted", &value, &case["defaulted"])
}

/// What the API server says about the schema itself, except for the cost of rules, which we do not estimate.
fn check_definition(schema: &Schema, case: &Value) -> Result<(), String> {
    let errors = structural::check(schema, "spec.validation.openAPIV3Schema");
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let expect = list(case, "definition");
    let expect = expect.as_array().into_iter().flatten();
    let expect = expect.filter(|error| !error.as_str().unwrap_or_default().contains("cost"));
    same("definition", &Value::from(errors), &expect.cloned().collect())
}

/// A list of the case; one that is empty was not written down.
fn list(case: &Value, name: &str) -> Value {
    case.get(name).cloned().unwrap_or_else(|| Value::Array(Vec::new()))
}

fn same(what: &str, actual: &Value, expect: &Value) -> Result<(), String> {
    if plain(actual) == plain(expect) { Ok(()) } else { Err(format!("{what}\n  {actual}\n  {expect}")) }
}

/// Go writes whole doubles without a fraction, so `1.0` was recorded as `1`.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(double) if number.is_f64() && double.fract() == 0.0 && double.abs() < 9e15 => {
                format!("{double}").parse::<i64>().map_or(value.clone(), Value::from)
            }
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), plain(value))).collect(),
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

#[test]
fn verdicts_are_those_of_the_api_server() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut failures = Vec::new();
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        for line in fs::read_to_string(entry.unwrap().path()).unwrap().lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            count += 1;
            if let Err(difference) = check(&case) {
                failures.push(format!("{}\n{}\n{difference}", case["schema"], case["value"]));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {count} differ, such as\n{}",
        failures.len(),
        failures[..failures.len().min(3)].join("\n")
    );
    assert!(count > 100, "{count}");
}
