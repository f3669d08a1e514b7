//! What is served, told to clients: group lists, resource lists and everything in one document.

use serde_json::{Value, json};

use crate::builtin::{self, Verbs};
use crate::kind::Scope;
use crate::registry::Registry;
use crate::resource::{Resource, api_version};

const VERBS: [&str; 8] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const CUSTOM_VERBS: [&str; 8] =
    ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const PART_VERBS: [&str; 3] = ["get", "patch", "update"];

fn verbs(resource: &Resource) -> &'static [&'static str] {
    let kind = &resource.kind;
    match builtin::verbs(&kind.group, &kind.plural) {
        Some(Verbs::Create) => &["create"],
        Some(Verbs::Read) => &["get", "list"],
        Some(Verbs::All) if &*kind.kind == "Namespace" => {
            &["create", "delete", "get", "list", "patch", "update", "watch"]
        }
        Some(Verbs::All) => &VERBS,
        None => &CUSTOM_VERBS,
    }
}

/// Whether there are objects in the store.
fn is_stored(resource: &Resource) -> bool {
    let kind = &resource.kind;
    !matches!(builtin::verbs(&kind.group, &kind.plural), Some(Verbs::Create | Verbs::Read))
}

/// `/api`.
pub(crate) fn core_versions() -> Value {
    json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []})
}

/// `/apis`.
pub(crate) fn groups(registry: &Registry) -> Value {
    let groups = registry.groups();
    let groups = groups.iter().filter(|(group, _)| !group.is_empty());
    let groups: Vec<Value> = groups.map(|(group, versions)| group_value(group, versions, false)).collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// `/apis/{group}`.
pub(crate) fn group(registry: &Registry, name: &str) -> Option<Value> {
    let groups = registry.groups();
    let (group, versions) = groups.iter().find(|(group, _)| **group == *name && !name.is_empty())?;
    Some(group_value(group, versions, true))
}

fn group_value(group: &str, versions: &[std::sync::Arc<str>], whole: bool) -> Value {
    let version = |version: &std::sync::Arc<str>| json!({"groupVersion": api_version(group, version), "version": &**version});
    let all: Vec<Value> = versions.iter().map(version).collect();
    let mut value = json!({"name": group, "versions": all, "preferredVersion": all.first()});
    if whole {
        value["kind"] = "APIGroup".into();
        value["apiVersion"] = "v1".into();
    }
    value
}

/// `/api/v1` and `/apis/{group}/{version}`.
pub(crate) fn resources(registry: &Registry, group: &str, version: &str) -> Option<Value> {
    let kinds: Vec<Value> = registry.in_version(group, version).flat_map(|it| entries(it)).collect();
    (!kinds.is_empty()).then(|| {
        json!({
            "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api_version(group, version),
            "resources": kinds,
        })
    })
}

fn entries(resource: &Resource) -> Vec<Value> {
    let kind = &resource.kind;
    let namespaced = kind.scope == Scope::Namespaced;
    let mut main = json!({
        "name": &*kind.plural, "singularName": &*kind.singular, "namespaced": namespaced, "kind": &*kind.kind,
        "verbs": verbs(resource),
    });
    if is_stored(resource) {
        main["storageVersionHash"] = storage_hash(resource).into();
    }
    if !kind.short_names.is_empty() {
        main["shortNames"] = texts(&kind.short_names);
    }
    if !kind.categories.is_empty() {
        main["categories"] = texts(&kind.categories);
    }
    let part = |name: &str, part_kind: &str| {
        json!({
            "name": format!("{}/{name}", kind.plural), "singularName": "", "namespaced": namespaced,
            "kind": part_kind, "verbs": PART_VERBS,
        })
    };
    let mut entries = vec![main];
    if kind.scale.is_some() {
        let mut scale = part("scale", "Scale");
        scale["group"] = "autoscaling".into();
        scale["version"] = "v1".into();
        entries.push(scale);
    }
    if kind.has_status {
        entries.push(part("status", &kind.kind));
    }
    if resource.is_custom() {
        // The real server lists those of definitions the other way round.
        entries[1..].reverse();
    }
    entries
}

fn texts(list: &[std::sync::Arc<str>]) -> Value {
    list.iter().map(|text| Value::from(&**text)).collect()
}

fn storage_hash(resource: &Resource) -> String {
    use base64::Engine;
    use sha2::{Digest, Sha256};
    let kind = &resource.kind;
    // The core group has no name, but its slash counts.
    let slash = if resource.storage_api_version.contains('/') { "" } else { "/" };
    let digest = Sha256::digest(format!("{slash}{}/{}", resource.storage_api_version, kind.kind));
    base64::engine::general_purpose::STANDARD.encode(&digest[..8])
}

/// `/api` and `/apis` in one document each.
pub(crate) fn aggregated(registry: &Registry, core: bool) -> Value {
    let groups = registry.groups();
    let groups = groups.iter().filter(|(group, _)| group.is_empty() == core);
    let items: Vec<Value> = groups
        .map(|(group, versions)| {
            let versions: Vec<Value> =
                versions.iter().map(|version| aggregated_version(registry, group, version)).collect();
            let metadata = if core { json!({}) } else { json!({ "name": &**group }) };
            json!({"metadata": metadata, "versions": versions})
        })
        .collect();
    json!({
        "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items,
    })
}

fn aggregated_version(registry: &Registry, group: &str, version: &str) -> Value {
    let resources: Vec<Value> =
        registry.in_version(group, version).map(|it| aggregated_resource(it, group, version)).collect();
    json!({"version": version, "resources": resources, "freshness": "Current"})
}

fn aggregated_resource(resource: &Resource, group: &str, version: &str) -> Value {
    let kind = &resource.kind;
    let scope = match kind.scope {
        Scope::Namespaced => "Namespaced",
        Scope::Cluster => "Cluster",
    };
    let response =
        |kind: &str, group: &str, version: &str| json!({"group": group, "version": version, "kind": kind});
    let mut value = json!({
        "resource": &*kind.plural, "responseKind": response(&kind.kind, group, version), "scope": scope,
        "singularResource": &*kind.singular, "verbs": verbs(resource),
    });
    if !kind.short_names.is_empty() {
        value["shortNames"] = texts(&kind.short_names);
    }
    if !kind.categories.is_empty() {
        value["categories"] = texts(&kind.categories);
    }
    let mut parts = Vec::new();
    if kind.has_status {
        let response = response(&kind.kind, group, version);
        parts.push(json!({"subresource": "status", "responseKind": response, "verbs": PART_VERBS}));
    }
    if kind.scale.is_some() {
        let response = response("Scale", "autoscaling", "v1");
        parts.push(json!({"subresource": "scale", "responseKind": response, "verbs": PART_VERBS}));
    }
    if !parts.is_empty() {
        value["subresources"] = parts.into();
    }
    value
}
