//! How the new revision is to reach instances: what a definition says, and what takes its place.

use krono_graph::unknown_fields;
use krono_propagation::Problem;
use krono_propagation::gate::Gates;
use krono_propagation::policy::Policy;
use serde_json::{Value, json};

use crate::arguments::simulate::PolicyArguments;
use crate::command_error::CommandError;
use crate::document::Source;
use crate::manifests::{self, Finding, Manifest, ManifestFile};
use crate::output::Output;
use crate::propagation;

const PROPAGATE_WHEN: &str = "propagateWhen";
const PROPAGATION: &str = "propagation";

/// A definition, and what it says about propagation.
pub(super) struct Rules {
    /// Nothing where there is none.
    pub(super) definition: Value,
    pub(super) policy: Policy,
    pub(super) gates: Gates,
}

impl Rules {
    /// From the one definition of a file.
    pub(super) fn of_file(
        source: &Source,
        instead: &PolicyArguments,
        output: &mut Output,
    ) -> Result<Self, CommandError> {
        let file = ManifestFile::read(source)?;
        file.warnings.iter().try_for_each(|it| output.warn(it))?;
        let manifest = only_definition(&file)?;
        let unknown = unknown_fields(manifest.value);
        let mut findings: Vec<Finding> =
            unknown.iter().map(|it| Finding::of_diagnostic(&manifest, it)).collect();
        let read = read(manifest.value.clone(), instead);
        let problems = read.as_ref().err().map(Vec::as_slice).unwrap_or_default();
        let mine = problems.iter().filter(|it| instead.option_of(it).is_none());
        findings.extend(mine.map(|it| Finding::of_problem(&manifest, it)));
        if !findings.is_empty() {
            return Err(manifests::report(&findings));
        }
        read.map_err(|problems| refused(&problems, instead))
    }

    /// From a definition as it is served, or from none.
    pub(super) fn of(definition: Value, instead: &PolicyArguments) -> Result<Self, CommandError> {
        read(definition, instead).map_err(|problems| refused(&problems, instead))
    }

    /// The name of the definition.
    pub(super) fn name(&self) -> &str {
        self.definition["metadata"]["name"].as_str().unwrap_or_default()
    }

    /// Tells what is not as people may think.
    pub(super) fn remark(&self, output: &mut Output) -> Result<(), CommandError> {
        let is_free = self.gates.is_empty() && self.policy.max_in_flight.is_none();
        if is_free && self.policy.stages.is_empty() && self.policy.windows.is_empty() {
            output.note("nothing holds instances up, so that all move at once; see --propagate-when and --max-in-flight")?;
        }
        if self.policy.stages.iter().any(|it| it.needs_approval) {
            output.note("stages that need approval count as approved of")?;
        }
        Ok(())
    }
}

fn only_definition(file: &ManifestFile) -> Result<Manifest<'_>, CommandError> {
    let mut definitions = file.manifests().filter(Manifest::is_definition);
    let source = &file.source;
    match (definitions.next(), definitions.next()) {
        (Some(definition), None) => Ok(definition),
        (None, _) => Err(CommandError::wrong(format!("{source} holds no ResourceGraphDefinition"))),
        (Some(_), Some(_)) => {
            Err(CommandError::wrong(format!("{source} holds several definitions; one is played at a time")))
        }
    }
}

fn read(definition: Value, instead: &PolicyArguments) -> Result<Rules, Vec<Problem>> {
    let (propagate_when, propagation) = instead.replaced(&definition["spec"]);
    let read = propagation::read(&definition, &propagate_when, &propagation)?;
    Ok(Rules { definition, policy: read.policy, gates: read.gates })
}

/// Options and fields stand for themselves.
fn refused(problems: &[Problem], instead: &PolicyArguments) -> CommandError {
    let line = |it: &Problem| match instead.option_of(it) {
        Some(option) => format!("error: {}\n", it.to_string().replacen(&it.path, option, 1)),
        None => format!("error: {it}\n"),
    };
    CommandError::report(problems.iter().map(line).collect::<String>())
}

impl PolicyArguments {
    /// `propagateWhen` and `propagation` of a definition's spec, with what was asked for in their place.
    fn replaced(&self, spec: &Value) -> (Value, Value) {
        let mut propagate_when = spec[PROPAGATE_WHEN].clone();
        if !self.propagate_when.is_empty() {
            propagate_when = self.propagate_when.iter().map(|it| expression(it)).collect();
        }
        let mut propagation = spec[PROPAGATION].clone();
        for (field, _, value) in self.fields() {
            if propagation.is_null() || propagation.is_object() {
                propagation[field] = value;
            }
        }
        (propagate_when, propagation)
    }

    /// The fields of `propagation` that are replaced, with the options that do.
    fn fields(&self) -> impl Iterator<Item = (&'static str, &'static str, Value)> {
        let amount = |it: &String| it.parse::<u64>().map_or_else(|_| json!(it), |it| json!(it));
        let fields = [
            ("maxInFlight", "--max-in-flight", self.max_in_flight.as_ref().map(amount)),
            ("maxFailures", "--max-failures", self.max_failures.as_ref().map(amount)),
            ("soakSeconds", "--soak", self.soak.map(|it| json!(it.0))),
            ("progressDeadlineSeconds", "--deadline", self.deadline.map(|it| json!(it.0))),
            ("onFailure", "--on-failure", self.on_failure.as_ref().map(|it| json!(it))),
        ];
        fields.into_iter().filter_map(|(field, option, value)| Some((field, option, value?)))
    }

    /// The option that brought a problem, if one did.
    fn option_of(&self, problem: &Problem) -> Option<&'static str> {
        if problem.path.starts_with("spec.propagateWhen") {
            return (!self.propagate_when.is_empty()).then_some("--propagate-when");
        }
        let is_it = |(field, ..): &(&str, &str, Value)| problem.path == format!("spec.propagation.{field}");
        self.fields().find(is_it).map(|(_, option, _)| option)
    }
}

/// An expression as definitions have it; typing the marks around it is not asked of anybody.
fn expression(written: &str) -> Value {
    if written.trim_start().starts_with("${") { json!(written) } else { json!(format!("${{{written}}}")) }
}
