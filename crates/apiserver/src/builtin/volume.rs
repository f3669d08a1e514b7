//! Volumes, claims on them and their classes.

use krono_schema::FieldError;
use serde_json::{Value, json};

use crate::kind::Rules;

use super::findings::Findings;
use super::place::Place;
use super::pod::{parsed, quantity};
use super::{fill, names, read};

/// Rules of `PersistentVolumes`.
pub(super) const VOLUME: Rules = Rules { default: default_volume, validate: validate_volume };
/// Rules of `PersistentVolumeClaims`.
pub(super) const CLAIM: Rules = Rules { default: default_claim, validate: validate_claim };
/// Rules of `StorageClasses`.
pub(super) const STORAGE_CLASS: Rules = Rules { default: default_class, validate: validate_class };
/// Rules of `CSIDrivers`.
pub(super) const CSI_DRIVER: Rules = Rules { default: default_driver, validate: Rules::NONE.validate };

const ACCESS_MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
/// The fields of a volume that are not its source.
const VOLUME_FIELDS: [&str; 9] = [
    "accessModes",
    "capacity",
    "claimRef",
    "mountOptions",
    "nodeAffinity",
    "persistentVolumeReclaimPolicy",
    "storageClassName",
    "volumeAttributesClassName",
    "volumeMode",
];

fn default_volume(volume: &mut Value) {
    fill::inside(volume, "spec", |spec| {
        fill::empty(spec, "persistentVolumeReclaimPolicy", "Retain");
        fill::absent(spec, "volumeMode", "Filesystem");
        fill::quantities(spec, "capacity");
        fill::within(spec, "hostPath", |path| fill::absent(path, "type", ""));
    });
    fill::inside(volume, "status", |status| fill::empty(status, "phase", "Pending"));
}

/// Fills in a claim.
pub(super) fn default_claim(claim: &mut Value) {
    fill::inside(claim, "spec", default_claim_spec);
    fill::inside(claim, "status", |status| fill::empty(status, "phase", "Pending"));
}

/// Fills in the spec of a claim.
pub(super) fn default_claim_spec(spec: &mut Value) {
    fill::absent(spec, "volumeMode", "Filesystem");
    fill::inside(spec, "resources", |resources| {
        fill::quantities(resources, "requests");
        fill::quantities(resources, "limits");
    });
    same_source(spec);
}

/// `dataSource` and `dataSourceRef` say the same, as long as no other namespace is meant.
fn same_source(spec: &mut Value) {
    let (source, reference) = (spec["dataSource"].clone(), spec["dataSourceRef"].clone());
    if !source.is_null() {
        fill::absent(spec, "dataSourceRef", source);
    } else if !reference.is_null() && read::text(&reference, "namespace").is_empty() {
        fill::absent(spec, "dataSource", reference);
    }
}

fn default_class(class: &mut Value) {
    fill::absent(class, "reclaimPolicy", "Delete");
    fill::absent(class, "volumeBindingMode", "Immediate");
}

fn default_driver(driver: &mut Value) {
    fill::inside(driver, "spec", |spec| {
        fill::absent(spec, "attachRequired", true);
        for field in ["podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount"] {
            fill::absent(spec, field, false);
        }
        fill::absent(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
        fill::empty(spec, "volumeLifecycleModes", json!(["Persistent"]));
    });
}

fn access_modes(spec: &Value, missing: &str, at: Place<'_>, findings: &mut Findings) {
    let at = at.field("accessModes");
    if read::list(spec, "accessModes").is_empty() {
        findings.required(at, missing);
    }
    for mode in read::texts(spec, "accessModes").filter(|mode| !ACCESS_MODES.contains(mode)) {
        findings.unsupported(at, mode, &ACCESS_MODES);
    }
    let (alone, others): (Vec<&str>, Vec<&str>) =
        read::texts(spec, "accessModes").partition(|mode| *mode == "ReadWriteOncePod");
    if !alone.is_empty() && others.iter().any(|mode| ACCESS_MODES.contains(mode)) {
        findings.forbidden(at, "may not use ReadWriteOncePod with other access modes");
    }
}

fn volume_mode(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    let mode = read::text(spec, "volumeMode");
    if !matches!(mode, "" | "Block" | "Filesystem") {
        findings.unsupported(at.field("volumeMode"), mode, &["Block", "Filesystem"]);
    }
}

fn class_name(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    let name = read::text(spec, "storageClassName");
    if !name.is_empty() {
        findings.complaints(at.field("storageClassName"), name, names::subdomain(name));
    }
}

fn validate_volume(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let (spec, at) = (&new["spec"], Place::ROOT.field("spec"));
    access_modes(spec, "", at, &mut findings);
    let capacity = at.field("capacity");
    if read::is_empty(&spec["capacity"]) {
        findings.required(capacity, "");
    }
    for (name, amount) in read::entries(spec, "capacity") {
        quantity(amount, capacity.key(name), &mut findings);
    }
    let policy = read::text(spec, "persistentVolumeReclaimPolicy");
    if !matches!(policy, "Delete" | "Recycle" | "Retain") {
        findings.unsupported(
            at.field("persistentVolumeReclaimPolicy"),
            policy,
            &["Delete", "Recycle", "Retain"],
        );
    }
    sources(spec, at, &mut findings);
    class_name(spec, at, &mut findings);
    volume_mode(spec, at, &mut findings);
    if let Some(old) = old {
        validate_volume_change(spec, &old["spec"], at, &mut findings);
    }
    findings.into_errors()
}

fn source(spec: &Value) -> Value {
    let fields = spec.as_object().into_iter().flatten();
    let source = fields.filter(|(name, value)| !VOLUME_FIELDS.contains(&name.as_str()) && !value.is_null());
    source.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn sources(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    let source = source(spec);
    let mut names = source.as_object().into_iter().flatten().map(|(name, _)| name);
    if names.next().is_none() {
        findings.required(at, "must specify a volume type");
    }
    for other in names {
        findings.forbidden(at.field(other), "may not specify more than 1 volume type");
    }
}

fn validate_volume_change(new: &Value, old: &Value, at: Place<'_>, findings: &mut Findings) {
    if !read::same(&source(new), &source(old)) {
        let detail = "spec.persistentvolumesource is immutable after creation";
        findings.forbidden(at.field("persistentvolumesource"), detail);
    }
    findings.immutable(Place::ROOT, new, old, "volumeMode");
}

fn validate_claim(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let at = Place::ROOT.field("spec");
    validate_claim_spec(&new["spec"], at, &mut findings);
    if let Some(old) = old {
        validate_claim_change(new, old, at, &mut findings);
    }
    findings.into_errors()
}

/// Checks the spec of a claim or of a template for claims.
pub(super) fn validate_claim_spec(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    access_modes(spec, "at least 1 access mode is required", at, findings);
    let resources = at.field("resources");
    let size = resources.key("storage");
    match parsed(&spec["resources"]["requests"]["storage"]) {
        None => findings.required(size, ""),
        Some(amount) if amount.sign() <= 0 => {
            findings.invalid(size, amount.to_string(), "must be greater than zero");
        }
        Some(_) => {}
    }
    class_name(spec, at, findings);
    volume_mode(spec, at, findings);
    for field in ["dataSource", "dataSourceRef"].into_iter().filter(|field| !spec[*field].is_null()) {
        let at = at.field(field);
        for part in ["name", "kind"].into_iter().filter(|part| read::text(&spec[field], part).is_empty()) {
            findings.required(at.field(part), "");
        }
    }
}

/// A claim that is bound may grow; before, only its volume and its class may be filled in.
fn validate_claim_change(new: &Value, old: &Value, at: Place<'_>, findings: &mut Findings) {
    let bound = new["status"]["phase"] == "Bound";
    let (mut now, mut before) = (new["spec"].clone(), old["spec"].clone());
    for field in ["volumeName", "storageClassName"] {
        if read::text(&before, field).is_empty() {
            take(&mut before, &now, field);
        }
    }
    if bound {
        take(&mut now, &before, "volumeAttributesClassName");
        let size = before["resources"]["requests"]["storage"].clone();
        fill::within(&mut now, "resources", |resources| {
            fill::within(resources, "requests", |requests| requests["storage"] = size);
        });
    }
    if !read::same(&now, &before) {
        let detail = "spec is immutable after creation except resources.requests and volumeAttributesClassName \
                      for bound claims";
        findings.forbidden(at, detail);
    }
    shrinking(new, old, at, findings);
    findings.immutable(Place::ROOT, &new["spec"], &old["spec"], "volumeMode");
}

fn take(to: &mut Value, from: &Value, field: &str) {
    if let Some(fields) = to.as_object_mut() {
        fields.insert(field.to_owned(), from[field].clone());
    }
}

fn shrinking(new: &Value, old: &Value, at: Place<'_>, findings: &mut Findings) {
    let size = |claim: &Value| parsed(&claim["spec"]["resources"]["requests"]["storage"]);
    let (Some(now), Some(before)) = (size(new), size(old)) else { return };
    let held = parsed(&old["status"]["capacity"]["storage"]);
    if now < before && held.is_some_and(|held| now <= held) {
        let detail = "field can not be less than status.capacity";
        findings.forbidden(at.field("resources.requests.storage"), detail);
    }
}

fn validate_class(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let provisioner = read::text(new, "provisioner");
    if provisioner.is_empty() {
        findings.required(Place::ROOT.field("provisioner"), "");
    }
    let policy = read::text(new, "reclaimPolicy");
    if !matches!(policy, "Delete" | "Retain") {
        findings.unsupported(Place::ROOT.field("reclaimPolicy"), policy, &["Delete", "Retain"]);
    }
    let mode = read::text(new, "volumeBindingMode");
    if !matches!(mode, "Immediate" | "WaitForFirstConsumer") {
        let supported = ["Immediate", "WaitForFirstConsumer"];
        findings.unsupported(Place::ROOT.field("volumeBindingMode"), mode, &supported);
    }
    if let Some(old) = old {
        for field in ["parameters", "provisioner", "reclaimPolicy"] {
            if !read::same(&new[field], &old[field]) {
                findings.forbidden(Place::ROOT.field(field), format!("updates to {field} are forbidden."));
            }
        }
        findings.immutable(Place::ROOT, new, old, "volumeBindingMode");
    }
    findings.into_errors()
}

#[cfg(test)]
mod tests;
