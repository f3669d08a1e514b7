//! `krono simulate`.

mod chart;
mod fleet;
mod json;
mod looks;
mod rules;
mod scale;
mod table;
mod words;

use jiff::{SignedDuration, Timestamp};
use krono_propagation::simulate::{Chances, Course, Params, Play, fate, play, simulate, usual_look_every};
use krono_views::kind_of_instances;
use serde_json::Value;

use self::fleet::Roll;
use self::looks::looks;
use self::rules::Rules;
use super::cluster::reader::{DEFINITION, Reader};
use super::server::block_on;
use crate::arguments::simulate::{CourseFormat, SimulateArguments};
use crate::arguments::target::{Bare, Grammar, Target};
use crate::command_error::CommandError;
use crate::format::Format;
use crate::output::Output;
use crate::propagation::default_spec;

/// When made-up fleets get their new revision: a Monday.
const MONDAY: Timestamp = Timestamp::constant(1_704_067_200, 0);

/// A course, and what it is the course of.
struct Played {
    course: Course,
    /// The definition, where there is one.
    name: String,
    seed: u64,
    /// How many fail, as it was asked for.
    failure_rate: f64,
}

pub(super) fn run(arguments: &SimulateArguments, output: &mut Output) -> Result<(), CommandError> {
    let (rules, course) = match arguments.instances {
        Some(instances) => made_up(arguments, instances as usize, output)?,
        None => of_cluster(arguments, output)?,
    };
    let played = Played {
        course,
        name: rules.name().to_owned(),
        seed: arguments.luck.seed,
        failure_rate: arguments.luck.failure_rate.0,
    };
    match arguments.output {
        CourseFormat::Table => output.text(&table::shown(&played)),
        CourseFormat::Json => output.text(&Format::Json.render(&json::shown(&played))),
        CourseFormat::Svg => output.text(&chart::drawn(&played)),
    }
}

fn made_up(
    arguments: &SimulateArguments,
    instances: usize,
    output: &mut Output,
) -> Result<(Rules, Course), CommandError> {
    let rules = match &arguments.file {
        Some(source) => Rules::of_file(source, &arguments.policy, output)?,
        None => Rules::of(Value::Null, &arguments.policy)?,
    };
    let looks = looks(&arguments.luck.labels, &default_spec(&rules.definition))?;
    rules.remark(output)?;
    let playing = output.progress(&playing(instances))?;
    let course = simulate(&Params { looks: &looks, ..params(arguments, &rules, instances, MONDAY) });
    drop(playing);
    Ok((rules, course))
}

fn of_cluster(arguments: &SimulateArguments, output: &mut Output) -> Result<(Rules, Course), CommandError> {
    arguments.refuse_made_up()?;
    let (target, _) = Grammar { revisions: 0, bare: Bare::IsDefinition }.read(&arguments.object)?;
    let Target::Definition(name) = target else {
        return Err(CommandError::usage("a definition is played, with all of its instances; write rgd/NAME"));
    };
    let edited =
        arguments.file.as_ref().map(|it| Rules::of_file(it, &arguments.policy, output)).transpose()?;
    if let Some(other) = edited.as_ref().map(Rules::name).filter(|it| *it != name) {
        return Err(CommandError::wrong(format!("the file defines {other:?}, not {name:?}")));
    }
    let reading = output.progress("reading the cluster")?;
    let (definition, roll) = block_on(read(arguments, &name))?;
    drop(reading);
    let rules = match edited {
        Some(rules) => rules,
        None => Rules::of(definition, &arguments.policy)?,
    };
    rules.remark(output)?;
    let params = params(arguments, &rules, roll.len(), Timestamp::now());
    let members = roll.members(params.definition, params.start);
    let fates = (0..members.len()).map(|at| fate(&params, at)).collect();
    let (target, last_good) = roll.step();
    let Params { policy, gates, definition, look_every, start, .. } = params;
    let playing = output.progress(&playing(roll.len()))?;
    let course =
        play(Play { members, fates, target, last_good, definition, policy, gates, look_every, start });
    drop(playing);
    Ok((rules, course))
}

fn playing(instances: usize) -> String {
    format!("playing {instances} instances")
}

async fn read(arguments: &SimulateArguments, name: &str) -> Result<(Value, Roll), CommandError> {
    let reader = Reader::open(&arguments.cluster).await?;
    let Some(definition) = reader.find(DEFINITION, "", name).await? else {
        let error = CommandError::wrong(format!("there is no definition {name:?} in the cluster"));
        return Err(error.hint("`kubectl get rgd` lists those there are; --instances makes a fleet up"));
    };
    let instances = reader.all(kind_of_instances(&definition)).await?;
    if instances.is_empty() {
        let error = CommandError::wrong(format!("the definition {name:?} has no instances to play with"));
        return Err(error.hint("--instances in place of the name makes some up"));
    }
    let namespaces = reader.all(("", "Namespace")).await?;
    Ok((definition, Roll { instances, namespaces }))
}

fn params<'p>(
    arguments: &SimulateArguments,
    rules: &'p Rules,
    instances: usize,
    start: Timestamp,
) -> Params<'p> {
    let luck = &arguments.luck;
    let asked = arguments.decide_every.map(|it| SignedDuration::from_secs(i64::from(it.0.max(1))));
    Params {
        instances,
        policy: &rules.policy,
        gates: &rules.gates,
        chances: Chances { fails: luck.failure_rate.0, is_broken: luck.broken.0, is_pinned: luck.pinned.0 },
        takes: luck.ready_after.0.clone(),
        looks: &[],
        definition: &rules.definition,
        look_every: asked.unwrap_or_else(|| usual_look_every(instances)),
        start: arguments.start.unwrap_or(start),
        seed: luck.seed,
    }
}

impl SimulateArguments {
    /// Refuses what says something about instances that are not made up.
    fn refuse_made_up(&self) -> Result<(), CommandError> {
        let luck = &self.luck;
        let given = [
            ("--broken", luck.broken.0 > 0.0),
            ("--pinned", luck.pinned.0 > 0.0),
            ("--label", !luck.labels.is_empty()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => {
                let error = CommandError::usage(format!("{option} is about made-up instances"));
                Err(error.hint("those of a cluster are played as they are; --instances makes some up"))
            }
            None => Ok(()),
        }
    }
}
