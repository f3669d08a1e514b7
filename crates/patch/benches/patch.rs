//! What a change costs: a Deployment of about 2 KB with three managers.
//!
//! ```text
//! cargo bench -p krono-patch                                         one table for people
//! cargo bench -p krono-patch -- --only "apply, nothing changes" 1000   one case, for instruction counters
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use krono_patch::apply::{Applier, Endpoint, ObjectType, SameShape, Timestamp, apply, update};
use krono_patch::{json, merge, strategic};
use krono_schema::{Schema, object_meta};
use serde_json::{Value, json};

/// An apply or an update takes at most so many nanoseconds.
const TARGET: u128 = 100_000;

fn main() {
    let schema = schema();
    let versions = SameShape::of("apps/v1", ObjectType::built_in(&schema).expect("the schema is right"));
    let blank = json!({"metadata": {}, "spec": {"strategy": {}, "template": {"metadata": {}, "spec": {}}}, "status": {}});
    let endpoint = |subresource| Endpoint {
        api_version: "apps/v1",
        kind: "Deployment",
        subresource,
        versions: &versions,
        blank: &blank,
    };
    let (main, status) = (endpoint(""), endpoint("status"));
    let applier = |manager, seconds| Applier { manager, force: false, now: Timestamp::from_seconds(seconds) };
    let live = live(&main, &status);
    let size = |value: &Value| value.to_string().len();
    println!(
        "object {} bytes, of which managed fields {}",
        size(&live),
        size(&live["metadata"]["managedFields"])
    );

    let config = config();
    let mut new_image = config.clone();
    new_image["spec"]["template"]["spec"]["containers"][0]["image"] = "registry.example/shop:2".into();
    let mut shorter = config.clone();
    shorter["spec"]["template"]["spec"]["containers"][0].as_object_mut().map(|it| it.remove("env"));
    let mut scaled = live.clone();
    scaled["status"]["readyReplicas"] = 2.into();
    let patch = json!({"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "registry.example/shop:2"}]}}}});
    let operations = json!([{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "registry.example/shop:2"}]);

    let changes: Vec<Case<'_>> = vec![
        (
            "apply, nothing changes",
            Box::new(|| apply(&main, Some(&live), &config, &applier("kubectl", 9)).is_ok()),
        ),
        (
            "apply, an image changes",
            Box::new(|| apply(&main, Some(&live), &new_image, &applier("kubectl", 9)).is_ok()),
        ),
        (
            "apply, a list goes",
            Box::new(|| apply(&main, Some(&live), &shorter, &applier("kubectl", 9)).is_ok()),
        ),
        (
            "apply by somebody new",
            Box::new(|| apply(&main, Some(&live), &config, &applier("other", 9)).is_ok()),
        ),
        ("create by apply", Box::new(|| apply(&main, None, &config, &applier("kubectl", 9)).is_ok())),
        (
            "update of the status",
            Box::new(|| {
                update(&status, Some(&live), &mut scaled.clone(), "controller", Timestamp::from_seconds(9))
                    .is_ok()
            }),
        ),
    ];
    let others: Vec<Case<'_>> = vec![
        (
            "strategic merge patch",
            Box::new(|| strategic::apply(live.clone(), patch.clone(), &schema).is_ok()),
        ),
        ("merge patch", Box::new(|| merge::apply(live.clone(), patch.clone()).is_ok())),
        ("JSON patch", Box::new(|| json::apply(live.clone(), operations.clone()).is_ok())),
        ("copying the object", Box::new(|| black_box(live.clone()).is_object())),
    ];
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [only, name, count, ..] if only == "--only" => repeat(changes.into_iter().chain(others), name, count),
        _ => table(changes, others),
    }
}

type Case<'a> = (&'static str, Box<dyn FnMut() -> bool + 'a>);

/// One case so many times, for instruction counters.
fn repeat<'a>(mut cases: impl Iterator<Item = Case<'a>>, name: &str, count: &str) {
    let (_, mut call) = cases.find(|case| case.0 == name).expect("the name of a case");
    for _ in 0..count.parse().expect("a number of times") {
        black_box(call());
    }
}

fn table(changes: Vec<Case<'_>>, others: Vec<Case<'_>>) {
    let measured = |(name, call): Case<'_>| (name, measure(call));
    let changes: Vec<_> = changes.into_iter().map(measured).collect();
    let others: Vec<_> = others.into_iter().map(measured).collect();
    for (name, nanoseconds) in changes.iter().chain(&others) {
        println!("{name:<26} {nanoseconds:>8} ns");
    }
    report(&changes);
}

/// Writes the figures to where `xtask bench` asks for them.
fn report(figures: &[(&str, u128)]) {
    let Ok(path) = std::env::var("KRONO_BENCH_JSON") else { return };
    let pass = figures.iter().all(|(_, nanoseconds)| *nanoseconds <= TARGET);
    let figures: Value =
        figures.iter().map(|(name, it)| ((*name).to_owned(), json!(u64::try_from(*it).ok()))).collect();
    let report = json!({"pass": pass, "nanoseconds": figures, "target": u64::try_from(TARGET).ok()});
    std::fs::write(path, report.to_string()).expect("the figures can be written");
}

/// The best of several rounds, in nanoseconds per call.
fn measure(mut call: impl FnMut() -> bool) -> u128 {
    assert!(call(), "the benchmark measures a success");
    let mut best = u128::MAX;
    for _ in 0..20 {
        let (start, mut calls) = (Instant::now(), 0);
        while start.elapsed() < Duration::from_millis(25) {
            for _ in 0..50 {
                black_box(call());
            }
            calls += 50;
        }
        best = best.min(start.elapsed().as_nanos() / calls);
    }
    best
}

/// Applied by kubectl, scaled by an autoscaler, with a status by its controller.
fn live(main: &Endpoint<'_>, status: &Endpoint<'_>) -> Value {
    let now = Timestamp::from_seconds;
    let applier = |manager, seconds| Applier { manager, force: false, now: now(seconds) };
    let mut live = apply(main, None, &config(), &applier("kubectl", 1)).expect("applies");
    live["metadata"]["uid"] = "5c0d5b8e-1a3c-4a53-8e8f-0a7f3c0d9b11".into();
    live["metadata"]["resourceVersion"] = "12345".into();
    live["metadata"]["creationTimestamp"] = "2026-01-31T12:00:00Z".into();
    live["spec"]["progressDeadlineSeconds"] = 600.into();
    live["spec"]["template"]["spec"]["dnsPolicy"] = "ClusterFirst".into();
    live["spec"]["template"]["spec"]["restartPolicy"] = "Always".into();
    live["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 30.into();
    let mut scaled = live.clone();
    scaled["spec"]["replicas"] = 3.into();
    update(main, Some(&live), &mut scaled, "autoscaler", now(2)).expect("updates");
    let mut observed = scaled.clone();
    observed["status"] = json!({
        "availableReplicas": 3, "observedGeneration": 2, "readyReplicas": 3, "replicas": 3, "updatedReplicas": 3,
        "conditions": [condition("Available"), condition("Progressing")],
    });
    update(status, Some(&scaled), &mut observed, "controller", now(3)).expect("updates");
    observed
}

fn condition(name: &str) -> Value {
    json!({
        "type": name, "status": "True", "reason": "MinimumReplicasAvailable",
        "message": "Deployment has minimum availability.",
        "lastTransitionTime": "2026-01-31T12:00:00Z", "lastUpdateTime": "2026-01-31T12:00:00Z",
    })
}

fn config() -> Value {
    let container = json!({
        "name": "app", "image": "registry.example/shop:1", "imagePullPolicy": "IfNotPresent",
        "args": ["--listen", ":8080"],
        "env": [{"name": "LEVEL", "value": "info"}, {"name": "REGION", "value": "eu"}, {"name": "CACHE", "value": "on"}],
        "ports": [{"containerPort": 8080, "name": "http"}, {"containerPort": 9090, "name": "metrics"}],
        "resources": {"limits": {"cpu": "1", "memory": "256Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
        "volumeMounts": [{"mountPath": "/data", "name": "data"}],
    });
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {
            "name": "shop", "namespace": "default",
            "labels": {"app": "shop", "team": "checkout"}, "annotations": {"example.com/owner": "checkout"},
        },
        "spec": {
            "selector": {"matchLabels": {"app": "shop"}},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}},
            "template": {
                "metadata": {"labels": {"app": "shop", "team": "checkout"}},
                "spec": {
                    "containers": [container, {"name": "proxy", "image": "registry.example/proxy:3"}],
                    "volumes": [{"name": "data", "emptyDir": {}}],
                },
            },
        },
    })
}

fn schema() -> Schema {
    let string = || json!({"type": "string"});
    let strings = || json!({"type": "object", "additionalProperties": {"type": "string"}});
    let number = || json!({"type": "integer"});
    let keyed = |key: &str, properties: Value| {
        json!({
            "type": "array", "items": {"type": "object", "properties": properties},
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [key],
            "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": key,
        })
    };
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let mut ports = keyed(
        "containerPort",
        json!({
            "containerPort": number(), "name": string(), "protocol": {"type": "string", "default": "TCP"},
        }),
    );
    ports["x-kubernetes-list-map-keys"] = json!(["containerPort", "protocol"]);
    let containers = keyed(
        "name",
        json!({
            "name": string(), "image": string(), "imagePullPolicy": string(),
            "args": {"type": "array", "items": string()},
            "env": keyed("name", json!({"name": string(), "value": string()})),
            "ports": ports, "resources": object(json!({"limits": strings(), "requests": strings()})),
            "volumeMounts": keyed("mountPath", json!({"mountPath": string(), "name": string()})),
        }),
    );
    let pod = object(json!({
        "containers": containers, "volumes": keyed("name", json!({"name": string(), "emptyDir": object(json!({}))})),
        "dnsPolicy": string(), "restartPolicy": string(), "terminationGracePeriodSeconds": number(),
    }));
    let mut selector = object(json!({"matchLabels": strings()}));
    selector["x-kubernetes-map-type"] = "atomic".into();
    let condition = json!({
        "type": string(), "status": string(), "reason": string(), "message": string(),
        "lastTransitionTime": string(), "lastUpdateTime": string(),
    });
    let metadata = object_meta().to_value();
    let schema = object(json!({
        "apiVersion": string(), "kind": string(), "metadata": metadata,
        "spec": object(json!({
            "replicas": number(), "progressDeadlineSeconds": number(), "selector": selector,
            "strategy": object(json!({
                "type": string(), "rollingUpdate": object(json!({"maxSurge": {}, "maxUnavailable": {}})),
            })),
            "template": object(json!({"metadata": metadata, "spec": pod})),
        })),
        "status": object(json!({
            "availableReplicas": number(), "observedGeneration": number(), "readyReplicas": number(),
            "replicas": number(), "updatedReplicas": number(), "conditions": keyed("type", condition),
        })),
    }));
    Schema::from_value(&schema).expect("the schema is right")
}
