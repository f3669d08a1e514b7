//! What operators are built from: watchers, finalizers and controllers of `kube-runtime`.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use krono_apiserver::Server;
use kube::api::{DeleteParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::finalizer::{Event as Finalizing, finalizer};
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, Resource, ResourceExt};
use serde_json::json;

const PATIENCE: Duration = Duration::from_secs(20);

fn secret(name: &str) -> Secret {
    serde_json::from_value(json!({"metadata": {"name": name}})).unwrap()
}

fn map(name: &str) -> ConfigMap {
    serde_json::from_value(json!({"metadata": {"name": name}})).unwrap()
}

async fn seen(config: watcher::Config) -> Vec<String> {
    let server = Server::in_memory().await.unwrap();
    let secrets: Api<Secret> = Api::default_namespaced(server.client());
    secrets.create(&PostParams::default(), &secret("a")).await.unwrap();
    let mut events = watcher(secrets.clone(), config).boxed();
    let mut words = Vec::new();
    while words.len() < 5 {
        let event = tokio::time::timeout(PATIENCE, events.try_next()).await.unwrap().unwrap().unwrap();
        if matches!(event, Event::InitDone) {
            secrets.create(&PostParams::default(), &secret("b")).await.unwrap();
            secrets.delete("b", &DeleteParams::default()).await.unwrap();
        }
        words.push(match event {
            Event::Init => "init".to_owned(),
            Event::InitApply(it) => format!("initial {}", it.name_any()),
            Event::InitDone => "done".to_owned(),
            Event::Apply(it) => format!("apply {}", it.name_any()),
            Event::Delete(it) => format!("delete {}", it.name_any()),
        });
    }
    words
}

#[tokio::test]
async fn watchers_list_or_stream() {
    let expect = ["init", "initial a", "done", "apply b", "delete b"];
    assert_eq!(seen(watcher::Config::default()).await, expect);
    assert_eq!(seen(watcher::Config::default().streaming_lists()).await, expect);
}

/// Gives every map a secret of its own, and takes leave of maps that go.
async fn reconcile(
    map: Arc<ConfigMap>,
    client: Arc<Client>,
) -> Result<Action, kube::runtime::finalizer::Error<kube::Error>> {
    let maps: Api<ConfigMap> = Api::default_namespaced((*client).clone());
    let secrets: Api<Secret> = Api::default_namespaced((*client).clone());
    finalizer(&maps, "krono.dev/cleanup", map, |event| async move {
        if let Finalizing::Apply(map) = event {
            let mut secret = Secret::default();
            secret.metadata.name = Some(map.name_any());
            secret.metadata.owner_references = map.controller_owner_ref(&()).map(|owner| vec![owner]);
            match secrets.create(&PostParams::default(), &secret).await {
                Ok(_) => {}
                Err(kube::Error::Api(status)) if status.code == 409 => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Action::await_change())
    })
    .await
}

#[tokio::test]
async fn a_controller_owns_and_cleans_up() {
    let client = Server::in_memory().await.unwrap().client();
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let secrets: Api<Secret> = Api::default_namespaced(client.clone());
    let controller = Controller::new(maps.clone(), watcher::Config::default())
        .owns(secrets.clone(), watcher::Config::default())
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(10)), Arc::new(client))
        .for_each(|_| std::future::ready(()));
    let work = async {
        maps.create(&PostParams::default(), &map("one")).await.unwrap();
        while secrets.get_opt("one").await.unwrap().is_none() {
            tokio::task::yield_now().await;
        }
        maps.delete("one", &DeleteParams::default()).await.unwrap();
        while maps.get_opt("one").await.unwrap().is_some() || secrets.get_opt("one").await.unwrap().is_some()
        {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = controller => panic!("the controller ended"),
        done = tokio::time::timeout(PATIENCE, work) => done.unwrap(),
    }
}
