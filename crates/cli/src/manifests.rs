//! Files of manifests: definitions, instances of them, and other objects.

mod excerpt;
mod finding;

use serde_json::Value;

pub(crate) use self::finding::{Finding, report, sorted};
use crate::document::{DocumentError, Documents, Place, Places, Source};
use crate::observed::{is_list, unlisted};

/// A file of manifests, with the places of their fields.
#[derive(Debug)]
pub(crate) struct ManifestFile {
    pub(crate) source: Source,
    parts: Vec<Part>,
    /// What was accepted but is likely a mistake.
    pub(crate) warnings: Vec<String>,
    text: String,
    places: Places,
}

/// A document, or an element of one that is a list.
#[derive(Debug)]
struct Part {
    /// Its document, and where it stands in it: `items[2]`.
    document: usize,
    root: String,
    value: Value,
}

/// One manifest of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manifest<'f> {
    pub(crate) file: &'f ManifestFile,
    part: &'f Part,
    pub(crate) value: &'f Value,
}

impl ManifestFile {
    pub(crate) fn read(source: &Source) -> Result<Self, DocumentError> {
        Ok(Self::of(source, source.read_documents()?))
    }

    /// The manifests that can be read, and why the others cannot.
    pub(crate) fn read_in_part(source: &Source) -> Result<(Self, Vec<DocumentError>), DocumentError> {
        let (documents, wrong) = source.read_documents_in_part()?;
        Ok((Self::of(source, documents), wrong))
    }

    fn of(source: &Source, documents: Documents) -> Self {
        let places = Places::of(&documents.text);
        let parts = documents.values.into_iter().enumerate().flat_map(|(document, it)| parts(document, it));
        Self {
            source: source.clone(),
            parts: parts.collect(),
            warnings: documents.warnings,
            text: documents.text,
            places,
        }
    }

    pub(crate) fn manifests(&self) -> impl Iterator<Item = Manifest<'_>> {
        self.parts.iter().map(|part| Manifest { file: self, part, value: &part.value })
    }
}

/// What `kubectl get -o yaml` prints as a list is as many manifests.
fn parts(document: usize, value: Value) -> Vec<Part> {
    if !is_list(&value) {
        return vec![Part { document, root: String::new(), value }];
    }
    let element = |(index, value)| Part { document, root: format!("items[{index}]"), value };
    unlisted(value).into_iter().enumerate().map(element).collect()
}

impl<'f> Manifest<'f> {
    /// Its API version and kind.
    pub(crate) fn kind(&self) -> (&'f str, &'f str) {
        (self.text("/apiVersion"), self.text("/kind"))
    }

    pub(crate) fn name(&self) -> &'f str {
        self.text("/metadata/name")
    }

    /// Whether it is a `ResourceGraphDefinition`, of whatever version.
    pub(crate) fn is_definition(&self) -> bool {
        self.text("/kind") == "ResourceGraphDefinition"
    }

    /// What it is, for people: `Service web`.
    pub(crate) fn title(&self) -> String {
        match (self.text("/kind"), self.name()) {
            ("", _) => "a document without a kind".to_owned(),
            (kind, "") => kind.to_owned(),
            (kind, name) => format!("{kind} {name}"),
        }
    }

    /// Where it begins: `app.yaml:3:1`.
    pub(crate) fn location(&self) -> String {
        self.place("").map_or(self.file.source.to_string(), |place| format!("{}:{place}", self.file.source))
    }

    /// Where a field of it stands in the file.
    fn place(&self, path: &str) -> Option<Place> {
        let Part { document, root, .. } = self.part;
        let dot = if root.is_empty() || path.is_empty() || path.starts_with('[') { "" } else { "." };
        self.file.places.find(*document, &format!("{root}{dot}{path}"))
    }

    fn text(&self, pointer: &str) -> &'f str {
        self.value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }
}
