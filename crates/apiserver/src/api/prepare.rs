//! What must be there before the first request.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::try_join_all;
use serde_json::Value;

use super::access::administrator;
use super::{Api, Call, Subresource};
use crate::accept::Form;
use crate::initial::{self, Template};
use crate::namespaces;
use crate::object::Object;
use crate::query::Query;
use crate::rbac::{self, Reconciliation};
use crate::resource::Resource;
use crate::status::Status;
use crate::storage::Expect;

impl Api {
    /// Creates what every cluster has.
    pub(crate) async fn prepare(self: &Arc<Self>) -> Result<(), Status> {
        self.refresh_registry().await?;
        self.establishing.settle();
        let service = initial::service(self.settings.advertised);
        let certificate = &self.settings.root_ca;
        let furniture = namespaces::INITIAL.iter().flat_map(|name| initial::furniture(name, certificate));
        let furniture: Vec<Template> = furniture.collect();
        let parts = [initial::namespaces(), initial::classes(), &service, &furniture];
        // Writes that wait together are made safe together.
        try_join_all(parts.into_iter().flatten().map(|it| self.ensure(it))).await?;
        try_join_all(service.iter().map(|it| self.relocate(it))).await?;
        try_join_all(initial::roles().iter().map(|it| self.ensure_role(it))).await?;
        try_join_all(namespaces::INITIAL.iter().map(|name| self.furnish(name))).await?;
        Ok(())
    }

    /// Gives a namespace the account and the certificate that its pods need.
    pub(crate) async fn furnish(&self, namespace: &str) -> Result<(), Status> {
        let found = self.namespace(namespace)?;
        if found.is_none_or(|found| found.is_deleting()) {
            return Ok(());
        }
        let key = format!("/configmaps/{namespace}/{}", initial::AUTHORITY);
        let map =
            self.storage.get(&key)?.map(|stored| stored.decode().map_err(Status::internal)).transpose()?;
        if map.is_none() || self.storage.get(&account_key(namespace))?.is_none() {
            let furniture = initial::furniture(namespace, &self.settings.root_ca);
            try_join_all(furniture.iter().map(|it| self.ensure(it))).await?;
        }
        let authority = initial::authority(namespace, &self.settings.root_ca);
        if map.is_none_or(|map| is_published(&map, &authority)) {
            return Ok(());
        }
        self.change_by_key(&key, |object| restore_authority(object, &authority)).await
    }

    /// Pods without a name for their account wait for the usual one, which comes by itself.
    pub(super) async fn await_account(&self, call: &Call) -> Result<(), Status> {
        let is_pod = call.resource.kind.group.is_empty() && &*call.resource.kind.kind == "Pod";
        match call.namespace.as_deref().filter(|_| is_pod) {
            Some(namespace) if self.storage.get(&account_key(namespace))?.is_none() => {
                self.furnish(namespace).await
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Creates an object unless it is there, or its kind is not served.
    async fn ensure(&self, template: &Template) -> Result<(), Status> {
        if !self.is_served(&template.key) || self.storage.get(&template.key)?.is_some() {
            return Ok(());
        }
        let moment = crate::world::moment();
        let record = template.record(&moment.now, &moment.uid);
        // Where somebody else was faster, the object is there all the same.
        self.storage.set(&template.key, Expect::Absent, Some(record)).await.map(drop)
    }

    /// Lets an object that says where the server is say where it is now.
    async fn relocate(&self, template: &Template) -> Result<(), Status> {
        let Some(stored) = self.storage.get(&template.key)? else { return Ok(()) };
        let stored = stored.decode().map_err(Status::internal)?;
        if is_located(stored.value(), &template.expected) {
            return Ok(());
        }
        self.change_by_key(&template.key, |object| locate(object.value_mut(), &template.expected)).await
    }

    fn is_served(&self, key: &str) -> bool {
        let mut parts = key.splitn(3, '/');
        let (group, plural) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        self.registry.snapshot().find_storage(group, plural).is_some()
    }

    /// Creates a default role or binding, or adds what it lacks.
    async fn ensure_role(&self, template: &Template) -> Result<(), Status> {
        let Template { key, expected, .. } = template;
        let Some(stored) = self.storage.get(key)? else { return self.ensure(template).await };
        let version = stored.version();
        let stored = stored.decode().map_err(Status::internal)?;
        match rbac::reconcile(stored.value(), expected) {
            Reconciliation::Nothing => Ok(()),
            Reconciliation::Update(_) => {
                let update = |object: &mut Object| {
                    if let Reconciliation::Update(updated) = rbac::reconcile(object.value(), expected) {
                        *object.value_mut() = updated;
                    }
                };
                self.change_by_key(key, update).await
            }
            Reconciliation::Recreate => {
                self.storage.set(key, Expect::Version(version), None).await?;
                self.ensure(template).await
            }
        }
    }
}

fn account_key(namespace: &str) -> String {
    format!("/serviceaccounts/{namespace}/{}", initial::ACCOUNT)
}

/// Where objects say where the server is: the Service, and the slice.
const LOCATIONS: [&str; 3] = ["/spec/ports", "/endpoints", "/ports"];

fn is_located(object: &Value, expected: &Value) -> bool {
    LOCATIONS.iter().all(|place| expected.pointer(place).is_none_or(|it| object.pointer(place) == Some(it)))
}

fn locate(object: &mut Value, expected: &Value) {
    for place in LOCATIONS {
        if let (Some(found), Some(expected)) = (object.pointer_mut(place), expected.pointer(place)) {
            found.clone_from(expected);
        }
    }
}

fn is_published(map: &Object, expected: &Value) -> bool {
    let is_described = map.meta("annotations").is_some_and(|it| it.get(initial::DESCRIPTION).is_some());
    map.get("data") == expected.get("data") && is_described
}

fn restore_authority(object: &mut Object, expected: &Value) {
    object.set("data", expected.get("data").cloned());
    object.set("binaryData", None);
    let description = expected["metadata"]["annotations"][initial::DESCRIPTION].clone();
    let mut annotations = object.meta("annotations").cloned().unwrap_or_else(|| serde_json::json!({}));
    annotations[initial::DESCRIPTION] = description;
    object.set_meta("annotations", Some(annotations));
}

impl Call {
    /// A call that the server makes itself.
    pub(crate) fn internal(resource: Arc<Resource>, namespace: Option<&str>, name: &str) -> Self {
        Self {
            resource,
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
            subresource: Subresource::None,
            query: Query::default(),
            form: Form::Object,
            body: Bytes::new(),
            content_type: None,
            user_agent: String::new(),
            user: Arc::new(administrator()),
        }
    }
}
