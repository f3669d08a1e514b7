//! Edits of definitions and of CRDs.

use super::*;

pub(super) fn settled_with(field: &str) -> Scene {
    Scene::settled(&json!({"name": "string", "size": field}))
}

/// Edits the type of `spec.size`.
pub(super) fn resize(scene: &mut Scene, field: &str) {
    scene.edit("/spec/schema/spec/size", json!(field));
}

pub(super) fn allow(scene: &mut Scene) {
    scene.definition["metadata"]["annotations"] = json!({"kro.run/allow-breaking-changes": "true"});
}

/// The schema of `spec.size` in a patch.
pub(super) fn patched_size(patch: &Value) -> &Value {
    &patch["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["size"]
}

#[test]
fn b1_every_change_of_the_schema_reaches_the_crd() {
    let check = |before: &str, after: &str, keyword: &str, expected: Value| {
        let mut scene = settled_with(before);
        resize(&mut scene, after);
        allow(&mut scene);
        let patch = scene.patch();
        assert_eq!(patch["metadata"]["resourceVersion"], "9", "the patch names the version seen");
        assert_eq!(patched_size(&patch).pointer(keyword), Some(&expected), "{after}: {patch}");
    };
    check("string", "string | enum=\"a,b\"", "/enum", json!(["a", "b"]));
    check(
        "string",
        "string | validation=\"self != ''\"",
        "/x-kubernetes-validations/0/rule",
        json!("self != ''"),
    );
    check("string", "string | immutable=true", "/x-kubernetes-validations/0/rule", json!("self == oldSelf"));
    check("[]string", "[]string | listType=set", "/x-kubernetes-list-type", json!("set"));
    check("map[string]string", "map[string]integer", "/additionalProperties/type", json!("integer"));
    check("string", "string | description=\"how big\"", "/description", json!("how big"));
    check("integer", "integer | default=3", "/default", json!(3));
    check("object", "map[string]string", "/additionalProperties/type", json!("string"));
    check("string | pattern=\"a\"", "string | pattern=\"b\"", "/pattern", json!("b"));
}

#[test]
fn b1_printer_columns_names_labels_and_annotations_reach_the_crd() {
    let check = |pointer: &str, value: Value, at: &str, expected: Value| {
        let mut scene = settled_with("string");
        scene.edit(pointer, value);
        let patch = scene.patch();
        assert_eq!(patch.pointer(at), Some(&expected), "{patch}");
    };
    let column = json!({"name": "Size", "type": "string", "jsonPath": ".spec.size"});
    let columns = "/spec/versions/0/additionalPrinterColumns";
    check("/spec/schema/additionalPrinterColumns", json!([column]), columns, json!([column]));
    check("/spec/schema/shortNames", json!(["wa"]), "/spec/names/shortNames", json!(["wa"]));
    check("/spec/schema/categories", json!(["all"]), "/spec/names/categories", json!(["all"]));
    let metadata = json!({"labels": {"team": "a"}, "annotations": {"note": "b"}});
    check("/spec/schema/metadata", metadata.clone(), "/metadata/labels", json!({"team": "a"}));
    check("/spec/schema/metadata", metadata, "/metadata/annotations/note", json!("b"));
}

#[test]
fn b1_a_short_name_that_is_given_up_is_taken_away() {
    let mut scene = settled_with("string");
    scene.crd.as_mut().unwrap()["spec"]["names"]["shortNames"] = json!(["wa"]);
    assert_eq!(scene.patch()["spec"]["names"]["shortNames"], Value::Null);
    assert!(scene.patch()["spec"]["names"].get("shortNames").is_some());
}

#[test]
fn b1_labels_and_annotations_that_are_given_up_are_taken_away_and_no_others() {
    let mut scene = settled_with("string");
    scene.edit(
        "/spec/schema/metadata",
        json!({"labels": {"team": "a", "kept": "x"}, "annotations": {"note": "b"}}),
    );
    let crd = scene.crd.as_mut().unwrap();
    crd["metadata"]["labels"]["someone"] = json!("else");
    let patch = scene.patch();
    let crd = scene.crd.as_mut().unwrap();
    for field in ["labels", "annotations"] {
        let written = patch["metadata"][field].as_object().unwrap().clone();
        crd["metadata"][field].as_object_mut().unwrap().extend(written);
    }
    assert!(scene.serves());

    scene.edit("/spec/schema/metadata", json!({"labels": {"kept": "x"}}));
    let metadata = &scene.patch()["metadata"];
    assert_eq!(metadata["labels"], json!({"team": null}));
    assert_eq!(metadata["annotations"], json!({"note": null, "krono.dev/crd-metadata": "kept;"}));

    scene.edit("/spec/schema/metadata", json!({}));
    let metadata = &scene.patch()["metadata"];
    assert_eq!(metadata["labels"], json!({"team": null, "kept": null}));
    assert_eq!(metadata["annotations"], json!({"note": null, "krono.dev/crd-metadata": null}));
}

#[test]
fn b1_a_definition_made_again_adopts_its_crd() {
    let mut scene = settled_with("string");
    scene.definition["metadata"]["uid"] = json!("d-2");
    scene.serving = Attended::Nothing;
    let expected = json!({"metadata": {
        "resourceVersion": "9", "labels": {"kro.run/resource-graph-definition-id": "d-2"},
    }});
    assert_eq!(scene.patch(), expected, "the label of the one before does not stay");
}

#[test]
fn b2_nothing_is_served_before_the_crd_is_what_the_graph_needs() {
    let mut scene = settled_with("string");
    resize(&mut scene, "integer");
    assert_eq!(scene.plan().actions, [], "neither the CRD nor what is served changes");
    assert_eq!(scene.plan().waiting, Some(Waiting::CompatibleChange));
    let told = scene.told("KindReady");
    let expected = "False Failed cannot update CRD webapps.kro.run: breaking changes detected: \
                    spec.size: type changed from string to integer; annotate the definition with \
                    kro.run/allow-breaking-changes: \"true\" to go ahead";
    assert_eq!(told, expected);
    assert!(scene.told("GraphAccepted").starts_with("True Valid"));
    assert_eq!(scene.state(), "Inactive");

    // The override acts without an edit of the spec, and the CRD still comes first.
    allow(&mut scene);
    let patch = scene.patch();
    assert_eq!(patched_size(&patch)["type"], "integer");
    let crd = scene.crd.as_mut().unwrap();
    crd["spec"]["versions"] = patch["spec"]["versions"].clone();
    crd["metadata"]["annotations"] = patch["metadata"]["annotations"].clone();
    assert!(scene.serves());
    scene.serving = Attended::Current;
    assert_eq!(scene.state(), "Active");
}

#[test]
fn b2_a_compatible_change_reaches_the_crd_first_too() {
    let mut scene = settled_with("string");
    scene.edit("/spec/schema/spec/more", json!("string"));
    assert!(matches!(scene.plan().actions.as_slice(), [Action::PatchCrd(_)]));
}

#[test]
fn b2_a_blocked_change_after_a_restart_serves_the_revision_before_it() {
    let mut scene = settled_with("string");
    resize(&mut scene, "integer");
    scene.serving = Attended::Nothing;
    assert!(matches!(scene.plan().actions.as_slice(), [Action::Serve(it)] if it.name == "web-rev-1"));

    // Unless somebody took the revisions away.
    scene.revisions.borrow_mut().clear();
    assert!(matches!(scene.plan().actions.as_slice(), [Action::ServeWithoutGraph { .. }]));
    scene.serving = Attended::Graphless;
    assert_eq!(scene.plan().actions, []);
    assert!(scene.told("KindReady").contains("breaking changes detected"));
}

#[test]
fn behaviour_39_verdicts() {
    let check = |before: &str, after: &str, breaking: Option<&str>| {
        let mut scene = settled_with(before);
        resize(&mut scene, after);
        match breaking {
            Some(expected) => {
                let told = scene.told("KindReady");
                assert!(
                    told.contains(&format!("breaking changes detected: {expected}")),
                    "{before} → {after}: {told}"
                );
            }
            None => assert!(
                matches!(scene.plan().actions.as_slice(), [Action::PatchCrd(_)]),
                "{before} → {after}"
            ),
        }
    };
    // As kro.
    check("integer", "integer | minimum=1", Some("spec.size: minimum was added"));
    check("integer | minimum=1", "integer | minimum=2", Some("spec.size: minimum was increased"));
    check("integer | minimum=2", "integer | minimum=1", None);
    check("integer | maximum=2", "integer | maximum=1", Some("spec.size: maximum was decreased"));
    check("string", "string | required=true", Some("spec.size: field is newly required"));
    check("string | required=true", "string", None);
    check("string | enum=\"a,b\"", "string | enum=\"a\"", Some("spec.size: enum value was removed"));
    check("string | enum=\"a\"", "string | enum=\"a,b\"", None);
    check("string", "string | pattern=\"a\"", Some("spec.size: pattern was added"));
    check("string | pattern=\"a\"", "string", None);
    check("[]string", "[]string | minItems=1", Some("spec.size: minItems was added"));
    check("string | maxLength=2", "string | maxLength=3", None);
    check("integer | default=1", "integer | default=2", None);
    check("string", "string | description=\"how big\"", None);
    // Where kro is blind.
    check("string", "string | enum=\"a\"", Some("spec.size: only listed values are allowed now"));
    check("string", "string | validation=\"self != ''\"", Some("spec.size: validation rule was added"));
    check("string", "string | immutable=true", Some("spec.size: validation rule was added"));
    check("[]string", "[]string | listType=set", Some("spec.size: list type changed"));
    check("map[string]string", "map[string]integer", Some("spec.size{}: type changed"));
    check("string | validation=\"self != ''\"", "string", None);
}

#[test]
fn behaviour_39_a_removed_status_field_is_breaking() {
    let mut scene = settled_with("string");
    scene.edit("/spec/schema/status", json!({"at": "${schema.spec.name}"}));
    let patch = scene.patch();
    scene.crd.as_mut().unwrap()["spec"]["versions"] = patch["spec"]["versions"].clone();
    scene.crd.as_mut().unwrap()["metadata"]["annotations"] = patch["metadata"]["annotations"].clone();
    scene.plan();
    scene.serving = Attended::Current;
    scene.publish();
    scene.edit("/spec/schema/status", json!({}));
    scene.edit("/spec/schema/spec/more", json!("string"));
    assert!(scene.told("KindReady").contains("status.at: property was removed"));
}

#[test]
fn behaviour_39_three_changes_are_named_and_the_rest_counted() {
    let fields = |kind: &str| json!({"a": kind, "b": kind, "c": kind, "d": kind, "e": kind});
    let mut scene = Scene::settled(&fields("string"));
    scene.edit("/spec/schema/spec", fields("integer"));
    assert!(
        scene.told("KindReady").contains("spec.c: type changed from string to integer; and 2 more changes;")
    );
}

#[test]
fn behaviour_39_another_version_is_breaking() {
    let mut scene = settled_with("string");
    scene.edit("/spec/schema/apiVersion", json!("v1"));
    assert!(scene.told("KindReady").contains("version: type changed from v1alpha1 to v1"));
}

#[test]
fn what_the_server_never_changes_is_told_with_the_cure() {
    for (pointer, value, expected) in [
        ("/spec/schema/scope", "Cluster", "its scope is Namespaced and cannot become Cluster"),
        ("/spec/schema/kind", "Webapp", "its kind is WebApp and cannot become Webapp"),
    ] {
        let mut scene = settled_with("string");
        scene.edit(pointer, json!(value));
        allow(&mut scene);
        let told = scene.told("KindReady");
        assert!(told.contains(expected) && told.contains("delete the CRD"), "{told}");
    }
}

#[test]
fn behaviour_40_an_edited_crd_is_repaired() {
    let check = |pointer: &str, value: Value| {
        let mut scene = settled_with("string");
        let crd = scene.crd.as_mut().unwrap();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        crd.pointer_mut(parent).unwrap()[key] = value;
        // With and without somebody who remembers what was served.
        for serving in [Attended::Current, Attended::Nothing] {
            scene.serving = serving;
            assert!(scene.patch()["spec"]["versions"].is_array(), "{pointer}");
        }
    };
    let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
    check(&format!("{spec}/properties/extra"), json!({"type": "string"}));
    check(&format!("{spec}/properties/size/type"), json!("integer"));
    check(&format!("{spec}/required"), json!(["size"]));
    check("/spec/versions/0/served", json!(false));
    check(
        "/spec/versions/0/subresources",
        json!({"status": {}, "scale": {"specReplicasPath": ".spec.size"}}),
    );
    check("/spec/versions/0/selectableFields", json!([{"jsonPath": ".spec.size"}]));
    check("/spec/versions/0/additionalPrinterColumns", json!([]));
    check("/spec/names/categories", json!(["all"]));
    check("/spec/versions", json!([{"name": "v2", "served": true, "storage": true}]));
}

#[test]
fn behaviour_40_a_deleted_crd_is_made_again_when_it_is_gone() {
    let mut scene = settled_with("string");
    scene.crd.as_mut().unwrap()["metadata"]["deletionTimestamp"] = json!(NOW);
    assert_eq!(scene.plan().actions, [], "instances on their way out keep somebody who looks after them");
    assert_eq!(scene.plan().waiting, Some(Waiting::CrdGone));
    assert!(
        scene
            .told("KindReady")
            .starts_with("Unknown AwaitingReconciliation CRD webapps.kro.run is being deleted")
    );
    scene.crd = None;
    assert!(matches!(scene.plan().actions.as_slice(), [Action::CreateCrd(_)]));
}

#[test]
fn behaviour_40_a_crd_of_others_is_left_alone() {
    let check = |labels: Value, expected: &str| {
        let mut scene = settled_with("string");
        scene.crd.as_mut().unwrap()["metadata"]["labels"] = labels;
        scene.serving = Attended::Nothing;
        assert_eq!(scene.plan().actions, []);
        assert_eq!(scene.plan().waiting, Some(Waiting::Ownership));
        assert_eq!(
            scene.told("KindReady"),
            format!("False Failed failed to update CRD webapps.kro.run: {expected}")
        );
        assert_eq!(scene.state(), "Inactive");
    };
    let foreign = "CRD already exists and is not owned by KRO";
    check(json!({}), foreign);
    check(json!({"kro.run/owned": "false", "app.kubernetes.io/managed-by": "kro"}), foreign);
    let other = json!({"kro.run/owned": "true", "kro.run/resource-graph-definition-name": "first"});
    check(other, "CRD is owned by another ResourceGraphDefinition first");
    let of_instance =
        "CRD is a resource of an instance, or has lost its label kro.run/resource-graph-definition-name";
    check(json!({"kro.run/owned": "true"}), of_instance);
}

#[test]
fn behaviour_40_a_kind_that_went_to_another_definition_is_no_longer_served() {
    let mut scene = settled_with("string");
    let labels = json!({"kro.run/owned": "true", "kro.run/resource-graph-definition-name": "other"});
    scene.crd.as_mut().unwrap()["metadata"]["labels"] = labels;
    assert_eq!(scene.plan(), Plan::of(Action::StopServing));
}

/// A CRD as kro leaves it: no digest, and without what kro cannot see.
fn left_by_kro(scene: &mut Scene) {
    scene.crd.as_mut().unwrap()["metadata"].as_object_mut().unwrap().remove("annotations");
    scene.revisions.borrow_mut().clear();
    scene.numbered.borrow_mut().take();
    scene.serving = Attended::Nothing;
}

#[test]
fn v45_a_crd_of_kro_is_taken_over_with_what_kro_did_not_see() {
    let mut scene = settled_with("string");
    left_by_kro(&mut scene);
    let patch = scene.patch();
    assert_eq!(patch["spec"], Value::Null, "an equal CRD gets a note of krono and nothing else");
    assert!(patch["metadata"]["annotations"]["krono.dev/crd-digest"].is_string());

    resize(&mut scene, "string | validation=\"self != ''\"");
    assert_eq!(patched_size(&scene.patch())["x-kubernetes-validations"][0]["rule"], "self != ''");

    resize(&mut scene, "integer");
    scene.serving = Attended::Graphless;
    assert!(
        scene.told("KindReady").contains("breaking changes detected"),
        "what kro sees it has not let through"
    );
}

#[test]
fn what_the_server_writes_its_own_way_is_no_change() {
    let mut scene = settled_with("float | default=1.0 description=\"\"");
    let crd = scene.crd.as_mut().unwrap();
    let size = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size";
    let size = crd.pointer_mut(size).unwrap().as_object_mut().unwrap();
    size.insert("default".to_owned(), json!(1));
    size.remove("description");
    crd["metadata"]["labels"]["someone"] = json!("else");
    assert_eq!(scene.plan(), Plan::default());
}
