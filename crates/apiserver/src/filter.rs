//! Which objects a list or a watch is about.

use serde_json::json;

use crate::query::Query;
use crate::resource::Resource;
use crate::selector::{FieldSelector, LabelSelector};
use crate::status::Status;
use crate::stored::Stored;

/// Label and field selectors of one request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Filter {
    /// Reads the selectors of a query.
    pub(crate) fn new(resource: &Resource, query: &Query) -> Result<Self, Status> {
        let supported = |path: &str| supported(resource, path);
        let labels = LabelSelector::parse(&query.label_selector)?;
        let fields = FieldSelector::parse(&query.field_selector, supported)?;
        Ok(Self { labels, fields })
    }

    /// Only the object with this name.
    pub(crate) fn named(mut self, name: &str) -> Result<Self, Status> {
        let selector = format!("metadata.name={name}");
        if self.fields.is_empty() {
            self.fields = FieldSelector::parse(&selector, |_| Ok(()))?;
        }
        Ok(self)
    }

    /// Whether every object matches.
    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Whether the object matches; parses no more of it than is needed.
    pub(crate) fn matches(&self, stored: &Stored) -> Result<bool, Status> {
        if self.is_empty() {
            return Ok(true);
        }
        let metadata = stored.decode_metadata().map_err(Status::internal)?;
        if !self.labels.matches(&metadata) {
            return Ok(false);
        }
        if self.fields.only_metadata() {
            return Ok(self.fields.matches(&json!({ "metadata": metadata })));
        }
        let object = stored.decode().map_err(Status::internal)?;
        Ok(self.fields.matches(object.value()))
    }
}

/// What is wrong with a field that a selector may not name.
fn supported(resource: &Resource, path: &str) -> Result<(), String> {
    let selectable = &resource.kind.selectable;
    if matches!(path, "metadata.name" | "metadata.namespace")
        || selectable.iter().any(|known| known.trim_start_matches('.') == path)
    {
        return Ok(());
    }
    if selectable.is_empty() && !resource.is_custom() {
        let known = "only \"metadata.name\", \"metadata.namespace\"";
        return Err(format!("{path:?} is not a known field selector: {known}"));
    }
    Err(format!("field label not supported: {path}"))
}
