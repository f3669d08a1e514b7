//! `krono handback`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{SystemTime, UNIX_EPOCH};

use krono_model::applyset::Inventory;
use krono_model::names;
use krono_planner::handback::{Consequence, Removal, kind_removal, moves, removal, revision_removal};
use kube::api::{ApiResource, DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};

use super::cluster::objects::refused;
use super::cluster::reader::{CRD, DEFINITION, REVISION, Reader};
use super::server::block_on;
use crate::arguments::handback::HandbackArguments;
use crate::command_error::CommandError;
use crate::output::Output;

/// The kinds of revisions.
const REVISIONS: [(&str, &str); 2] = [REVISION, ("kro.run", "ResourceGraphInputRevision")];
const LEASE: (&str, &str) = ("coordination.k8s.io", "Lease");
/// How many objects are named of each consequence.
const NAMED: usize = 5;

pub(super) fn run(arguments: &HandbackArguments, output: &mut Output) -> Result<(), CommandError> {
    block_on(hand_back(arguments, output))
}

/// An object and what comes off it.
struct Change {
    title: String,
    resource: ApiResource,
    namespace: String,
    name: String,
    removal: Removal,
}

async fn hand_back(arguments: &HandbackArguments, output: &mut Output) -> Result<(), CommandError> {
    let reading = output.progress("reading the cluster")?;
    let reader = Reader::open(&arguments.cluster).await?;
    let revisions = revisions(&reader).await?;
    let Found { mut changes, moved } = found(&reader, &revisions).await?;
    drop(reading);
    let revisions = if arguments.delete_revisions { revisions } else { Vec::new() };
    if !arguments.delete_revisions {
        changes.extend(held(&reader).await?);
    }
    for change in &changes {
        output.text(&format!("{}: {}\n", change.title, change.removal.keys.join(", ")))?;
    }
    for (resource, revision) in &revisions {
        output.text(&format!("{} {}: deleted\n", resource.kind, text(revision, "name")))?;
    }
    tell_consequences(&changes, &moved, output)?;
    let count = format!("{} objects to clean, {} revisions to delete", changes.len(), revisions.len());
    if arguments.dry_run {
        return output.note(&count);
    }
    let is_nothing = changes.is_empty() && revisions.is_empty();
    if !arguments.yes && !is_nothing {
        return Err(CommandError::usage(format!("nothing is done without --yes: {count}")));
    }
    refuse_while_led(&reader, arguments.controllers_stopped || is_nothing).await?;
    perform(&reader, &changes, &revisions, output).await?;
    output.note(&format!("{count}: done; kro can be started"))
}

async fn perform(
    reader: &Reader,
    changes: &[Change],
    revisions: &[(ApiResource, Value)],
    output: &mut Output,
) -> Result<(), CommandError> {
    let progress = output.progress("cleaning objects")?;
    progress.begin("cleaning objects", changes.len());
    for change in changes {
        clean(reader, change).await?;
        progress.step();
    }
    progress.begin("deleting revisions", revisions.len());
    for (resource, revision) in revisions {
        delete(reader, resource, revision).await?;
        progress.step();
    }
    Ok(())
}

/// What a cluster is when krono leaves it.
struct Found {
    /// Everything that has something of krono's on it.
    changes: Vec<Change>,
    /// The titles of instances that kro makes from something else.
    moved: Vec<String>,
}

async fn found(reader: &Reader, revisions: &[(ApiResource, Value)]) -> Result<Found, CommandError> {
    let definitions = reader.all(DEFINITION).await?;
    let (mut found, mut moved) = (Vec::new(), Vec::new());
    let mut made_kinds = BTreeSet::new();
    for definition in &definitions {
        collect(reader, DEFINITION, std::slice::from_ref(definition), removal, &mut found);
        let crd = krono_planner::definition::crd_name(definition).unwrap_or_default();
        let crd = reader.find(CRD, "", &crd).await?;
        let own = revisions_of(definition, revisions);
        collect(reader, CRD, crd.as_slice(), |it| kind_removal(it, definition, &own), &mut found);
        let schema = &definition["spec"]["schema"];
        let group = schema["group"].as_str().filter(|it| !it.is_empty()).unwrap_or("kro.run");
        let kind = schema["kind"].as_str().unwrap_or_default();
        let instances = reader.all((group, kind)).await?;
        let inventories = instances.iter().filter_map(|it| Inventory::read(it).ok().flatten());
        made_kinds.extend(inventories.flat_map(|it| it.group_kinds));
        collect(reader, (group, kind), &instances, removal, &mut found);
        moved.extend(instances.iter().filter(|it| moves(definition, it)).map(|it| title(kind, it)));
    }
    for of in &made_kinds {
        let Some(kind) = reader.types.kind(&of.group, &of.kind) else { continue };
        let made = reader.list(&kind.resource, Some(names::APPLYSET_PART_OF_LABEL)).await?;
        collect(reader, (&of.group, &of.kind), &made, removal, &mut found);
    }
    let mut titles = BTreeSet::new();
    // An instance may be a resource of another.
    found.retain(|it: &Change| titles.insert(it.title.clone()));
    Ok(Found { changes: found, moved })
}

/// Revisions that stay are held by nobody who is there.
async fn held(reader: &Reader) -> Result<Vec<Change>, CommandError> {
    let mut found = Vec::new();
    for kind in REVISIONS {
        collect(reader, kind, &reader.all(kind).await?, revision_removal, &mut found);
    }
    Ok(found)
}

fn revisions_of(definition: &Value, revisions: &[(ApiResource, Value)]) -> Vec<Value> {
    let of = krono_history::names::label(&text(definition, "name"));
    let is_own = |it: &&Value| it["metadata"]["labels"][names::REVISION_OF_LABEL] == of;
    revisions.iter().map(|(_, it)| it).filter(is_own).cloned().collect()
}

fn collect(
    reader: &Reader,
    (group, kind): (&str, &str),
    objects: &[Value],
    removal: impl Fn(&Value) -> Option<Removal>,
    found: &mut Vec<Change>,
) {
    let Some(of) = reader.types.kind(group, kind) else { return };
    for object in objects {
        let Some(removal) = removal(object) else { continue };
        let (namespace, name) = (text(object, "namespace"), text(object, "name"));
        let (title, resource) = (title(kind, object), of.resource.clone());
        found.push(Change { title, resource, namespace, name, removal });
    }
}

fn title(kind: &str, object: &Value) -> String {
    let (namespace, name) = (text(object, "namespace"), text(object, "name"));
    if namespace.is_empty() { format!("{kind} {name}") } else { format!("{kind} {namespace}/{name}") }
}

async fn revisions(reader: &Reader) -> Result<Vec<(ApiResource, Value)>, CommandError> {
    let mut found = Vec::new();
    for (group, kind) in REVISIONS {
        let Some(of) = reader.types.kind(group, kind) else { continue };
        found.extend(reader.list(&of.resource, None).await?.into_iter().map(|it| (of.resource.clone(), it)));
    }
    Ok(found)
}

fn tell_consequences(changes: &[Change], moved: &[String], output: &mut Output) -> Result<(), CommandError> {
    let mut told: BTreeMap<Consequence, Vec<&str>> = BTreeMap::new();
    for change in changes {
        if let Some(consequence) = change.removal.consequence {
            told.entry(consequence).or_default().push(&change.title);
        }
    }
    let held = told.get(&Consequence::NoLongerHeld).cloned().unwrap_or_default();
    let moved: Vec<&str> = moved.iter().map(String::as_str).filter(|it| !held.contains(it)).collect();
    if !moved.is_empty() {
        told.insert(Consequence::Moved, moved);
    }
    for (consequence, titles) in told {
        let words = match consequence {
            Consequence::NoLongerRetained => "kro deletes what krono would keep when it is no longer wanted",
            Consequence::NoLongerHeld => "kro moves to the newest revision what is pinned or held",
            Consequence::Moved => "kro moves to the spec of its definition what runs something else",
            Consequence::NoLongerPaused => "kro looks after what is paused",
            Consequence::FieldsForgotten => "instances lose the fields that only other revisions know",
        };
        let more = titles.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        output.warn(&format!("{words}: {}{more}", titles[..titles.len().min(NAMED)].join(", ")))?;
    }
    Ok(())
}

/// A controller that still works would put everything back, and move what is no longer pinned or held.
async fn refuse_while_led(reader: &Reader, is_told: bool) -> Result<(), CommandError> {
    let leases = reader.all(LEASE).await?;
    let mut leases = leases.iter().filter(|it| text(it, "name") == names::LEASE).peekable();
    let is_told = is_told || leases.peek().is_some();
    match leases.find(|it| !holder(it).is_empty() && is_fresh(it)) {
        Some(lease) => Err(CommandError::wrong(format!(
            "a controller is at work: {} holds the lease {}/{}",
            holder(lease),
            text(lease, "namespace"),
            names::LEASE
        ))
        .hint("stop it, and hand back when its lease has run out")),
        None if is_told => Ok(()),
        None => Err(CommandError::wrong(format!(
            "whether controllers run cannot be seen: there is no lease {}, which only those with --leader-elect take",
            names::LEASE
        ))
        .hint("stop them (`krono up` runs some unless it is given `--controllers none`), then pass `--controllers-stopped`")),
    }
}

fn holder(lease: &Value) -> &str {
    lease["spec"]["holderIdentity"].as_str().unwrap_or_default()
}

fn is_fresh(lease: &Value) -> bool {
    let spec = &lease["spec"];
    let renewed: Option<jiff::Timestamp> = spec["renewTime"].as_str().and_then(|it| it.parse().ok());
    let seconds = spec["leaseDurationSeconds"].as_i64().unwrap_or_default();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    renewed.is_some_and(|it| it.as_second().saturating_add(seconds) > i64::try_from(now).unwrap_or(i64::MAX))
}

async fn clean(reader: &Reader, change: &Change) -> Result<(), CommandError> {
    let api = reader.api(&change.resource, &change.namespace);
    let parameters =
        PatchParams { field_manager: Some(names::MANAGER_KRONO.to_owned()), ..PatchParams::default() };
    let answer = api.patch(&change.name, &parameters, &Patch::Merge(&change.removal.patch)).await;
    match answer {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
        Err(error) => Err(refused(&error).hint("what is done is done; run the command again for the rest")),
    }
}

/// Nobody is there who would end its finalizer.
async fn delete(reader: &Reader, resource: &ApiResource, revision: &Value) -> Result<(), CommandError> {
    let (namespace, name) = (text(revision, "namespace"), text(revision, "name"));
    let api = reader.api(resource, &namespace);
    if revision["metadata"]["finalizers"].is_array() {
        let patch = json!({"metadata": {"finalizers": null}});
        api.patch(&name, &PatchParams::default(), &Patch::Merge(&patch)).await.map_err(|it| refused(&it))?;
    }
    match api.delete(&name, &DeleteParams::background()).await {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
        Err(error) => Err(refused(&error)),
    }
}

fn text(object: &Value, field: &str) -> String {
    object["metadata"][field].as_str().unwrap_or_default().to_owned()
}
