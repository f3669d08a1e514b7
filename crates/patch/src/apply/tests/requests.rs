//! Requests that say who manages the object, subresources, metadata, and what is refused.

use serde_json::{Value, json};

use super::super::{
    Applier, Endpoint, FieldSet, ObjectType, SameShape, Timestamp, UpdateError, apply, changes,
};
use super::{Story, schema};

#[test]
fn metadata_of_the_server_belongs_to_nobody() {
    let mut story = Story::new();
    let mut config = story.object(json!({}));
    config["metadata"] = json!({
        "name": "n", "namespace": "ns", "uid": "u", "resourceVersion": "1", "generation": 1, "selfLink": "/",
        "creationTimestamp": null, "managedFields": null,
    });
    story.try_apply("a", &config, false).unwrap();
    assert_eq!(
        story.entries(),
        [json!({
            "manager": "a", "operation": "Apply", "apiVersion": "g/v1", "time": "1970-01-01T00:00:01Z",
            "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}},
        })]
    );
    config["metadata"]["labels"] = json!({"l": "v"});
    config["metadata"]["finalizers"] = json!(["f"]);
    config["metadata"]["ownerReferences"] = json!([{"uid": "1", "name": "o"}]);
    story.try_apply("a", &config, false).unwrap();
    let owned = &story.entries()[0]["fieldsV1"]["f:metadata"];
    let expect = json!({
        "f:labels": {"f:l": {}}, "f:finalizers": {"v:\"f\"": {}}, "f:ownerReferences": {"k:{\"uid\":\"1\"}": {}},
    });
    assert_eq!(*owned, expect);
}

#[test]
fn managers_can_be_rewritten() {
    let entry = |manager: &str| {
        json!({
            "manager": manager, "operation": "Apply", "apiVersion": "g/v1", "fieldsType": "FieldsV1",
            "fieldsV1": {"f:spec": {"f:numeric": {}}},
        })
    };
    let mut story = Story::new();
    let mut rewrite = |entries: Value, expect: &[&str]| {
        story.live = None;
        story.apply("a", json!({"numeric": 1}));
        let mut object = story.live().clone();
        object["metadata"]["managedFields"] = entries;
        story.try_update("u", object).unwrap();
        let managers: Vec<_> =
            story.entries().iter().map(|entry| entry["manager"].as_str().unwrap()).collect();
        assert_eq!(managers, expect);
    };
    rewrite(json!([entry("b"), entry("c")]), &["b", "c"]);
    rewrite(json!([]), &[]);
    rewrite(json!([{}]), &[]);
    rewrite(json!([{"manager": ""}]), &[]);
    rewrite(json!(null), &["a"]);
    rewrite(json!([{"manager": "b"}]), &["a"]);
    rewrite(json!("none"), &["a"]);
}

/// A request to a subresource cannot rewrite the managers.
#[test]
fn managers_cannot_be_rewritten_through_a_subresource() {
    let mut story = Story::new();
    story.apply("a", json!({"numeric": 1}));
    let mut object = story.live().clone();
    object["metadata"]["managedFields"] = json!([]);
    object["status"] = json!({"phase": "Ready"});
    story.subresource = "status";
    story.try_update("u", object).unwrap();
    story.owns("a", &[".numeric"]).owns("u", &[".status", ".status.phase"]);
    assert_eq!(story.entries()[1]["subresource"], "status");
}

#[test]
fn a_subresource_has_managers_of_its_own() {
    let mut story = Story::new();
    story.apply("a", json!({"numeric": 1}));
    story.subresource = "status";
    let status = |phase: &str| json!({"apiVersion": "g/v1", "kind": "Thing", "status": {"phase": phase}});
    story.try_apply("a", &status("x"), false).unwrap();
    let entries: Vec<_> = story.entries().iter().map(|it| (&it["subresource"], &it["fieldsV1"])).collect();
    assert_eq!(
        entries,
        [
            (&Value::Null, &json!({"f:spec": {"f:numeric": {}}})),
            (&json!("status"), &json!({"f:status": {"f:phase": {}}})),
        ]
    );
    let error = story.try_apply("b", &status("y"), false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Apply failed with 1 conflict: conflict with \"a\" with subresource \"status\": .status.phase"
    );
}

#[test]
fn fields_that_an_endpoint_resets_are_not_owned_through_it() {
    let compiled = ObjectType::custom_resource(&schema()).unwrap();
    let versions = SameShape::of("g/v1", compiled).without(&FieldSet::of_fields([&["status"]]));
    let mut story = Story::of(versions);
    let mut object = story.object(json!({"numeric": 1}));
    object["status"] = json!({"phase": "x"});
    story.try_apply("a", &object, false).unwrap();
    story.owns("a", &[".numeric"]);
    object["status"]["phase"] = "y".into();
    object["spec"]["string"] = "s".into();
    story.try_update("u", object).unwrap();
    story.owns("u", &[".string"]);
}

/// A built-in kind has parts that are always there; nobody comes to own those by creating an object.
#[test]
fn a_blank_object_is_where_creation_starts() {
    let versions = SameShape::of("g/v1", ObjectType::custom_resource(&schema()).unwrap());
    let blank = json!({"spec": {"struct": {}}, "status": {}});
    let endpoint =
        Endpoint { api_version: "g/v1", kind: "Thing", subresource: "", versions: &versions, blank: &blank };
    let mut object = json!({
        "apiVersion": "g/v1", "kind": "Thing", "spec": {"struct": {"inner": {"c": "x"}}}, "status": {},
    });
    super::super::update(&endpoint, None, &mut object, "u", Timestamp::from_seconds(1)).unwrap();
    let owned = &object["metadata"]["managedFields"][0]["fieldsV1"];
    assert_eq!(*owned, json!({"f:spec": {"f:struct": {"f:inner": {".": {}, "f:c": {}}}}}));
}

#[test]
fn wrong_configurations_are_refused() {
    let mut story = Story::new();
    let mut refuse = |config: Value, expect: &str| {
        assert_eq!(story.try_apply("a", &config, false).unwrap_err().to_string(), expect);
    };
    let object =
        |spec: Value| json!({"apiVersion": "g/v1", "kind": "Thing", "metadata": {"name": "n"}, "spec": spec});
    let typed =
        |mistakes: &str| format!("failed to create typed patch object (/n; g/v1, Kind=Thing): {mistakes}");
    refuse(json!({}), "invalid object type: /, Kind=");
    refuse(json!([]), "invalid object type: /, Kind=");
    refuse(json!({"apiVersion": "v1", "kind": "Thing"}), "invalid object type: /v1, Kind=Thing");
    refuse(
        json!({"apiVersion": "g/v1", "kind": "Thing", "metadata": {"managedFields": []}}),
        "metadata.managedFields must be nil",
    );
    refuse(object(json!({"none": 1})), &typed(".spec.none: field not declared in schema"));
    refuse(
        object(json!({"numeric": "1"})),
        &typed(".spec.numeric: expected numeric (int or float), got string"),
    );
    refuse(
        object(json!({"string": {"a": 1}})),
        &typed(
            ".spec.string: expected string, got &value.valueUnstructured{Value:map[string]interface {}{\"a\":1}}",
        ),
    );
    refuse(object(json!({"bool": "yes"})), &typed(".spec.bool: expected boolean, got &{yes}"));
    refuse(object(json!({"struct": []})), &typed(".spec.struct: expected map, got &{[]}"));
    refuse(object(json!({"set": {}})), &typed(".spec.set: expected list, got &{map[]}"));
    refuse(
        object(json!({"atomicList": ["a", 1]})),
        &typed(".spec.atomicList[1]: expected string, got &value.valueUnstructured{Value:1}"),
    );
    refuse(
        object(json!({"list": [{"value": 1}]})),
        &typed(
            ".spec.list: element 0: associative list with keys has an element that omits all key fields [\"name\"] (and \
             doesn't have default values for any key fields)",
        ),
    );
    refuse(
        object(json!({"list": [null]})),
        &typed(".spec.list: element 0: associative list with keys may not have a null element"),
    );
    refuse(
        object(json!({"list": [1]})),
        &typed(".spec.list: element 0: associative list with keys may not have non-map elements"),
    );
    refuse(
        object(json!({"set": [{}]})),
        &typed(".spec.set: element 0: associative list without keys has an element that's a map type"),
    );
    refuse(
        object(json!({"set": [[]]})),
        &typed(".spec.set: element 0: not supported: associative list with lists as elements"),
    );
    refuse(
        object(json!({"set": [null]})),
        &typed(".spec.set: element 0: associative list without keys has an element that's an explicit null"),
    );
    refuse(
        object(json!({"list": [{"name": "x", "value": "y"}]})),
        &typed(".spec.list[name=\"x\"].value: expected numeric (int or float), got string"),
    );
}

#[test]
fn wrong_objects_are_refused() {
    let mut story = Story::new();
    story.live = Some(json!({"apiVersion": "g/v1", "kind": "Thing", "metadata": {"managedFields": [{}]}}));
    let config = story.object(json!({}));
    let error = story.try_apply("a", &config, false).unwrap_err();
    assert_eq!(error.to_string(), "failed to decode managed fields: operation must be `Apply` or `Update`");

    let mut story = Story::new();
    story.apply("a", json!({"numeric": 1}));
    let mut live = story.live().clone();
    live["spec"]["none"] = 1.into();
    story.live = Some(live);
    let error = story.try_apply("a", &config, false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to create typed live object (ns/n; g/v1, Kind=Thing): .spec.none: field not declared in schema"
    );

    let deep = (0..300).fold(json!({}), |inner, _| json!({ "a": inner }));
    let config = story.object(json!({"free": deep}));
    let error = Story::new().try_apply("a", &config, false).unwrap_err();
    assert_eq!(error.to_string(), "nested more than 256 levels deep");

    let versions = SameShape::default();
    let endpoint = Endpoint {
        api_version: "g/v1",
        kind: "Thing",
        subresource: "",
        versions: &versions,
        blank: &Value::Null,
    };
    let applier = Applier { manager: "a", force: false, now: Timestamp::from_seconds(1) };
    let error = apply(&endpoint, None, &json!({}), &applier).unwrap_err();
    assert_eq!(error.to_string(), "no corresponding type for g/v1, Kind=Thing");
}

/// The change counts more than the account of who made it.
#[test]
fn an_update_that_cannot_be_accounted_for_loses_its_managers() {
    let mut story = Story::new();
    story.apply("a", json!({"numeric": 1}));
    let mut object = story.live().clone();
    object["spec"]["none"] = 1.into();
    let error = story.try_update("u", object).unwrap_err();
    assert!(matches!(error, UpdateError::New { .. }));
    assert_eq!(
        error.to_string(),
        "failed to convert new object (ns/n; g/v1, Kind=Thing) to smd typed: .spec.none: field not declared in schema"
    );
    assert_eq!(story.entries(), [] as [Value; 0]);
}

#[test]
fn changes_between_two_objects() {
    let types = ObjectType::custom_resource(&schema()).unwrap();
    let object = |spec: Value| json!({"metadata": {"managedFields": [1]}, "spec": spec});
    let old = object(json!({"numeric": 1, "string": "s", "list": [{"name": "x"}], "map": {"k": "v"}}));
    let new = object(json!({"numeric": 2, "bool": true, "list": [{"name": "y"}], "map": {"k": "v"}}));
    let found = changes(&types, &old, &new).unwrap();
    let spec = |fields: Value| json!({ "f:spec": fields });
    let element = |name: &str| json!({format!("k:{{\"name\":\"{name}\"}}"): {".": {}, "f:name": {}}});
    assert_eq!(found.added.to_fields_v1(), spec(json!({"f:bool": {}, "f:list": element("y")})));
    assert_eq!(found.modified.to_fields_v1(), spec(json!({"f:numeric": {}})));
    assert_eq!(found.removed.to_fields_v1(), spec(json!({"f:list": element("x"), "f:string": {}})));
    assert!(changes(&types, &old, &old).unwrap().is_empty());
    assert!(changes(&types, &json!({"none": 1}), &old).is_err());
}
