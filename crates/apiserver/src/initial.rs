//! Objects that every cluster has.

mod template;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::builtin;
use crate::namespaces;
use crate::object::Object;
use crate::rbac;
use crate::resource::Resource;
use crate::write::generation;
pub(crate) use template::Template;
use template::{Writer, owned_fields};

/// As whom the server writes what it has from the start.
const SERVER: &str = "kube-apiserver";
/// As whom it writes what comes of other objects.
const CONTROLLER: &str = "kube-controller-manager";
/// As whom it writes the rules of roles that are made of others.
pub(crate) const GATHERER: &str = "clusterrole-aggregation-controller";

static KINDS: LazyLock<HashMap<&'static str, Resource>> = LazyLock::new(|| {
    let names = [
        "Namespace",
        "PriorityClass",
        "Service",
        "EndpointSlice",
        "ServiceAccount",
        "ConfigMap",
        "ClusterRole",
        "ClusterRoleBinding",
        "Role",
        "RoleBinding",
    ];
    let wanted = |kind: &crate::kind::Kind| names.into_iter().find(|name| **name == *kind.kind);
    let kinds = builtin::kinds().into_iter();
    kinds.filter_map(|kind| Some((wanted(&kind)?, Resource::built_in(kind)))).collect()
});

static NAMESPACES: LazyLock<Vec<Template>> = LazyLock::new(|| templates(initial_namespaces()));
static CLASSES: LazyLock<Vec<Template>> = LazyLock::new(|| templates(priority_classes()));
static ROLES: LazyLock<Vec<Template>> = LazyLock::new(|| templates(rbac::default_objects()));

fn templates(objects: Vec<Value>) -> Vec<Template> {
    objects.into_iter().filter_map(|object| template(object, SERVER)).collect()
}

/// Completes an object as a create request would.
fn template(expected: Value, manager: &'static str) -> Option<Template> {
    let resource = KINDS.get(expected["kind"].as_str()?)?;
    let mut object = Object::new(expected.clone())?;
    (resource.kind.rules.default)(object.value_mut());
    resource.strategy.default(&mut object);
    let mut fields = owned_fields(object.value());
    // What the server allocates is owned by nobody.
    if let Some(spec) = fields.get_mut("f:spec").and_then(Value::as_object_mut) {
        spec.retain(|name, _| !matches!(name.as_str(), "f:clusterIPs" | "f:ipFamilies"));
    }
    resource.strategy.prepare_new(&mut object);
    if generation::is_counted(resource) {
        object.set_meta("generation", Some(1.into()));
    }
    let mut writers = Vec::new();
    if object.get("aggregationRule").is_some()
        && let Some(rules) = fields.as_object_mut().and_then(|fields| fields.remove("f:rules"))
    {
        writers.push(Writer { manager: GATHERER, operation: "Apply", fields: json!({"f:rules": rules}) });
    }
    if fields.as_object().is_some_and(|fields| !fields.is_empty()) {
        writers.push(Writer { manager, operation: "Update", fields });
    }
    Template::new(resource, expected, object.into_value(), writers)
}

/// The highest priority that users may give.
const HIGHEST_USER_PRIORITY: u32 = 1_000_000_000;

/// The address of the server itself.
const FIRST_ADDRESS: &str = "10.96.0.1";

/// The name of the account of pods that name none.
pub(crate) const ACCOUNT: &str = "default";
/// The map with the certificate by which pods know the server.
pub(crate) const AUTHORITY: &str = "kube-root-ca.crt";
/// Says in [`AUTHORITY`] what it is for.
pub(crate) const DESCRIPTION: &str = "kubernetes.io/description";

/// The roles and bindings every cluster starts with.
pub(crate) fn roles() -> &'static [Template] {
    &ROLES
}

/// The namespaces that are there from the start.
pub(crate) fn namespaces() -> &'static [Template] {
    &NAMESPACES
}

/// The classes of pods that a cluster cannot do without.
pub(crate) fn classes() -> &'static [Template] {
    &CLASSES
}

fn initial_namespaces() -> Vec<Value> {
    let namespace = |name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    namespaces::INITIAL.into_iter().map(namespace).collect()
}

fn priority_classes() -> Vec<Value> {
    let critical = 2 * HIGHEST_USER_PRIORITY;
    let stay = "Used for system critical pods that must not be moved from their current node.";
    let run = "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.";
    [("system-node-critical", critical + 1000, stay), ("system-cluster-critical", critical, run)]
        .into_iter()
        .map(|(name, value, description)| {
            json!({
                "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name},
                "value": value, "description": description, "preemptionPolicy": "PreemptLowerPriority",
            })
        })
        .collect()
}

/// The Service by which pods find the server, and where it leads if others can reach the server.
pub(crate) fn service(server: Option<SocketAddr>) -> Vec<Template> {
    service_objects(server).into_iter().filter_map(|object| template(object, SERVER)).collect()
}

fn service_objects(server: Option<SocketAddr>) -> Vec<Value> {
    let target = server.map_or(6443, |server| server.port());
    let mut objects = vec![json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {
            "name": "kubernetes", "namespace": "default",
            "labels": {"component": "apiserver", "provider": "kubernetes"},
        },
        "spec": {
            "type": "ClusterIP", "clusterIP": FIRST_ADDRESS, "clusterIPs": [FIRST_ADDRESS],
            "ipFamilyPolicy": "SingleStack", "ipFamilies": ["IPv4"], "sessionAffinity": "None",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": target}],
        },
    })];
    objects.extend(server.filter(|server| !server.ip().is_loopback()).map(slice));
    objects
}

fn slice(server: SocketAddr) -> Value {
    let family = if server.is_ipv4() { "IPv4" } else { "IPv6" };
    json!({
        "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": family,
        "metadata": {
            "name": "kubernetes", "namespace": "default", "labels": {"kubernetes.io/service-name": "kubernetes"},
        },
        "endpoints": [{"addresses": [server.ip().to_string()], "conditions": {"ready": true}}],
        "ports": [{"name": "https", "port": server.port(), "protocol": "TCP"}],
    })
}

/// What a namespace needs before pods can run in it: an account, and the certificate by which they know the server.
pub(crate) fn furniture(namespace: &str, certificate: &str) -> Vec<Template> {
    let objects = [account(namespace), authority(namespace, certificate)];
    objects.into_iter().filter_map(|object| template(object, CONTROLLER)).collect()
}

fn account(namespace: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": ACCOUNT, "namespace": namespace},
    })
}

/// The map with the certificate by which pods know the server.
pub(crate) fn authority(namespace: &str, certificate: &str) -> Value {
    let description = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal \
                       endpoints such as the internal service IP or kubernetes.default.svc. No other usage is \
                       guaranteed across distributions of Kubernetes clusters.";
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "data": {"ca.crt": certificate},
        "metadata": {"name": AUTHORITY, "namespace": namespace, "annotations": {DESCRIPTION: description}},
    })
}
