//! Custom resource definitions and their objects.

use std::time::Duration;

use krono_apiserver::Server;
use serde_json::{Value, json};

use crate::harness::{Harness, start, start_with};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
pub(crate) const WIDGETS: &str = "/apis/krono.dev/v1/namespaces/default/widgets";

pub(crate) fn definition() -> Value {
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {
        "spec": {"type": "object", "required": ["size"], "properties": {
            "size": {"type": "integer", "minimum": 1},
            "colour": {"type": "string", "default": "red"},
            "replicas": {"type": "integer"},
        }, "x-kubernetes-validations": [{"rule": "self.size < 100", "message": "too big"}]},
        "status": {"type": "object", "properties": {"phase": {"type": "string"}, "replicas": {"type": "integer"}}},
    }}});
    let subresources = json!({"status": {}, "scale": {
        "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
    }});
    let columns = json!([
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "Phase", "type": "string", "jsonPath": ".status.phase"},
    ]);
    let version = |name: &str, storage: bool| {
        json!({
            "name": name, "served": true, "storage": storage, "schema": schema, "subresources": subresources,
            "additionalPrinterColumns": columns, "selectableFields": [{"jsonPath": ".spec.colour"}],
        })
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.krono.dev"},
        "spec": {
            "group": "krono.dev", "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["w"]},
            "versions": [version("v1", true), version("v2", false)],
        },
    })
}

pub(crate) fn widget(name: &str, size: i64) -> Value {
    json!({"apiVersion": "krono.dev/v1", "kind": "Widget", "metadata": {"name": name}, "spec": {"size": size}})
}

async fn with_widgets() -> Harness {
    let it = start().await;
    it.post(DEFINITIONS, &definition()).await.ok();
    it
}

#[tokio::test]
async fn a_definition_is_served_at_once() {
    let it = with_widgets().await;
    let stored = it.get(&format!("{DEFINITIONS}/widgets.krono.dev")).await.ok();
    let conditions = stored["status"]["conditions"].as_array().unwrap();
    assert!(conditions.iter().any(|it| it["type"] == "Established" && it["status"] == "True"));
    assert_eq!(stored["status"]["storedVersions"], json!(["v1"]));
    assert_eq!(stored["spec"]["names"]["singular"], "widget");
    let resources = it.get("/apis/krono.dev/v1").await.ok();
    assert_eq!(resources["resources"][0]["shortNames"], json!(["w"]));
    let created = it.post(WIDGETS, &widget("one", 3)).await.ok();
    assert_eq!((&created["spec"]["colour"], &created["metadata"]["generation"]), (&json!("red"), &json!(1)));
    let document = it.get("/openapi/v3/apis/krono.dev/v1").await.ok();
    let schemas = &document["components"]["schemas"];
    let metadata = &schemas["dev.krono.v1.Widget"]["properties"]["metadata"];
    let referred = metadata["allOf"][0]["$ref"].as_str().unwrap().trim_start_matches("#/components/schemas/");
    assert!(schemas[referred]["properties"]["ownerReferences"].is_object(), "{metadata}");
}

#[tokio::test]
async fn objects_are_checked() {
    let it = with_widgets().await;
    let check = async |body: Value, code: u16, message: &str| {
        let answer = it.post(WIDGETS, &body).await;
        assert_eq!(answer.code, code, "{}", answer.text);
        assert_eq!(answer.body["message"], message);
    };
    check(widget("a", 0), 422, "Widget.krono.dev \"a\" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1").await;
    check(widget("a", 100), 422, "Widget.krono.dev \"a\" is invalid: spec: Invalid value: too big").await;
    let mut more = widget("a", 1);
    more["spec"]["more"] = 1.into();
    let strict = it.post(&format!("{WIDGETS}?fieldValidation=Strict"), &more).await;
    assert_eq!(strict.code, 400);
    assert!(
        strict.body["message"]
            .as_str()
            .unwrap()
            .ends_with("strict decoding error: unknown field \"spec.more\"")
    );
}

#[tokio::test]
async fn status_and_spec_are_apart() {
    let it = with_widgets().await;
    it.post(WIDGETS, &widget("one", 3)).await.ok();
    let path = format!("{WIDGETS}/one");
    let change = json!({"spec": {"size": 4}, "status": {"phase": "Ready"}});
    let main = it.patch(&path, "merge-patch+json", &change).await.ok();
    assert_eq!((&main["status"], &main["metadata"]["generation"]), (&Value::Null, &json!(2)));
    let change = json!({"spec": {"size": 5}, "status": {"phase": "Ready"}});
    let status = it.patch(&format!("{path}/status"), "merge-patch+json", &change).await.ok();
    assert_eq!((&status["spec"]["size"], &status["status"]["phase"]), (&json!(4), &json!("Ready")));
    assert_eq!(status["metadata"]["generation"], 2);
    let scaled =
        it.patch(&format!("{path}/scale"), "merge-patch+json", &json!({"spec": {"replicas": 7}})).await.ok();
    assert_eq!((&scaled["kind"], &scaled["spec"]["replicas"]), (&json!("Scale"), &json!(7)));
    assert_eq!(it.get(&path).await.ok()["spec"]["replicas"], 7);
    let strategic = it.patch(&path, "strategic-merge-patch+json", &json!({})).await;
    assert_eq!(strategic.code, 415);
}

#[tokio::test]
async fn versions_are_relabelled() {
    let it = with_widgets().await;
    it.post(WIDGETS, &widget("one", 3)).await.ok();
    let second = it.get("/apis/krono.dev/v2/namespaces/default/widgets/one").await.ok();
    assert_eq!((&second["apiVersion"], &second["spec"]["size"]), (&json!("krono.dev/v2"), &json!(3)));
    let list = it.get("/apis/krono.dev/v2/widgets").await.ok();
    assert_eq!(list["items"][0]["apiVersion"], "krono.dev/v2");
    let mut flipped = it.get(&format!("{DEFINITIONS}/widgets.krono.dev")).await.ok();
    flipped["spec"]["versions"][0]["storage"] = false.into();
    flipped["spec"]["versions"][1]["storage"] = true.into();
    let path = format!("{DEFINITIONS}/widgets.krono.dev");
    let stored = it.put(&path, &flipped).await.ok();
    assert_eq!(stored["status"]["storedVersions"], json!(["v1", "v2"]));
    let mut removed = it.get(&path).await.ok();
    removed["spec"]["versions"].as_array_mut().unwrap().remove(0);
    assert_eq!(it.put(&path, &removed).await.code, 422);
}

#[tokio::test]
async fn columns_and_selectable_fields() {
    let it = with_widgets().await;
    it.post(WIDGETS, &widget("one", 3)).await.ok();
    let table = [("accept", "application/json;as=Table;v=v1;g=meta.k8s.io")];
    let list = it.send("GET", WIDGETS, &table, "").await.ok();
    assert_eq!(list["rows"][0]["cells"], json!(["one", 3, null]));
    let red = it.get(&format!("{WIDGETS}?fieldSelector=spec.colour%3Dred")).await.ok();
    assert_eq!(red["items"].as_array().unwrap().len(), 1);
    assert_eq!(it.get(&format!("{WIDGETS}?fieldSelector=spec.size%3D3")).await.code, 400);
}

#[tokio::test]
async fn unsound_definitions_are_refused() {
    let it = start().await;
    let check = async |change: fn(&mut Value), message: &str| {
        let mut body = definition();
        change(&mut body);
        let answer = it.post(DEFINITIONS, &body).await;
        assert_eq!(answer.code, 422, "{}", answer.text);
        let said = answer.body["message"].as_str().unwrap();
        assert!(said.contains(message), "{said}");
    };
    check(|it| it["metadata"]["name"] = "other.krono.dev".into(), "must be spec.names.plural").await;
    check(|it| it["spec"]["versions"][1]["storage"] = true.into(), "exactly one version marked as storage")
        .await;
    check(
        |it| it["spec"]["versions"][0]["schema"] = Value::Null,
        "spec.versions[0].schema.openAPIV3Schema: Required value",
    )
    .await;
    check(|it| it["spec"]["scope"] = "Nowhere".into(), "spec.scope: Unsupported value").await;
}

#[tokio::test(start_paused = true)]
async fn the_first_moments_can_be_those_of_the_real_server() {
    let it = start_with(Server::builder().imitate_establishing(true)).await;
    it.post(DEFINITIONS, &definition()).await.ok();
    assert_eq!(it.get(WIDGETS).await.code, 404);
    tokio::time::advance(Duration::from_millis(11)).await;
    let early = it.get(WIDGETS).await;
    assert_eq!((early.code, early.header("retry-after")), (429, "1"));
    assert_eq!(early.body["message"], "storage is (re)initializing");
    tokio::time::advance(Duration::from_millis(15)).await;
    assert_eq!(it.get(WIDGETS).await.code, 200);
    let before = tokio::time::Instant::now();
    it.post(WIDGETS, &widget("one", 3)).await.ok();
    assert_eq!(before.elapsed().as_secs(), 2);
    let before = tokio::time::Instant::now();
    it.post(WIDGETS, &widget("two", 3)).await.ok();
    assert_eq!(before.elapsed().as_secs(), 0);
}

#[tokio::test]
async fn names_that_are_let_go_are_free() {
    let it = start().await;
    let conditions = async |name: &str| {
        let stored = it.get(&format!("{DEFINITIONS}/{name}")).await.ok();
        let conditions = stored["status"]["conditions"].as_array().unwrap().clone();
        let told = |it: &Value| format!("{} {} {}", it["type"], it["status"], it["reason"]).replace('"', "");
        conditions.iter().map(told).collect::<Vec<_>>()
    };
    it.post(DEFINITIONS, &definition()).await.ok();
    let mut second = definition();
    second["metadata"]["name"] = "gadgets.krono.dev".into();
    second["spec"]["names"] = json!({"plural": "gadgets", "kind": "Widget"});
    it.post(DEFINITIONS, &second).await.ok();
    let refused = ["NamesAccepted False ListKindConflict", "Established False NotAccepted"];
    assert_eq!(conditions("gadgets.krono.dev").await, refused);
    assert_eq!(it.get("/apis/krono.dev/v1/gadgets").await.code, 404);
    it.delete(&format!("{DEFINITIONS}/widgets.krono.dev")).await.ok();
    let accepted = ["NamesAccepted True NoConflicts", "Established True InitialNamesAccepted"];
    while conditions("gadgets.krono.dev").await != accepted {
        tokio::task::yield_now().await;
    }
    assert_eq!(it.get("/apis/krono.dev/v1/gadgets").await.code, 200);
}

#[tokio::test]
async fn replacements_name_what_they_replace() {
    let it = with_widgets().await;
    it.post(WIDGETS, &widget("one", 3)).await.ok();
    let blind = it.put(&format!("{WIDGETS}/one"), &widget("one", 4)).await;
    let message = "widgets.krono.dev \"one\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified \
                   for an update";
    assert_eq!((blind.code, &blind.body["message"]), (422, &json!(message)));
    let mut held = widget("two", 3);
    held["metadata"]["finalizers"] = json!(["mine"]);
    let warned = it.post(WIDGETS, &held).await;
    assert!(
        warned.header("warning").contains("prefer a domain-qualified finalizer name"),
        "{:?}",
        warned.headers
    );
    let mut old = it.get(&format!("{DEFINITIONS}/widgets.krono.dev")).await.ok();
    old["spec"]["versions"][0]["deprecated"] = true.into();
    it.put(&format!("{DEFINITIONS}/widgets.krono.dev"), &old).await.ok();
    let warning = it.get(WIDGETS).await;
    let expect = r#"299 - "krono.dev/v1 Widget is deprecated; use krono.dev/v2 Widget""#;
    assert_eq!(warning.header("warning"), expect);
}
