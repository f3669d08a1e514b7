//! Objects deleted: one, or all of a collection that match.

use std::sync::Arc;

use super::{Api, Call, Subresource};
use crate::conversion;
use crate::filter::Filter;
use crate::input::Input;
use crate::namespaces;
use crate::reply::Reply;
use crate::resource::Resource;
use crate::status::{Details, Status, Subject, success};
use crate::storage::{self, Expect};
use crate::stored::Stored;
use crate::write::delete::{DeleteOptions, Deletion};

/// What became of an object.
pub(super) enum Outcome {
    /// It is gone; this is what it was, and the version of its end.
    Removed(Stored, u64),
    /// It is being deleted.
    Marked(Stored),
}

impl Api {
    pub(crate) async fn delete(self: &Arc<Self>, call: &Call) -> Result<Reply, Status> {
        let kind = &call.resource.kind;
        if call.subresource != Subresource::None {
            return Err(Status::method_not_allowed(Subject::resource(kind), "delete"));
        }
        let options = delete_options(call)?;
        if namespaces::is_namespace(&call.resource) {
            namespaces::check_deletable(&call.name)?;
        }
        let outcome = self.remove(call, &call.key(), &call.name, &options).await?;
        self.after_write(call, &call.name).await?;
        match outcome {
            Outcome::Marked(stored) => self.object_reply(call, 200, &stored).await,
            Outcome::Removed(stored, version) if is_returned(&call.resource) => {
                let mut object = conversion::read(&call.resource, &stored).await?;
                call.resource.strategy.finish(&mut object, &crate::world::moment());
                let record = conversion::record(&call.resource, object).await?;
                let stored = Stored::new(record, version).map_err(Status::internal)?;
                self.object_reply(call, 200, &stored).await
            }
            Outcome::Removed(stored, _) => {
                let metadata = stored.decode_metadata().map_err(Status::internal)?;
                let uid = metadata.get("uid").and_then(|uid| uid.as_str()).unwrap_or_default();
                let details = Details {
                    name: call.name.clone(),
                    group: kind.group.to_string(),
                    kind: kind.plural.to_string(),
                    uid: uid.to_owned(),
                    ..Details::default()
                };
                Ok(Reply::value(200, &success(&details)))
            }
        }
    }

    pub(crate) async fn delete_collection(self: &Arc<Self>, call: &Call) -> Result<Reply, Status> {
        if call.resource.is_namespaced() && call.namespace.is_none()
            || namespaces::is_namespace(&call.resource)
        {
            return Err(Status::method_not_allowed_here());
        }
        let options = delete_options(call)?;
        let filter = Filter::new(&call.resource, &call.query)?;
        let listing = self.listing(call, &filter).await?;
        for item in &listing.items {
            let object = item.decode().map_err(Status::internal)?;
            let key = storage::key(&call.resource, object.namespace(), object.name());
            match self.remove(call, &key, object.name(), &options).await {
                Ok(_) => {}
                Err(status) if status.reason == "NotFound" => {}
                Err(status) => return Err(status),
            }
        }
        Ok(Reply::stream(call.renderer().list(listing.items, &listing.meta)?))
    }

    /// Deletes an object, or marks it as being deleted, as its finalizers demand.
    pub(super) async fn remove(
        &self,
        call: &Call,
        key: &str,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Outcome, Status> {
        loop {
            let found = self.storage.get(key)?;
            let missing = || Status::not_found(Subject::resource(&call.resource.kind), name);
            let stored = found.ok_or_else(missing)?;
            let object = conversion::read(&call.resource, &stored).await?;
            let (strategy, moment) = (call.resource.strategy, crate::world::moment());
            let deletion = strategy.decide_deletion(&call.resource, &object, options, &moment)?;
            let expect = Expect::Version(stored.version());
            match deletion {
                Deletion::Unchanged => return Ok(Outcome::Marked(stored)),
                Deletion::Remove if options.dry_run => {
                    let version = stored.version();
                    return Ok(Outcome::Removed(stored, version));
                }
                Deletion::Remove => {
                    if let Some(version) = self.storage.set(key, expect, None).await? {
                        return Ok(Outcome::Removed(stored, version));
                    }
                }
                Deletion::Mark(marked) => {
                    let record = conversion::record(&call.resource, *marked).await?;
                    if options.dry_run {
                        let stored = Stored::new(record, stored.version()).map_err(Status::internal)?;
                        return Ok(Outcome::Marked(stored));
                    }
                    if let Some(version) = self.storage.set(key, expect, Some(record.clone())).await? {
                        let stored = Stored::new(record, version).map_err(Status::internal)?;
                        return Ok(Outcome::Marked(stored));
                    }
                }
            }
        }
    }
}

/// Kinds whose last state is the answer to their deletion.
const RETURNED: &[(&str, &str)] = &[
    ("", "Namespace"),
    ("", "PersistentVolume"),
    ("", "PersistentVolumeClaim"),
    ("", "Pod"),
    ("", "PodTemplate"),
    ("", "ResourceQuota"),
    ("", "Service"),
    ("", "ServiceAccount"),
    ("resource.k8s.io", "DeviceClass"),
    ("resource.k8s.io", "ResourceClaim"),
    ("resource.k8s.io", "ResourceClaimTemplate"),
    ("resource.k8s.io", "ResourceSlice"),
    ("storage.k8s.io", "CSIDriver"),
    ("storage.k8s.io", "CSINode"),
    ("storage.k8s.io", "StorageClass"),
    ("storage.k8s.io", "VolumeAttachment"),
    ("storage.k8s.io", "VolumeAttributesClass"),
];

fn is_returned(resource: &Resource) -> bool {
    RETURNED.contains(&(&*resource.kind.group, &*resource.kind.kind)) && !resource.is_custom()
}

fn delete_options(call: &Call) -> Result<DeleteOptions, Status> {
    if call.body.is_empty() {
        return DeleteOptions::read(None, &call.query);
    }
    let Input { value, .. } = call.input()?;
    DeleteOptions::read(Some(&value), &call.query)
}
