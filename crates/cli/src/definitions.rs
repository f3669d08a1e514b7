//! Definitions of several files, compiled together.

use jiff::Timestamp;
use krono_graph::{CompiledGraph, Diagnostic, Options, compile_in_part};
use krono_planner::fleet::gate_problems;
use krono_propagation::{Problem, management, rehearse};
use krono_schema::Schema;
use krono_schema::crd::{CustomResourceDefinition, InstanceSchema};
use serde_json::Value;

use crate::admission;
use crate::command_error::CommandError;
use crate::kinds::KnownKinds;
use crate::manifests::{self, Finding, Manifest};
use crate::propagation;

const API_VERSION: &str = "kro.run/v1alpha1";
const UNKNOWN: &str = "the API server would drop it; correct its name or remove it";

/// Definitions, each of which may make instances of the others.
#[derive(Debug)]
pub(crate) struct Definitions<'f> {
    pub(crate) all: Vec<Definition<'f>>,
}

/// A definition and what became of it.
#[derive(Debug)]
pub(crate) struct Definition<'f> {
    pub(crate) manifest: Manifest<'f>,
    /// The graph; none when something is wrong.
    pub(crate) graph: Option<Box<CompiledGraph>>,
    pub(crate) findings: Vec<Finding>,
    /// API version and kind of the instances, as far as the definition tells.
    pub(crate) makes: Option<(String, String)>,
}

impl<'f> Definitions<'f> {
    /// Compiles the definitions among the manifests, those that others make instances of first.
    pub(crate) fn compile(
        manifests: impl Iterator<Item = Manifest<'f>>,
        kinds: &mut KnownKinds,
        options: Options,
    ) -> Self {
        let all: Vec<_> = manifests.filter(Manifest::is_definition).map(Definition::unread).collect();
        let mut definitions = Self { all };
        // Until a definition is compiled, nothing is known of its instances' status.
        for crd in definitions.all.iter().filter_map(|it| provisional(it.manifest.value)) {
            kinds.add_generated(&crd);
        }
        let mut waiting: Vec<usize> = (0..definitions.all.len()).collect();
        while !waiting.is_empty() {
            let free = waiting.iter().position(|it| !definitions.needs_one_of(*it, &waiting));
            // Definitions that make instances of each other are taken as they come.
            let next = waiting.remove(free.unwrap_or(0));
            definitions.all[next].understand(kinds, options);
        }
        definitions.report_kinds_made_twice();
        definitions
    }

    /// The definition of a kind.
    pub(crate) fn of(&self, (api_version, kind): (&str, &str)) -> Option<&Definition<'f>> {
        let makes = |it: &&Definition<'f>| {
            it.makes.as_ref().is_some_and(|(version, made)| version == api_version && made == kind)
        };
        self.all.iter().find(makes)
    }

    /// The kinds that they make.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = &str> {
        self.all.iter().filter_map(|it| it.makes.as_ref()).map(|(_, kind)| kind.as_str())
    }

    fn needs_one_of(&self, definition: usize, others: &[usize]) -> bool {
        let used = used_kinds(self.all[definition].manifest.value);
        let made =
            others.iter().filter(|it| **it != definition).filter_map(|it| self.all[*it].makes.as_ref());
        made.into_iter().any(|(version, kind)| used.contains(&(version.as_str(), kind.as_str())))
    }

    fn report_kinds_made_twice(&mut self) {
        for index in 1..self.all.len() {
            let (before, rest) = self.all.split_at_mut(index);
            let Some(later) = rest.first_mut() else { return };
            let Some((version, kind)) = &later.makes else { continue };
            let Some(first) = before.iter().find(|it| it.makes == later.makes) else { continue };
            let message = format!("{kind} in {version} is defined by {} already", first.manifest.location());
            let finding = Finding::at(
                &later.manifest,
                "spec.schema.kind",
                &message,
                "give one of them another kind or group",
            );
            later.findings.push(finding);
        }
    }
}

impl<'f> Definition<'f> {
    fn unread(manifest: Manifest<'f>) -> Self {
        Self { manifest, graph: None, findings: Vec::new(), makes: makes(manifest.value) }
    }

    /// All that is wrong with it, to be told.
    pub(crate) fn report(&self) -> CommandError {
        manifests::report(&self.findings)
    }

    /// `definition of App (kro.run/v1alpha1)`
    pub(crate) fn title(&self) -> String {
        match &self.makes {
            Some((version, kind)) => format!("definition of {kind} ({version})"),
            None => self.manifest.title(),
        }
    }

    fn understand(&mut self, kinds: &mut KnownKinds, options: Options) {
        self.check_object();
        self.check_policy();
        let (graph, found) = compile_in_part(self.manifest.value, kinds, options);
        let finding = |it: &Diagnostic| Finding::of_diagnostic(&self.manifest, it);
        self.findings.extend(found.iter().map(finding).collect::<Vec<_>>());
        self.check_gates(graph.as_ref());
        let crd = graph.as_ref().map(|it| it.crd.clone()).or_else(|| provisional(self.manifest.value));
        if let Some(graph) = graph.filter(|_| found.is_empty()) {
            kinds.add_generated(&graph.crd);
            self.graph = Some(Box::new(graph));
        }
        self.check_admission(crd.as_ref());
    }

    fn check_gates(&mut self, graph: Option<&CompiledGraph>) {
        let found = graph.map(|it| gate_problems(&self.manifest.value["spec"]["resources"], it));
        let finding = |it: &Problem| Finding::of_problem(&self.manifest, it);
        self.findings.extend(found.iter().flatten().map(finding).collect::<Vec<_>>());
    }

    /// What the API server would refuse of it, or of the kind that it makes, and was not told in our words.
    fn check_admission(&mut self, crd: Option<&CustomResourceDefinition>) {
        let (unknown, mut refused) = admission::of_definition(self.manifest.value);
        refused.extend(crd.map(admission::of_crd).unwrap_or_default());
        let unknown = unknown.iter().map(|it| Finding::at(&self.manifest, it, "unknown field", UNKNOWN));
        let refused = refused.iter().map(|it| Finding::of_field(&self.manifest, it, admission::cure(it)));
        for finding in unknown.chain(refused).collect::<Vec<_>>() {
            if !self.findings.iter().any(|it| it.is_about(finding.path())) {
                self.findings.push(finding);
            }
        }
    }

    /// How its revisions are to be kept, and to reach instances.
    fn check_policy(&mut self) {
        let definition = self.manifest.value;
        let spec = &definition["spec"];
        let found = match propagation::read(definition, &spec["propagateWhen"], &spec["propagation"]) {
            Ok(rules) => {
                let closed = rehearse(&rules.gates, &rules.policy, definition);
                closed.into_iter().chain(rules.past_windows(Timestamp::now())).collect()
            }
            Err(found) => found,
        };
        let kept = management::problems(&spec["revisionManagement"]);
        let finding = |it: &Problem| Finding::of_problem(&self.manifest, it);
        self.findings.extend(kept.iter().chain(&found).map(finding).collect::<Vec<_>>());
    }

    /// What every object must have.
    fn check_object(&mut self) {
        let version = self.manifest.kind().0;
        if version != API_VERSION {
            let advice = format!("write `apiVersion: {API_VERSION}`");
            let message = format!("{version:?} is no version of a ResourceGraphDefinition");
            self.findings.push(Finding::at(&self.manifest, "apiVersion", &message, &advice));
        }
        if self.manifest.name().is_empty() {
            let advice = "write `metadata:`, and below it `name: my-app`";
            self.findings.push(Finding::at(
                &self.manifest,
                "metadata.name",
                "a definition needs a name",
                advice,
            ));
        }
    }
}

fn provisional(definition: &Value) -> Option<CustomResourceDefinition> {
    let instance = InstanceSchema::from_definition(definition).ok()?;
    instance.definition(&mut |_| Schema::any()).ok()
}

fn makes(definition: &Value) -> Option<(String, String)> {
    let text =
        |name: &str| definition.pointer("/spec/schema")?.get(name)?.as_str().filter(|it| !it.is_empty());
    let group = text("group").unwrap_or("kro.run");
    Some((format!("{group}/{}", text("apiVersion")?), text("kind")?.to_owned()))
}

/// The kinds of a definition's resources.
fn used_kinds(definition: &Value) -> Vec<(&str, &str)> {
    let resources = definition.pointer("/spec/resources").and_then(Value::as_array);
    resources.into_iter().flatten().filter_map(kind_of).collect()
}

fn kind_of(resource: &Value) -> Option<(&str, &str)> {
    let object = resource.get("template").or_else(|| resource.get("externalRef"))?;
    Some((object.get("apiVersion")?.as_str()?, object.get("kind")?.as_str()?))
}
