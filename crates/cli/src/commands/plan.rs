//! `krono plan`.

mod cluster;
mod files;
mod kept;
mod rehearsal;
mod world;

use std::collections::BTreeSet;

use krono_graph::{CompiledGraph, Options};
use krono_model::metadata::Owner;
use krono_planner::instance::{ObjectName, input_kind};
use krono_planner::preview::{self, Effect, KindEffect, Premise, Prospect, shown};
use krono_views::fleet::{Detail, FleetPlan, InstancePlan, json, text};
use serde_json::Value;

use self::cluster::Cluster;
use self::files::Files;
use self::kept::Versions;
use self::rehearsal::Rehearsal;
use self::world::{Extent, Standing, World, add_crds, extents, inventories, is_held};
use super::server::block_on;
use crate::arguments::plan::{PlanArguments, PlanFormat};
use crate::command_error::{CommandError, ErrorKind};
use crate::definitions::{Definition, Definitions};
use crate::document;
use crate::format::Format;
use crate::kinds::{self, KnownKinds};
use crate::manifests::{Manifest, ManifestFile};
use crate::output::{Output, Progress};

/// The time of what is only imagined.
const NOW: &str = "1970-01-01T00:00:00Z";

pub(super) fn run(arguments: &PlanArguments, output: &mut Output) -> Result<(), CommandError> {
    let sources = arguments.files.iter().chain(&arguments.instances).chain(&arguments.compiling.crds);
    document::read_stdin_once(sources.chain(&arguments.check))?;
    let files = read(arguments, output)?;
    let edited: Vec<&Value> = manifests(&files).filter(Manifest::is_definition).map(|it| it.value).collect();
    if edited.is_empty() {
        return Err(CommandError::wrong("there is no ResourceGraphDefinition in what is to be planned"));
    }
    let progress = output.progress(if arguments.instances.is_empty() {
        "reading the cluster"
    } else {
        "reading the files"
    })?;
    let planned = if arguments.instances.is_empty() {
        block_on(of_cluster(arguments, &files, &edited, &progress))?
    } else {
        of_files(arguments, &files, &edited, &progress)?
    };
    drop(progress);
    if let Some(kept) = &arguments.check {
        kept::check(kept, &edited, &planned.versions)?;
    }
    if let Some(path) = &arguments.out {
        kept::write(path, &edited, &planned.versions, &json(&planned.fleets))?;
    }
    show(arguments, &planned.fleets, output)?;
    verdict_of(arguments, &planned.fleets)
}

/// A plan, and what it was made from.
struct Planned {
    fleets: Vec<FleetPlan>,
    versions: Versions,
}

fn read(arguments: &PlanArguments, output: &mut Output) -> Result<Vec<ManifestFile>, CommandError> {
    let mut files = Vec::new();
    for source in &arguments.files {
        let file = ManifestFile::read(source)?;
        file.warnings.iter().try_for_each(|it| output.warn(it))?;
        for other in file.manifests().filter(|it| !it.is_definition()) {
            output.note(&format!(
                "{}: left out, as it is no definition: {}",
                other.location(),
                other.title()
            ))?;
        }
        files.push(file);
    }
    Ok(files)
}

fn manifests(files: &[ManifestFile]) -> impl Iterator<Item = Manifest<'_>> {
    files.iter().flat_map(ManifestFile::manifests)
}

async fn of_cluster(
    arguments: &PlanArguments,
    files: &[ManifestFile],
    edited: &[&Value],
    progress: &Progress,
) -> Result<Planned, CommandError> {
    let cluster = Cluster::open(&arguments.cluster).await?;
    let mut definitions = Vec::new();
    for edit in edited {
        definitions.push(cluster.standing(edit).await?);
    }
    let mut kinds = KnownKinds::default();
    let mentioning = edited.iter().copied().chain(definitions.iter().filter_map(|it| it.live.as_ref()));
    add_crds(&cluster.crds(mentioning).await?, &mut kinds);
    kinds::read_crds(&arguments.compiling.crds, &mut kinds)?;
    let options = arguments.compiling.options();
    for standing in &mut definitions {
        standing.understand(&kinds, options);
    }
    let mut versions = versions(&definitions);
    let compiled = compiled(files, &kinds, options)?;
    let graphs = compiled.graphs.iter().chain(definitions.iter().filter_map(|it| it.graph.as_deref()));
    let inventories = inventories(definitions.iter().flat_map(|it| &it.instances));
    let mut extents = extents(graphs);
    if definitions.iter().flat_map(|it| &it.instances).any(is_held) {
        extents.insert(input_kind(), Extent::All);
    }
    let objects = cluster.objects(extents, inventories, &mut versions).await?;
    let mut world = World { definitions, objects, kinds: compiled.kinds, versions, assume_made: false };
    let mut fleets = fleets(edited, &compiled.graphs, &world, options, progress);
    let mut asked = BTreeSet::new();
    loop {
        let news: BTreeSet<_> = created(&fleets).filter(|it| !asked.contains(it)).collect();
        asked.extend(news.iter().cloned());
        let found = cluster.existing(news).await?;
        if found.is_empty() {
            break;
        }
        for (name, object) in found {
            world.versions.note_resource(&object);
            world.objects.add(name.kind, object);
        }
        fleets = self::fleets(edited, &compiled.graphs, &world, options, progress);
    }
    if arguments.server {
        ask(&cluster, &mut fleets, progress).await?;
    }
    Ok(Planned { fleets, versions: world.versions })
}

fn of_files(
    arguments: &PlanArguments,
    files: &[ManifestFile],
    edited: &[&Value],
    progress: &Progress,
) -> Result<Planned, CommandError> {
    let found = Files::read(&arguments.instances)?;
    let mut kinds = KnownKinds::default();
    add_crds(found.crds(), &mut kinds);
    kinds::read_crds(&arguments.compiling.crds, &mut kinds)?;
    let options = arguments.compiling.options();
    let mut definitions: Vec<Standing> = edited.iter().map(|it| found.standing(it)).collect();
    for standing in &mut definitions {
        standing.understand(&kinds, options);
        files::complete(standing);
    }
    let compiled = compiled(files, &kinds, options)?;
    for (standing, graph) in definitions.iter_mut().zip(&compiled.graphs) {
        if standing.graph.is_none() {
            standing.instances.iter_mut().for_each(|it| files::admit(it, graph));
        }
    }
    let mut versions = versions(&definitions);
    let objects = found.objects(&compiled.kinds, &mut versions);
    let world = World { definitions, objects, kinds: compiled.kinds, versions, assume_made: true };
    Ok(Planned {
        fleets: fleets(edited, &compiled.graphs, &world, options, progress),
        versions: world.versions,
    })
}

fn versions(definitions: &[Standing]) -> Versions {
    let mut versions = Versions::default();
    for standing in definitions {
        standing.live.iter().chain(&standing.crd).chain(&standing.instances).for_each(|it| versions.note(it));
    }
    versions
}

/// The edited definitions, compiled.
struct Compiled {
    graphs: Vec<CompiledGraph>,
    /// The kinds there are after the edit.
    kinds: KnownKinds,
}

fn compiled(files: &[ManifestFile], kinds: &KnownKinds, options: Options) -> Result<Compiled, CommandError> {
    let mut kinds = kinds.clone();
    let definitions = Definitions::compile(manifests(files), &mut kinds, options);
    let wrong = definitions.all.iter().filter(|it| !it.findings.is_empty());
    if let Some(error) = wrong.map(Definition::report).reduce(|one, other| one.and(&other)) {
        return Err(error);
    }
    Ok(Compiled {
        graphs: definitions.all.into_iter().filter_map(|it| it.graph).map(|it| *it).collect(),
        kinds,
    })
}

fn fleets(
    edited: &[&Value],
    graphs: &[CompiledGraph],
    world: &World,
    options: Options,
    progress: &Progress,
) -> Vec<FleetPlan> {
    progress.begin("planning instances", world.definitions.iter().map(|it| it.instances.len()).sum());
    let server = Rehearsal::new(&world.kinds);
    let premise =
        Premise { objects: &world.objects, assume_made: world.assume_made, server: &server, now: NOW };
    let now = jiff::Timestamp::now().to_string();
    let fleets = edited.iter().zip(graphs).zip(&world.definitions);
    let prospect = |((edited, new), it): ((&&Value, &CompiledGraph), &Standing)| {
        let foretold = preview::Standing {
            edited,
            new,
            live: it.live.as_ref(),
            old: it.graph.as_deref(),
            crd: it.crd.as_ref(),
            revisions: &it.revisions,
            instances: &it.instances,
            options,
            now: &now,
        };
        fleet(&foretold, &premise, progress)
    };
    fleets.map(prospect).collect()
}

fn fleet(standing: &preview::Standing<'_>, premise: &Premise<'_>, progress: &Progress) -> FleetPlan {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let uid = standing.live.map(|it| text(&it["metadata"]["uid"])).unwrap_or_default();
    let name = text(&standing.edited["metadata"]["name"]);
    let owner = Owner { definition_name: &name, definition_uid: &uid };
    let prospect = Prospect::of(*standing);
    let plan = |instance: &Value| {
        let (course, forecast) = prospect.foretell(instance, owner, premise);
        progress.step();
        let metadata = &instance["metadata"];
        InstancePlan {
            namespace: text(&metadata["namespace"]),
            name: text(&metadata["name"]),
            course,
            forecast,
        }
    };
    let mut instances: Vec<InstancePlan> = standing.instances.iter().map(plan).collect();
    instances.sort_by_key(InstancePlan::title);
    let Prospect { effect, is_pending, .. } = prospect;
    let kind = standing.new.instance.kind.clone();
    FleetPlan { definition: name.clone(), kind, effect, is_pending, instances }
}

/// The names of resources that are about to be made.
fn created(fleets: &[FleetPlan]) -> impl Iterator<Item = ObjectName> {
    let changes = fleets.iter().flat_map(|it| &it.instances).flat_map(|it| &it.forecast.changes);
    changes.filter(|it| it.effect == Effect::Create).filter_map(|it| it.name.clone())
}

/// Has the API server say what it makes of every change.
async fn ask(cluster: &Cluster, fleets: &mut [FleetPlan], progress: &Progress) -> Result<(), CommandError> {
    progress.begin("asking the server about instances", fleets.iter().map(|it| it.instances.len()).sum());
    let instances = fleets.iter_mut().flat_map(|it| &mut it.instances);
    let instances = instances.inspect(|_| progress.step());
    for change in instances.flat_map(|it| &mut it.forecast.changes).filter(|it| !it.is_awaiting) {
        let (Some(name), Some(object)) = (&change.name, &change.applied) else { continue };
        match (cluster.try_apply(name, object).await?, &change.effect) {
            (Err(words), _) => change.effect = Effect::Refused(words),
            (Ok(after), Effect::Update) => change.after = Some(shown(&after)),
            (Ok(after), Effect::Refused(_)) => {
                (change.effect, change.after) = (Effect::Update, Some(shown(&after)));
            }
            (Ok(_), Effect::Create | Effect::Delete | Effect::Release) => {}
        }
    }
    Ok(())
}

fn show(arguments: &PlanArguments, fleets: &[FleetPlan], output: &mut Output) -> Result<(), CommandError> {
    match arguments.output {
        PlanFormat::Text => {
            let detail = if arguments.summary { Detail::Summary } else { Detail::Full };
            output.text(&text(fleets, detail))
        }
        PlanFormat::Json => output.text(&Format::Json.render(&printed(arguments, fleets))),
        PlanFormat::Yaml => output.text(&Format::Yaml.render(&printed(arguments, fleets))),
    }
}

fn printed(arguments: &PlanArguments, fleets: &[FleetPlan]) -> Value {
    let mut plan = json(fleets);
    if arguments.summary {
        for definition in plan["definitions"].as_array_mut().into_iter().flatten() {
            definition.as_object_mut().into_iter().for_each(|it| drop(it.remove("instances")));
        }
    }
    plan
}

fn verdict_of(arguments: &PlanArguments, fleets: &[FleetPlan]) -> Result<(), CommandError> {
    if fleets.iter().any(|it| matches!(it.effect, KindEffect::Refused(_))) {
        return Err(CommandError::wrong("the edit would be refused"));
    }
    match arguments.exit_code {
        true if fleets.iter().any(FleetPlan::is_destructive) => Err(CommandError::told(ErrorKind::Breaking)),
        true if !fleets.iter().all(FleetPlan::is_unchanged) => Err(CommandError::told(ErrorKind::Changes)),
        true | false => Ok(()),
    }
}
