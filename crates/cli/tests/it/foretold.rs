//! What `krono plan` shows of an edit is what then happens, on a server with controllers and simulated workloads (V43).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use krono_history::diff::Diff;
use krono_planner::preview::shown;
use kube::api::{Api, ApiResource, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config, discovery};
use serde_json::{Value, json};

use crate::cluster::real::Real;
use crate::krono::{Run, command};

/// How long an edit may take to reach everything.
const PATIENCE: Duration = Duration::from_secs(90);
/// What the examples make.
const KINDS: [(&str, &str); 12] = [
    ("v1", "ConfigMap"),
    ("v1", "Namespace"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "ResourceQuota"),
    ("v1", "Service"),
    ("v1", "ServiceAccount"),
    ("apps/v1", "Deployment"),
    ("batch/v1", "CronJob"),
    ("batch/v1", "Job"),
    ("networking.k8s.io/v1", "Ingress"),
    ("networking.k8s.io/v1", "NetworkPolicy"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"),
];
/// Written by whoever looks after Deployments.
const OTHERS: &str = "/metadata/annotations/deployment.kubernetes.io~1revision";

/// An edit of a text.
type Step = fn(&str) -> String;

/// A server with one example on it.
struct Stage {
    directory: tempfile::TempDir,
    client: Client,
    /// When it is not a server of krono's.
    _real: Option<Real>,
}

impl Drop for Stage {
    fn drop(&mut self) {
        drop(self.krono(&["down"]));
    }
}

impl Stage {
    async fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut real = Real::take(directory.path());
        if real.is_none() {
            let up = on(directory.path(), &["up", "--detach", "--listen", "127.0.0.1:0"]);
            assert_eq!(up.code, Some(0), "{up}");
        }
        let kubeconfig = Kubeconfig::read_from(directory.path().join("kubeconfig")).unwrap();
        let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
        let client = Client::try_from(config).unwrap();
        if let Some(real) = &mut real {
            Real::clear(&client).await;
            real.control();
            real.run_workloads();
        }
        Self { client, directory, _real: real }
    }

    fn krono(&self, arguments: &[&str]) -> Run {
        on(self.directory.path(), arguments)
    }

    fn file(&self, text: &str) -> String {
        let path = self.directory.path().join("edited.yaml");
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn plan(&self, text: &str, more: &[&str]) -> Value {
        let file = self.file(text);
        let run = self.krono(&[&["plan", "-f", &file, "-o", "json"], more].concat());
        assert_eq!(run.code, Some(0), "{run}");
        serde_json::from_str(&run.stdout).unwrap()
    }

    /// Waits until the cluster is what the definitions say: then their plan is empty, and all instances are active.
    async fn settle(&self, text: &str) {
        let started = Instant::now();
        loop {
            let plan = self.plan(text, &[]);
            let is_idle = plan["summary"]["changed"] == 0 && plan["summary"]["regardless"] == 0;
            let is_same = |it: &Value| it["schema"] == "Unchanged";
            let is_same = plan["definitions"].as_array().unwrap().iter().all(is_same);
            if is_idle && is_same && self.are_active(text).await {
                return;
            }
            assert!(started.elapsed() < PATIENCE, "{plan:#}");
        }
    }

    async fn are_active(&self, text: &str) -> bool {
        for definition in documents(text) {
            let kind = definition["spec"]["schema"]["kind"].as_str().unwrap();
            let resource = self.resource(("kro.run/v1alpha1", kind)).await.unwrap();
            let api: Api<DynamicObject> = Api::all_with(self.client.clone(), &resource);
            let instances = api.list(&ListParams::default()).await.unwrap().items;
            if instances.is_empty() || instances.iter().any(|it| it.data["status"]["state"] != "ACTIVE") {
                return false;
            }
        }
        true
    }

    async fn apply(&self, text: &str) {
        for object in documents(text) {
            let kind = (object["apiVersion"].as_str().unwrap(), object["kind"].as_str().unwrap());
            let started = Instant::now();
            loop {
                let answer = self.try_apply(kind, &object).await;
                if answer.is_ok() {
                    break;
                }
                assert!(started.elapsed() < PATIENCE, "{answer:?}");
            }
        }
    }

    async fn try_apply(&self, kind: (&str, &str), object: &Value) -> kube::Result<DynamicObject> {
        let resource = self.resource(kind).await?;
        let namespaced = !["Namespace", "ResourceGraphDefinition", "Tenant"].contains(&kind.1);
        let namespace = object["metadata"]["namespace"].as_str().unwrap_or("default");
        let api: Api<DynamicObject> = if namespaced {
            Api::namespaced_with(self.client.clone(), namespace, &resource)
        } else {
            Api::all_with(self.client.clone(), &resource)
        };
        let name = object["metadata"]["name"].as_str().unwrap();
        api.patch(name, &PatchParams::apply("test").force(), &Patch::Apply(object)).await
    }

    async fn resource(&self, (api_version, kind): (&str, &str)) -> kube::Result<ApiResource> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let wanted = GroupVersionKind::gvk(group, version, kind);
        Ok(discovery::oneshot::pinned_kind(&self.client, &wanted).await?.0)
    }

    /// Everything that was made for instances.
    async fn made(&self) -> BTreeMap<String, Value> {
        let mut made = BTreeMap::new();
        for kind in KINDS {
            let resource = self.resource(kind).await.unwrap();
            let api: Api<DynamicObject> = Api::all_with(self.client.clone(), &resource);
            let list = api.list(&ListParams::default().labels("kro.run/node-id")).await.unwrap();
            for object in list.items {
                let mut object = serde_json::to_value(object).unwrap();
                (object["apiVersion"], object["kind"]) = (json!(kind.0), json!(kind.1));
                made.insert(title(&object["kind"], &object["metadata"]), object);
            }
        }
        made
    }
}

fn on(directory: &Path, arguments: &[&str]) -> Run {
    let mut command = command(arguments);
    command.env("KRONO_DATA_DIR", directory).env("HOME", directory);
    command.env("KUBECONFIG", directory.join("kubeconfig")).output().unwrap().into()
}

fn title(kind: &Value, place: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    format!("{} {}/{}", text(kind), text(&place["namespace"]), text(&place["name"]))
}

fn documents(text: &str) -> Vec<Value> {
    let documents = serde_saphyr::from_multiple::<Value>(text).unwrap();
    documents.into_iter().filter(|it| !it.is_null()).collect()
}

fn example(folder: &str, file: &str) -> String {
    let root: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../examples", folder, file].iter().collect();
    fs::read_to_string(root).unwrap_or_default()
}

/// Brings an example to rest, and then plans and applies one edit after the other.
async fn check(folder: &str, steps: &[(Step, &[&str])]) {
    let stage = Stage::start().await;
    let mut text = example(folder, "rgd.yaml");
    stage.apply(&text).await;
    stage.apply(&example(folder, "external.yaml")).await;
    stage.apply(&example(folder, "instance.yaml")).await;
    stage.settle(&text).await;
    for (step, expect) in steps {
        let edited = step(&text);
        assert_ne!(edited, text, "the edit changes nothing");
        let before = stage.made().await;
        let plan = stage.plan(&edited, &[]);
        assert_eq!(plan["summary"], stage.plan(&edited, &["--server"])["summary"]);
        assert_eq!(effects(&plan), *expect, "{plan:#}");
        stage.apply(&edited).await;
        stage.settle(&edited).await;
        compare(&plan, &before, &stage.made().await);
        text = edited;
    }
}

fn changes(plan: &Value) -> impl Iterator<Item = &Value> {
    let definitions = plan["definitions"].as_array().unwrap().iter();
    let instances = definitions.flat_map(|it| it["instances"].as_array().unwrap());
    instances.flat_map(|it| it["changes"].as_array().unwrap())
}

fn effects(plan: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let later = |it: &Value| if it["awaiting"] == true { " later" } else { "" };
    changes(plan)
        .map(|it| format!("{} {} {}{}", text(&it["effect"]), text(&it["kind"]), text(&it["name"]), later(it)))
        .collect()
}

fn compare(plan: &Value, before: &BTreeMap<String, Value>, after: &BTreeMap<String, Value>) {
    let planned: BTreeMap<String, &Value> = changes(plan).map(|it| (title(&it["kind"], it), it)).collect();
    for (title, old) in before {
        let effect = planned.get(title).map_or("", |it| it["effect"].as_str().unwrap());
        let new = after.get(title);
        match effect {
            "Delete" | "Release" => assert!(new.is_none(), "{title} is there"),
            "Update" => assert_eq!(known(&planned[title]["diff"]), known(&difference(old, new)), "{title}"),
            _ => assert_eq!(known(&difference(old, new)), Vec::<&Value>::new(), "{title}"),
        }
    }
    for (title, new) in after.iter().filter(|(title, _)| !before.contains_key(*title)) {
        let planned = planned.get(title).unwrap_or_else(|| panic!("{title} was not foretold"));
        assert_eq!(planned["effect"], "Create", "{title}");
        for added in known(&planned["diff"]) {
            let found = new.pointer(added["pointer"].as_str().unwrap()).unwrap_or(&Value::Null);
            assert!(holds(found, &added["new"]), "{title}: {found} instead of {added}");
        }
    }
    let promised = planned.iter().filter(|(_, it)| it["effect"] == "Create" && it["name"].is_string());
    promised.for_each(|(title, _)| assert!(after.contains_key(title), "{title} was not made"));
}

fn difference(old: &Value, new: Option<&Value>) -> Value {
    Diff::of_objects(&shown(old), &shown(new.expect("it is still there"))).changes_to_json()
}

/// Without what others write.
fn known(changes: &Value) -> Vec<&Value> {
    changes.as_array().unwrap().iter().filter(|it| it["pointer"] != OTHERS).collect()
}

/// Whether a value has all that another has; what was not known may be anything.
fn holds(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (_, Value::String(text)) if text == krono_graph::UNKNOWN => true,
        (Value::Object(value), Value::Object(part)) => {
            part.iter().all(|(key, part)| value.get(key).is_some_and(|it| holds(it, part)))
        }
        (Value::Array(value), Value::Array(part)) => {
            value.len() == part.len() && value.iter().zip(part).all(|(value, part)| holds(value, part))
        }
        (value, part) => value == part,
    }
}

fn without(text: &str, from: &str, to: Option<&str>) -> String {
    let start = text.find(from).unwrap();
    let end = to.map_or(text.len(), |to| start + text[start..].find(to).unwrap());
    format!("{}{}", &text[..start], &text[end..])
}

#[tokio::test(flavor = "multi_thread")]
async fn v43_web_app() {
    let steps: [(Step, &[&str]); 5] = [
        (|it| it.replace("port: 80\n", "port: 81\n"), &["Update Service shop"]),
        (
            |it| it.replace("${schema.spec.replicas}\n", "${schema.spec.replicas + 1}\n"),
            &["Update Deployment shop"],
        ),
        (
            |it| it.replace("-settings\n", "-config\n"),
            &["Delete ConfigMap shop-settings", "Update Deployment shop", "Create ConfigMap shop-config"],
        ),
        (
            |it| {
                without(
                    &it.replace("${ingress.spec.rules[0].host}", "${service.metadata.name}"),
                    "  - id: ingress",
                    None,
                )
            },
            &["Delete Ingress shop"],
        ),
        (
            |it| {
                it.to_owned()
                    + "  - id: note\n    template:\n      apiVersion: v1\n      kind: ConfigMap\n      metadata:\n        name: ${schema.metadata.name}-note\n      data:\n        ip: ${service.spec.clusterIP}\n        ready: ${string(deployment.status.readyReplicas)}\n"
            },
            &["Create ConfigMap shop-note"],
        ),
    ];
    check("web-app", &steps).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v43_collections() {
    let steps: [(Step, &[&str]); 2] = [
        (|it| it.replace("join(\",\")", "join(\";\")"), &["Update ConfigMap sessions-directory"]),
        (
            |it| {
                it.replace(
                    "forEach:\n    - region: ${schema.spec.regions}",
                    "forEach:\n    - region: ${schema.spec.regions.filter(it, it != \"us-east\")}",
                )
            },
            &[
                "Delete Deployment sessions-us-east-hot",
                "Delete Deployment sessions-us-east-warm",
                "Delete Service sessions-us-east-hot",
                "Delete Service sessions-us-east-warm",
                "Update ConfigMap sessions-directory",
            ],
        ),
    ];
    check("collections", &steps).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v43_external_reference() {
    let steps: [(Step, &[&str]); 2] = [
        (|it| it.replace("/report:1", "/report:2"), &["Update CronJob monthly"]),
        (
            |it| it.replace("title: ${schema.spec.title}", "name: ${schema.spec.title}"),
            &["Update ConfigMap monthly"],
        ),
    ];
    check("external-reference", &steps).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v43_job_pipeline() {
    let steps: [(Step, &[&str]); 2] = [
        (
            |it| it.replace("-done\n", "-end\n"),
            &["Delete ConfigMap nightly-done", "Create ConfigMap nightly-end"],
        ),
        (|it| it.replace("backoffLimit: 3", "backoffLimit: 4"), &["Update Job nightly-extract"]),
    ];
    check("job-pipeline", &steps).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v43_multi_tenant() {
    let steps: [(Step, &[&str]); 2] = [
        (
            |it| {
                it.replace("        labels:\n          team: ${schema.spec.team}\n", "        labels:\n          team: ${schema.spec.team}\n          kind: ${environment.name}\n")
            },
            &["Update Namespace payments-production", "Update Namespace payments-staging"],
        ),
        (
            |it| without(it, "  - id: binding", Some("---")),
            &[
                "Delete RoleBinding deployer-edits",
                "Update NetworkPolicy from-the-same-team",
                "Update ResourceQuota workspace",
                "Delete RoleBinding deployer-edits",
                "Update NetworkPolicy from-the-same-team",
                "Update ResourceQuota workspace",
            ],
        ),
    ];
    check("multi-tenant", &steps).await;
}
