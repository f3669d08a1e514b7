//! Rules, beyond what is recorded.

use krono_schema::{Schema, Validator};
use serde_json::{Value, json};

#[track_caller]
fn check(schema: &Value, value: &Value, old: Option<&Value>, expect: &[&str]) {
    let validator = Validator::new(&Schema::from_value(schema).unwrap());
    let errors = match old {
        None => validator.validate(value),
        Some(old) => validator.validate_update(value, old),
    };
    assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), expect);
}

fn field(schema: &Value) -> Value {
    json!({"type": "object", "properties": {"f": schema}})
}

#[test]
fn times_are_times() {
    let later = |format: &str| {
        field(&json!({"type": "string", "format": format, "x-kubernetes-validations": [
            {"rule": "self > timestamp('2020-01-01T00:00:00Z')", "message": "too early"},
        ]}))
    };
    check(&later("date"), &json!({"f": "2020-01-02"}), None, &[]);
    check(
        &later("date"),
        &json!({"f": "2019-12-31"}),
        None,
        &[r#"f: Invalid value: "2019-12-31": too early"#],
    );
    check(&later("date-time"), &json!({"f": "2020-01-01T00:00:01Z"}), None, &[]);
}

#[test]
fn elements_are_told_apart_by_their_keys() {
    let schema = field(&json!({
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string"},
            "size": {"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf", "message": "shrinks"}]},
        }},
    }));
    let old = json!({"f": [{"name": "a", "size": 1}, {"name": "b", "size": 5}]});
    check(&schema, &json!({"f": [{"name": "b", "size": 5}, {"name": "a", "size": 2}]}), Some(&old), &[]);
    check(
        &schema,
        &json!({"f": [{"name": "c", "size": 0}, {"name": "b", "size": 4}]}),
        Some(&old),
        &["f[1].size: Invalid value: 4: shrinks"],
    );
}

#[test]
fn a_costly_rule_stops() {
    let schema = field(&json!({
        "type": "array", "items": {"type": "integer"}, "x-kubernetes-validations": [
            {"rule": "self.all(a, self.all(b, self.all(c, a + b + c >= 0)))"},
            {"rule": "false", "message": "never reached"},
        ],
    }));
    let value = json!({"f": vec![1; 1_000]});
    let validator = Validator::new(&Schema::from_value(&schema).unwrap());
    let errors = validator.validate(&value);
    assert_eq!(errors.len(), 1);
    assert!(errors[0].detail.contains("no further validation rules will be run"), "{}", errors[0]);
}
