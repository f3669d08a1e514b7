//! What operators are built from, in process and over HTTPS: watchers, reflectors, finalizers, controllers, leases, events.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Event as CoreEvent, Secret};
use krono_apiserver::Server;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::events::{Event as Note, EventType, Recorder, Reporter};
use kube::runtime::finalizer::{Event as Finalizing, finalizer};
use kube::runtime::watcher::{self, Event, watcher};
use kube::runtime::{WatchStreamExt, reflector};
use kube::{Api, Client, Resource, ResourceExt};
use kube_lease_manager::LeaseManagerBuilder;
use serde_json::json;

use crate::network::{self, PATIENCE};

/// Runs one story against a server of its own each way.
async fn both_ways<F: Future<Output = ()>>(story: impl Fn(Client) -> F) {
    let near = Server::in_memory().await.unwrap();
    timely(story(near.client())).await;
    let far = network::start().await;
    timely(story(far.client().await)).await;
    far.stop().await;
}

async fn timely<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work).await.unwrap()
}

fn map(name: &str) -> ConfigMap {
    serde_json::from_value(json!({"metadata": {"name": name}})).unwrap()
}

async fn seen(client: Client, config: watcher::Config) -> Vec<String> {
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let config = config.fields("metadata.name!=kube-root-ca.crt");
    maps.create(&PostParams::default(), &map("a")).await.unwrap();
    let mut events = watcher(maps.clone(), config).boxed();
    let mut words = Vec::new();
    while words.len() < 5 {
        let event = events.try_next().await.unwrap().unwrap();
        if matches!(event, Event::InitDone) {
            maps.create(&PostParams::default(), &map("b")).await.unwrap();
            maps.delete("b", &DeleteParams::default()).await.unwrap();
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

const SEEN: [&str; 5] = ["init", "initial a", "done", "apply b", "delete b"];

#[tokio::test]
async fn watchers_list() {
    both_ways(|client| async { assert_eq!(seen(client, watcher::Config::default()).await, SEEN) }).await;
}

#[tokio::test]
async fn watchers_stream() {
    let story = |client| async {
        assert_eq!(seen(client, watcher::Config::default().streaming_lists()).await, SEEN);
    };
    both_ways(story).await;
}

#[tokio::test]
async fn reflectors_keep_up() {
    both_ways(|client| async {
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        let (reader, writer) = reflector::store();
        let watching = watcher(maps.clone(), watcher::Config::default()).reflect(writer).applied_objects();
        let watching = tokio::spawn(watching.for_each(|_| std::future::ready(())));
        reader.wait_until_ready().await.unwrap();
        maps.create(&PostParams::default(), &map("one")).await.unwrap();
        let key = reflector::ObjectRef::new("one").within("default");
        while reader.get(&key).is_none() {
            tokio::task::yield_now().await;
        }
        maps.delete("one", &DeleteParams::default()).await.unwrap();
        while reader.get(&key).is_some() {
            tokio::task::yield_now().await;
        }
        watching.abort();
    })
    .await;
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
    both_ways(|client| async {
        let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
        let secrets: Api<Secret> = Api::default_namespaced(client.clone());
        let wanted = watcher::Config::default().labels("controlled=yes");
        let controller = Controller::new(maps.clone(), wanted)
            .owns(secrets.clone(), watcher::Config::default())
            .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(10)), Arc::new(client))
            .for_each(|_| std::future::ready(()));
        let work = async {
            let mut one = map("one");
            one.labels_mut().insert("controlled".to_owned(), "yes".to_owned());
            maps.create(&PostParams::default(), &one).await.unwrap();
            while secrets.get_opt("one").await.unwrap().is_none() {
                tokio::task::yield_now().await;
            }
            // What is owned is made again when it goes.
            let first = secrets.get("one").await.unwrap().uid();
            secrets.delete("one", &DeleteParams::default()).await.unwrap();
            while secrets.get_opt("one").await.unwrap().is_none_or(|it| it.uid() == first) {
                tokio::task::yield_now().await;
            }
            maps.delete("one", &DeleteParams::default()).await.unwrap();
            while maps.get_opt("one").await.unwrap().is_some()
                || secrets.get_opt("one").await.unwrap().is_some()
            {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            () = controller => panic!("the controller ended"),
            () = work => {}
        }
    })
    .await;
}

/// Takes the lease if nobody has it; the version decides between two who try at once.
async fn acquire(leases: &Api<Lease>, name: &str) -> bool {
    let mut lease = leases.get("leader").await.unwrap();
    let spec = lease.spec.get_or_insert_default();
    if spec.holder_identity.is_some() {
        return false;
    }
    spec.holder_identity = Some(name.to_owned());
    spec.lease_transitions = Some(spec.lease_transitions.unwrap_or(0) + 1);
    match leases.replace("leader", &PostParams::default(), &lease).await {
        Ok(_) => true,
        Err(kube::Error::Api(status)) if status.code == 409 => false,
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn one_of_many_becomes_leader() {
    both_ways(|client| async {
        let leases: Api<Lease> = Api::default_namespaced(client);
        let lease = serde_json::from_value(json!({"metadata": {"name": "leader"}, "spec": {}})).unwrap();
        leases.create(&PostParams::default(), &lease).await.unwrap();
        let names: Vec<String> = (0..10).map(|n| format!("candidate-{n}")).collect();
        let tries = names.iter().map(|name| acquire(&leases, name));
        let leaders = futures_util::future::join_all(tries).await.into_iter().filter(|it| *it).count();
        assert_eq!(leaders, 1);
        let release = Patch::Merge(json!({"spec": {"holderIdentity": null}}));
        leases.patch("leader", &PatchParams::default(), &release).await.unwrap();
        assert!(acquire(&leases, "next").await);
        assert_eq!(leases.get("leader").await.unwrap().spec.unwrap().lease_transitions, Some(2));
    })
    .await;
}

/// The names of those who lead.
fn leading(candidates: &BTreeMap<String, tokio::sync::watch::Receiver<bool>>) -> Vec<String> {
    candidates.iter().filter(|(_, leads)| *leads.borrow()).map(|(name, _)| name.clone()).collect()
}

/// Waits until somebody leads.
async fn leader(candidates: &mut BTreeMap<String, tokio::sync::watch::Receiver<bool>>) -> String {
    let elected = candidates.values_mut().map(|leads| Box::pin(leads.wait_for(|leads| *leads)));
    drop(futures_util::future::select_all(elected).await.0.unwrap());
    let [leader] = leading(candidates).try_into().unwrap();
    leader
}

#[tokio::test]
async fn a_library_elects_one_leader_after_the_other() {
    both_ways(|client| async move {
        let leases: Api<Lease> = Api::default_namespaced(client.clone());
        let mut candidates = BTreeMap::new();
        for number in 0..3 {
            let name = format!("candidate-{number}");
            let builder = LeaseManagerBuilder::new(client.clone(), "elected").with_identity(&name);
            let manager = builder.with_duration(2).with_grace(1).build().await.unwrap();
            candidates.insert(name, manager.watch().await.0);
        }
        let mut led = BTreeSet::new();
        while !candidates.is_empty() {
            let name = leader(&mut candidates).await;
            let lease = leases.get("elected").await.unwrap().spec.unwrap();
            assert_eq!(lease.holder_identity.as_ref(), Some(&name));
            // Whoever nobody listens to any more lets go of the lease.
            candidates.remove(&name);
            assert!(led.insert(name));
        }
    })
    .await;
}

#[tokio::test]
async fn recorded_events_are_told_once_with_a_count() {
    both_ways(|client| async {
        let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
        let about = maps.create(&PostParams::default(), &map("one")).await.unwrap();
        let recorder = Recorder::new(client.clone(), Reporter { controller: "krono".into(), instance: None });
        let note = Note {
            type_: EventType::Normal,
            reason: "Seen".into(),
            note: Some("it is there".into()),
            action: "Look".into(),
            secondary: None,
        };
        for _ in 0..3 {
            recorder.publish(&note, &about.object_ref(&())).await.unwrap();
        }
        let events: Api<CoreEvent> = Api::default_namespaced(client);
        let wanted = ListParams::default().fields("involvedObject.name=one,involvedObject.kind=ConfigMap");
        let found = events.list(&wanted).await.unwrap().items;
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].message.as_deref(), Some("it is there"));
        assert!(found[0].series.as_ref().is_some_and(|it| it.count.is_some_and(|it| it >= 2)), "{found:?}");
    })
    .await;
}
