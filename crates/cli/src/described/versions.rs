//! The API versions that a document describes.

use std::sync::Arc;

use krono_schema::crd::Version;
use krono_schema::{Schema, object_meta};

use super::{Crd, Described};

/// One version and its schema.
#[derive(Debug)]
pub(crate) struct DescribedVersion<'d> {
    /// Such as `v1alpha1`; none for a schema alone.
    pub(crate) name: Option<&'d str>,
    pub(crate) schema: &'d Schema,
}

impl Described {
    /// Every version with a schema; one without a name for a schema alone.
    pub(crate) fn versions(&self) -> Vec<DescribedVersion<'_>> {
        match self {
            Described::Definition(definition) => {
                let served = |it: &'_ Version| it.schema().is_some();
                let versions = definition.crd.spec.versions.iter().filter(|it| served(it));
                versions
                    .filter_map(|it| Some(DescribedVersion { name: Some(&it.name), schema: it.schema()? }))
                    .collect()
            }
            Described::Crd(crd) => {
                let versions = crd.versions.iter();
                versions.map(|it| DescribedVersion { name: Some(&it.name), schema: &it.schema }).collect()
            }
            Described::Simple(schema) | Described::OpenApi(schema) => {
                vec![DescribedVersion { name: None, schema }]
            }
        }
    }

    /// The schema of the values that expressions see: an instance without its status, the stored version of a CRD.
    pub(crate) fn variable(&self) -> Option<Schema> {
        match self {
            Described::Definition(definition) => Some(definition.instance.variable()),
            Described::Crd(crd) => stored(crd).map(with_metadata),
            Described::Simple(schema) | Described::OpenApi(schema) => Some(schema.as_ref().clone()),
        }
    }
}

fn stored(crd: &Crd) -> Option<&Schema> {
    crd.versions.iter().find(|it| it.storage).or(crd.versions.first()).map(|it| &it.schema)
}

/// CRDs say of metadata only that it is there; what is in it is the same for all.
fn with_metadata(object: &Schema) -> Schema {
    let mut object = object.clone();
    let is_bare = |it: &Arc<Schema>| it.properties.is_empty() && it.additional_properties.is_none();
    if object.properties.get("metadata").is_some_and(is_bare) {
        object.properties.insert("metadata".to_owned(), Arc::new(object_meta()));
    }
    object
}
