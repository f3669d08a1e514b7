//! Objects as the API server sends them, whatever their kind.

use std::borrow::Cow;

use kube::Resource;
use kube::api::{ApiResource, ObjectMeta};
use kube::core::DynamicResourceScope;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

mod cut;

pub(crate) use cut::is_cut;

/// An object whose content is only looked at by path.
///
/// Of its metadata, only what requests and watches need is parsed. What is nested too deeply is cut off, or it would keep
/// all others of the same list from being read.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    meta: ObjectMeta,
    pub(crate) value: Value,
}

impl<'de> Deserialize<'de> for Live {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = cut::read(deserializer)?;
        let text = |field: &str| value["metadata"][field].as_str().map(str::to_owned);
        let meta = ObjectMeta {
            name: text("name"),
            namespace: text("namespace"),
            resource_version: text("resourceVersion"),
            ..ObjectMeta::default()
        };
        Ok(Self { meta, value })
    }
}

/// What is said of an object that was cut.
pub(crate) const TOO_DEEP: &str =
    "the object is nested too deeply to be read: at most 120 maps and lists may lie in each other";

/// Which version of an object there is: the rest of what a server sends is read past.
#[derive(Debug, Deserialize)]
pub(crate) struct Glimpse {
    pub(crate) metadata: Identity,
}

/// An object in one version.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Identity {
    #[serde(default)]
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) resource_version: String,
}

/// All objects of a kind at a glance; a server says nothing where there are none.
#[derive(Debug, Deserialize)]
pub(crate) struct Glimpses {
    pub(crate) items: Option<Vec<Glimpse>>,
}

impl Resource for Live {
    type DynamicType = ApiResource;
    type Scope = DynamicResourceScope;

    fn kind(resource: &ApiResource) -> Cow<'_, str> {
        resource.kind.as_str().into()
    }

    fn group(resource: &ApiResource) -> Cow<'_, str> {
        resource.group.as_str().into()
    }

    fn version(resource: &ApiResource) -> Cow<'_, str> {
        resource.version.as_str().into()
    }

    fn api_version(resource: &ApiResource) -> Cow<'_, str> {
        resource.api_version.as_str().into()
    }

    fn plural(resource: &ApiResource) -> Cow<'_, str> {
        resource.plural.as_str().into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.meta
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.meta
    }
}
