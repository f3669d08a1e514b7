//! How the CRD in the cluster stands to the one that a graph needs.

use krono_graph::CompiledGraph;
use krono_model::names;
use krono_schema::crd::{CustomResourceDefinition, CustomResourceSpec, Names};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::marks;
use super::plain::plain;
use super::verdict::{breaking, change_that_kro_sees, every_change};
use super::{Serving, World, is_terminating, metadata, owner};

/// How the CRD in the cluster stands to the one that is needed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Standing {
    /// There is none; this one is needed.
    Absent(Value),
    /// It needs this merge patch.
    Different(Value),
    /// Nobody may touch it: not made by a definition.
    Foreign(String),
    /// It belongs to another definition.
    OfAnother(String),
    /// What it needs would break instances.
    Breaking(String),
    /// The API server refused what it needs.
    Refused(String),
    /// It is on its way out.
    Terminating,
    /// It is as it should be and not yet established.
    NotEstablished,
    /// It is established and the API server does not answer for it yet.
    NotServed,
    /// It is as it should be, and served.
    Good,
}

pub(crate) fn standing(world: &World<'_>, graph: &CompiledGraph) -> Standing {
    let needed = needed(world, graph);
    let Some(live) = world.crd else {
        return serde_json::to_value(&needed)
            .map_or_else(|it| Standing::Refused(it.to_string()), Standing::Absent);
    };
    if is_terminating(live) {
        return Standing::Terminating;
    }
    let name = &needed.metadata.name;
    if !is_owned(live) {
        let words = format!("failed to update CRD {name}: CRD already exists and is not owned by KRO");
        return Standing::Foreign(words);
    }
    match label(live, names::DEFINITION_NAME_LABEL).unwrap_or_default() {
        same if same == metadata(world.definition, "name") => compared(world, live, &needed),
        other => Standing::OfAnother(format!(
            "failed to update CRD {name}: CRD is owned by another ResourceGraphDefinition {other}"
        )),
    }
}

/// The CRD that the graph needs, with the marks of its owner.
fn needed(world: &World<'_>, graph: &CompiledGraph) -> CustomResourceDefinition {
    let mut crd = graph.crd.clone();
    let digest = digest(&crd.spec);
    marks::add(&mut crd.metadata, graph, &owner(world.definition), digest);
    crd
}

/// The identity of what a definition asks for, to tell a new wish from somebody's edit of the CRD.
fn digest(spec: &CustomResourceSpec) -> String {
    let text = serde_json::to_string(spec).unwrap_or_default();
    let bytes = Sha256::digest(text.as_bytes());
    bytes[..8].iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// The CRD, if it is this definition's.
pub(super) fn own<'a>(world: &World<'a>) -> Option<&'a Value> {
    let name = metadata(world.definition, "name");
    world.crd.filter(|it| is_owned(it) && label(it, names::DEFINITION_NAME_LABEL) == Some(name))
}

/// Releases of kro before it had a label of its own left only the usual one.
fn is_owned(crd: &Value) -> bool {
    match label(crd, names::OWNED_LABEL) {
        Some(owned) => owned == "true",
        None => label(crd, names::MANAGED_BY_LABEL) == Some(names::MANAGED_BY_VALUE),
    }
}

fn label<'v>(object: &'v Value, key: &str) -> Option<&'v str> {
    object["metadata"]["labels"][key].as_str()
}

fn compared(world: &World<'_>, live: &Value, needed: &CustomResourceDefinition) -> Standing {
    let spec: Option<CustomResourceSpec> = serde_json::from_value(live["spec"].clone()).ok();
    let same_spec = spec.as_ref().is_some_and(|it| has_no_extras(live) && plain(it) == plain(&needed.spec));
    if !same_spec && let Some(words) = objection(world, live, spec.as_ref(), needed) {
        return Standing::Breaking(words);
    }
    match patch(live, needed, same_spec) {
        Some(patch) => Standing::Different(patch),
        None if !is_established(live) => not_established(live),
        None if !world.served => Standing::NotServed,
        None => Standing::Good,
    }
}

/// Names that others hold keep a CRD from being established, for good.
fn not_established(live: &Value) -> Standing {
    match condition(live, "NamesAccepted") {
        Some(it) if it["status"] == "False" => {
            let words = it["message"].as_str().unwrap_or("its names are taken");
            Standing::Refused(format!("it is not established: {words}"))
        }
        Some(_) | None => Standing::NotEstablished,
    }
}

fn is_established(live: &Value) -> bool {
    condition(live, "Established").is_some_and(|it| it["status"] == "True")
}

fn condition<'v>(live: &'v Value, condition_type: &str) -> Option<&'v Value> {
    let conditions = live["status"]["conditions"].as_array()?;
    conditions.iter().find(|it| it["type"] == condition_type)
}

/// Why the change may not be made, if it may not.
fn objection(
    world: &World<'_>,
    live: &Value,
    spec: Option<&CustomResourceSpec>,
    needed: &CustomResourceDefinition,
) -> Option<String> {
    let name = &needed.metadata.name;
    let spec = spec?;
    if let Some(fixed) = fixed(spec, &needed.spec) {
        return Some(format!(
            "cannot update CRD {name}: {fixed}; delete the CRD, and with it all instances, first"
        ));
    }
    if is_repair(world, live, needed) || allows_breaking(world.definition) {
        return None;
    }
    let judge = if asked(live).is_some() { every_change } else { change_that_kro_sees };
    let breaking = breaking(&spec.versions, &needed.spec.versions, judge)?;
    let leave =
        format!("annotate the definition with {}: \"true\" to go ahead", names::ALLOW_BREAKING_ANNOTATION);
    Some(format!("cannot update CRD {name}: breaking changes detected: {breaking}; {leave}"))
}

/// What the API server never changes once a CRD is established.
fn fixed(live: &CustomResourceSpec, needed: &CustomResourceSpec) -> Option<String> {
    if live.scope != needed.scope {
        return Some(format!("its scope is {:?} and cannot become {:?}", live.scope, needed.scope));
    }
    (live.names.kind != needed.names.kind)
        .then(|| format!("its kind is {} and cannot become {}", live.names.kind, needed.names.kind))
}

/// Whether the definition asks for nothing new, so that somebody else changed the CRD.
fn is_repair(world: &World<'_>, live: &Value, needed: &CustomResourceDefinition) -> bool {
    let wanted = needed.metadata.annotations.get(names::CRD_DIGEST_ANNOTATION).map(String::as_str);
    world.serving == Serving::Current || asked(live) == wanted
}

/// The identity of what the definition asked for when krono last wrote the CRD.
fn asked(live: &Value) -> Option<&str> {
    live["metadata"]["annotations"][names::CRD_DIGEST_ANNOTATION].as_str()
}

fn allows_breaking(definition: &Value) -> bool {
    definition["metadata"]["annotations"][names::ALLOW_BREAKING_ANNOTATION] == "true"
}

/// The merge patch that makes the CRD what it should be, if it is not.
fn patch(live: &Value, needed: &CustomResourceDefinition, same_spec: bool) -> Option<Value> {
    let mut metadata = marks::patch(live, &needed.metadata);
    if same_spec && metadata.is_empty() {
        return None;
    }
    metadata.insert("resourceVersion".to_owned(), live["metadata"]["resourceVersion"].clone());
    let mut patch = json!({"metadata": metadata});
    if !same_spec {
        patch["spec"] = json!({"names": names_patch(&needed.spec.names), "versions": needed.spec.versions});
    }
    Some(patch)
}

/// Lists that are empty must be named, or a merge patch leaves what is there.
fn names_patch(names: &Names) -> Value {
    let listed = |list: &[String]| if list.is_empty() { Value::Null } else { json!(list) };
    json!({
        "kind": names.kind,
        "listKind": names.list_kind,
        "plural": names.plural,
        "singular": names.singular,
        "shortNames": listed(&names.short_names),
        "categories": listed(&names.categories),
    })
}

/// Whether every version has only what a generated one has.
fn has_no_extras(live: &Value) -> bool {
    let known = ["name", "served", "storage", "schema", "subresources", "additionalPrinterColumns"];
    let only = |value: &Value, keys: &[&str]| {
        value.as_object().is_none_or(|fields| fields.keys().all(|key| keys.contains(&key.as_str())))
    };
    let versions = live["spec"]["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
    versions.iter().all(|it| only(it, &known) && only(&it["subresources"], &["status"]))
}
