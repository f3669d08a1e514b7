//! `krono validate`.

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
        outcome.check(manifest, &definitions);
    }
    outcome.findings.extend(definitions.all.into_iter().flat_map(|it| it.findings));
    if !outcome.findings.is_empty() {
        worst = worst.max(Some(ErrorKind::Wrong));
    }
    outcome.tell(arguments.output, worst.is_none(), output)?;
    worst.map_or(Ok(()), |kind| Err(CommandError::told(kind)))
}

/// The files that can be read; the others are told at once.
fn read(
    arguments: &ValidateArguments,
    output: &mut Output,
) -> Result<(Vec<ManifestFile>, Option<ErrorKind>), CommandError> {
    let (mut files, mut worst) = (Vec::new(), None);
    for source in &arguments.files {
        match ManifestFile::read(source).map_err(CommandError::from) {
            Ok(file) => {
                file.warnings.iter().try_for_each(|it| output.warn(it))?;
                files.push(file);
            }
            Err(error) => {
                output.tell(&error)?;
                worst = worst.max(Some(error.kind));
            }
        }
    }
    Ok((files, worst))
}

/// What is to be told about all files.
#[derive(Default)]
struct Outcome {
    findings: Vec<Finding>,
    documents: Vec<Value>,
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

    fn check(&mut self, manifest: Manifest<'_>, definitions: &Definitions<'_>) {
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
            None => self.leave_out(manifest, "as it is no definition and no instance of one"),
        }
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
