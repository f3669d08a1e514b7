//! The client everybody uses, without a network.

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use krono_apiserver::Server;
use kube::api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::json;

async fn client() -> Client {
    Server::in_memory().await.unwrap().client()
}

#[tokio::test]
async fn a_new_server_has_its_namespaces() {
    let namespaces: Api<Namespace> = Api::all(client().await);
    assert!(namespaces.get("kube-system").await.is_ok());
}

#[tokio::test]
async fn typed_objects() {
    let maps: Api<ConfigMap> = Api::default_namespaced(client().await);
    let map = ConfigMap {
        metadata: ObjectMeta { name: Some("one".to_owned()), ..ObjectMeta::default() },
        data: Some([("a".to_owned(), "b".to_owned())].into()),
        ..ConfigMap::default()
    };
    let created = maps.create(&PostParams::default(), &map).await.unwrap();
    assert_eq!(created.data, map.data);
    let patch = Patch::Merge(json!({"data": {"a": "c"}}));
    let patched = maps.patch("one", &PatchParams::default(), &patch).await.unwrap();
    assert_eq!(patched.data.unwrap()["a"], "c");
    let named = ListParams::default().fields("metadata.name=one");
    assert_eq!(maps.list(&named).await.unwrap().items.len(), 1);
    assert!(maps.list_metadata(&ListParams::default().limit(1)).await.is_ok());
    maps.delete("one", &DeleteParams::default()).await.unwrap();
    assert!(maps.get_opt("one").await.unwrap().is_none());
}
