//! Plans carried out on the embedded server: what is written is what is wanted, and nothing is written twice.

use std::fs;
use std::path::{Path, PathBuf};

use http::Request;
use http_body_util::{BodyExt, Full};
use krono_apiserver::builtin;
use krono_apiserver::kind::{Kind, Scope};

use super::*;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// The built-in kinds of Kubernetes.
struct BuiltIn(Vec<Kind>);

impl Kinds for BuiltIn {
    fn find(&self, api_version: &str, kind: &str) -> Option<KnownKind> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let same = |it: &&Kind| *it.kind == *kind && *it.group == *group && *it.version == *version;
        let found = self.0.iter().find(same)?;
        let schema = Arc::clone(found.schema.get());
        Some(KnownKind { schema, namespaced: found.scope == Scope::Namespaced, is_defined: false })
    }
}

async fn send(server: &krono_apiserver::Server, method: &str, path: &str, body: &Value) -> Option<Value> {
    let content_type = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let request = Request::builder().method(method).uri(path).header("content-type", content_type);
    let request = request.body(Full::from(body.to_string())).unwrap();
    let answer = server.handle(request).await;
    let is_absent = answer.status() == 404;
    let bytes = answer.into_body().collect().await.unwrap().to_bytes();
    let object: Value = serde_json::from_slice(&bytes).unwrap();
    assert!(is_absent || object["kind"] == "CustomResourceDefinition", "{object}");
    (!is_absent).then_some(object)
}

fn path_of(definition: &Value) -> String {
    format!("{CRDS}/{}", crd_name(definition).unwrap())
}

/// Plans for `definition`, and carries out what concerns the CRD, until there is nothing left to do: so many writes.
async fn serve(server: &krono_apiserver::Server, definition: &Value, kinds: &BuiltIn) -> usize {
    let graph = compile(definition, kinds, Options::default()).unwrap();
    let path = path_of(definition);
    for writes in 0..5 {
        let live = send(server, "GET", &path, &Value::Null).await;
        let planned = plan(&World {
            definition,
            compiled: Ok(&graph),
            crd: live.as_ref(),
            served: true,
            serving: Serving::Nothing,
            past: Past {
                history: &History::default(),
                objects: &BTreeMap::new(),
                deleted: &BTreeSet::new(),
                graphs: &Compiled(BTreeMap::new()),
                uses: &Uses::default(),
                staying: &BTreeSet::new(),
                following: &BTreeSet::new(),
                instances: &[],
                statuses: None,
                claims: None,
                counts: None,
                interface: None,
                left_by_kro: &[],
                freshness: Freshness::Live,
            },
            instances: Instances::default(),
            failure: None,
            allow_crd_deletion: false,
            notes: Notes::Doubted,
            now: NOW,
        });
        match planned.actions.as_slice() {
            [Action::CreateCrd(crd)] => send(server, "POST", CRDS, crd).await,
            [Action::PatchCrd(change)] => send(server, "PATCH", &path, change).await,
            [Action::Reserve(_), Action::CreateRevision(_)] => return writes,
            _ => panic!("{planned:?}"),
        };
    }
    panic!("the plan for {path} does not come to an end");
}

#[tokio::test]
async fn the_crd_of_every_definition_of_the_corpus_is_written_once() {
    let kinds = BuiltIn(builtin::kinds());
    let server = krono_apiserver::Server::in_memory().await.unwrap();
    let mut seen = BTreeSet::new();
    let definitions = corpus();
    for (file, mut definition) in definitions.clone() {
        let compiles = compile(&definition, &kinds, Options::default()).is_ok();
        if !compiles || !seen.insert(crd_name(&definition)) {
            continue;
        }
        definition["metadata"]["uid"] = json!("d-1");
        definition["metadata"]["finalizers"] = json!(["kro.run/finalizer"]);
        assert_eq!(serve(&server, &definition, &kinds).await, 1, "{}", file.display());
    }
    assert!(definitions.is_empty() || seen.len() > 15, "only {} kinds", seen.len());
}

#[tokio::test]
async fn b1_the_server_takes_every_marker_and_nothing_is_written_twice() {
    let kinds = BuiltIn(builtin::kinds());
    let server = krono_apiserver::Server::in_memory().await.unwrap();
    let mut scene = Scene::new(&json!({
        "text": "string | default=\"a\" pattern=\"^[a-z]+$\" minLength=1 maxLength=9 description=\"a text\"",
        "empty": "string | description=\"\"",
        "part": "float | default=1.0 minimum=0.50 maximum=2.0",
        "whole": "integer | default=3 enum=\"1,2,3\"",
        "rule": "string | validation=\"self != 'x'\" immutable=true",
        "list": "[]string | listType=set minItems=1 maxItems=5",
        "items": "[]Item | listType=map listMapKey=name",
        "map": "map[string]integer",
        "free": "object",
        "nested": {"flag": "boolean | default=true", "must": "string | required=true"},
        "defaults": {"a": "integer | default=1"},
    }));
    let schema = &mut scene.definition["spec"]["schema"];
    schema["types"] = json!({"Item": {"name": "string | required=true", "value": "string"}});
    schema["shortNames"] = json!(["wa"]);
    schema["metadata"] = json!({"labels": {"team": "a"}, "annotations": {"note": "b"}});
    assert_eq!(serve(&server, &scene.definition, &kinds).await, 1);
}

#[tokio::test]
async fn b1_each_edit_of_a_definition_is_one_write() {
    let kinds = BuiltIn(builtin::kinds());
    let server = krono_apiserver::Server::in_memory().await.unwrap();
    let mut scene = Scene::new(&json!({"size": "string"}));
    scene.definition["metadata"]["annotations"] = json!({"kro.run/allow-breaking-changes": "true"});
    assert_eq!(serve(&server, &scene.definition, &kinds).await, 1);
    for (pointer, value) in [
        ("/spec/schema/spec/size", json!("string | enum=\"a,b\"")),
        ("/spec/schema/spec/size", json!("string | validation=\"self != 'x'\"")),
        ("/spec/schema/spec/size", json!("string | immutable=true")),
        ("/spec/schema/spec/size", json!("map[string]string")),
        ("/spec/schema/spec/size", json!("map[string]integer")),
        ("/spec/schema/spec/size", json!("[]string")),
        ("/spec/schema/spec/size", json!("[]string | listType=set")),
        ("/spec/schema/shortNames", json!(["wa", "wb"])),
        ("/spec/schema/shortNames", json!([])),
        ("/spec/schema/metadata", json!({"labels": {"team": "a"}})),
        ("/spec/schema/metadata", json!({})),
        ("/metadata/uid", json!("d-2")),
    ] {
        scene.edit(pointer, value.clone());
        assert_eq!(serve(&server, &scene.definition, &kinds).await, 1, "{pointer} {value}");
    }
    let crd = send(&server, "GET", &path_of(&scene.definition), &Value::Null).await.unwrap();
    assert_eq!(crd["spec"]["names"].get("shortNames"), None);
    assert_eq!(crd["metadata"]["labels"].get("team"), None);
    assert_eq!(crd["metadata"]["labels"]["kro.run/resource-graph-definition-id"], "d-2");
}

#[tokio::test]
async fn behaviour_40_each_edit_of_a_crd_is_undone_with_one_write() {
    let kinds = BuiltIn(builtin::kinds());
    let server = krono_apiserver::Server::in_memory().await.unwrap();
    let scene = Scene::new(&json!({"size": "string"}));
    let path = path_of(&scene.definition);
    serve(&server, &scene.definition, &kinds).await;
    let before = send(&server, "GET", &path, &Value::Null).await.unwrap();
    let schema = "/versions/0/schema/openAPIV3Schema/properties/spec/properties";
    for (pointer, value) in [
        (format!("{schema}/extra"), json!({"type": "string"})),
        (format!("{schema}/size"), json!({"type": "integer", "minimum": 1})),
        ("/names/categories".to_owned(), json!(["all"])),
        ("/versions/0/additionalPrinterColumns".to_owned(), json!([])),
        ("/versions/0/deprecated".to_owned(), json!(true)),
        (
            "/versions/0/subresources/scale".to_owned(),
            json!({"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a"}),
        ),
    ] {
        let mut edited = json!({"spec": before["spec"]});
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        edited["spec"].pointer_mut(parent).unwrap()[key] = value;
        send(&server, "PATCH", &path, &edited).await;
        assert_eq!(serve(&server, &scene.definition, &kinds).await, 1, "{pointer}");
        let after = send(&server, "GET", &path, &Value::Null).await.unwrap();
        assert_eq!(after["spec"], before["spec"], "{pointer}");
    }
}

/// The definitions of kro's test data; none when it is not there, which is an error where `CI=true`.
fn corpus() -> Vec<(PathBuf, Value)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/kro");
    assert!(
        root.is_dir() || std::env::var("CI").as_deref() != Ok("true"),
        "the corpus is missing: {}",
        root.display()
    );
    let mut found = Vec::new();
    let mut pending = vec![root];
    while let Some(path) = pending.pop() {
        if let Ok(entries) = fs::read_dir(&path) {
            pending.extend(entries.map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            let options =
                serde_saphyr::options! { duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins };
            let text = fs::read_to_string(&path).unwrap();
            let documents: Vec<Value> = serde_saphyr::from_multiple_with_options(&text, options).unwrap();
            found.extend(documents.into_iter().map(|it| (path.clone(), it)));
        }
    }
    found.retain(|(_, it)| it["kind"] == "ResourceGraphDefinition" && it["spec"]["schema"].is_object());
    found
}
