//! Laws that hold for every schema and every value.

use krono_schema::cel::{cel_type, escape, schema_of_type, unescape};
use krono_schema::{Schema, Validator, default, drop_nulls, prune, prune_object, simple, structural};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::random::{cases, field_name, nonsense, value, wild_schema};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn nothing_panics(document in nonsense(), value in value()) {
        let Ok(schema) = Schema::from_value(&document) else { return Ok(()) };
        use_in_every_way(&schema, &value);
    }

    #[test]
    fn what_is_written_can_be_read(document in wild_schema()) {
        let Ok(schema) = Schema::from_value(&document) else { return Ok(()) };
        prop_assert_eq!(Schema::from_value(&schema.to_value()), Ok(schema));
    }

    #[test]
    fn pruning_and_defaulting_settle(document in wild_schema(), value in value()) {
        let Ok(schema) = Schema::from_value(&document) else { return Ok(()) };
        let mut pruned = value.clone();
        let removed = prune(&schema, &mut pruned);
        prop_assert_eq!(removed.is_empty(), pruned == value);
        prop_assert_eq!(prune(&schema, &mut pruned.clone()), Vec::<String>::new());

        let mut once = pruned;
        default(&schema, &mut once);
        let mut twice = once.clone();
        default(&schema, &mut twice);
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn what_did_not_change_is_tolerated(document in wild_schema(), value in value()) {
        let Ok(schema) = Schema::from_value(&document) else { return Ok(()) };
        // Embedded objects are checked anew each time, and objects with unknown fields count as changed.
        if document.to_string().contains("embedded-resource") || document.to_string().contains("preserve-unknown") {
            return Ok(());
        }
        let mut value = value;
        prune(&schema, &mut value);
        let unknown = !document.to_string().contains("additionalProperties");
        if value.is_object() && unknown {
            prop_assert_eq!(Validator::new(&schema).validate_update(&value, &value), vec![]);
        }
    }

    #[test]
    fn a_simple_schema_is_structural(fields in prop::collection::btree_map(field_name(), field(), 0..4)) {
        if let Ok(schema) = simple::expand("spec", &json!(fields), &json!({"T": "string | required=true", "S": {"a": "T"}})) {
            prop_assert_eq!(structural::violations(&schema, "spec"), vec![]);
        }
    }

    #[test]
    fn escaped_names_come_back(name in "[a-zA-Z0-9_./-]{0,12}") {
        if let Some(escaped) = escape(&name) {
            // A name that looks like an escape itself cannot be told from one.
            if !name.contains("__") {
                prop_assert_eq!(unescape(&escaped), Some(name));
            }
        }
    }
}

fn use_in_every_way(schema: &Schema, value: &Value) {
    structural::check(schema, "schema");
    schema_of_type(&cel_type(&std::sync::Arc::new(schema.clone()), "t"));
    let validator = Validator::new(schema);
    let mut changed = value.clone();
    validator.validate(value);
    prune(schema, &mut changed);
    prune_object(schema, &mut changed);
    drop_nulls(schema, &mut changed);
    default(schema, &mut changed);
    validator.validate_update(value, &changed);
}

/// A field of a `SimpleSchema`: often right, sometimes any text.
fn field() -> impl Strategy<Value = String> {
    let types = vec![
        "string",
        "integer",
        "boolean",
        "float",
        "object",
        "[]string",
        "map[string]T",
        "[][]S",
        "T",
        "X",
    ];
    let markers = vec![
        "required=true",
        "default=1",
        "default=\"a\"",
        "default={}",
        "default=[]",
        "minimum=0",
        "enum=\"a,b\"",
        "pattern=\"^a\"",
        "minLength=1",
        "minItems=1",
        "uniqueItems=true",
        "listType=map listMapKey=a",
        "validation=\"true\"",
        "immutable=true",
        "description=\"d\"",
    ];
    let markers = prop::collection::vec(prop::sample::select(markers), 0..3);
    let sensible =
        (prop::sample::select(types), markers).prop_map(|(written, markers)| match markers.as_slice() {
            [] => written.to_owned(),
            markers => format!("{written} | {}", markers.join(" ")),
        });
    prop_oneof![4 => sensible, 1 => "\\PC{0,40}", 1 => "[a-z\\[\\]{}|=\" \\\\]{0,30}"]
}

/// The deepest schema that can be read, on a stack of 512 KiB.
#[test]
fn depth_is_no_danger() {
    let work = || {
        let (mut document, mut value) = (json!({"type": "string"}), json!("a"));
        for level in 1..krono_schema::MAX_SCHEMA_DEPTH {
            let rule = json!([{"rule": "self == oldSelf"}]);
            (document, value) = if level % 2 == 0 {
                let items = json!({"type": "array", "items": document, "x-kubernetes-validations": rule});
                (items, Value::Array(vec![value]))
            } else {
                let object =
                    json!({"type": "object", "properties": {"a": document}, "allOf": [{"minProperties": 1}]});
                (object, Value::Object([("a".to_owned(), value)].into_iter().collect()))
            };
        }
        let schema = Schema::from_value(&document).unwrap();
        use_in_every_way(&schema, &value);
        krono_schema::compatibility::compare(&schema, &schema.clone());
        let nested = krono_schema::Definitions::new([("d".to_owned(), schema)]);
        assert!(nested.resolve("d").is_ok());
    };
    std::thread::Builder::new().stack_size(512 * 1024).spawn(work).unwrap().join().unwrap();
}
