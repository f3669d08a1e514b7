//! The world of a plan, read from a cluster.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::stream::{StreamExt as _, TryStreamExt as _, iter};
use krono_graph::KindName;
use krono_model::applyset::GroupKind;
use krono_model::names;
use krono_planner::instance::ObjectName;
use krono_planner::preview::Objects;
use kube::api::{Patch, PatchParams};
use serde_json::Value;

use super::super::cluster::objects::{refused, value};
use super::super::cluster::reader::{CRD, DEFINITION, REVISION, Reader};
use super::kept::Versions;
use super::world::{Extent, MADE, Standing, crd_of, made, mentioned};
use crate::arguments::cluster::ClusterArguments;
use crate::command_error::CommandError;

/// How many requests are under way at a time.
const AT_ONCE: usize = 16;

/// A cluster that is only read, and asked what it would do.
pub(super) struct Cluster(Reader);

impl Cluster {
    pub(super) async fn open(arguments: &ClusterArguments) -> Result<Self, CommandError> {
        Ok(Self(Reader::open(arguments).await?))
    }

    /// An edited definition as it stands.
    pub(super) async fn standing(&self, edited: &Value) -> Result<Standing, CommandError> {
        let name = edited["metadata"]["name"].as_str().unwrap_or_default();
        let live = self.0.find(DEFINITION, "", name).await?;
        let crd = self.0.find(CRD, "", &crd_of(edited)).await?;
        let (api_version, kind) = made(live.as_ref().unwrap_or(edited));
        let instances = match self.0.resource(&api_version, &kind) {
            Some(resource) => self.0.list(&resource, None).await?,
            None => Vec::new(),
        };
        let revisions = match self.0.types.kind(REVISION.0, REVISION.1) {
            Some(kind) => self.0.list(&kind.resource, Some(&revisions_of(name))).await?,
            None => Vec::new(),
        };
        Ok(Standing { live, graph: None, crd, revisions, instances })
    }

    /// The CRDs of the kinds that definitions mention.
    pub(super) async fn crds<'v>(
        &self,
        definitions: impl Iterator<Item = &'v Value>,
    ) -> Result<Vec<Value>, CommandError> {
        let kinds: BTreeSet<_> = definitions.flat_map(mentioned).collect();
        let names = kinds.iter().filter_map(|(version, kind)| self.0.resource(version, kind));
        let names = names.filter(|it| it.group.contains('.')).map(|it| format!("{}.{}", it.plural, it.group));
        let mut crds = Vec::new();
        for name in names.collect::<BTreeSet<_>>() {
            crds.extend(self.0.find(CRD, "", &name).await?);
        }
        Ok(crds)
    }

    /// The resources of instances, and objects that definitions refer to.
    pub(super) async fn objects(
        &self,
        mut extents: BTreeMap<KindName, Extent>,
        inventories: impl Iterator<Item = GroupKind>,
        versions: &mut Versions,
    ) -> Result<Objects, CommandError> {
        for of in inventories.collect::<BTreeSet<_>>() {
            let is_known = extents.keys().any(|it| it.group() == of.group && it.kind == of.kind);
            if let (Some(found), false) = (self.0.types.kind(&of.group, &of.kind), is_known) {
                let (api_version, kind) = (found.resource.api_version.clone(), of.kind);
                extents.insert(KindName { api_version, kind, namespaced: found.namespaced }, Extent::Made);
            }
        }
        let mut objects = Objects::default();
        for (kind, extent) in extents {
            let Some(resource) = self.0.resource(&kind.api_version, &kind.kind) else { continue };
            for object in self.0.list(&resource, (extent == Extent::Made).then_some(MADE)).await? {
                versions.note_resource(&object);
                objects.add(kind.clone(), object);
            }
        }
        Ok(objects)
    }

    /// Those of the named objects that exist: others may have made what an instance is about to make.
    pub(super) async fn existing(
        &self,
        names: BTreeSet<ObjectName>,
    ) -> Result<Vec<(ObjectName, Value)>, CommandError> {
        let look = |name: ObjectName| async move {
            let found = self.get_as(&name.kind, &name.namespace, &name.name).await?;
            Ok::<_, CommandError>(found.map(|it| (name, it)))
        };
        let found: Vec<_> = iter(names).map(look).buffered(AT_ONCE).try_collect().await?;
        Ok(found.into_iter().flatten().collect())
    }

    /// What the API server would make of an apply, or why it would refuse it.
    pub(super) async fn try_apply(
        &self,
        name: &ObjectName,
        object: &Value,
    ) -> Result<Result<Value, String>, CommandError> {
        let Some(resource) = self.0.resource(&name.kind.api_version, &name.kind.kind) else {
            return Ok(Err(format!("the cluster does not serve {} yet", name.kind.kind)));
        };
        let parameters =
            PatchParams { dry_run: true, force: true, ..PatchParams::apply(names::MANAGER_RESOURCES) };
        let api = self.0.api(&resource, &name.namespace);
        match api.patch(&name.name, &parameters, &Patch::Apply(object)).await {
            Ok(answer) => Ok(Ok(value(answer, &resource))),
            Err(kube::Error::Api(status)) => Ok(Err(status.message.clone())),
            Err(error) => Err(refused(&error)),
        }
    }

    async fn get_as(
        &self,
        kind: &KindName,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Value>, CommandError> {
        match self.0.resource(&kind.api_version, &kind.kind) {
            Some(resource) => self.0.get(&resource, namespace, name).await,
            None => Ok(None),
        }
    }
}

/// The label selector of a definition's revisions.
fn revisions_of(definition: &str) -> String {
    format!("{}={}", names::REVISION_OF_LABEL, krono_history::names::label(definition))
}
