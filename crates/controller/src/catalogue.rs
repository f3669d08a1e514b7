//! The kinds that the cluster serves.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use http::Method;
use krono_graph::{KindName, Kinds, KnownKind, mentioned_kinds};
use krono_model::applyset::GroupKind;
use krono_model::metadata::is_of_definition;
use krono_schema::{Schema, SchemaType};
use kube::api::{ApiResource, GroupVersionKind};
use kube::core::discovery::Scope;
use kube::discovery;
use serde_json::Value;

use crate::published;
use crate::requests::Requests;

/// A kind that the cluster serves.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    pub(crate) kind: KindName,
    pub(crate) resource: ApiResource,
    /// Whether its objects are instances of a definition.
    pub(crate) is_defined: bool,
    schema: Option<Arc<Schema>>,
}

impl Served {
    /// A kind that nothing is compiled against.
    pub(crate) fn without_schema(kind: KindName, resource: ApiResource) -> Self {
        Self { kind, resource, is_defined: false, schema: None }
    }
}

/// Remembers what the cluster said about its kinds, until their definitions change.
pub(crate) struct Catalogue {
    requests: Requests,
    built_in: Arc<dyn Kinds + Send + Sync>,
    known: Mutex<HashMap<(String, String), Served>>,
    /// How often something was forgotten: an answer that was on its way meanwhile may be out of date.
    forgotten: AtomicUsize,
}

impl Catalogue {
    pub(crate) fn new(requests: Requests, built_in: Arc<dyn Kinds + Send + Sync>) -> Self {
        Self { requests, built_in, known: Mutex::default(), forgotten: AtomicUsize::new(0) }
    }

    /// The kind of that name, when the cluster serves it.
    pub(crate) async fn find(&self, api_version: &str, kind: &str) -> kube::Result<Option<Served>> {
        let key = (api_version.to_owned(), kind.to_owned());
        if let Some(served) = self.lock().get(&key) {
            return Ok(Some(served.clone()));
        }
        let forgotten = self.forgotten.load(Ordering::SeqCst);
        let Some(served) = self.ask(api_version, kind).await? else { return Ok(None) };
        let mut known = self.lock();
        if self.forgotten.load(Ordering::SeqCst) == forgotten {
            known.insert(key, served.clone());
        }
        Ok(Some(served))
    }

    /// The kind in the version that the cluster prefers.
    pub(crate) async fn find_any_version(&self, of: &GroupKind) -> kube::Result<Option<Served>> {
        let known =
            self.lock().values().find(|it| it.resource.group == of.group && it.kind.kind == of.kind).cloned();
        if known.is_some() {
            return Ok(known);
        }
        let group = match self
            .requests
            .send(&Method::GET, || discovery::oneshot::group(&self.requests.client, &of.group))
            .await
        {
            Ok(group) => group,
            Err(error) if is_unknown(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        match group.recommended_kind(&of.kind) {
            Some((resource, _)) => self.find(&resource.api_version, &of.kind).await,
            None => Ok(None),
        }
    }

    /// The kinds that a definition mentions, as far as the cluster serves them.
    pub(crate) async fn mentioned(&self, definition: &Value) -> kube::Result<Mentioned> {
        self.kinds(&mentioned_kinds(definition)).await
    }

    /// Kinds by API version and name, as far as the cluster serves them.
    pub(crate) async fn kinds(&self, names: &[(String, String)]) -> kube::Result<Mentioned> {
        let mut kinds = BTreeMap::new();
        for (api_version, kind) in names {
            if let Some(served) = self.find(api_version, kind).await? {
                kinds.insert((api_version.clone(), kind.clone()), served);
            }
        }
        Ok(Mentioned { kinds, built_in: Arc::clone(&self.built_in) })
    }

    /// The definition of a kind changed: `plural.group`.
    pub(crate) fn forget(&self, definition: &str) {
        let mut known = self.lock();
        self.forgotten.fetch_add(1, Ordering::SeqCst);
        known.retain(|_, it| format!("{}.{}", it.resource.plural, it.resource.group) != definition);
    }

    async fn ask(&self, api_version: &str, kind: &str) -> kube::Result<Option<Served>> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let wanted = GroupVersionKind::gvk(group, version, kind);
        let client = &self.requests.client;
        let found =
            self.requests.send(&Method::GET, || discovery::oneshot::pinned_kind(client, &wanted)).await;
        let (resource, capabilities) = match found {
            Ok(found) => found,
            Err(error) if is_unknown(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        let namespaced = capabilities.scope == Scope::Namespaced;
        let (schema, is_defined) = match self.built_in.find(api_version, kind) {
            Some(known) => (Some(known.schema), false),
            None => match self.definition(&resource).await? {
                Some(definition) => (schema(&definition, &resource.version), is_of_definition(&definition)),
                None if self.is_aggregated(&resource).await? => {
                    (published::schema(&self.requests, &resource).await?, false)
                }
                // Discovery may still tell of a kind whose definition is gone.
                None => return Ok(None),
            },
        };
        let kind = KindName { api_version: api_version.to_owned(), kind: kind.to_owned(), namespaced };
        Ok(Some(Served { kind, resource, is_defined, schema }))
    }

    /// The definition of a kind.
    async fn definition(&self, resource: &ApiResource) -> kube::Result<Option<Value>> {
        let name = format!("{}.{}", resource.plural, resource.group);
        self.requests.get(&crate::definition::crd_resource(), "", &name).await
    }

    /// Whether another API server answers for a kind.
    async fn is_aggregated(&self, resource: &ApiResource) -> kube::Result<bool> {
        let name = format!("{}.{}", resource.version, resource.group);
        match self.requests.get(&crate::definition::api_service_resource(), "", &name).await {
            Ok(service) => Ok(service.is_some_and(|it| !it["spec"]["service"].is_null())),
            Err(error) if is_unknown(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<(String, String), Served>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The kind of the definitions of kinds.
pub(crate) fn crd_kind() -> KindName {
    KindName {
        api_version: "apiextensions.k8s.io/v1".to_owned(),
        kind: "CustomResourceDefinition".to_owned(),
        namespaced: false,
    }
}

/// The kinds that a definition mentions.
#[derive(Clone)]
pub(crate) struct Mentioned {
    pub(crate) kinds: BTreeMap<(String, String), Served>,
    built_in: Arc<dyn Kinds + Send + Sync>,
}

impl Mentioned {
    /// Whether a definition compiled against these is the same when compiled against those.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let same = |(one, other): (&Served, &Served)| match (&one.schema, &other.schema) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other) || one == other,
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        self.kinds.keys().eq(other.kinds.keys()) && self.kinds.values().zip(other.kinds.values()).all(same)
    }
}

impl Kinds for Mentioned {
    fn find(&self, api_version: &str, kind: &str) -> Option<KnownKind> {
        let served = self.kinds.get(&(api_version.to_owned(), kind.to_owned()))?;
        let schema = served.schema.clone().unwrap_or_else(|| Arc::new(Schema::any()));
        Some(KnownKind { schema, namespaced: served.kind.namespaced, is_defined: served.is_defined })
    }

    fn similar(&self, api_version: &str, kind: &str) -> Vec<String> {
        self.built_in.similar(api_version, kind)
    }
}

/// Whether a definition mentions a kind of a group.
pub(crate) fn mentions_group(definition: &Value, group: &str) -> bool {
    mentioned_kinds(definition)
        .iter()
        .any(|(version, _)| version.split_once('/').is_some_and(|(it, _)| it == group))
}

/// The status of an instance keeps unknown fields for krono's own sake; its author declared all that others may use.
fn close_status(schema: &mut Schema) {
    if let Some(status) = schema.properties.get_mut("status") {
        let status = Arc::make_mut(status);
        status.preserve_unknown_fields = None;
        for (name, of) in own_fields() {
            status.properties.entry(name.to_owned()).or_insert_with(|| Arc::new(of));
        }
    }
}

/// What krono tells in the status of every instance.
fn own_fields() -> [(&'static str, Schema); 6] {
    let number = || Schema::of_type(SchemaType::Integer);
    let text = || Schema::of_type(SchemaType::String);
    let propagation = Schema::object([
        ("status", text()),
        ("targetInputRevision", number()),
        ("resourcesAtTarget", number()),
        ("totalResources", number()),
        ("lastTransitionTime", text()),
    ]);
    [
        ("currentInputRevision", number()),
        ("currentRGDRevision", number()),
        ("observedGeneration", number()),
        ("observedInputRevision", number()),
        ("observedRGDRevision", number()),
        ("propagation", propagation),
    ]
}

/// The schema that a definition gives one of its versions.
fn schema(definition: &Value, version: &str) -> Option<Arc<Schema>> {
    let versions = definition["spec"]["versions"].as_array()?;
    let version = versions.iter().find(|it| it["name"] == version)?;
    let mut schema = Schema::from_value(version.pointer("/schema/openAPIV3Schema")?).ok()?;
    if is_of_definition(definition) {
        close_status(&mut schema);
    }
    Some(Arc::new(schema))
}

/// Whether the cluster has no such group, version or kind.
fn is_unknown(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 404)
        || matches!(error, kube::Error::Discovery(_))
}

#[cfg(test)]
mod tests {
    use krono_model::metadata::{InstanceRef, Owner, instance_labels, resource_labels};
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_kinds_of_definitions_have_fields_of_krono() {
        let check = |labels: Value, expected: bool| {
            let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
            let schema = json!({"type": "object", "properties": {"status": open}});
            let versions = json!([{"name": "v1", "schema": {"openAPIV3Schema": schema}}]);
            let crd = json!({"metadata": {"labels": labels}, "spec": {"versions": versions}});
            let schema = super::schema(&crd, "v1").expect("a schema");
            let status = &schema.properties["status"];
            assert_eq!(status.properties.contains_key("currentRGDRevision"), expected, "{crd}");
            assert_eq!(status.preserve_unknown_fields.is_none(), expected, "{crd}");
        };
        let owner = Owner { definition_name: "apps", definition_uid: "u-1" };
        check(json!(instance_labels(&owner)), true);
        check(json!(resource_labels(&InstanceRef::default(), "crd", None)), false);
        check(json!({}), false);
    }
}
