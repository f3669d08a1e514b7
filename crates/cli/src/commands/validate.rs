//! `krono validate`.

use krono_graph::Kinds as _;
use serde_json::{Value, json};

use crate::arguments::definition::{ReportFormat, ValidateArguments};
use crate::command_error::{CommandError, ErrorKind};
use crate::definitions::{Definition, Definitions};
use crate::described::Crd;
use crate::document;
use crate::format::Format;
use crate::instance;
use crate::kinds::{self, KnownKinds};
use crate::manifests::{self, Finding, Manifest, ManifestFile};
use crate::output::Output;

const NOTHING: &str = "holds no definition and no instance of one";
const A_DEFINITION: &str = "a definition begins with `apiVersion: kro.run/v1alpha1` and `kind: ResourceGraphDefinition`; is the file empty, or all of it a comment?";
/// The group of krono's own kinds, and of those whose definition names none.
const OWN_GROUP: &str = "kro.run";

pub(super) fn run(arguments: &ValidateArguments, output: &mut Output) -> Result<(), CommandError> {
    document::read_stdin_once(arguments.files.iter().chain(&arguments.compiling.crds))?;
    let mut known = KnownKinds::default();
    kinds::read_crds(&arguments.compiling.crds, &mut known)?;
    let (files, mut worst) = read(arguments, output)?;
    let manifests = || files.iter().flat_map(ManifestFile::manifests);
    let mut outcome = Outcome::default();
    outcome.add_crds(manifests(), &mut known);
    let definitions = Definitions::compile(manifests(), &mut known, arguments.compiling.options());
    for manifest in manifests() {
        outcome.check(manifest, &definitions, &known);
    }
    if worst.is_none() && !outcome.found_any {
        outcome.findings.extend(files.iter().map(|it| Finding::of_file(&it.source, NOTHING, A_DEFINITION)));
    }
    outcome.findings.extend(definitions.all.into_iter().flat_map(|it| it.findings));
    if !outcome.findings.is_empty() {
        worst = worst.max(Some(ErrorKind::Wrong));
    }
    outcome.tell(arguments.output, worst.is_none(), output)?;
    worst.map_or(Ok(()), |kind| Err(CommandError::told(kind)))
}

/// What can be read of the files; the rest is told at once.
fn read(
    arguments: &ValidateArguments,
    output: &mut Output,
) -> Result<(Vec<ManifestFile>, Option<ErrorKind>), CommandError> {
    let (mut files, mut worst) = (Vec::new(), None);
    for source in &arguments.files {
        let wrong = match ManifestFile::read_in_part(source) {
            Ok((file, wrong)) => {
                file.warnings.iter().try_for_each(|it| output.warn(it))?;
                files.push(file);
                wrong
            }
            Err(error) => vec![error],
        };
        for error in wrong.into_iter().map(CommandError::from) {
            output.tell(&error)?;
            worst = worst.max(Some(error.kind));
        }
    }
    Ok((files, worst))
}

/// What is to be told about all files.
#[derive(Default)]
struct Outcome {
    findings: Vec<Finding>,
    documents: Vec<Value>,
    /// Whether there was a definition or an instance of one, right or wrong.
    found_any: bool,
    /// Lines about what is valid.
    valid: Vec<String>,
    /// Lines about what was not looked at.
    left_out: Vec<String>,
}

impl Outcome {
    /// Kinds that the files bring along.
    fn add_crds<'f>(&mut self, manifests: impl Iterator<Item = Manifest<'f>>, known: &mut KnownKinds) {
        for manifest in manifests {
            match Crd::of(manifest.value) {
                Some(Ok(crd)) => known.add_crd(crd),
                Some(Err(problems)) => {
                    let finding =
                        |it: &crate::described::Problem| Finding::at(&manifest, &it.path, &it.message, "");
                    self.findings.extend(problems.iter().map(finding));
                }
                None => {}
            }
        }
    }

    fn check(&mut self, manifest: Manifest<'_>, definitions: &Definitions<'_>, known: &KnownKinds) {
        self.found_any |= manifest.is_definition() || definitions.of(manifest.kind()).is_some();
        if manifest.is_definition() {
            let own = definitions.all.iter().find(|it| std::ptr::eq(it.manifest.value, manifest.value));
            if let Some(definition) = own {
                self.definition(manifest, definition);
            }
            return;
        }
        match definitions.of(manifest.kind()).map(|it| (it, it.graph.as_deref())) {
            Some((_, Some(graph))) => {
                let found = instance::admitted(&manifest, graph, "default").err().unwrap_or_default();
                let title = format!("{} is valid", manifest.title());
                self.verdict(manifest, found.is_empty(), &title);
                self.findings.extend(found);
            }
            Some((definition, None)) => {
                self.leave_out(manifest, &format!("as the {} is wrong", definition.title()));
            }
            None => self.neither(manifest, definitions, known),
        }
    }

    /// What is no definition and no instance of one is somebody else's, unless nobody can know it.
    fn neither(&mut self, manifest: Manifest<'_>, definitions: &Definitions<'_>, known: &KnownKinds) {
        let (version, kind) = manifest.kind();
        if !manifest.value.is_object() {
            let message = "expected an object with apiVersion and kind";
            self.findings.push(Finding::at(
                &manifest,
                "",
                message,
                "remove it, or write `name: value` lines",
            ));
            self.found_any = true;
            return self.document(manifest, Some(false));
        }
        let group = version.split_once('/').map_or("", |it| it.0);
        if group != OWN_GROUP || kinds::is_own(kind) || known.find(version, kind).is_some() {
            return self.leave_out(manifest, "as it is no definition and no instance of one");
        }
        let message = format!("nothing defines {kind} in {version}");
        let advice = kinds::instead_of(kind, definitions.kinds());
        self.findings.push(Finding::at(&manifest, "kind", &message, &advice));
        self.found_any = true;
        self.document(manifest, Some(false));
    }

    fn definition(&mut self, manifest: Manifest<'_>, definition: &Definition<'_>) {
        let count = definition.graph.as_ref().map_or(0, |it| it.nodes.len());
        let resources = if count == 1 { "1 resource".to_owned() } else { format!("{count} resources") };
        let title = format!("{} is valid, with {resources}", definition.title());
        self.verdict(manifest, definition.findings.is_empty(), &title);
    }

    fn verdict(&mut self, manifest: Manifest<'_>, valid: bool, title: &str) {
        self.document(manifest, Some(valid));
        if valid {
            self.valid.push(format!("{}: {title}\n", manifest.file.source));
        }
    }

    fn leave_out(&mut self, manifest: Manifest<'_>, reason: &str) {
        self.document(manifest, None);
        self.left_out.push(format!("{}: left out, {reason}: {}", manifest.location(), manifest.title()));
    }

    fn document(&mut self, manifest: Manifest<'_>, valid: Option<bool>) {
        let (api_version, kind) = manifest.kind();
        let file = manifest.file.source.to_string();
        let name = manifest.name();
        self.documents.push(
            json!({"file": file, "apiVersion": api_version, "kind": kind, "name": name, "valid": valid}),
        );
    }

    fn tell(self, format: ReportFormat, valid: bool, output: &mut Output) -> Result<(), CommandError> {
        match format {
            ReportFormat::Json => {
                let diagnostics: Vec<_> =
                    manifests::sorted(&self.findings).into_iter().map(Finding::to_json).collect();
                let report = json!({"valid": valid, "documents": self.documents, "diagnostics": diagnostics});
                output.text(&Format::Json.render(&report))
            }
            ReportFormat::Text => {
                self.valid.iter().try_for_each(|it| output.text(it))?;
                self.left_out.iter().try_for_each(|it| output.note(it))?;
                if self.findings.is_empty() {
                    Ok(())
                } else {
                    output.tell(&manifests::report(&self.findings))
                }
            }
        }
    }
}
