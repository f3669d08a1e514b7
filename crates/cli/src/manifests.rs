//! Files of manifests: definitions, instances of them, and other objects.

mod excerpt;
mod finding;

use serde_json::Value;

pub(crate) use self::finding::{Finding, report, sorted};
use crate::document::{DocumentError, Places, Source};

/// A file of manifests, with the places of their fields.
#[derive(Debug)]
pub(crate) struct ManifestFile {
    pub(crate) source: Source,
    pub(crate) values: Vec<Value>,
    /// What was accepted but is likely a mistake.
    pub(crate) warnings: Vec<String>,
    text: String,
    places: Places,
}

/// One manifest of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manifest<'f> {
    pub(crate) file: &'f ManifestFile,
    /// Its place among the documents of the file.
    pub(crate) index: usize,
    pub(crate) value: &'f Value,
}

impl ManifestFile {
    pub(crate) fn read(source: &Source) -> Result<Self, DocumentError> {
        let documents = source.read_documents()?;
        let places = Places::of(&documents.text);
        Ok(Self {
            source: source.clone(),
            values: documents.values,
            warnings: documents.warnings,
            text: documents.text,
            places,
        })
    }

    pub(crate) fn manifests(&self) -> impl Iterator<Item = Manifest<'_>> {
        self.values.iter().enumerate().map(|(index, value)| Manifest { file: self, index, value })
    }
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
        let place = self.file.places.find(self.index, "");
        place.map_or(self.file.source.to_string(), |place| format!("{}:{place}", self.file.source))
    }

    fn text(&self, pointer: &str) -> &'f str {
        self.value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }
}
