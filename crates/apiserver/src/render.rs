//! Stored objects written in the form a client wants.

mod list;

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Value, json};

use self::list::ItemForm;
use crate::accept::Form;
use crate::body::Body;
use crate::query::IncludeObject;
use crate::resource::Resource;
use crate::status::Status;
use crate::stored::Stored;
use crate::table::Printer;

/// How to write objects of one kind for one request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Renderer<'r> {
    /// The kind.
    pub(crate) resource: &'r Resource,
    /// The form.
    pub(crate) form: Form,
    /// How much of each object a table carries.
    pub(crate) include: IncludeObject,
    /// Ages are counted from here.
    pub(crate) now: Timestamp,
}

/// What a list says beside its items.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListMeta {
    /// The version of the store that was read.
    pub(crate) version: u64,
    /// The token for the next page, or empty.
    pub(crate) continue_token: String,
    /// How many items come after this page, when that is known.
    pub(crate) remaining: Option<usize>,
}

impl Renderer<'_> {
    /// One object.
    pub(crate) fn object(&self, stored: &Stored) -> Result<Bytes, Status> {
        let mut out = Vec::with_capacity(stored.json_length());
        self.write_object(stored, true, &mut out)?;
        Ok(out.into())
    }

    /// Appends one object; a table has its headings only when `first`.
    pub(crate) fn write_object(&self, stored: &Stored, first: bool, out: &mut Vec<u8>) -> Result<(), Status> {
        match self.form {
            Form::Object | Form::Discovery => stored.write_json(out),
            Form::Metadata => list::write_partial(stored, out),
            Form::Table => {
                let meta = ListMeta { version: stored.version(), ..ListMeta::default() };
                let table = self.table(std::slice::from_ref(stored), &meta, first)?;
                serde_json::to_writer(out, &table).map_err(Status::internal)?;
            }
        }
        Ok(())
    }

    /// A list.
    pub(crate) fn list(&self, items: Vec<Stored>, meta: &ListMeta) -> Result<Body, Status> {
        let item_form = match self.form {
            Form::Table => {
                let table = self.table(&items, meta, true)?;
                return serde_json::to_vec(&table).map(Body::whole).map_err(Status::internal);
            }
            Form::Metadata => ItemForm::Partial,
            Form::Object | Form::Discovery if self.resource.is_custom() => ItemForm::Typed,
            Form::Object | Form::Discovery => ItemForm::Untyped,
        };
        let mut head = self.list_head(meta)?;
        // No items of this form are no list, as a real server has it.
        if self.form == Form::Metadata && items.is_empty() {
            head.extend_from_slice(b"null}\n");
            return Ok(Body::whole(head));
        }
        head.push(b'[');
        Ok(list::body(head, items, item_form))
    }

    /// What comes before the items.
    fn list_head(&self, meta: &ListMeta) -> Result<Vec<u8>, Status> {
        let (kind, api_version) = match self.form {
            Form::Metadata => ("PartialObjectMetadataList", "meta.k8s.io/v1"),
            Form::Object | Form::Table | Form::Discovery => {
                (&*self.resource.kind.list_kind, self.resource.api_version())
            }
        };
        let says_end = self.resource.is_custom() && self.form == Form::Object;
        let metadata = serde_json::to_string(&meta.to_value(says_end)).map_err(Status::internal)?;
        let head =
            format!(r#"{{"kind":"{kind}","apiVersion":"{api_version}","metadata":{metadata},"items":"#);
        Ok(head.into_bytes())
    }

    fn table(&self, items: &[Stored], meta: &ListMeta, headed: bool) -> Result<Value, Status> {
        let printer = Printer::new(&self.resource.kind, self.now);
        let row = |item: &Stored| {
            let object = item.decode().map_err(Status::internal)?;
            Ok((printer.rank(object.value()), printer.row(object.value(), self.include)))
        };
        let mut rows = items.iter().map(row).collect::<Result<Vec<_>, Status>>()?;
        rows.sort_by_key(|(rank, _)| *rank);
        let rows: Vec<Value> = rows.into_iter().map(|(_, row)| row).collect();
        Ok(json!({
            "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": meta.to_value(false),
            "columnDefinitions": headed.then(|| printer.columns()), "rows": rows,
        }))
    }

    /// The scale of an object, which is no stored object of its own.
    pub(crate) fn scale(&self, scale: &Value) -> Value {
        if self.form != Form::Table {
            return scale.clone();
        }
        let printer = Printer::of_scale(&self.resource.kind, self.now);
        json!({
            "kind": "Table", "apiVersion": "meta.k8s.io/v1",
            "metadata": {"resourceVersion": scale.pointer("/metadata/resourceVersion")},
            "columnDefinitions": printer.columns(), "rows": [printer.row(scale, self.include)],
        })
    }

    /// An object of this kind that says nothing but how far a watch has come.
    pub(crate) fn bookmark(&self, version: u64, initial_events_end: bool) -> Value {
        let mut metadata = json!({"resourceVersion": version.to_string(), "creationTimestamp": null});
        if initial_events_end {
            metadata["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        match self.form {
            Form::Object | Form::Discovery => json!({
                "kind": &*self.resource.kind.kind, "apiVersion": self.resource.api_version(), "metadata": metadata,
            }),
            Form::Metadata => json!({
                "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
            }),
            Form::Table => json!({
                "kind": "Table", "apiVersion": "meta.k8s.io/v1",
                "metadata": {"resourceVersion": version.to_string()}, "columnDefinitions": null,
                "rows": [{"cells": [], "object": {
                    "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
                }}],
            }),
        }
    }
}

impl ListMeta {
    /// Lists of custom resources say that there is no next page.
    fn to_value(&self, says_end: bool) -> Value {
        let mut meta = json!({"resourceVersion": self.version.to_string()});
        if says_end || !self.continue_token.is_empty() {
            meta["continue"] = self.continue_token.as_str().into();
        }
        if let Some(remaining) = self.remaining.filter(|count| *count > 0) {
            meta["remainingItemCount"] = remaining.into();
        }
        meta
    }
}
