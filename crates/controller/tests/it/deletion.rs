//! What is no longer wanted.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::line::{Fault, Weather};
use crate::world::{World, condition, config_map, definition};

fn chain() -> String {
    config_map("one", "text: one", "")
        + &config_map("two", "text: '${one.data.text}'", "")
        + &config_map("three", "text: '${two.data.text}'", "")
}

async fn with_a_chain() -> World {
    let world = World::start().await;
    world.define(&definition("App", "spec: {}", &chain())).await;
    world.instance("App a", "").await;
    world.active("App a").await;
    world
}

async fn hold(world: &World, what: &str) {
    world.merge(what, json!({"metadata": {"finalizers": ["acme.io/hold"]}})).await;
}

async fn release(world: &World, what: &str) {
    world.merge(what, json!({"metadata": {"finalizers": null}})).await;
}

fn is_going(object: &Value) -> bool {
    object["metadata"].get("deletionTimestamp").is_some()
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_33_what_depends_goes_before_what_is_depended_on() {
    let world = with_a_chain().await;
    for name in ["one", "two", "three"] {
        hold(&world, &format!("ConfigMap a-{name}")).await;
    }
    world.delete("App a").await;
    for (name, before) in [("three", vec!["one", "two"]), ("two", vec!["one"]), ("one", vec![])] {
        let what = format!("ConfigMap a-{name}");
        world.eventually(&what, is_going).await;
        world.settled().await;
        for other in before {
            assert!(!is_going(&world.there(&format!("ConfigMap a-{other}")).await), "{other} before {name}");
        }
        let told = world.there("App a").await;
        assert_eq!(told["status"]["state"], "DELETING");
        assert_eq!(condition(&told, "ResourcesReady")["reason"], "UnderDeletion");
        release(&world, &what).await;
        world.gone(&what).await;
    }
    world.gone("App a").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_33_what_ends_slowly_goes_before_what_it_depends_on() {
    let world = World::start().await;
    let pod = "- {id: pod, template: {apiVersion: v1, kind: Pod, metadata: {name: '${schema.metadata.name}-pod'}, \
        spec: {nodeName: one, containers: [{name: a, image: '${one.data.text}'}]}}}\n";
    world.define(&definition("App", "spec: {}", &(config_map("one", "text: one", "") + pod))).await;
    world.instance("App a", "").await;
    world.active("App a").await;
    world.delete("App a").await;
    let pod = world.eventually("Pod a-pod", is_going).await;
    assert_eq!(pod["metadata"]["deletionGracePeriodSeconds"], 30);
    world.settled().await;
    assert!(!is_going(&world.there("ConfigMap a-one").await));
    world.end("Pod a-pod").await;
    world.gone("App a").await;
    assert!(world.get("ConfigMap a-one").await.is_none());
    world.settled().await;
}

/// The answer to what makes `a-two` is lost, and from then on no watch tells of config maps; whoever looks for it, or
/// removes something, is told of.
struct Unseen {
    is_made: bool,
    news: watch::Sender<bool>,
}

impl Weather for Unseen {
    fn fault(&mut self, request: &str) -> Option<Fault> {
        let is_search = request.starts_with("GET ") && request.contains("part-of%3Dapplyset");
        if is_search || request.starts_with("DELETE ") {
            self.news.send_replace(true);
        }
        if !(request.starts_with("PATCH ") && request.contains("/a-two?")) {
            return None;
        }
        let was_made = std::mem::replace(&mut self.is_made, true);
        Some(if was_made { Fault::Broken } else { Fault::Severed })
    }

    fn heard(&mut self, event: Bytes) -> Bytes {
        let is_of_map = String::from_utf8_lossy(&event).contains("\"kind\":\"ConfigMap\"");
        if self.is_made && is_of_map { Bytes::new() } else { event }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_33_what_was_made_without_an_answer_is_seen_before_anything_goes() {
    let world = World::start().await;
    world.define(&definition("App", "spec: {}", &chain())).await;
    let (news, mut heard) = watch::channel(false);
    world.line.expose(Unseen { is_made: false, news });
    world.instance("App a", "").await;
    world.eventually("ConfigMap a-two", |_| true).await;
    world.delete("App a").await;
    timeout(Duration::from_mins(1), heard.wait_for(|it| *it)).await.expect("news").expect("news");
    world.line.mend();
    world.line.interrupt_watches();
    world.gone("App a").await;
    let removed: Vec<String> =
        world.line.writes().into_iter().filter(|it| it.starts_with("DELETE ")).collect();
    let [two, one] = ["/a-two", "/a-one"].map(|name| removed.iter().position(|it| it.contains(name)));
    assert!(two.is_some() && two < one, "{removed:#?}");
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_33_deletion_needs_no_graph() {
    let world = with_a_chain().await;
    let broken = config_map("one", "text: '${nobody}'", "");
    world.put(&definition("App", "spec: {}", &broken)).await;
    world.state("ResourceGraphDefinition /app", "Inactive").await;
    world.delete("App a").await;
    world.gone("App a").await;
    assert!(world.names("ConfigMap", "kro.run/owned=true").await.is_empty());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_33_deletion_needs_no_graph_even_after_a_restart() {
    let mut world = with_a_chain().await;
    let broken = config_map("one", "text: '${nobody}'", "");
    world.put(&definition("App", "spec: {}", &broken)).await;
    world.state("ResourceGraphDefinition /app", "Inactive").await;
    world.lose_revisions("app").await;
    world.start_controllers();
    world.instance("App b", "").await;
    let told = world.state("App b", "ERROR").await;
    assert_eq!(condition(&told, "GraphResolved")["reason"], "ResolutionFailed");
    world.delete("App a").await;
    world.gone("App a").await;
    assert!(world.names("ConfigMap", "kro.run/owned=true").await.is_empty());
    world.settled().await;
    world.define(&definition("App", "spec: {}", &chain())).await;
    world.active("App b").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_33_what_has_no_place_in_the_order_goes_last() {
    let world = with_a_chain().await;
    let order = json!({"metadata": {"annotations": {"internal.kro.run/apply-order": null}}});
    let suspend = json!({"metadata": {"annotations": {"kro.run/reconcile": "suspended"}}});
    world.merge("App a", suspend).await;
    world
        .eventually("App a", |it| condition(it, "ResourcesReady")["reason"] == "ReconciliationSuspended")
        .await;
    world.merge("ConfigMap a-three", order).await;
    hold(&world, "ConfigMap a-one").await;
    world.quiet().await;
    world.delete("App a").await;
    world.eventually("ConfigMap a-one", is_going).await;
    world.settled().await;
    assert!(world.get("ConfigMap a-two").await.is_none());
    assert!(!is_going(&world.there("ConfigMap a-three").await));
    release(&world, "ConfigMap a-one").await;
    world.gone("App a").await;
    assert!(world.get("ConfigMap a-three").await.is_none());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_33_an_inventory_that_was_edited_blocks_deletion() {
    let world = with_a_chain().await;
    let kinds = "applyset.kubernetes.io/contains-group-kinds";
    let edit = |value: &str| json!({"metadata": {"annotations": {kinds: value}}});
    let suspend = json!({"metadata": {"annotations": {"kro.run/reconcile": "suspended"}}});
    world.merge("App a", suspend).await;
    world.merge("App a", edit("Secret")).await;
    world.delete("App a").await;
    let told = world.state("App a", "DELETING").await;
    assert!(crate::world::message(&told, "ResourcesReady").starts_with("deletion blocked: "), "{told:#}");
    world.settled().await;
    assert_eq!(world.names("ConfigMap", "kro.run/owned=true").await.len(), 3);
    world.merge("App a", edit("ConfigMap")).await;
    world.gone("App a").await;
    assert!(world.names("ConfigMap", "kro.run/owned=true").await.is_empty());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_30_a_removed_resource_goes_and_the_inventory_shrinks() {
    let world = World::start().await;
    world.apply("{apiVersion: v1, kind: Namespace, metadata: {name: far}}").await;
    let secret =
        "- {id: secret, template: {apiVersion: v1, kind: Secret, metadata: {name: s, namespace: far}}}";
    world.define(&definition("App", "spec: {}", &(chain() + secret))).await;
    world.instance("App a", "").await;
    let instance = world.active("App a").await;
    let annotation = |object: &Value, name: &str| {
        object["metadata"]["annotations"][format!("applyset.kubernetes.io/{name}")].clone()
    };
    assert_eq!(annotation(&instance, "contains-group-kinds"), "ConfigMap,Secret");
    assert_eq!(annotation(&instance, "additional-namespaces"), "far");
    world.settled().await;
    world.define(&definition("App", "spec: {}", &chain())).await;
    world.gone("Secret far/s").await;
    world.eventually("App a", |it| annotation(it, "contains-group-kinds") == "ConfigMap").await;
    world.settled().await;
    assert_eq!(annotation(&world.there("App a").await, "additional-namespaces"), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_30_nothing_is_pruned_while_something_fails() {
    let world = World::start().await;
    let schema = "spec: {zero: 'integer | default=1'}";
    let failing = config_map("fails", "text: '${string(1 / schema.spec.zero)}'", "");
    world.define(&definition("App", schema, &(chain() + &failing))).await;
    world.instance("App a", "").await;
    world.active("App a").await;
    world.instance("App a", "zero: 0").await;
    world.state("App a", "ERROR").await;
    world.put(&definition("App", schema, &failing)).await;
    world.settled().await;
    assert_eq!(world.names("ConfigMap", "kro.run/owned=true").await.len(), 4);
    world.instance("App a", "zero: 1").await;
    world.gone("ConfigMap a-one").await;
    world.active("App a").await;
    world.settled().await;
    assert_eq!(world.names("ConfigMap", "kro.run/owned=true").await, ["a-fails"]);
}

/// Somebody replaces an object while the controllers see nothing of it: what they delete is the one they saw, which is gone.
#[tokio::test(flavor = "multi_thread")]
async fn behaviour_30_an_object_that_took_the_name_of_another_is_not_deleted() {
    let world = World::start().await;
    let resources = config_map("one", "text: x", "")
        + &config_map("two", "text: x", "includeWhen: ['${schema.spec.two}']");
    world.define(&definition("App", "spec: {two: boolean}", &resources)).await;
    world.instance("App a", "two: true").await;
    world.active("App a").await;
    world.settled().await;
    let deletions = watch::Sender::new(0);
    let mut deleted = deletions.subscribe();
    world.line.break_with(move |request| {
        let is_deletion = request.starts_with("DELETE") && request.contains("/configmaps/a-two");
        deletions.send_modify(|count| *count += usize::from(is_deletion));
        let is_watch = request.contains("/configmaps?") && request.contains("watch=true");
        is_watch.then_some(Fault::Refused(500))
    });
    world.line.interrupt_watches();
    world.delete("ConfigMap a-two").await;
    world.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: a-two}, data: {text: mine}}").await;
    let mine = world.there("ConfigMap a-two").await;
    world.instance("App a", "two: false").await;
    // Who asks a second time has heard the answer to the first.
    timeout(Duration::from_secs(30), deleted.wait_for(|it| *it >= 2))
        .await
        .expect("deletions")
        .expect("a line");
    assert_eq!(world.there("ConfigMap a-two").await, mine);
    world.line.mend();
    world.active("App a").await;
    world.settled().await;
    assert_eq!(world.there("ConfigMap a-two").await, mine);
    assert_eq!(world.names("ConfigMap", "kro.run/owned=true").await, ["a-one"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_31_a_sibling_that_is_not_ready_does_not_block_pruning() {
    let world = World::start().await;
    let slow = config_map("slow", "text: x", "readyWhen: ['${slow.data.?done.orValue(\"no\") == \"yes\"}']");
    world.define(&definition("App", "spec: {}", &(slow.clone() + &chain()))).await;
    world.instance("App a", "").await;
    world.there("ConfigMap a-three").await;
    world.state("App a", "IN_PROGRESS").await;
    world.define(&definition("App", "spec: {}", &slow)).await;
    world.gone("ConfigMap a-one").await;
    world.settled().await;
    assert_eq!(world.names("ConfigMap", "kro.run/owned=true").await, ["a-slow"]);
    assert_eq!(world.there("App a").await["status"]["state"], "IN_PROGRESS");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_to_be_retained_stays_and_belongs_to_nobody() {
    let world = World::start().await;
    let resources =
        config_map("kept", "text: x", "deletionPolicy: Retain") + &config_map("gone", "text: x", "");
    world.define(&definition("App", "spec: {}", &resources)).await;
    world.instance("App a", "").await;
    world.active("App a").await;
    world.settled().await;
    world.delete("App a").await;
    world.gone("App a").await;
    assert!(world.get("ConfigMap a-gone").await.is_none());
    let kept = world.there("ConfigMap a-kept").await;
    assert_eq!(kept["data"]["text"], "x");
    let labels = kept["metadata"]["labels"].as_object().cloned().unwrap_or_default();
    assert!(labels.is_empty(), "{labels:?}");
    world.settled().await;
    world.instance("App a", "").await;
    world.active("App a").await;
    world.settled().await;
    let again = world.there("ConfigMap a-kept").await;
    assert_eq!(again["metadata"]["uid"], kept["metadata"]["uid"]);
    assert!(kept["metadata"]["annotations"]["krono.dev/retained-from"].is_string());
    assert!(again["metadata"]["annotations"]["krono.dev/retained-from"].is_null());
}

#[tokio::test(flavor = "multi_thread")]
async fn v25_what_a_definition_no_longer_makes_and_goes_on_referring_to_stays() {
    for policy in ["deletionPolicy: Retain", ""] {
        let world = World::start().await;
        let copy = config_map("copy", "text: '${one.data.text}'", "");
        let made = config_map("one", "text: x", policy) + &copy;
        world.define(&definition("App", "spec: {}", &made)).await;
        world.instance("App a", "").await;
        world.active("App a").await;
        let before = world.there("ConfigMap a-one").await;
        let name = "${schema.metadata.name}-one";
        let referred = format!(
            "- {{id: one, externalRef: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: '{name}'}}}}}}\n{copy}"
        );
        world.define(&definition("App", "spec: {}", &referred)).await;
        let is_free = |it: &Value| it["metadata"]["labels"].as_object().is_none_or(serde_json::Map::is_empty);
        let after = world.eventually("ConfigMap a-one", is_free).await;
        assert_eq!(after["metadata"]["uid"], before["metadata"]["uid"], "{policy}");
        world.settled().await;
        world.active("App a").await;
        world.merge("ConfigMap a-one", json!({"data": {"text": "theirs"}})).await;
        world.eventually("ConfigMap a-copy", |it| it["data"]["text"] == "theirs").await;
        world.settled().await;
        world.delete("App a").await;
        world.gone("App a").await;
        assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], "theirs", "{policy}");
        world.settled().await;
    }
}

/// A policy is no content: nobody issues a revision for it, and it counts at once.
#[tokio::test(flavor = "multi_thread")]
async fn v25_the_policy_of_the_definition_as_it_is_wins() {
    let world = World::start().await;
    let with = |policy: &str, text: &str| {
        let one = config_map("one", &format!("text: {text}"), policy);
        definition("App", "spec: {}", &(one + &config_map("two", "text: x", "")))
    };
    world.define(&with("", "first")).await;
    for name in ["a", "b", "c"] {
        world.instance(&format!("App {name}"), "").await;
        world.active(&format!("App {name}")).await;
    }
    // One that is left alone is not written to, and one is at an older revision.
    world.annotate("App b", "kro.run/reconcile", Some("suspended")).await;
    world.annotate("App c", "kro.run/rgd-revision", Some("1")).await;
    world.define(&with("", "second")).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "second").await;
    world.quiet().await;
    let policy = |object: &Value| object["metadata"]["annotations"]["krono.dev/deletion-policy"].clone();
    world.define(&with("deletionPolicy: Retain", "second")).await;
    for name in ["a-one", "c-one"] {
        world.eventually(&format!("ConfigMap {name}"), |it| policy(it) == "Retain").await;
    }
    world.settled().await;
    assert_eq!(policy(&world.there("ConfigMap b-one").await), Value::Null);
    assert_eq!(world.names("ResourceGraphDefinitionRevision", "kro.run/rgd-name=app").await.len(), 2);
    for name in ["a", "b", "c"] {
        world.delete(&format!("App {name}")).await;
        world.gone(&format!("App {name}")).await;
        assert!(world.get(&format!("ConfigMap {name}-two")).await.is_none());
        let kept = world.there(&format!("ConfigMap {name}-one")).await;
        assert!(kept["metadata"].get("deletionTimestamp").is_none(), "{kept:#}");
    }
    world.settled().await;
}
