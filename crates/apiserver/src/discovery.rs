//! What is served, told to clients: group lists, resource lists and everything in one document.

use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::builtin::{self, Verbs};
use crate::kind::Scope;
use crate::registry::Registry;
use crate::resource::{Resource, api_version};

const VERBS: [&str; 8] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const CUSTOM_VERBS: [&str; 8] =
    ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const PART_VERBS: [&str; 3] = ["get", "patch", "update"];

/// `/api`; clients everywhere may use the address that the server is known by.
pub(crate) fn core_versions(server: Option<SocketAddr>) -> Value {
    let address =
        |server: SocketAddr| json!({"clientCIDR": "0.0.0.0/0", "serverAddress": server.to_string()});
    let addresses: Vec<Value> = server.into_iter().map(address).collect();
    json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": addresses})
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
    let mut found: Vec<_> = registry.in_version(group, version).collect();
    found.sort_by(|left, right| left.kind.plural.cmp(&right.kind.plural));
    let kinds: Vec<Value> = found.into_iter().flat_map(|it| entries(it)).collect();
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
    add_names(&mut main, resource);
    let part = |part: &Part<'_>| {
        let mut entry = json!({
            "name": format!("{}/{}", kind.plural, part.name), "singularName": "", "namespaced": namespaced,
            "kind": part.kind, "verbs": part.verbs,
        });
        if let Some((group, version)) = part.elsewhere {
            entry["group"] = group.into();
            entry["version"] = version.into();
        }
        entry
    };
    std::iter::once(main).chain(parts(resource).iter().map(part)).collect()
}

fn add_names(entry: &mut Value, resource: &Resource) {
    let kind = &resource.kind;
    if !kind.short_names.is_empty() {
        entry["shortNames"] = texts(&kind.short_names);
    }
    if !kind.categories.is_empty() {
        entry["categories"] = texts(&kind.categories);
    }
}

/// What can be done with objects; custom ones have their own order.
fn verbs(resource: &Resource) -> Vec<&'static str> {
    let kind = &resource.kind;
    if resource.is_custom() {
        return CUSTOM_VERBS.to_vec();
    }
    match builtin::verbs(&kind.group, &kind.plural) {
        Some(Verbs::Create) => vec!["create"],
        Some(Verbs::Read) => vec!["get", "list"],
        Some(Verbs::All) | None => {
            let is_there = |verb: &&str| *verb != "deletecollection" || &*kind.kind != "Namespace";
            VERBS.into_iter().filter(is_there).collect()
        }
    }
}

fn is_stored(resource: &Resource) -> bool {
    resource.is_custom() || builtin::verbs(&resource.kind.group, &resource.kind.plural) == Some(Verbs::All)
}

/// A part of an object with a path of its own.
struct Part<'r> {
    name: &'r str,
    kind: &'r str,
    elsewhere: Option<(&'r str, &'r str)>,
    verbs: &'r [&'r str],
}

/// The parts of a kind; those of built-in kinds by name.
fn parts(resource: &Resource) -> Vec<Part<'_>> {
    let kind = &resource.kind;
    let own = if resource.is_custom() { &[] } else { builtin::parts(&kind.group, &kind.kind) };
    let own = own.iter().map(|part| {
        let builtin::Part { name, kind, elsewhere, verbs } = *part;
        Part { name, kind, elsewhere, verbs }
    });
    let status = Part { name: "status", kind: &kind.kind, elsewhere: None, verbs: &PART_VERBS };
    let scale =
        Part { name: "scale", kind: "Scale", elsewhere: Some(("autoscaling", "v1")), verbs: &PART_VERBS };
    let status = kind.has_status.then_some(status);
    let scale = kind.scale.as_ref().map(|_| scale);
    let mut parts: Vec<Part<'_>> = own.chain(status).chain(scale).collect();
    if !resource.is_custom() {
        parts.sort_by_key(|part| part.name);
    }
    parts
}

fn texts(list: &[std::sync::Arc<str>]) -> Value {
    list.iter().map(|text| Value::from(&**text)).collect()
}

fn storage_hash(resource: &Resource) -> String {
    use base64::Engine;
    use sha2::{Digest, Sha256};
    let kind = &resource.kind;
    let storage = match &*kind.kind {
        // The real server stores these in older versions.
        "CustomResourceDefinition" if !resource.is_custom() => "apiextensions.k8s.io/v1beta1",
        "VolumeAttributesClass" if !resource.is_custom() => "storage.k8s.io/v1beta1",
        _ => resource.storage_api_version.as_str(),
    };
    let slash = if storage.contains('/') { "" } else { "/" };
    let digest = Sha256::digest(format!("{slash}{storage}/{}", kind.kind));
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
    // Built-in kinds leave out the group and version they are listed under.
    let here = if resource.is_custom() { (group, version) } else { ("", "") };
    let response = |kind: &str, (group, version): (&str, &str)| json!({"group": group, "version": version, "kind": kind});
    let mut value = json!({
        "resource": &*kind.plural, "responseKind": response(&kind.kind, here), "scope": scope,
        "singularResource": &*kind.singular, "verbs": verbs(resource),
    });
    add_names(&mut value, resource);
    let part = |part: &Part<'_>| {
        let response = response(part.kind, part.elsewhere.unwrap_or(here));
        json!({"subresource": part.name, "responseKind": response, "verbs": part.verbs})
    };
    let parts: Vec<Value> = parts(resource).iter().map(part).collect();
    if !parts.is_empty() {
        value["subresources"] = parts.into();
    }
    value
}
