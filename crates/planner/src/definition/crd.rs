//! How the CRD in the cluster stands to the one that a graph needs.

use krono_graph::CompiledGraph;
use krono_history::{Digest, RevisionNumber};
use krono_model::{label as labels, names};
use krono_schema::crd::{CustomResourceDefinition, CustomResourceSpec, Names};
use krono_schema::union;
use serde_json::{Value, json};
use sha2::Sha256;

use super::behind::{Cause, left_behind};
use super::marks;
use super::own_status;
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

impl Standing {
    /// Whether somebody has to do something about it.
    pub(super) fn is_refusal(&self) -> bool {
        match self {
            Self::Foreign(_) | Self::OfAnother(_) | Self::Breaking(_) | Self::Refused(_) => true,
            Self::Absent(_)
            | Self::Different(_)
            | Self::Terminating
            | Self::NotEstablished
            | Self::NotServed
            | Self::Good => false,
        }
    }
}

pub(crate) fn standing(world: &World<'_>, graph: &CompiledGraph) -> Standing {
    let Some(live) = world.crd else {
        let made = marked(world.definition, graph, widened(world, graph));
        return serde_json::to_value(&made)
            .map_or_else(|it| Standing::Refused(it.to_string()), Standing::Absent);
    };
    if is_terminating(live) {
        return Standing::Terminating;
    }
    let name = &graph.crd.metadata.name;
    if !is_owned(live) {
        let words = format!("failed to update CRD {name}: CRD already exists and is not owned by KRO");
        return Standing::Foreign(words);
    }
    match label(live, names::DEFINITION_NAME_LABEL) {
        Some(same) if same == labels::value(metadata(world.definition, "name")) => {
            compared(world, live, graph)
        }
        Some(other) => Standing::OfAnother(format!(
            "failed to update CRD {name}: CRD is owned by another ResourceGraphDefinition {other}"
        )),
        None => Standing::OfAnother(format!(
            "failed to update CRD {name}: CRD is a resource of an instance, or has lost its label {}",
            names::DEFINITION_NAME_LABEL
        )),
    }
}

/// The CRD of a graph with this spec, with the marks of its owner.
fn marked(definition: &Value, graph: &CompiledGraph, spec: CustomResourceSpec) -> CustomResourceDefinition {
    let mut crd = CustomResourceDefinition { spec, ..graph.crd.clone() };
    let digest = digest(&crd.spec);
    marks::add(&mut crd.metadata, graph, &owner(definition), digest);
    crd
}

/// The CRD that is made for a definition which has no revisions yet.
pub(crate) fn first(definition: &Value, graph: &CompiledGraph) -> Option<Value> {
    serde_json::to_value(marked(definition, graph, own_status::spec_of(graph))).ok()
}

/// A change of a CRD that leaves what kro would make for a definition.
pub(crate) struct Narrowed {
    /// The merge patch of its spec.
    pub(crate) patch: Value,
    /// Whether instances may have fields that are known no longer.
    pub(crate) forgets_fields: bool,
}

/// Takes off a CRD what a graph does not ask for: room for krono's own fields, and what other revisions promise. Without a graph
/// only the room is known to be krono's.
pub(crate) fn narrowed(live: &Value, graph: Option<&CompiledGraph>) -> Option<Narrowed> {
    let spec: CustomResourceSpec = serde_json::from_value(live["spec"].clone()).ok()?;
    let wanted = graph.map_or_else(|| own_status::without_room_in(spec.clone()), |it| it.crd.spec.clone());
    if !is_owned(live) || plain(&spec) == plain(&wanted) {
        return None;
    }
    let forgets_fields = breaking(&spec.versions, &wanted.versions, every_change).is_some();
    Some(Narrowed { patch: json!({"versions": wanted.versions}), forgets_fields })
}

/// The merge patch that writes the number of the newest revision on the CRD, which never goes back.
pub(super) fn numbered(world: &World<'_>) -> Option<Value> {
    let live = own(world).filter(|it| !is_terminating(it))?;
    let newest = world.past.history.highest().filter(|it| revision(live).is_none_or(|known| known < *it))?;
    let version = &live["metadata"]["resourceVersion"];
    let annotations = json!({names::RGD_REVISION: newest.to_string()});
    Some(json!({"metadata": {"resourceVersion": version, "annotations": annotations}}))
}

/// The number of the newest revision, as the CRD remembers it.
pub(super) fn revision(crd: &Value) -> Option<RevisionNumber> {
    crd["metadata"]["annotations"][names::RGD_REVISION].as_str()?.parse().ok()
}

/// The identity of what a definition asks for, to tell a new wish from somebody's edit of the CRD.
fn digest(spec: &CustomResourceSpec) -> String {
    let text = serde_json::to_string(&plain(spec)).unwrap_or_default();
    let bytes = <Sha256 as sha2::Digest>::digest(text.as_bytes());
    bytes[..8].iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// The CRD, if it is this definition's.
pub(super) fn own<'a>(world: &World<'a>) -> Option<&'a Value> {
    let name = labels::value(metadata(world.definition, "name"));
    world.crd.filter(|it| is_owned(it) && label(it, names::DEFINITION_NAME_LABEL) == Some(&*name))
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

fn compared(world: &World<'_>, live: &Value, graph: &CompiledGraph) -> Standing {
    let spec: Option<CustomResourceSpec> = serde_json::from_value(live["spec"].clone()).ok();
    let needed = match needed(world, live, spec.as_ref(), graph) {
        Ok(needed) => marked(world.definition, graph, needed),
        Err(words) => return Standing::Breaking(words),
    };
    let same_spec = spec.as_ref().is_some_and(|it| has_no_extras(live) && plain(it) == plain(&needed.spec));
    match patch(live, &needed, same_spec) {
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

pub(super) fn is_established(live: &Value) -> bool {
    condition(live, "Established").is_some_and(|it| it["status"] == "True")
}

fn condition<'v>(live: &'v Value, condition_type: &str) -> Option<&'v Value> {
    let conditions = live["status"]["conditions"].as_array()?;
    conditions.iter().find(|it| it["type"] == condition_type)
}

/// The spec that the CRD should have, or why it may not become what it should.
///
/// An edit back to content that some revision has, and what breaks nothing that the current revision promises, never narrows
/// the schema.
fn needed(
    world: &World<'_>,
    live: &Value,
    spec: Option<&CustomResourceSpec>,
    graph: &CompiledGraph,
) -> Result<CustomResourceSpec, String> {
    let wanted = &own_status::spec_of(graph);
    let Some(spec) = spec else { return Ok(wanted.clone()) };
    let name = &graph.crd.metadata.name;
    if let Some(fixed) = fixed(spec, wanted) {
        let cure = "delete the CRD, and with it all instances, first";
        return Err(format!("cannot update CRD {name}: {fixed}; {cure}"));
    }
    let known = if is_untouched(live, spec) { Some(spec.clone()) } else { promised(world) };
    let judge = if asked(live).is_some() { every_change } else { change_that_kro_sees };
    let before = known.as_ref().unwrap_or(spec);
    let Some(found) = breaking(&before.versions, &wanted.versions, judge) else {
        return Ok(with_those_that_stay(world, wanted));
    };
    if is_return(world, graph) {
        let joint = known.map_or_else(|| wanted.clone(), |known| joined(wanted, &known));
        return Ok(with_those_that_stay(world, &joint));
    }
    if is_repair(world, live, wanted) || allows_data_loss(world.definition) {
        return Ok(wanted.clone());
    }
    if let Some(loss) = loss(world, wanted) {
        return Err(format!("cannot update CRD {name}: {loss}"));
    }
    if allows_breaking(world.definition) {
        return Ok(wanted.clone());
    }
    let leave =
        format!("annotate the definition with {}: \"true\" to go ahead", names::ALLOW_BREAKING_ANNOTATION);
    Err(format!("cannot update CRD {name}: breaking changes detected: {found}; {leave}"))
}

/// What instances would lose that do not move with the definition, and what to do about it.
fn loss(world: &World<'_>, wanted: &CustomResourceSpec) -> Option<String> {
    let broken = |(digest, cause): (Digest, Cause)| {
        let graph = world.past.graph_of(digest)?.ok()?;
        let found = breaking(&graph.crd.spec.versions, &wanted.versions, every_change)?;
        Some((world.past.history.newest_with(digest)?.number, found, cause))
    };
    let (number, found, cause) = left_behind(world).into_iter().filter_map(broken).max()?;
    let digest = Digest::of_definition(&world.definition["spec"]).to_string();
    Some(format!(
        "instances stay at revision {number}, which it would break: {found}; {}, or annotate the definition with {}: \
         \"{}\" to lose what they have",
        cause.cure(),
        names::ALLOW_DATA_LOSS_ANNOTATION,
        digest.get(..12).unwrap_or(&digest)
    ))
}

/// With what instances need that are held or pinned to revisions which it would break: it was narrowed before that.
fn with_those_that_stay(world: &World<'_>, wanted: &CustomResourceSpec) -> CustomResourceSpec {
    let staying = left_behind(world).into_iter().filter(|(_, cause)| cause.is_wish());
    let graphs = staying.filter_map(|(digest, _)| world.past.graph_of(digest)?.ok());
    let broken =
        |it: &&CompiledGraph| breaking(&it.crd.spec.versions, &wanted.versions, every_change).is_some();
    let broken = graphs.filter(|it| broken(it) && !allows_data_loss(world.definition));
    broken.fold(wanted.clone(), |joint, next| joined(&joint, &own_status::spec_of(next)))
}

/// Whether the CRD is what krono made it.
fn is_untouched(live: &Value, spec: &CustomResourceSpec) -> bool {
    has_no_extras(live) && asked(live) == Some(digest(spec).as_str())
}

/// Whether a graph is of content that some revision has, or breaks nothing that the current revision promises.
fn is_return(world: &World<'_>, graph: &CompiledGraph) -> bool {
    let digest = Digest::of_definition(&world.definition["spec"]);
    let is_known = world.past.history.newest_with(digest).is_some();
    let keeps_promise = |(_, current): (Digest, &CompiledGraph)| {
        breaking(&current.crd.spec.versions, &graph.crd.spec.versions, every_change).is_none()
    };
    is_known || members(world).next().is_some_and(keeps_promise)
}

/// The graphs whose instances the CRD has to serve, the current one first.
fn members<'a>(world: &World<'a>) -> impl Iterator<Item = (Digest, &'a CompiledGraph)> {
    let past = world.past;
    let current = world.definition["status"]["currentRevisionHash"].as_str().and_then(|it| it.parse().ok());
    let current = current.or_else(|| past.history.latest().map(|it| it.digest));
    let assigned = past.uses.contents.iter().copied().filter(move |it| Some(*it) != current);
    current.into_iter().chain(assigned).filter_map(move |it| Some((it, past.graph_of(it)?.ok()?)))
}

/// What the current revision and all that instances are assigned to promise; nothing when there are none.
fn promised(world: &World<'_>) -> Option<CustomResourceSpec> {
    members(world).map(|(_, graph)| own_status::spec_of(graph)).reduce(|joint, next| joined(&joint, &next))
}

/// What a CRD that is made anew should be.
fn widened(world: &World<'_>, graph: &CompiledGraph) -> CustomResourceSpec {
    let assigned = members(world).filter(|_| !allows_breaking(world.definition));
    assigned.fold(own_status::spec_of(graph), |joint, (_, next)| joined(&joint, &own_status::spec_of(next)))
}

/// A spec that serves instances of both; versions that only one of them has are not joined.
fn joined(preferred: &CustomResourceSpec, other: &CustomResourceSpec) -> CustomResourceSpec {
    let mut joint = preferred.clone();
    for version in &mut joint.versions {
        let same = other.versions.iter().find(|it| it.name == version.name);
        let other = same.and_then(|it| it.schema());
        let schema = version.schema.as_mut().and_then(|it| it.open_api_v3_schema.as_mut());
        if let (Some(schema), Some(other)) = (schema, other) {
            *schema = union(schema, other);
        }
    }
    joint
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
fn is_repair(world: &World<'_>, live: &Value, wanted: &CustomResourceSpec) -> bool {
    let spec = Digest::of_definition(&world.definition["spec"]);
    world.serving == Serving::Revision(spec) || asked(live) == Some(digest(wanted).as_str())
}

/// The identity of what the definition asked for when krono last wrote the CRD.
fn asked(live: &Value) -> Option<&str> {
    live["metadata"]["annotations"][names::CRD_DIGEST_ANNOTATION].as_str()
}

/// Leave that names the very content, so that it does not stand for the next edit too.
fn allows_data_loss(definition: &Value) -> bool {
    let leave = definition["metadata"]["annotations"][names::ALLOW_DATA_LOSS_ANNOTATION].as_str();
    leave.is_some_and(|it| Digest::of_definition(&definition["spec"]).starts_with(it))
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
