//! Claims and volumes: every claim gets a simulated volume, unless it asks for a class that nobody has made.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec, PersistentVolumeClaimStatus,
    PersistentVolumeStatus,
};
use serde_json::{Value, json};

use crate::action::{Plan, SIMULATOR};
use crate::clock::stamp;
use crate::kind::{Key, World};
use crate::owner;

/// Who makes volumes.
const PROVISIONER: &str = "krono.dev/simulated";
/// Who binds volumes.
const CONTROLLER: &str = "persistentvolume-controller";

/// What to do about a claim.
pub(crate) fn plan(world: &World, key: &Key) -> Plan {
    let mut plan = Plan::default();
    let Some(claim) = world.claims.get(&key.namespace, &key.name) else { return plan };
    let Some(spec) = claim.spec.as_ref().filter(|_| claim.metadata.deletion_timestamp.is_none()) else {
        return plan;
    };
    let named = spec.volume_name.as_deref().filter(|it| !it.is_empty());
    let volume = match named {
        Some(name) => world.volumes.get("", name),
        None => world.volumes.iter().find(|it| is_of(it, claim)).or_else(|| available(world, spec)),
    };
    match volume {
        Some(volume) if is_free(volume) || is_of(volume, claim) => bind(claim, volume, &mut plan),
        None if named.is_none() && spec.storage_class_name.as_deref() != Some("") => {
            provision(world, claim, spec, &mut plan);
        }
        Some(_) | None => {}
    }
    plan
}

fn is_free(volume: &PersistentVolume) -> bool {
    volume.spec.as_ref().is_some_and(|it| it.claim_ref.is_none())
}

fn is_of(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    let reference = volume.spec.as_ref().and_then(|it| it.claim_ref.as_ref());
    reference.is_some_and(|it| {
        (it.name.as_ref(), it.namespace.as_ref())
            == (claim.metadata.name.as_ref(), claim.metadata.namespace.as_ref())
            && it.uid.as_ref().is_none_or(|uid| Some(uid) == claim.metadata.uid.as_ref())
    })
}

/// The smallest volume without a claim that would do.
fn available<'a>(
    world: &'a World,
    spec: &PersistentVolumeClaimSpec,
) -> Option<&'a std::sync::Arc<PersistentVolume>> {
    let class = spec.storage_class_name.as_deref().unwrap_or_default();
    let wanted = request(spec).map_or(0, |it| bytes(&it));
    let size = |it: &PersistentVolume| {
        let capacity =
            it.spec.as_ref().and_then(|it| it.capacity.as_ref()?.get("storage").map(|it| it.0.clone()));
        capacity.map_or(0, |it| bytes(&it))
    };
    let fits = |it: &&std::sync::Arc<PersistentVolume>| {
        let modes = it.spec.as_ref().and_then(|it| it.access_modes.clone()).unwrap_or_default();
        let own = it.spec.as_ref().and_then(|it| it.storage_class_name.as_deref()).unwrap_or_default();
        is_free(it)
            && own == class
            && size(it) >= wanted
            && spec.access_modes.iter().flatten().all(|mode| modes.contains(mode))
    };
    world.volumes.iter().filter(fits).min_by_key(|it| size(it))
}

fn request(spec: &PersistentVolumeClaimSpec) -> Option<String> {
    Some(spec.resources.as_ref()?.requests.as_ref()?.get("storage")?.0.clone())
}

/// A quantity of bytes, roughly: enough to compare sizes.
fn bytes(quantity: &str) -> u128 {
    let digits = quantity.find(|it: char| !it.is_ascii_digit()).unwrap_or(quantity.len());
    let (number, unit) = quantity.split_at(digits);
    let factor: u128 = match unit {
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        "Ti" => 1 << 40,
        "k" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "T" => 1_000_000_000_000,
        _ => 1,
    };
    number.parse::<u128>().unwrap_or_default().saturating_mul(factor)
}

fn provision(
    world: &World,
    claim: &PersistentVolumeClaim,
    spec: &PersistentVolumeClaimSpec,
    plan: &mut Plan,
) {
    let name = format!("pvc-{}", owner::uid(&claim.metadata));
    let wanted = spec.storage_class_name.as_deref();
    let class = wanted.and_then(|it| world.storage_classes.get("", it));
    if let (Some(wanted), None) = (wanted, class) {
        let message = format!("storageclass.storage.k8s.io \"{wanted}\" not found");
        plan.warn(claim, CONTROLLER, "ProvisioningFailed", message);
        return;
    }
    let policy = class.and_then(|it| it.reclaim_policy.clone()).unwrap_or_else(|| "Delete".to_owned());
    let volume = json!({
        "metadata": {"name": name, "annotations": {"pv.kubernetes.io/provisioned-by": PROVISIONER}},
        "spec": {
            "capacity": {"storage": request(spec)}, "accessModes": spec.access_modes, "volumeMode": spec.volume_mode,
            "storageClassName": spec.storage_class_name, "persistentVolumeReclaimPolicy": policy,
            "claimRef": reference(claim), "csi": {"driver": PROVISIONER, "volumeHandle": name},
        },
    });
    let Ok(volume) = serde_json::from_value::<PersistentVolume>(volume) else { return };
    plan.create(&volume);
    let message = format!("Successfully provisioned volume {name} (simulated)");
    plan.record(claim, SIMULATOR, "ProvisioningSucceeded", message);
}

fn reference(claim: &PersistentVolumeClaim) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": claim.metadata.name,
        "namespace": claim.metadata.namespace, "uid": claim.metadata.uid,
        "resourceVersion": claim.metadata.resource_version,
    })
}

/// Both sides point at each other, then both say so.
fn bind(claim: &PersistentVolumeClaim, volume: &PersistentVolume, plan: &mut Plan) {
    let (Some(claimed), Some(offered)) = (&claim.spec, &volume.spec) else { return };
    if offered.claim_ref.as_ref().is_none_or(|it| it.uid.is_none()) {
        plan.patch(volume, json!({"spec": {"claimRef": reference(claim)}}));
    }
    if claimed.volume_name != volume.metadata.name {
        let annotations =
            json!({"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"});
        let patch =
            json!({"metadata": {"annotations": annotations}, "spec": {"volumeName": volume.metadata.name}});
        plan.patch(claim, patch);
    }
    let old = claim.status.clone().unwrap_or_default();
    let status = PersistentVolumeClaimStatus {
        phase: Some("Bound".to_owned()),
        access_modes: offered.access_modes.clone(),
        capacity: offered.capacity.clone(),
        ..old
    };
    plan.set_status(claim, claim.status.as_ref(), &status);
}

/// What to do about a volume: show whether it is bound, and end it with its claim.
pub(crate) fn plan_volume(world: &World, key: &Key, now: Timestamp) -> Plan {
    let mut plan = Plan::default();
    let Some(volume) = world.volumes.get("", &key.name) else { return plan };
    let Some(spec) = &volume.spec else { return plan };
    let reference = spec.claim_ref.as_ref().filter(|it| it.uid.is_some());
    let claim = reference.and_then(|it| world.claims.get(it.namespace.as_deref()?, it.name.as_deref()?));
    let alive = claim.is_some_and(|it| it.metadata.uid == reference.and_then(|it| it.uid.clone()));
    let phase = match (reference, alive) {
        (None, _) => "Available",
        (Some(_), true) => "Bound",
        (Some(_), false) => "Released",
    };
    let old = volume.status.clone().unwrap_or_default();
    if old.phase.as_deref() != Some(phase) {
        let last_phase_transition_time = Some(stamp(now));
        let status =
            PersistentVolumeStatus { phase: Some(phase.to_owned()), last_phase_transition_time, ..old };
        plan.set_status(&**volume, volume.status.as_ref(), &status);
    }
    let spent = phase == "Released" && spec.persistent_volume_reclaim_policy.as_deref() == Some("Delete");
    if spent && volume.metadata.deletion_timestamp.is_none() {
        plan.delete(&**volume);
    }
    plan
}
