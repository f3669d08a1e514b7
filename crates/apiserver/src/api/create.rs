//! New objects.

use std::sync::Arc;

use super::{Api, Call, Subresource};
use crate::conversion;
use crate::crd;
use crate::namespaces;
use crate::object::Object;
use crate::reply::Reply;
use crate::services::Reservation;
use crate::status::{Status, Subject};
use crate::storage::{self, Expect};
use crate::stored::Stored;
use crate::witness;
use crate::write::create;
use crate::write::decode::{Decoded, decode};
use crate::write::metadata::finalizer_warnings;

/// How often a generated name that is taken is replaced by another.
const NAME_TRIES: usize = 8;

impl Api {
    pub(crate) async fn create(self: &Arc<Self>, call: &Call) -> Result<Reply, Status> {
        let in_place = call.namespace.is_some() || !call.resource.is_namespaced();
        if !in_place || !call.name.is_empty() || call.subresource != Subresource::None {
            return Err(Status::method_not_allowed_here());
        }
        let decoded = decode(&call.resource, call.input()?, call.query.field_validation)?;
        let Decoded { object, mut warnings } = decoded;
        warnings.extend(finalizer_warnings(&call.resource, &object, None));
        let stored = self.insert(call, object, false).await?;
        let name = stored.decode_metadata().map_err(Status::internal)?;
        let name = name.get("name").and_then(|name| name.as_str()).unwrap_or_default();
        self.after_write(call, name).await?;
        self.after_create(call, name).await?;
        self.object_reply(call, 201, &stored).await.map(|reply| reply.with_warnings(warnings))
    }

    /// Lets a new namespace be of use at once.
    pub(super) async fn after_create(self: &Arc<Self>, call: &Call, name: &str) -> Result<(), Status> {
        if namespaces::is_namespace(&call.resource) && !call.query.dry_run {
            return self.furnish(name).await;
        }
        Ok(())
    }

    /// Stores a new object, whose managers are known already or not; a generated name that is taken is generated again.
    pub(crate) async fn insert(
        self: &Arc<Self>,
        call: &Call,
        mut object: Object,
        managed: bool,
    ) -> Result<Stored, Status> {
        self.await_account(call).await?;
        create::wipe_system_fields(&mut object);
        let generated = object.name().is_empty();
        let object = if managed {
            object
        } else {
            self.managing(call).settled(|managing| managing.noted(&object, None)).await
        };
        let mut tries = 0;
        loop {
            tries += 1;
            // Addresses stay reserved until the object is stored.
            let (prepared, _reservation) = self.prepare_new(call, object.clone())?;
            let name = prepared.name().to_owned();
            if let Some(stored) = self.store_new(call, prepared).await? {
                return Ok(stored);
            }
            if !generated || tries == NAME_TRIES {
                return Err(Status::already_exists(Subject::resource(&call.resource.kind), &name));
            }
        }
    }

    fn prepare_new(&self, call: &Call, mut object: Object) -> Result<(Object, Reservation), Status> {
        let resource = &call.resource;
        create::prepare(resource, &mut object, call.namespace.as_deref(), &crate::world::moment())?;
        if !call.name.is_empty() && object.name().is_empty() {
            object.set_meta("name", Some(call.name.as_str().into()));
        }
        self.admit_new(call, &mut object)?;
        self.admit(call, &mut object, None)?;
        self.check_escalation(call, &object, None)?;
        let reservation = self.allocate(call, &mut object, None)?;
        witness::see(self.settings.witness.as_deref(), call, &mut object, None);
        create::validate(resource, &object)?;
        Ok((object, reservation))
    }

    /// Rules that look at other objects, or that belong to one kind alone.
    fn admit_new(&self, call: &Call, object: &mut Object) -> Result<(), Status> {
        let resource = &call.resource;
        if resource.custom_part().is_some_and(|custom| self.is_terminating(&custom.definition)) {
            let why = "create not allowed while custom resource definition is terminating";
            return Err(Status::forbidden(Subject::resource(&resource.kind), object.name(), why));
        }
        resource.strategy.prepare_new(object);
        let Some(namespace) = call.namespace.as_deref() else { return Ok(()) };
        let found = self.namespace(namespace)?;
        namespaces::admit(resource, object.name(), namespace, found.as_ref())
    }

    /// Whether a definition is being deleted.
    fn is_terminating(&self, definition: &str) -> bool {
        let stored = self.storage.get(&format!("{}{definition}", crd::PREFIX)).ok().flatten();
        let metadata = stored.and_then(|stored| stored.decode_metadata().ok());
        metadata.is_none_or(|metadata| metadata.get("deletionTimestamp").is_some())
    }

    /// Stores the object unless its name is taken.
    async fn store_new(&self, call: &Call, object: Object) -> Result<Option<Stored>, Status> {
        let key = storage::key(&call.resource, object.namespace(), object.name());
        let record = conversion::record(&call.resource, object).await?;
        if call.query.dry_run {
            let taken = self.storage.get(&key)?.is_some();
            return if taken { Ok(None) } else { Stored::new(record, 0).map(Some).map_err(Status::internal) };
        }
        let written = self.storage.set(&key, Expect::Absent, Some(record.clone())).await?;
        written.map(|version| Stored::new(record, version).map_err(Status::internal)).transpose()
    }

    /// A stored object in the form the client wants.
    pub(crate) async fn object_reply(
        &self,
        call: &Call,
        code: u16,
        stored: &Stored,
    ) -> Result<Reply, Status> {
        let served = conversion::serve(&call.resource, stored).await?;
        Ok(Reply::json(code, call.renderer().object(&served)?))
    }
}
