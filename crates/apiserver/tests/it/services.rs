//! Addresses and node ports of Services.

use std::collections::BTreeSet;
use std::sync::Arc;

use krono_apiserver::Server;
use krono_store::{MemoryStore, Store};
use serde_json::{Value, json};

use crate::harness::{Harness, start};

const SERVICES: &str = "/api/v1/namespaces/default/services";

fn service(name: &str, spec: &Value) -> Value {
    let mut service = json!({"metadata": {"name": name}, "spec": {"ports": [{"port": 80}]}});
    for (field, value) in spec.as_object().unwrap() {
        service["spec"][field] = value.clone();
    }
    service
}

async fn refused(it: &Harness, name: &str, spec: Value, code: u16, message: &str) {
    let answer = it.post(SERVICES, &service(name, &spec)).await;
    assert_eq!((answer.code, &answer.body["message"]), (code, &json!(message)), "{}", answer.text);
}

#[tokio::test]
async fn the_service_of_the_server() {
    let it = start().await;
    let spec = it.get(&format!("{SERVICES}/kubernetes")).await.ok()["spec"].clone();
    assert_eq!(
        spec,
        json!({
            "clusterIP": "10.96.0.1", "clusterIPs": ["10.96.0.1"], "internalTrafficPolicy": "Cluster",
            "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack", "sessionAffinity": "None", "type": "ClusterIP",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
        })
    );
    let taken = "Service \"x\" is invalid: spec.clusterIPs: Invalid value: [\"10.96.0.1\"]: \
                 failed to allocate IP 10.96.0.1: provided IP is already allocated";
    refused(&it, "x", json!({"clusterIP": "10.96.0.1"}), 422, taken).await;
}

#[tokio::test]
async fn addresses_are_given_kept_and_released() {
    let it = start().await;
    let made = it.post(SERVICES, &service("a", &json!({"clusterIP": "10.96.0.7"}))).await.ok();
    assert_eq!(made["spec"]["clusterIPs"], json!(["10.96.0.7"]));
    let kept = it.put(&format!("{SERVICES}/a"), &service("a", &json!({"selector": {"a": "b"}}))).await.ok();
    assert_eq!(kept["spec"]["clusterIP"], "10.96.0.7");
    let moved = it.put(&format!("{SERVICES}/a"), &service("a", &json!({"clusterIP": "10.96.0.8"}))).await;
    assert_eq!(
        moved.body["message"],
        "Service \"a\" is invalid: spec.clusterIPs[0]: Invalid value: [\"10.96.0.8\"]: may not change once set"
    );
    let name = json!({"type": "ExternalName", "externalName": "example.com", "ports": []});
    let external = it.put(&format!("{SERVICES}/a"), &service("a", &name)).await.ok();
    assert_eq!(external["spec"].get("clusterIP"), None);
    assert_eq!(external["spec"].get("ipFamilies"), None);
    it.post(SERVICES, &service("b", &json!({"clusterIP": "10.96.0.7"}))).await.ok();
    it.delete(&format!("{SERVICES}/b")).await.ok();
    let again = service("c", &json!({"clusterIP": "10.96.0.7"}));
    let dry = it.post(&format!("{SERVICES}?dryRun=All"), &again).await.ok();
    assert_eq!(dry["spec"]["clusterIP"], "10.96.0.7");
    it.post(SERVICES, &again).await.ok();
    let headless =
        it.post(SERVICES, &service("d", &json!({"clusterIP": "None", "selector": {"a": "b"}}))).await.ok();
    assert_eq!(headless["spec"]["clusterIPs"], json!(["None"]));
    let loose = it.post(SERVICES, &service("e", &json!({"clusterIP": "None"}))).await.ok();
    assert_eq!(loose["spec"]["ipFamilies"], json!(["IPv4", "IPv6"]));
    assert_eq!(loose["spec"]["ipFamilyPolicy"], "RequireDualStack");
}

#[tokio::test]
async fn what_cannot_be_had() {
    let it = start().await;
    let invalid = |what: &str| format!("Service \"x\" is invalid: {what}");
    let other = "spec.clusterIPs: Invalid value: [\"1.2.3.4\"]: failed to allocate IP 1.2.3.4: \
                 the provided network does not match the current range";
    refused(&it, "x", json!({"clusterIP": "1.2.3.4"}), 422, &invalid(other)).await;
    let network = "spec.clusterIPs: Invalid value: [\"10.96.0.0\"]: failed to allocate IP 10.96.0.0: \
                   the provided network does not match the current range";
    refused(&it, "x", json!({"clusterIP": "10.96.0.0"}), 422, &invalid(network)).await;
    let sixth = "spec.clusterIPs[0]: Invalid value: [\"fd00::1\"]: IPv6 is not configured on this cluster";
    refused(&it, "x", json!({"clusterIP": "fd00::1"}), 422, &invalid(sixth)).await;
    let dual = "spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": this cluster is not configured for \
                dual-stack services";
    refused(&it, "x", json!({"ipFamilyPolicy": "RequireDualStack"}), 422, &invalid(dual)).await;
    let range = "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of \
                 valid ports is 30000-32767";
    let ports = json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": 80}]});
    refused(&it, "x", ports, 422, &invalid(range)).await;
    let ports = json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": 30080}]});
    it.post(SERVICES, &service("first", &ports)).await.ok();
    let taken = "spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated";
    refused(&it, "x", ports, 422, &invalid(taken)).await;
}

#[tokio::test]
async fn node_ports_are_given_and_kept() {
    let it = start().await;
    let ports = json!([{"name": "a", "port": 80}, {"name": "b", "port": 80, "protocol": "UDP"}, {"name": "c", "port": 81}]);
    let made = it.post(SERVICES, &service("s", &json!({"type": "NodePort", "ports": ports}))).await.ok();
    let number =
        |service: &Value, index: usize| service["spec"]["ports"][index]["nodePort"].as_u64().unwrap();
    assert_eq!(number(&made, 0), number(&made, 1));
    assert_ne!(number(&made, 0), number(&made, 2));
    assert!((30_000..=32_767).contains(&number(&made, 2)));
    let local = json!({"type": "LoadBalancer", "externalTrafficPolicy": "Local", "ports": ports});
    let balanced = it.put(&format!("{SERVICES}/s"), &service("s", &local)).await.ok();
    assert_eq!(number(&balanced, 2), number(&made, 2));
    assert!(balanced["spec"]["healthCheckNodePort"].as_u64().unwrap() >= 30_000);
    let plain = it
        .put(&format!("{SERVICES}/s"), &service("s", &json!({"type": "ClusterIP", "ports": ports})))
        .await
        .ok();
    assert_eq!(plain["spec"]["ports"][0].get("nodePort"), None);
    assert_eq!(plain["spec"].get("healthCheckNodePort"), None);
    let none = json!({"type": "LoadBalancer", "allocateLoadBalancerNodePorts": false});
    let none = it.post(SERVICES, &service("n", &none)).await.ok();
    assert_eq!(none["spec"]["ports"][0].get("nodePort"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_given_twice() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let server = Server::builder().store(Arc::clone(&store)).start().await.unwrap();
    let it = Arc::new(Harness { server });
    let tasks: Vec<_> = (0..100)
        .map(|index| {
            let it = Arc::clone(&it);
            tokio::spawn(async move {
                let body = service(&format!("s{index}"), &json!({"type": "NodePort"}));
                it.post(SERVICES, &body).await.ok()
            })
        })
        .collect();
    let mut given = BTreeSet::new();
    for task in tasks {
        let spec = task.await.unwrap()["spec"].clone();
        assert!(given.insert(spec["clusterIP"].to_string()), "{spec}");
        assert!(given.insert(spec["ports"][0]["nodePort"].to_string()), "{spec}");
    }
    // Of many who ask for the same port one gets it.
    let wanted = json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": 30001}]});
    let tasks: Vec<_> = (0..20)
        .map(|index| {
            let (it, body) = (Arc::clone(&it), service(&format!("w{index}"), &wanted));
            tokio::spawn(async move { it.post(SERVICES, &body).await.code })
        })
        .collect();
    let mut winners = 0;
    for task in tasks {
        winners += usize::from(task.await.unwrap() == 201);
    }
    assert_eq!(winners, 1);
    drop(it);
    let server = Server::builder().store(store).start().await.unwrap();
    let answer = Harness { server }.post(SERVICES, &service("late", &wanted)).await;
    assert_eq!(answer.code, 422, "what was given stays given after a restart");
}
