//! What a server fills into the spec of a pod.

use serde_json::{Value, json};

use crate::builtin::{fill, read};

/// Fills in the spec of a pod or template.
pub(super) fn default_spec(spec: &mut Value) {
    fill::empty(spec, "dnsPolicy", "ClusterFirst");
    fill::empty(spec, "restartPolicy", "Always");
    fill::empty(spec, "schedulerName", "default-scheduler");
    fill::absent(spec, "securityContext", json!({}));
    fill::absent(spec, "terminationGracePeriodSeconds", 30);
    service_account(spec);
    for containers in ["containers", "initContainers", "ephemeralContainers"] {
        fill::each(spec, containers, container);
    }
    if read::is_true(spec, "hostNetwork") {
        host_ports(spec);
    }
    fill::each(spec, "volumes", volume);
    fill::quantities(spec, "overhead");
}

/// `serviceAccount` is the older name of `serviceAccountName`; servers show both.
fn service_account(spec: &mut Value) {
    let newer = read::text(spec, "serviceAccountName");
    let name = if newer.is_empty() { read::text(spec, "serviceAccount") } else { newer }.to_owned();
    if !name.is_empty() {
        spec["serviceAccountName"] = name.clone().into();
        spec["serviceAccount"] = name.into();
    }
}

fn host_ports(spec: &mut Value) {
    for containers in ["containers", "initContainers"] {
        fill::each(spec, containers, |container| {
            fill::each(container, "ports", |port| {
                let number = port["containerPort"].clone();
                fill::zero(port, "hostPort", number);
            });
        });
    }
}

fn container(container: &mut Value) {
    let policy = pull_policy(read::text(container, "image"));
    fill::empty(container, "imagePullPolicy", policy);
    fill::empty(container, "terminationMessagePath", "/dev/termination-log");
    fill::empty(container, "terminationMessagePolicy", "File");
    fill::inside(container, "resources", |resources| {
        fill::quantities(resources, "limits");
        fill::quantities(resources, "requests");
    });
    fill::each(container, "ports", |port| fill::empty(port, "protocol", "TCP"));
    fill::each(container, "env", |variable| fill::within(variable, "valueFrom", references));
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        fill::within(container, name, probe);
    }
    fill::within(container, "lifecycle", |lifecycle| {
        for name in ["postStart", "preStop"] {
            fill::within(lifecycle, name, |handler| fill::within(handler, "httpGet", http_get));
        }
    });
}

/// Images of no tag or the tag `latest` are pulled each time.
fn pull_policy(image: &str) -> &'static str {
    let name = image.rsplit_once('/').map_or(image, |(_, name)| name);
    let latest = !name.contains('@') && name.split_once(':').is_none_or(|(_, tag)| tag == "latest");
    if latest { "Always" } else { "IfNotPresent" }
}

fn references(source: &mut Value) {
    fill::within(source, "fieldRef", |field| fill::empty(field, "apiVersion", "v1"));
    fill::within(source, "resourceFieldRef", |field| {
        fill::absent(field, "divisor", "0");
        fill::quantity(field, "divisor");
    });
    fill::within(source, "fileKeyRef", |file| fill::absent(file, "optional", false));
}

fn probe(probe: &mut Value) {
    fill::zero(probe, "timeoutSeconds", 1);
    fill::zero(probe, "periodSeconds", 10);
    fill::zero(probe, "successThreshold", 1);
    fill::zero(probe, "failureThreshold", 3);
    fill::within(probe, "httpGet", http_get);
    fill::within(probe, "grpc", |grpc| fill::absent(grpc, "service", ""));
}

fn http_get(action: &mut Value) {
    fill::empty(action, "path", "/");
    fill::empty(action, "scheme", "HTTP");
}

fn volume(volume: &mut Value) {
    let Some(fields) = volume.as_object() else { return };
    if fields.iter().all(|(field, value)| field == "name" || value.is_null()) {
        fill::absent(volume, "emptyDir", json!({}));
    }
    for source in ["secret", "configMap", "downwardAPI", "projected"] {
        fill::within(volume, source, |source| fill::absent(source, "defaultMode", 0o644));
    }
    fill::within(volume, "emptyDir", |directory| fill::quantity(directory, "sizeLimit"));
    fill::within(volume, "image", |image| {
        let policy = pull_policy(read::text(image, "reference"));
        fill::empty(image, "pullPolicy", policy);
    });
    fill::within(volume, "hostPath", |path| fill::absent(path, "type", ""));
    fill::within(volume, "iscsi", |target| fill::empty(target, "iscsiInterface", "default"));
    fill::within(volume, "downwardAPI", |source| fill::each(source, "items", references));
    fill::within(volume, "projected", |projected| fill::each(projected, "sources", projection));
    fill::within(volume, "ephemeral", |ephemeral| {
        fill::within(ephemeral, "volumeClaimTemplate", |template| {
            fill::absent(template, "metadata", json!({}));
            fill::within(template, "spec", crate::builtin::volume::default_claim_spec);
        });
    });
}

fn projection(source: &mut Value) {
    fill::within(source, "serviceAccountToken", |token| fill::absent(token, "expirationSeconds", 3600));
    fill::within(source, "downwardAPI", |source| fill::each(source, "items", references));
}

/// What is filled into pods, but not into templates.
pub(super) fn complete(spec: &mut Value) {
    fill::absent(spec, "enableServiceLinks", true);
    for containers in ["containers", "initContainers"] {
        fill::each(spec, containers, |container| {
            fill::within(container, "resources", |resources| fill::entries(resources, "limits", "requests"));
        });
    }
}

/// How well a pod is treated when a node runs short.
pub(super) fn quality_of_service(spec: &Value) -> &'static str {
    let containers = || read::list(spec, "containers").iter().chain(read::list(spec, "initContainers"));
    let asks = |container: &Value, field: &str, resource: &str| {
        let amount = &container["resources"][field][resource];
        (!amount.is_null() && amount != "0").then(|| amount.clone())
    };
    let guaranteed = |container: &Value| {
        ["cpu", "memory"].into_iter().all(|resource| {
            let limit = asks(container, "limits", resource);
            limit.is_some() && limit == asks(container, "requests", resource)
        })
    };
    let burstable = |container: &Value| {
        let pairs = [("limits", "cpu"), ("limits", "memory"), ("requests", "cpu"), ("requests", "memory")];
        pairs.into_iter().any(|(field, resource)| asks(container, field, resource).is_some())
    };
    if !containers().any(burstable) {
        "BestEffort"
    } else if containers().all(guaranteed) {
        "Guaranteed"
    } else {
        "Burstable"
    }
}
