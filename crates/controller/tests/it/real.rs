//! A real server that tests have one after the other.

use std::collections::BTreeSet;

use kube::api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams};
use kube::runtime::conditions::is_deleted;
use kube::runtime::wait::await_condition;
use kube::{Api, Client};
use serde_json::{Value, json};

/// What tests make of the kinds that the server has of itself.
const BUILT_IN: [(&str, &str, &str); 13] = [
    ("", "v1", "ConfigMap"),
    ("", "v1", "Secret"),
    ("", "v1", "Service"),
    ("", "v1", "PersistentVolumeClaim"),
    ("apps", "v1", "Deployment"),
    ("batch", "v1", "CronJob"),
    ("batch", "v1", "Job"),
    ("networking.k8s.io", "v1", "Ingress"),
    ("networking.k8s.io", "v1", "NetworkPolicy"),
    ("rbac.authorization.k8s.io", "v1", "RoleBinding"),
    ("", "v1", "ResourceQuota"),
    ("", "v1", "ServiceAccount"),
    ("", "v1", "Namespace"),
];
/// What the server makes by itself.
const ITS_OWN: [&str; 2] = ["kubernetes", "default"];
/// What every controller that starts brings along.
const KRONO: [&str; 3] = [
    "resourcegraphdefinitions.kro.run",
    "resourcegraphdefinitionrevisions.kro.run",
    "resourcegraphinputrevisions.kro.run",
];

/// Takes away what an earlier test left; krono's own kinds stay.
pub(crate) async fn clear(client: &Client) {
    let crds = crds(client).await;
    let leases = ApiResource::from_gvk(&GroupVersionKind::gvk("coordination.k8s.io", "v1", "Lease"));
    for resource in crds.iter().map(defined).chain(built_in()).chain([leases]) {
        remove_all(client, &resource).await;
    }
    for crd in crds.iter().filter(|it| !KRONO.contains(&name(it))) {
        remove(&all(client, &crd_resource()), crd).await;
    }
    remove_events(client).await;
}

/// Every object that tests can see, and its version. Of a kind it is what others than the server say of it.
pub(crate) async fn versions(client: &Client) -> String {
    let crds = crds(client).await;
    let mut lines: Vec<String> = crds.iter().map(|it| format!("{} {}", name(it), said_of(it))).collect();
    for resource in crds.iter().map(defined).chain(built_in()) {
        for object in objects(client, &resource).await {
            let metadata = &object["metadata"];
            let [namespace, uid, version] =
                ["namespace", "uid", "resourceVersion"].map(|it| text(&metadata[it]));
            lines.push(format!("{} {namespace}/{} {uid} {version}", resource.kind, name(&object)));
        }
    }
    lines.join("\n")
}

/// The server itself writes the status of a kind, and may do so late.
fn said_of(crd: &Value) -> String {
    let metadata = &crd["metadata"];
    ["uid", "generation", "labels", "annotations", "ownerReferences", "finalizers"]
        .map(|it| metadata[it].to_string())
        .join(" ")
}

async fn remove_all(client: &Client, resource: &ApiResource) {
    for object in objects(client, resource).await {
        let namespace = text(&object["metadata"]["namespace"]);
        let api = match namespace.as_str() {
            "" => all(client, resource),
            namespace => Api::namespaced_with(client.clone(), namespace, resource),
        };
        if !object["metadata"]["finalizers"].is_null() {
            let release = Patch::Merge(json!({"metadata": {"finalizers": null}}));
            forgive(api.patch(name(&object), &PatchParams::default(), &release).await);
        }
        remove(&api, &object).await;
    }
}

/// Returns when it is gone.
async fn remove(api: &Api<DynamicObject>, object: &Value) {
    let (name, uid) = (name(object), text(&object["metadata"]["uid"]));
    forgive(api.delete(name, &DeleteParams::background()).await);
    await_condition(api.clone(), name, is_deleted(&uid)).await.expect("an end");
}

async fn remove_events(client: &Client) {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("events.k8s.io", "v1", "Event"));
    let events = all(client, &resource).list(&ListParams::default()).await.expect("a list");
    let namespaces: BTreeSet<_> = events.into_iter().filter_map(|it| it.metadata.namespace).collect();
    for namespace in namespaces {
        let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), &namespace, &resource);
        api.delete_collection(&DeleteParams::default(), &ListParams::default()).await.expect("a deletion");
    }
}

/// Who is gone already need not be removed.
fn forgive<T>(answer: kube::Result<T>) {
    match answer {
        Err(kube::Error::Api(status)) if status.code == 404 => {}
        answer => drop(answer.expect("an answer")),
    }
}

/// The objects of a kind, without those of the server; none of a kind that is not served.
async fn objects(client: &Client, resource: &ApiResource) -> Vec<Value> {
    let listed = match all(client, resource).list(&ListParams::default()).await {
        Err(kube::Error::Api(status)) if status.code == 404 => return Vec::new(),
        listed => listed.expect("a list"),
    };
    let is_its_own = |it: &Value| {
        let (name, namespace) = (name(it), text(&it["metadata"]["namespace"]));
        ITS_OWN.contains(&name) || [name, &namespace].iter().any(|it| it.starts_with("kube-"))
    };
    listed.iter().map(value).filter(|it| !is_its_own(it)).collect()
}

async fn crds(client: &Client) -> Vec<Value> {
    let listed = all(client, &crd_resource()).list(&ListParams::default()).await.expect("a list");
    listed.iter().map(value).collect()
}

fn all(client: &Client, resource: &ApiResource) -> Api<DynamicObject> {
    Api::all_with(client.clone(), resource)
}

fn crd_resource() -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition"))
}

fn built_in() -> impl Iterator<Item = ApiResource> {
    BUILT_IN
        .iter()
        .map(|(group, version, kind)| ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind)))
}

/// The resource of a kind, in its first version.
fn defined(crd: &Value) -> ApiResource {
    let spec = &crd["spec"];
    let [group, version, kind, plural] =
        [&spec["group"], &spec["versions"][0]["name"], &spec["names"]["kind"], &spec["names"]["plural"]]
            .map(text);
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(&group, &version, &kind), &plural)
}

/// An object as JSON.
pub(crate) fn value(object: &DynamicObject) -> Value {
    serde_json::to_value(object).expect("an object")
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
