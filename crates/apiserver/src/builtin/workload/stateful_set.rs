//! `StatefulSets`.

use krono_schema::FieldError;
use serde_json::{Value, json};

use crate::builtin::findings::Findings;
use crate::builtin::place::Place;
use crate::builtin::{amount, fill, names, pod, read, volume};
use crate::kind::Rules;

/// Rules of `StatefulSets`.
pub(in crate::builtin) const STATEFUL_SET: Rules = Rules { default, validate };

/// What may change in the spec.
const MUTABLE: [&str; 7] = [
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
];

fn default(set: &mut Value) {
    fill::inside(set, "spec", |spec| {
        fill::empty(spec, "podManagementPolicy", "OrderedReady");
        fill::inside(spec, "updateStrategy", default_strategy);
        fill::inside(spec, "persistentVolumeClaimRetentionPolicy", |policy| {
            fill::empty(policy, "whenDeleted", "Retain");
            fill::empty(policy, "whenScaled", "Retain");
        });
        fill::absent(spec, "replicas", 1);
        fill::absent(spec, "revisionHistoryLimit", 10);
        fill::absent(spec, "serviceName", "");
        fill::inside(spec, "template", pod::default_template);
        fill::each(spec, "volumeClaimTemplates", default_claim);
    });
    fill::inside(set, "status", |status| {
        fill::absent(status, "replicas", 0);
        fill::absent(status, "availableReplicas", 0);
    });
}

fn default_strategy(strategy: &mut Value) {
    if read::text(strategy, "type").is_empty() {
        fill::empty(strategy, "type", "RollingUpdate");
        fill::absent(strategy, "rollingUpdate", json!({}));
    }
    if read::text(strategy, "type") == "RollingUpdate" {
        fill::within(strategy, "rollingUpdate", |update| fill::absent(update, "partition", 0));
    }
}

fn default_claim(claim: &mut Value) {
    fill::empty(claim, "apiVersion", "v1");
    fill::empty(claim, "kind", "PersistentVolumeClaim");
    volume::default_claim(claim);
}

fn validate(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let (spec, at) = (&new["spec"], Place::ROOT.field("spec"));
    policies(spec, at, &mut findings);
    claims(spec, old.is_none(), at, &mut findings);
    super::not_negative(spec, &["replicas", "minReadySeconds"], at, &mut findings);
    let service = read::text(spec, "serviceName");
    if old.is_none() && !service.is_empty() {
        findings.complaints(at.field("serviceName"), service, names::label(service));
    }
    super::validate_selector(spec, "statefulset", at, &mut findings);
    super::validate_match(spec, Some(""), at, &mut findings);
    let template = with_claims(spec);
    pod::validate_lasting_template(&template, "StatefulSet", at.field("template"), &mut findings);
    if old.is_some_and(|old| !read::same(&fixed(spec), &fixed(&old["spec"]))) {
        let detail = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', \
                      'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and \
                      'minReadySeconds' are forbidden";
        findings.forbidden(at, detail);
    }
    findings.into_errors()
}

/// The spec without what may change.
fn fixed(spec: &Value) -> Value {
    let fields = spec.as_object().into_iter().flatten();
    let fixed = fields.filter(|(name, _)| !MUTABLE.contains(&name.as_str()));
    fixed.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn policies(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    let policy = read::text(spec, "podManagementPolicy");
    if !matches!(policy, "OrderedReady" | "Parallel") {
        findings.invalid(at.field("podManagementPolicy"), policy, "must be 'OrderedReady' or 'Parallel'");
    }
    strategy(&spec["updateStrategy"], at.field("updateStrategy"), findings);
    let at = at.field("persistentVolumeClaimRetentionPolicy");
    for field in ["whenDeleted", "whenScaled"] {
        let policy = read::text(&spec["persistentVolumeClaimRetentionPolicy"], field);
        if !matches!(policy, "Retain" | "Delete") {
            findings.unsupported(at.field(field), policy, &["Retain", "Delete"]);
        }
    }
}

fn strategy(strategy: &Value, at: Place<'_>, findings: &mut Findings) {
    let update = &strategy["rollingUpdate"];
    match read::text(strategy, "type") {
        "OnDelete" if !update.is_null() => {
            let detail = "only allowed for updateStrategy 'RollingUpdate'";
            findings.invalid(at.field("rollingUpdate"), update.clone(), detail);
        }
        "OnDelete" => {}
        "RollingUpdate" => {
            let at = at.field("rollingUpdate");
            findings.not_negative(at, update, "partition");
            if !update["maxUnavailable"].is_null() {
                amount::validate(&update["maxUnavailable"], at.field("maxUnavailable"), findings);
                amount::validate_at_most_all(&update["maxUnavailable"], at.field("maxUnavailable"), findings);
            }
        }
        _ => findings.invalid(at, strategy.clone(), "must be 'RollingUpdate' or 'OnDelete'"),
    }
}

fn claims(spec: &Value, new: bool, at: Place<'_>, findings: &mut Findings) {
    let at = at.field("volumeClaimTemplates");
    for (index, claim) in read::list(spec, "volumeClaimTemplates").iter().enumerate().filter(|_| new) {
        volume::validate_claim_spec(&claim["spec"], at.index(index).field("spec"), findings);
    }
}

/// The template with the volumes that the claim templates will give its pods.
fn with_claims(spec: &Value) -> Value {
    let mut template = spec["template"].clone();
    let names =
        read::list(spec, "volumeClaimTemplates").iter().map(|claim| read::text(&claim["metadata"], "name"));
    let claimed: Vec<Value> =
        names.map(|name| json!({"name": name, "persistentVolumeClaim": {"claimName": name}})).collect();
    if claimed.is_empty() {
        return template;
    }
    fill::within(&mut template, "spec", |pod| {
        fill::absent(pod, "volumes", json!([]));
        if let Some(volumes) = pod.get_mut("volumes").and_then(Value::as_array_mut) {
            volumes.retain(|volume| claimed.iter().all(|claim| claim["name"] != volume["name"]));
            volumes.extend(claimed);
        }
    });
    template
}
