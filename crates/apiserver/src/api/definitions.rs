//! What is served follows the definitions that are stored.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Api, Call};
use crate::crd::{self, Definition};
use crate::managed::Managing;
use crate::object::Object;
use crate::registry::Registry;
use crate::request::Target;
use crate::resource::Resource;
use crate::status::Status;
use crate::storage::Expect;
use crate::strategy::Strategy;

/// The kinds of each definition, with the version of the definition they were made from.
#[derive(Debug, Default)]
pub(crate) struct Definitions(HashMap<String, (u64, Vec<Arc<Resource>>)>);

/// How many definitions are being judged at the moment.
#[derive(Debug, Default)]
pub(crate) struct Judging(AtomicUsize);

struct Judged<'j>(&'j Judging);

impl Judging {
    fn begin(&self) -> Judged<'_> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Judged(self)
    }

    fn is_under_way(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 0
    }
}

impl Drop for Judged<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Api {
    /// Lets what was written take effect: a definition is judged and served (or not) before the answer goes out.
    pub(super) async fn after_write(&self, call: &Call, name: &str) -> Result<(), Status> {
        if call.resource.strategy != Strategy::Definition || call.query.dry_run {
            return Ok(());
        }
        let _judging = self.judging.begin();
        self.judge_definition(name).await?;
        self.judge_others(name).await?;
        self.refresh_registry().await
    }

    /// The kind that a request is about. Who has seen that a definition is established may ask for its kind at once,
    /// even while the request that established it is not answered.
    pub(super) async fn find_resource(&self, target: &Target) -> Result<Option<Arc<Resource>>, Status> {
        let find = || self.registry.snapshot().find(&target.group, &target.version, &target.plural).cloned();
        if let Some(found) = find() {
            return Ok(Some(found));
        }
        if self.judging.is_under_way() {
            self.refresh_registry().await?;
        }
        Ok(find())
    }

    /// Names that were let go may be what another definition of the group waits for.
    async fn judge_others(&self, name: &str) -> Result<(), Status> {
        let group = name.split_once('.').map_or("", |(_, group)| group);
        let waits = |it: &Definition| it.group == group && it.name != name && it.names != it.accepted;
        for other in self.all_definitions()?.iter().filter(|it| waits(it)) {
            self.judge_definition(&other.name).await?;
        }
        Ok(())
    }

    /// Serves exactly what the stored definitions say.
    pub(crate) async fn refresh_registry(&self) -> Result<(), Status> {
        let mut known = self.definitions.lock().await;
        let mut current = HashMap::new();
        for (_, stored) in self.storage.range(crd::PREFIX, "", usize::MAX, None)?.items {
            let definition = Definition::read(&stored.decode().map_err(Status::internal)?);
            let before = known.0.remove(&definition.name);
            let was_served = before.as_ref().is_some_and(|(_, resources)| !resources.is_empty());
            let unchanged = before.filter(|(version, _)| *version == stored.version());
            let entry = unchanged
                .unwrap_or_else(|| (stored.version(), crd::resources(&definition, &self.converters)));
            if !was_served && !entry.1.is_empty() {
                self.establishing.begin(&definition.name);
            }
            current.insert(definition.name, entry);
        }
        let mut names: Vec<&String> = current.keys().collect();
        names.sort();
        let custom = names.into_iter().flat_map(|name| current[name].1.iter().cloned());
        self.registry.replace(Registry::new(self.built_in.iter().cloned().chain(custom)));
        known.0 = current;
        Ok(())
    }

    /// Writes into the status of a definition whether its names are free and whether it is served.
    async fn judge_definition(&self, name: &str) -> Result<(), Status> {
        let key = format!("{}{name}", crd::PREFIX);
        loop {
            let Some(stored) = self.storage.get(&key)? else { return Ok(()) };
            let object = stored.decode().map_err(Status::internal)?;
            if object.is_deleting() {
                return Ok(());
            }
            let judged = crd::with_status(&object, &self.all_definitions()?, &crate::world::moment().now);
            if judged == object {
                return Ok(());
            }
            let judged = self.managed_status(&judged, &object);
            if self.write_definition(&key, stored.version(), &judged).await? {
                return Ok(());
            }
        }
    }

    /// The server itself manages the status of definitions.
    fn managed_status(&self, judged: &Object, object: &Object) -> Object {
        let registry = self.registry.snapshot();
        let Some(resource) = registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions") else {
            return judged.clone();
        };
        let seconds = crate::world::now().as_second();
        let (versions, manager) = (vec![Arc::clone(resource)], "kube-apiserver".to_owned());
        Managing::new(resource, versions, "status", manager, seconds).noted(judged, Some(object))
    }

    async fn write_definition(&self, key: &str, version: u64, object: &Object) -> Result<bool, Status> {
        let registry = self.registry.snapshot();
        let resource = registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
        let Some(resource) = resource else { return Ok(true) };
        let record = resource.record(object)?;
        Ok(self.storage.set(key, Expect::Version(version), Some(record)).await?.is_some())
    }

    fn all_definitions(&self) -> Result<Vec<Definition>, Status> {
        let page = self.storage.range(crd::PREFIX, "", usize::MAX, None)?;
        let read = |stored: &crate::stored::Stored| {
            stored.decode().map(|object| Definition::read(&object)).map_err(Status::internal)
        };
        page.items.iter().map(|(_, stored)| read(stored)).collect()
    }
}
