//! Replica sets as revisions of a deployment.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{ReplicaSet, ReplicaSetSpec};
use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};

use super::limits::Limits;
use super::status::Progress;
use super::{CONTROLLER, Rollout};
use crate::action::Plan;
use crate::fingerprint::name_suffix;
use crate::owner;

const HASH_LABEL: &str = "pod-template-hash";
const REVISION: &str = "deployment.kubernetes.io/revision";
const HISTORY: &str = "deployment.kubernetes.io/revision-history";
const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
const MAXIMUM: &str = "deployment.kubernetes.io/max-replicas";
/// Annotations of the deployment that say nothing about its revisions.
const OWN: [&str; 6] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    "deprecated.deployment.rollback.to",
    REVISION,
    HISTORY,
    DESIRED,
    MAXIMUM,
];
/// The longest list of former numbers.
const LONGEST_HISTORY: usize = 2000;
const LONGEST_NAME: usize = 253;

type Annotations = BTreeMap<String, String>;

/// Whether the replica set was made from this template.
pub(super) fn is_of(set: &ReplicaSet, template: &PodTemplateSpec) -> bool {
    let Some(mut theirs) = set.spec.as_ref().and_then(|it| it.template.clone()) else { return false };
    let mut ours = template.clone();
    for template in [&mut theirs, &mut ours] {
        let metadata = template.metadata.get_or_insert_default();
        metadata.creation_timestamp = None;
        metadata.labels.get_or_insert_default().remove(HASH_LABEL);
    }
    theirs == ours
}

/// The number of the revision.
pub(super) fn number(metadata: &ObjectMeta) -> i64 {
    let text = metadata.annotations.as_ref().and_then(|it| it.get(REVISION));
    text.and_then(|it| it.parse().ok()).unwrap_or_default()
}

/// The size that the deployment had when it last sized this replica set.
pub(super) fn desired(set: &ReplicaSet) -> Option<i32> {
    remembered(set, DESIRED)
}

/// The most Pods the deployment allowed then.
pub(super) fn maximum(set: &ReplicaSet) -> Option<i32> {
    remembered(set, MAXIMUM)
}

fn remembered(set: &ReplicaSet, name: &str) -> Option<i32> {
    set.metadata.annotations.as_ref()?.get(name)?.parse().ok()
}

/// What a replica set remembers of the deployment's size.
pub(super) fn sizes_of(limits: Limits) -> Annotations {
    let sizes = [(DESIRED, limits.replicas), (MAXIMUM, limits.most())];
    sizes.map(|(name, size)| (name.to_owned(), size.to_string())).into()
}

/// Creates the replica set of the current template.
pub(super) fn create(rollout: &Rollout<'_>, replicas: i32, plan: &mut Plan, progress: &mut Progress) {
    let deployment = rollout.deployment;
    let collisions = deployment.status.as_ref().and_then(|it| it.collision_count);
    let hash = name_suffix(&rollout.spec.template, collisions);
    let set = replica_set(rollout, &hash, replicas);
    let name = set.metadata.name.clone().unwrap_or_default();
    let namespace = deployment.metadata.namespace.as_deref().unwrap_or_default();
    if rollout.world.replica_sets.get(namespace, &name).is_some() {
        progress.collided = true;
        return;
    }
    plan.create(&set);
    if replicas > 0 {
        let message = format!("Scaled up replica set {name} from 0 to {replicas}");
        plan.record(deployment, CONTROLLER, "ScalingReplicaSet", message);
    }
    progress.created = Some(name);
    keep_revision(rollout, next_number(rollout), progress);
}

fn replica_set(rollout: &Rollout<'_>, hash: &str, replicas: i32) -> ReplicaSet {
    let (deployment, spec) = (rollout.deployment, rollout.spec);
    let mut template = spec.template.clone();
    let labels = template.metadata.get_or_insert_default().labels.get_or_insert_default();
    labels.insert(HASH_LABEL.to_owned(), hash.to_owned());
    let labels = labels.clone();
    let mut selector = spec.selector.clone();
    selector.match_labels.get_or_insert_default().insert(HASH_LABEL.to_owned(), hash.to_owned());
    let mut annotations = inherited(deployment.metadata.annotations.as_ref());
    annotations.extend(sizes_of(rollout.limits));
    annotations.insert(REVISION.to_owned(), next_number(rollout).to_string());
    let name = deployment.metadata.name.as_deref().unwrap_or_default();
    let prefix: String = name.chars().take(LONGEST_NAME - 1 - hash.len()).collect();
    ReplicaSet {
        metadata: ObjectMeta {
            name: Some(format!("{prefix}-{hash}")),
            namespace: deployment.metadata.namespace.clone(),
            labels: Some(labels),
            annotations: Some(annotations),
            owner_references: Some(vec![owner::reference(deployment)]),
            ..ObjectMeta::default()
        },
        spec: Some(ReplicaSetSpec {
            replicas: Some(replicas),
            min_ready_seconds: spec.min_ready_seconds,
            selector,
            template: Some(template),
        }),
        status: None,
    }
}

/// One more than all old revisions.
fn next_number(rollout: &Rollout<'_>) -> i64 {
    rollout.old.iter().map(|it| number(&it.metadata)).max().unwrap_or_default() + 1
}

fn inherited(annotations: Option<&Annotations>) -> Annotations {
    let all = annotations.into_iter().flatten();
    all.filter(|(name, _)| !OWN.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Brings the current replica set's number, annotations and waiting time up to date.
pub(super) fn keep_up(rollout: &Rollout<'_>, new: &ReplicaSet, plan: &mut Plan, progress: &mut Progress) {
    let known = new.metadata.annotations.clone().unwrap_or_default();
    let mut annotations = inherited(rollout.deployment.metadata.annotations.as_ref());
    let (current, next) = (number(&new.metadata), next_number(rollout));
    if current < next {
        annotations.insert(REVISION.to_owned(), next.to_string());
        if current > 0 {
            annotations.insert(HISTORY.to_owned(), longer_history(known.get(HISTORY), current));
        }
    }
    annotations.retain(|name, value| known.get(name) != Some(value));
    let waiting = rollout.spec.min_ready_seconds.unwrap_or_default();
    let mut patch = json!({});
    if !annotations.is_empty() {
        patch["metadata"] = json!({"annotations": annotations});
    }
    if new.spec.as_ref().and_then(|it| it.min_ready_seconds).unwrap_or_default() != waiting {
        patch["spec"] = json!({"minReadySeconds": waiting});
    }
    if patch != Value::Object(serde_json::Map::new()) {
        plan.patch(new, patch);
    }
    keep_revision(rollout, current.max(next), progress);
}

fn longer_history(known: Option<&String>, number: i64) -> String {
    let mut numbers: Vec<&str> =
        known.into_iter().flat_map(|it| it.split(',')).filter(|it| !it.is_empty()).collect();
    let number = number.to_string();
    numbers.push(&number);
    while numbers.len() > 1 && numbers.join(",").len() > LONGEST_HISTORY {
        numbers.remove(0);
    }
    numbers.join(",")
}

/// The deployment shows the number of its current revision.
fn keep_revision(rollout: &Rollout<'_>, number: i64, progress: &mut Progress) {
    if self::number(&rollout.deployment.metadata) != number {
        progress.annotations = Some(json!({REVISION: number.to_string()}));
    }
}
