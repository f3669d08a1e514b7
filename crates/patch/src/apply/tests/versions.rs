//! Managers of several versions, and schemas that change.

use krono_schema::Schema;
use serde_json::{Value, json};

use super::super::{ConversionFailed, ObjectType, SameShape, Version, Versions};
use super::{Story, schema};

fn two_versions() -> SameShape {
    let compiled = || ObjectType::custom_resource(&schema()).unwrap();
    SameShape::of("g/v1", compiled()).and("g/v2", compiled())
}

#[test]
fn an_applier_moves_between_versions() {
    let mut story = Story::of(two_versions());
    story
        .apply("a", json!({"numeric": 1, "string": "s"}))
        .update("u", json!({"numeric": 1, "string": "s", "bool": true}));
    story.version = "g/v2";
    story
        .apply("a", json!({"numeric": 1}))
        .spec(&json!({"numeric": 1, "bool": true}))
        .owns("a", &[".numeric"])
        .owns("u", &[".bool"])
        .refused(
            "a",
            json!({"bool": false}),
            "Apply failed with 1 conflict: conflict with \"u\" using g/v1: .spec.bool",
        );
    assert_eq!(story.entries()[0]["apiVersion"], "g/v2");
}

/// The same updater in another version is another manager.
#[test]
fn an_updater_has_an_entry_per_version() {
    let mut story = Story::of(two_versions());
    story.update("u", json!({"numeric": 1}));
    story.version = "g/v2";
    story.update("u", json!({"numeric": 1, "string": "s"}));
    let versions: Vec<_> = story.entries().iter().map(|entry| &entry["apiVersion"]).collect();
    assert_eq!(versions, ["g/v1", "g/v2"]);
}

#[test]
fn managers_of_versions_that_are_gone_are_forgotten() {
    let mut story = Story::of(two_versions());
    story.version = "g/v2";
    story.apply("a", json!({"numeric": 1})).apply("b", json!({"string": "s"}));
    story.versions = SameShape::of("g/v1", ObjectType::custom_resource(&schema()).unwrap());
    story.version = "g/v1";
    story.apply("c", json!({"numeric": 2})).owns("a", &[]).owns("b", &[]).owns("c", &[".numeric"]);
    story.spec(&json!({"numeric": 2, "string": "s"}));
}

#[test]
fn a_part_that_becomes_atomic_is_owned_as_a_whole() {
    let mut story = Story::new();
    story.apply("a", json!({"map": {"k": "v"}, "set": ["x"]})).apply("b", json!({"map": {"l": "w"}}));
    let mut changed = schema().to_value();
    changed["properties"]["spec"]["properties"]["map"]["x-kubernetes-map-type"] = "atomic".into();
    changed["properties"]["spec"]["properties"]["set"]["x-kubernetes-list-type"] = "atomic".into();
    let changed = Schema::from_value(&changed).unwrap();
    story.versions = SameShape::of("g/v1", ObjectType::custom_resource(&changed).unwrap());
    story.update("u", json!({"map": {"k": "v", "l": "w"}, "set": ["x"], "numeric": 1}));
    story.owns("a", &[".map", ".set"]).owns("b", &[".map"]);
}

/// A field with another name in each version.
struct Renamed([(&'static str, &'static str, ObjectType); 2]);

impl Renamed {
    fn new() -> Self {
        let compiled = |field: &str| {
            let spec = json!({"type": "object", "properties": {field: {"type": "string"}, "other": {"type": "string"}}});
            let schema = json!({"type": "object", "properties": {"spec": spec}});
            ObjectType::custom_resource(&Schema::from_value(&schema).unwrap()).unwrap()
        };
        Self([("g/v1", "old", compiled("old")), ("g/v2", "new", compiled("new"))])
    }

    fn name(&self, version: &str) -> &'static str {
        self.0.iter().find(|it| it.0 == version).unwrap().1
    }
}

impl Versions for Renamed {
    fn version(&self, api_version: &str) -> Option<Version<'_>> {
        let found = self.0.iter().find(|it| it.0 == api_version)?;
        Some(Version { object_type: &found.2, reset_fields: None })
    }

    fn convert(&self, object: &Value, from: &str, to: &str) -> Result<Value, ConversionFailed> {
        let mut converted = object.clone();
        converted["apiVersion"] = to.into();
        if object["metadata"]["labels"]["broken"] == "yes" {
            return Err(ConversionFailed("it is broken".to_owned()));
        }
        if let Some(spec) = converted.get_mut("spec").and_then(Value::as_object_mut)
            && let Some(value) = spec.remove(self.name(from))
        {
            spec.insert(self.name(to).to_owned(), value);
        }
        Ok(converted)
    }
}

#[test]
fn fields_are_followed_through_conversion() {
    use super::super::{Applier, Endpoint, Timestamp, apply, update};
    let versions = Renamed::new();
    let endpoint = |api_version| Endpoint {
        api_version,
        kind: "Thing",
        subresource: "",
        versions: &versions,
        blank: &Value::Null,
    };
    let object = |version: &str, spec: Value| json!({"apiVersion": version, "kind": "Thing", "metadata": {"name": "n", "uid": "u"}, "spec": spec});
    let applier = |manager, seconds| Applier { manager, force: false, now: Timestamp::from_seconds(seconds) };
    let live =
        apply(&endpoint("g/v1"), None, &object("g/v1", json!({"old": "x", "other": "y"})), &applier("a", 1));
    let live = versions.convert(&live.unwrap(), "g/v1", "g/v2").unwrap();
    let refused =
        apply(&endpoint("g/v2"), Some(&live), &object("g/v2", json!({"new": "z"})), &applier("b", 2));
    assert_eq!(
        refused.unwrap_err().to_string(),
        "Apply failed with 1 conflict: conflict with \"a\": .spec.old"
    );

    let mut changed = live.clone();
    changed["spec"]["new"] = "z".into();
    update(&endpoint("g/v2"), Some(&live), &mut changed, "u", Timestamp::from_seconds(3)).unwrap();
    let fields: Vec<_> =
        changed["metadata"]["managedFields"].as_array().unwrap().iter().map(|it| &it["fieldsV1"]).collect();
    assert_eq!(fields, [&json!({"f:spec": {"f:other": {}}}), &json!({"f:spec": {"f:new": {}}})]);

    // What was applied in one version is removed by an apply in the other.
    let left =
        apply(&endpoint("g/v2"), Some(&live), &object("g/v2", json!({"other": "y"})), &applier("a", 4))
            .unwrap();
    assert_eq!(left["spec"], json!({"other": "y"}));
}

#[test]
fn conversion_that_fails_is_reported() {
    use super::super::{Applier, Endpoint, Timestamp, apply};
    let versions = Renamed::new();
    let endpoint = Endpoint {
        api_version: "g/v2",
        kind: "Thing",
        subresource: "",
        versions: &versions,
        blank: &Value::Null,
    };
    let entry = json!({
        "manager": "a", "operation": "Apply", "apiVersion": "g/v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:old": {}}},
    });
    let live = json!({"apiVersion": "g/v2", "kind": "Thing", "metadata": {"name": "n", "labels": {"broken": "yes"}, "managedFields": [entry]}});
    let config = json!({"apiVersion": "g/v2", "kind": "Thing", "metadata": {"name": "n"}});
    let applier = Applier { manager: "b", force: false, now: Timestamp::from_seconds(1) };
    assert_eq!(apply(&endpoint, Some(&live), &config, &applier).unwrap_err().to_string(), "it is broken");
}
