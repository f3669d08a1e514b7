//! What the server itself does to objects.

use std::sync::Arc;

use super::modify::Changed;
use super::{Api, Call, Subresource};
use crate::managed::Managing;
use crate::object::Object;
use crate::resource::Resource;
use crate::status::Status;
use crate::strategy::Strategy;
use crate::write::delete::{DeleteOptions, Propagation};
use crate::write::update::Part;

impl Api {
    /// The kind, namespace and name behind a key.
    fn call_for(&self, key: &str) -> Option<Call> {
        let mut parts = key.splitn(3, '/');
        let (group, plural, rest) = (parts.next()?, parts.next()?, parts.next()?);
        let registry = self.registry.snapshot();
        let resource = registry.find_storage(group, plural)?;
        let (namespace, name) = match rest.split_once('/') {
            Some((namespace, name)) if resource.is_namespaced() => (Some(namespace), name),
            _ => (None, rest),
        };
        Some(Call::internal(Arc::clone(resource), namespace, name))
    }

    /// Deletes an object that has no reason to be.
    pub(crate) async fn collect(&self, key: &str, uid: &str, foreground: bool) -> Result<(), Status> {
        let Some(call) = self.call_for(key) else { return Ok(()) };
        let propagation = if foreground { Propagation::Foreground } else { Propagation::Background };
        let propagation = Some(propagation).filter(|_| !holds_policy(&call.resource));
        let options = DeleteOptions { propagation, uid: Some(uid.to_owned()), ..DeleteOptions::default() };
        self.remove(&call, key, &call.name, &options).await?;
        self.after_write(&call, &call.name).await
    }

    /// Changes an object in place.
    pub(crate) async fn change_by_key(&self, key: &str, change: impl Fn(&mut Object)) -> Result<(), Status> {
        let Some(call) = self.call_for(key) else { return Ok(()) };
        self.change_whole(&call, change).await
    }

    /// Changes an object in place, unless the change turns out to be impossible.
    pub(crate) async fn try_change_by_key(
        &self,
        key: &str,
        change: impl Fn(&mut Object) -> Result<(), Status>,
    ) -> Result<(), Status> {
        let Some(call) = self.call_for(key) else { return Ok(()) };
        self.try_change_whole(&call, change).await
    }

    async fn change_whole(&self, call: &Call, change: impl Fn(&mut Object)) -> Result<(), Status> {
        let certain = |object: &mut Object| {
            change(object);
            Ok(())
        };
        self.try_change_whole(call, certain).await
    }

    async fn try_change_whole(
        &self,
        call: &Call,
        change: impl Fn(&mut Object) -> Result<(), Status>,
    ) -> Result<(), Status> {
        let changed = |old: &Object, _: &Managing<'_>| {
            let mut object = old.clone();
            change(&mut object)?;
            Ok(Changed { object, part: Part::Whole, warnings: Vec::new(), managed: true, is_patch: false })
        };
        self.modify(call, changed).await.map(drop)
    }

    /// Takes the finalizer of the server off a namespace, which is empty.
    pub(crate) async fn finish_namespace(&self, name: &str) -> Result<(), Status> {
        let Some(mut call) = self.call_for(&format!("/namespaces/{name}")) else { return Ok(()) };
        call.subresource = Subresource::Finalize;
        let finish = |object: &mut Object| {
            if let Some(spec) = object.value_mut().get_mut("spec").and_then(|spec| spec.as_object_mut()) {
                spec.remove("finalizers");
            }
        };
        self.change_whole(&call, finish).await
    }
}

/// Namespaces and definitions have their own way to go.
fn holds_policy(resource: &Resource) -> bool {
    matches!(resource.strategy, Strategy::Namespace | Strategy::Definition)
}
