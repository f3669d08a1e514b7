//! What kro left is taken over.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::line::Fault;
use crate::revisions::{APP, app, edit, numbers, revision, revisions, started, text_is};
use crate::world::{World, condition, message};

const GRAPH_REVISIONS: &str = "CustomResourceDefinition /graphrevisions.internal.kro.run";

fn graph_revisions_crd() -> Value {
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "graphrevisions.internal.kro.run"},
        "spec": {
            "group": "internal.kro.run", "scope": "Cluster",
            "names": {"plural": "graphrevisions", "singular": "graphrevision", "kind": "GraphRevision", "listKind": "GraphRevisionList"},
            "versions": [{"name": "v1alpha1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": open}}}}],
        },
    })
}

fn graph_revision(number: u64, definition: &Value) -> Value {
    json!({
        "apiVersion": "internal.kro.run/v1alpha1", "kind": "GraphRevision",
        "metadata": {
            "name": format!("app-r{number:05}"), "namespace": "",
            "labels": {"kro.run/owned": "true", "kro.run/resource-graph-definition-name": "app"},
        },
        "spec": {"revision": number, "snapshot": {"name": "app", "generation": number, "spec": definition["spec"]}},
    })
}

async fn install(world: &World) {
    world.put(&graph_revisions_crd()).await;
    world.eventually(GRAPH_REVISIONS, |it| condition(it, "Established")["status"] == "True").await;
}

/// An instance whose definition has revisions of kro, up to what it is, and none of krono.
async fn left_by_kro() -> World {
    let mut world = started().await;
    world.lose_revisions("app").await;
    install(&world).await;
    for (number, text) in [(3, "zero"), (4, "half"), (5, "one")] {
        world.put(&graph_revision(number, &app(text))).await;
    }
    world
}

const TAKEN_OVER: [&str; 3] = ["app-rev-3", "app-rev-4", "app-rev-5"];

#[tokio::test(flavor = "multi_thread")]
async fn v45_revisions_of_kro_keep_their_numbers() {
    let mut world = left_by_kro().await;
    let made = world.there("ConfigMap a-one").await;
    world.start_controllers();
    let told = world.eventually(APP, |it| it["status"]["currentRevision"] == 5).await;
    assert_eq!(numbers(&told), "5 of 5");
    world.settled().await;
    assert_eq!(revisions(&world).await, TAKEN_OVER);
    let newest = revision(&world, 5).await;
    assert_eq!(newest["spec"]["author"]["manager"], "kro");
    assert_eq!(newest["metadata"]["finalizers"], json!(["kro.run/finalizer"]));
    assert!(newest["spec"]["interface"]["kinds"]["v1/ConfigMap"].is_object(), "{newest:#}");
    assert_eq!(world.there("ConfigMap a-one").await, made);
    let events = world.told().await;
    let expected = "Normal RevisionsTakenOver: took over 3 revisions of kro, the newest is 5";
    assert!(events.iter().any(|it| it == expected), "{events:#?}");
    world.start_controllers();
    world.settled().await;
    assert_eq!(revisions(&world).await, TAKEN_OVER);
}

#[tokio::test(flavor = "multi_thread")]
async fn v45_what_kro_knew_can_be_restored_and_numbers_go_on() {
    let mut world = left_by_kro().await;
    world.start_controllers();
    world.eventually(APP, |it| numbers(it) == "5 of 5").await;
    edit(&world, &app("two")).await;
    world.eventually("ConfigMap a-one", text_is("two")).await;
    assert_eq!(revisions(&world).await, ["app-rev-3", "app-rev-4", "app-rev-5", "app-rev-6"]);
    world.annotate(APP, "kro.run/rollback-to-revision", Some("3")).await;
    world.eventually("ConfigMap a-one", text_is("zero")).await;
    assert_eq!(revision(&world, 7).await["spec"]["restoredFrom"], 3);
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v45_a_takeover_that_was_interrupted_goes_on() {
    for last in [Fault::Lost, Fault::Unanswered] {
        for created in 0..3 {
            let mut world = left_by_kro().await;
            world.start_controllers();
            let mut left = created;
            world.line.break_with(move |request| {
                if !request.starts_with("POST") || !request.contains("resourcegraphdefinitionrevisions") {
                    return None;
                }
                left -= 1;
                match left {
                    0.. => None,
                    -1 => Some(last),
                    _ => Some(Fault::Lost),
                }
            });
            let there = format!("ResourceGraphDefinitionRevision app-rev-{}", 2 + created);
            if created > 0 {
                world.there(&there).await;
            }
            world.start_controllers();
            world.eventually(APP, |it| numbers(it) == "5 of 5").await;
            world.settled().await;
            assert_eq!(revisions(&world).await, TAKEN_OVER, "{last:?} after {created}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v45_what_kro_issued_meanwhile_comes_when_its_kind_comes() {
    let mut world = started().await;
    world.kill_controllers();
    world.put_by_hand(&app("two")).await;
    install(&world).await;
    world.put(&graph_revision(1, &app("zero"))).await;
    world.put(&graph_revision(7, &app("two"))).await;
    world.start_controllers();
    world.eventually(APP, |it| numbers(it) == "7 of 7").await;
    world.settled().await;
    assert_eq!(revisions(&world).await, ["app-rev-1", "app-rev-7"]);
    assert_eq!(revision(&world, 1).await["spec"]["author"]["manager"], "kubectl");
}

#[tokio::test(flavor = "multi_thread")]
async fn v45_what_makes_no_graph_any_longer_is_taken_over_and_cannot_be_served() {
    let mut world = left_by_kro().await;
    let mut broken = app("zero");
    broken["spec"]["resources"][0]["template"]["kind"] = json!("Gone");
    world.put(&graph_revision(2, &broken)).await;
    world.start_controllers();
    world.eventually(APP, |it| numbers(it) == "5 of 5").await;
    world.annotate(APP, "kro.run/rollback-to-revision", Some("2")).await;
    let told = world.eventually(APP, |it| condition(it, "RollbackRefused")["status"] == "True").await;
    assert!(message(&told, "RollbackRefused").contains("revision 2 of app failed: "), "{told:#}");
    world.settled().await;
    assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], "one");
}

#[tokio::test(flavor = "multi_thread")]
async fn v45_a_cluster_without_kro_is_asked_once() {
    let mut world = started().await;
    world.start_controllers();
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    world.line.break_with(move |request| {
        counter.fetch_add(usize::from(request.contains("/internal.kro.run")), Ordering::SeqCst);
        None
    });
    for text in ["two", "three", "four"] {
        edit(&world, &app(text)).await;
    }
    world.settled().await;
    assert!(asked.load(Ordering::SeqCst) <= 1, "{asked:?}");
    // It is asked again when the kind is there.
    install(&world).await;
    world.put(&graph_revision(9, &app("four"))).await;
    edit(&world, &app("five")).await;
    world.eventually(APP, |it| numbers(it) == "10 of 10").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v45_revisions_that_were_handed_back_are_held_again() {
    const REVISION: &str = "ResourceGraphDefinitionRevision app-rev-1";
    let mut world = started().await;
    world.kill_controllers();
    world.merge(REVISION, json!({"metadata": {"finalizers": null}})).await;
    world.start_controllers();
    world.eventually(REVISION, |it| it["metadata"]["finalizers"] == json!(["kro.run/finalizer"])).await;
    world.settled().await;
}
