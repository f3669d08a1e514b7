//! Whose objects are whose, and whose fields.

use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::Event;
use kube::Api;
use kube::api::ListParams;
use serde_json::{Value, json};

use crate::line::Fault;
use crate::world::{World, condition, config_map, definition, message};

const SPEC: &str = "spec: {text: 'string | default=hello'}";

async fn with_an_instance() -> World {
    let world = World::start().await;
    let resource = config_map("one", "text: '${schema.spec.text}', fixed: x", "");
    world.define(&definition("App", SPEC, &resource)).await;
    world.instance("App a", "").await;
    world.active("App a").await;
    world
}

/// The labels or annotations of an object that are not a user's.
fn marks(object: &Value, field: &str) -> Value {
    let all = object["metadata"][field].as_object().cloned().unwrap_or_default();
    all.into_iter().filter(|(key, _)| key.contains('.')).collect()
}

/// Who has a hold on an object's fields, and how.
fn managers(object: &Value) -> Vec<String> {
    let entries = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let word = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_owned();
    let mut managers: Vec<_> =
        entries.iter().map(|it| format!("{} {}", word(it, "manager"), word(it, "operation"))).collect();
    managers.sort();
    managers
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_always_contradicted_corrects_less_often_and_says_so() {
    let world = with_an_instance().await;
    let drift = async || {
        world.merge("ConfigMap a-one", json!({"data": {"text": "theirs"}})).await;
        world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "hello").await;
    };
    for _ in 0..4 {
        drift().await;
    }
    let began = Instant::now();
    drift().await;
    // The pause began a moment before this test saw the last correction.
    assert!(began.elapsed() >= Duration::from_millis(800), "{:?}", began.elapsed());
    world.merge("ConfigMap a-one", json!({"data": {"text": "theirs"}})).await;
    world.quiet().await;
    assert_eq!(world.there("App a").await["status"]["state"], "ACTIVE");
    world.instance("App a", "text: new").await;
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "new").await;
    let told = Api::<Event>::namespaced(world.client.clone(), "default").list(&ListParams::default()).await;
    let told: Vec<_> =
        told.expect("events").into_iter().filter(|it| it.reason.as_deref() == Some("Contested")).collect();
    assert!(
        told.iter().any(|it| it.message.as_deref().is_some_and(|it| it.contains("ConfigMap default/a-one"))),
        "{told:?}"
    );
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_26_children_and_instances_carry_the_marks_of_kro() {
    let world = with_an_instance().await;
    let instance = world.there("App a").await;
    let made = world.there("ResourceGraphDefinition /app").await;
    let set = instance["metadata"]["labels"]["applyset.kubernetes.io/id"].as_str().expect("a set").to_owned();
    assert!(set.starts_with("applyset-") && set.ends_with("-v1"), "{set}");
    let child = world.there("ConfigMap a-one").await;
    assert_eq!(
        marks(&child, "labels"),
        json!({
            "app.kubernetes.io/managed-by": "kro",
            "applyset.kubernetes.io/part-of": set,
            "kro.run/instance-group": "kro.run",
            "kro.run/instance-id": instance["metadata"]["uid"],
            "kro.run/instance-kind": "App",
            "kro.run/instance-name": "a",
            "kro.run/instance-namespace": "default",
            "kro.run/instance-version": "v1alpha1",
            "kro.run/kro-version": "v0.9.4",
            "kro.run/node-id": "one",
            "kro.run/owned": "true",
        })
    );
    assert_eq!(
        marks(&child, "annotations"),
        json!({
            "internal.kro.run/apply-order": "1",
            "kro.run/input-revision": "1",
            "kro.run/instance-name": "a",
            "kro.run/instance-namespace": "default",
            "kro.run/resource-id": "one",
            "kro.run/rgd-revision": "1",
        })
    );
    assert!(child["metadata"].get("ownerReferences").is_none());
    assert_eq!(instance["metadata"]["finalizers"], json!(["kro.run/finalizer"]));
    let labels = marks(&instance, "labels");
    assert_eq!(labels["kro.run/owned"], "true");
    assert_eq!(labels["kro.run/resource-graph-definition-id"], made["metadata"]["uid"]);
    assert_eq!(labels["kro.run/resource-graph-definition-name"], "app");
    let annotations = marks(&instance, "annotations");
    assert_eq!(annotations["applyset.kubernetes.io/tooling"], "kro/v0.9.4");
    assert_eq!(annotations["applyset.kubernetes.io/contains-group-kinds"], "ConfigMap");
    assert_eq!(annotations["applyset.kubernetes.io/additional-namespaces"], "");
    let digest = annotations["internal.kro.run/applyset-inventory-hash"].as_str().expect("a digest");
    assert!(digest.starts_with("sha256:"));
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_27_one_manager_holds_all_and_removed_fields_are_removed() {
    let world = with_an_instance().await;
    let child = world.there("ConfigMap a-one").await;
    assert_eq!(managers(&child), ["kro.run/applyset Apply"]);
    world.define(&definition("App", SPEC, &config_map("one", "text: '${schema.spec.text}'", ""))).await;
    let child = world.eventually("ConfigMap a-one", |it| it["data"].get("fixed").is_none()).await;
    assert_eq!(managers(&child), ["kro.run/applyset Apply"]);
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_27_what_is_taken_over_is_held_by_force() {
    let world = with_an_instance().await;
    world.merge("ConfigMap a-one", json!({"data": {"text": "mine"}})).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "hello").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_28_fields_that_the_template_does_not_have_are_left_to_others() {
    let world = with_an_instance().await;
    let more = json!({"metadata": {"labels": {"mine": "yes"}, "annotations": {"mine": "yes"}}, "data": {"mine": "yes"}});
    world.merge("ConfigMap a-one", more).await;
    world.instance("App a", "text: changed").await;
    let child = world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "changed").await;
    assert_eq!(child["data"]["mine"], "yes");
    assert_eq!(child["metadata"]["labels"]["mine"], "yes");
    assert_eq!(child["metadata"]["annotations"]["mine"], "yes");
    world.settled().await;
}

/// Two instances want one object.
#[tokio::test(flavor = "multi_thread")]
async fn behaviour_29_the_object_of_another_instance_is_refused() {
    let world = World::start().await;
    let shared = "- {id: one, template: {apiVersion: v1, kind: ConfigMap, metadata: {name: shared}, \
                     data: {text: '${schema.metadata.name}'}}}";
    world.define(&definition("App", "spec: {}", shared)).await;
    world.instance("App a", "").await;
    world.active("App a").await;
    let before = world.there("ConfigMap shared").await;
    world.instance("App b", "").await;
    let told = world.state("App b", "ERROR").await;
    let words = message(&told, "ResourcesReady");
    assert!(words.contains("resource belongs to a different ApplySet"), "{words}");
    world.settled().await;
    assert_eq!(world.there("ConfigMap shared").await, before);
    world.delete("App b").await;
    world.gone("App b").await;
    assert_eq!(world.there("ConfigMap shared").await, before);
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_29_an_object_that_is_given_up_goes_to_who_waits_for_it() {
    let world = World::start().await;
    let shared = "- {id: one, template: {apiVersion: v1, kind: ConfigMap, metadata: {name: shared}, \
                     data: {text: '${schema.metadata.name}'}}}";
    world.define(&definition("App", "spec: {}", shared)).await;
    world.instance("App a", "").await;
    world.active("App a").await;
    world.instance("App b", "").await;
    world.state("App b", "ERROR").await;
    world.delete("App a").await;
    world.gone("App a").await;
    world.eventually("ConfigMap shared", |it| it["data"]["text"] == "b").await;
    world.active("App b").await;
    world.settled().await;
}

/// Another tool's set, which krono's caches do not show.
#[tokio::test(flavor = "multi_thread")]
async fn behaviour_29_the_object_of_another_tools_set_is_refused() {
    let world = World::start().await;
    world
        .apply(
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: a-one, labels: \
               {applyset.kubernetes.io/part-of: applyset-other-v1}}, data: {text: theirs}}",
        )
        .await;
    let before = world.there("ConfigMap a-one").await;
    world.define(&definition("App", "spec: {}", &config_map("one", "text: ours", ""))).await;
    world.instance("App a", "").await;
    let told = world.state("App a", "ERROR").await;
    assert!(message(&told, "ResourcesReady").contains("different ApplySet"), "{told:#}");
    world.settled_in_vain().await;
    assert_eq!(world.there("ConfigMap a-one").await, before);
    world.delete("App a").await;
    world.gone("App a").await;
    assert_eq!(world.there("ConfigMap a-one").await, before);
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_29_an_object_of_nobody_is_adopted() {
    let world = World::start().await;
    world
        .apply(
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: a-one}, data: {text: theirs, more: stays}}",
        )
        .await;
    let before = world.there("ConfigMap a-one").await;
    world.define(&definition("App", "spec: {}", &config_map("one", "text: ours", ""))).await;
    world.instance("App a", "").await;
    world.active("App a").await;
    let after = world.there("ConfigMap a-one").await;
    assert_eq!(after["data"], json!({"text": "ours", "more": "stays"}));
    assert_eq!(after["metadata"]["uid"], before["metadata"]["uid"]);
    assert_eq!(after["metadata"]["labels"]["kro.run/owned"], "true");
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_of_the_server_is_told_and_overcome() {
    let world = World::start().await;
    let name =
        "- {id: one, template: {apiVersion: v1, kind: ConfigMap, metadata: {name: '${schema.spec.name}'}}}";
    world.define(&definition("App", "spec: {name: string}", name)).await;
    world.instance("App a", "name: Not_A_Name").await;
    let told = world.state("App a", "ERROR").await;
    assert!(message(&told, "ResourcesReady").contains("Not_A_Name"), "{told:#}");
    assert_eq!(condition(&told, "ResourcesReady")["reason"], "NotReady");
    world.settled_in_vain().await;
    world.instance("App a", "name: good").await;
    world.active("App a").await;
    world.there("ConfigMap good").await;
    world.settled().await;
}

/// An autoscaler in one of its API versions.
fn autoscaler(api_version: &str, metadata: &str) -> String {
    let target = "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, maxReplicas: 3";
    format!(
        "{{apiVersion: autoscaling/{api_version}, kind: HorizontalPodAutoscaler, metadata: {metadata}, spec: {{{target}}}}}"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_30_an_object_is_one_whatever_api_version_shows_it() {
    let world = World::start().await;
    world.apply(&autoscaler("v2", "{name: other}")).await;
    let resources = format!(
        "- {{id: made, template: {}}}\n- {{id: other, externalRef: {{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {{name: other}}}}}}\n",
        autoscaler("v2", "{name: '${schema.metadata.name}-made'}")
    );
    world
        .define(&definition(
            "App",
            SPEC,
            &(resources + &config_map("one", "max: '${string(other.spec.maxReplicas)}'", "")),
        ))
        .await;
    world.instance("App a", "").await;
    world.active("App a").await;
    let made = world.there("HorizontalPodAutoscaler a-made").await;
    world.settled().await;
    let after = world.there("HorizontalPodAutoscaler a-made").await;
    assert_eq!(after["metadata"]["uid"], made["metadata"]["uid"]);
    world.delete("App a").await;
    world.gone("App a").await;
    assert!(world.get("HorizontalPodAutoscaler a-made").await.is_none());
    assert!(world.get("HorizontalPodAutoscaler other").await.is_some());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_20_no_object_is_made_in_two_api_versions() {
    let world = World::start().await;
    let resource = |id: &str, version: &str, name: &str| {
        format!("- {{id: {id}, template: {}}}\n", autoscaler(version, &format!("{{name: {name}}}")))
    };
    // Compiling does not tell that these are the same name.
    let (one, two) = (resource("one", "v1", "same"), resource("two", "v2", "\"${'sa' + 'me'}\""));
    world.define(&definition("App", SPEC, &(one + &two))).await;
    world.instance("App a", "").await;
    let told = world.state("App a", "ERROR").await;
    assert!(
        message(&told, "ResourcesReady").contains("identity collision: default/same is made twice"),
        "{told:#}"
    );
    world.settled().await;
}

/// One definition looks at resources of its own only, the other at all objects of the kind; what the one makes reaches the
/// other late.
#[tokio::test(flavor = "multi_thread")]
async fn behaviour_29_nobody_takes_what_only_others_have_heard_of() {
    let world = World::start().await;
    let named =
        "- {id: one, template: {apiVersion: v1, kind: ConfigMap, metadata: {name: '${schema.spec.name}'}}}\n";
    let outside = "- {id: all, externalRef: {apiVersion: v1, kind: ConfigMap, metadata: {selector: {matchLabels: {group: red}}}}}\n";
    world.define(&definition("Early", "spec: {name: string}", named)).await;
    world.instance("Early a", "name: first").await;
    world.active("Early a").await;
    world.define(&definition("Late", "spec: {name: string}", &(named.to_owned() + outside))).await;
    world.instance("Late a", "name: second").await;
    world.active("Late a").await;
    world.settled().await;
    world.line.break_with(|it| {
        let is_deaf =
            it.contains("/configmaps?") && it.contains("watch=true") && !it.contains("labelSelector");
        is_deaf.then_some(Fault::Refused(500))
    });
    world.line.interrupt_watches();
    world.instance("Early b", "name: same").await;
    world.active("Early b").await;
    let made = world.there("ConfigMap same").await;
    world.instance("Late b", "name: same").await;
    world
        .eventually("Late b", |it| {
            it["metadata"]["annotations"]["applyset.kubernetes.io/contains-group-kinds"] == "ConfigMap"
        })
        .await;
    world.line.mend();
    let told = world.state("Late b", "ERROR").await;
    assert!(message(&told, "ResourcesReady").contains("belongs to a different ApplySet"), "{told:#}");
    assert_eq!(world.there("ConfigMap same").await, made);
    world.settled().await;
}
