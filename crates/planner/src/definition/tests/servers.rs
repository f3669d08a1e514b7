//! Plans carried out on the embedded server: what is written is what is wanted, and nothing is written twice.

use std::collections::BTreeSet;
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
        Some(KnownKind { schema, namespaced: found.scope == Scope::Namespaced })
    }
}

async fn send(server: &krono_apiserver::Server, method: &str, path: &str, body: &Value) -> Value {
    let content_type = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let request = Request::builder().method(method).uri(path).header("content-type", content_type);
    let request = request.body(Full::from(body.to_string())).unwrap();
    let bytes = server.handle(request).await.into_body().collect().await.unwrap().to_bytes();
    let answer: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(answer["kind"], "CustomResourceDefinition", "{answer}");
    answer
}

/// Plans for `definition`, and carries out what concerns the CRD, until there is nothing left to do.
async fn serve(server: &krono_apiserver::Server, definition: &Value, kinds: &BuiltIn) -> usize {
    let graph = compile(definition, kinds, Options::default()).unwrap();
    let path = format!("{CRDS}/{}", crd_name(definition).unwrap());
    let mut live = None;
    for writes in 0..5 {
        let planned = plan(&World {
            definition,
            compiled: Ok(&graph),
            crd: live.as_ref(),
            served: true,
            serving: Serving::Nothing,
            instances: Instances::default(),
            failure: None,
            allow_crd_deletion: false,
            now: NOW,
        });
        match planned.actions.as_slice() {
            [Action::CreateCrd(crd)] => send(server, "POST", CRDS, crd).await,
            [Action::PatchCrd(change)] => send(server, "PATCH", &path, change).await,
            [Action::Serve] => return writes,
            _ => panic!("{planned:?}"),
        };
        live = Some(send(server, "GET", &path, &Value::Null).await);
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
