//! What the standard admission plugins look up and decide.

use serde_json::Value;

use super::{Api, Call, Subresource};
use crate::admission::{self, CLAIM_FINALIZER, Priority, VOLUME_FINALIZER};
use crate::initial;
use crate::object::Object;
use crate::services::{self, Refused, Reservation};
use crate::status::{Status, Subject};

impl Api {
    /// Completes a new object or a change, or refuses it. Changes the object.
    pub(super) fn admit(&self, call: &Call, object: &mut Object, old: Option<&Object>) -> Result<(), Status> {
        if call.subresource != Subresource::None || call.resource.is_custom() {
            return Ok(());
        }
        match (&*call.resource.kind.kind, old) {
            ("Pod", None) => self.admit_pod(call, object),
            ("Pod", Some(old)) => {
                keep_pod(object, old);
                Ok(())
            }
            ("PersistentVolumeClaim", None) => self.admit_claim(object),
            ("PersistentVolumeClaim", Some(old)) => self.admit_growth(call, object, old),
            ("PersistentVolume", None) => {
                object.add_finalizer(VOLUME_FINALIZER);
                Ok(())
            }
            ("Ingress", None) => self.admit_ingress(object),
            ("PriorityClass", _) => self.admit_priority_class(call, object, old.is_some()),
            _ => Ok(()),
        }
    }

    /// Gives a Service the addresses and node ports it needs. Changes the object.
    pub(super) fn allocate(
        &self,
        call: &Call,
        object: &mut Object,
        old: Option<&Object>,
    ) -> Result<Reservation, Status> {
        let kind = &call.resource.kind;
        if !services::is_service(kind) || call.subresource != Subresource::None {
            return Ok(Reservation::default());
        }
        let name = object.name().to_owned();
        let Some(spec) = object.value_mut().get_mut("spec").filter(|spec| spec.is_object()) else {
            return Ok(Reservation::default());
        };
        let old = old.and_then(|old| old.get("spec"));
        services::allocate(&self.addresses, &self.storage, spec, old).map_err(|refused| match refused {
            Refused::Invalid(errors) => Status::invalid(kind, &name, &errors),
            Refused::Failed(status) => status,
        })
    }

    fn admit_pod(&self, call: &Call, object: &mut Object) -> Result<(), Status> {
        let annotations = object.meta("annotations");
        let is_mirror = annotations.is_some_and(|it| it.get(admission::MIRROR_ANNOTATION).is_some());
        if is_mirror {
            check_mirror(call, object)?;
        } else {
            self.admit_account(call, object)?;
        }
        self.admit_priority(call, object)?;
        if let Some(spec) = spec_of(object) {
            admission::tolerate_lost_nodes(spec);
        }
        self.admit_runtime_class(call, object)
    }

    /// A pod runs as an account that is there.
    fn admit_account(&self, call: &Call, object: &mut Object) -> Result<(), Status> {
        let namespace = call.namespace.as_deref().unwrap_or_default();
        if self.registry.snapshot().find("", "v1", "serviceaccounts").is_none() {
            return Ok(());
        }
        let name = object.value().pointer("/spec/serviceAccountName").and_then(Value::as_str);
        let name = name.filter(|name| !name.is_empty()).unwrap_or(initial::ACCOUNT).to_owned();
        let Some(account) = self.storage.get(&format!("/serviceaccounts/{namespace}/{name}"))? else {
            let why = format!(
                "error looking up service account {namespace}/{name}: serviceaccount {name:?} not found"
            );
            return Err(forbidden(call, object, &why));
        };
        let account = account.decode().map_err(Status::internal)?;
        let Some(spec) = spec_of(object) else { return Ok(()) };
        spec["serviceAccountName"] = name.as_str().into();
        spec["serviceAccount"] = name.into();
        admission::mount_account(spec, account.value(), &crate::world::moment().suffix);
        Ok(())
    }

    fn admit_priority(&self, call: &Call, object: &mut Object) -> Result<(), Status> {
        let class = object.value().pointer("/spec/priorityClassName").and_then(Value::as_str);
        let priority = match class.filter(|class| !class.is_empty()) {
            None => {
                let classes = self.all_values("scheduling.k8s.io/priorityclasses/")?;
                admission::default_priority(&classes).unwrap_or_else(Priority::none)
            }
            Some(class) => {
                let found = self.storage.get(&format!("scheduling.k8s.io/priorityclasses/{class}"))?;
                let Some(found) = found else {
                    let why = format!("no PriorityClass with name {class} was found");
                    return Err(forbidden(call, object, &why));
                };
                Priority::of(found.decode().map_err(Status::internal)?.value())
            }
        };
        let Some(spec) = spec_of(object) else { return Ok(()) };
        admission::give_priority(spec, &priority).map_err(|why| forbidden(call, object, &why))
    }

    fn admit_runtime_class(&self, call: &Call, object: &mut Object) -> Result<(), Status> {
        let name = object.value().pointer("/spec/runtimeClassName").and_then(Value::as_str);
        let key = name.map(|name| format!("node.k8s.io/runtimeclasses/{name}"));
        let found = key.map(|key| self.storage.get(&key)).transpose()?.flatten();
        if let Some(name) = name.filter(|_| found.is_none()) {
            let why = format!("pod rejected: RuntimeClass {name:?} not found");
            return Err(forbidden(call, object, &why));
        }
        let class = found.map(|found| found.decode().map_err(Status::internal)).transpose()?;
        let class = class.map(Object::into_value);
        let Some(spec) = spec_of(object) else { return Ok(()) };
        let used = class.as_ref().map_or(Ok(()), |class| admission::use_runtime_class(spec, class));
        let fine = used.and_then(|()| admission::check_overhead(spec, class.as_ref()));
        fine.map_err(|why| forbidden(call, object, &why))
    }

    fn admit_claim(&self, object: &mut Object) -> Result<(), Status> {
        object.add_finalizer(CLAIM_FINALIZER);
        let annotations = object.meta("annotations");
        let is_annotated = annotations.is_some_and(|it| it.get(admission::CLASS_ANNOTATION).is_some());
        let is_named = object.value().pointer("/spec/storageClassName").is_some_and(Value::is_string);
        if is_annotated || is_named {
            return Ok(());
        }
        let classes = self.all_values("storage.k8s.io/storageclasses/")?;
        let class = admission::default_class(&classes, admission::is_default_storage_class);
        if let (Some(class), Some(spec)) = (class, spec_of(object)) {
            spec["storageClassName"] = class.into();
        }
        Ok(())
    }

    /// Only volumes that are made on demand can grow, and only if their class says so.
    fn admit_growth(&self, call: &Call, object: &Object, old: &Object) -> Result<(), Status> {
        if !admission::grows(object.value(), old.value()) {
            return Ok(());
        }
        if old.value().pointer("/status/phase").is_none_or(|phase| phase != "Bound") {
            return Err(forbidden(call, object, "Only bound persistent volume claims can be expanded"));
        }
        let class = admission::common_class(object.value(), old.value());
        let key = class.map(|class| format!("storage.k8s.io/storageclasses/{class}"));
        let class = key.map(|key| self.storage.get(&key)).transpose()?.flatten();
        let class = class.map(|class| class.decode().map_err(Status::internal)).transpose()?;
        if class.is_some_and(|class| class.get("allowVolumeExpansion") == Some(&Value::Bool(true))) {
            return Ok(());
        }
        let why = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must \
                   support resize";
        Err(forbidden(call, object, why))
    }

    fn admit_ingress(&self, object: &mut Object) -> Result<(), Status> {
        let annotations = object.meta("annotations");
        let is_annotated = annotations.is_some_and(|it| it.get("kubernetes.io/ingress.class").is_some());
        let is_named = object.value().pointer("/spec/ingressClassName").is_some_and(Value::is_string);
        if is_annotated || is_named {
            return Ok(());
        }
        let classes = self.all_values("networking.k8s.io/ingressclasses/")?;
        let class = admission::default_class(&classes, admission::is_default_ingress_class);
        if let (Some(class), Some(spec)) = (class, spec_of(object)) {
            spec["ingressClassName"] = class.into();
        }
        Ok(())
    }

    /// Only one class can be the default.
    fn admit_priority_class(&self, call: &Call, object: &Object, is_update: bool) -> Result<(), Status> {
        if object.get("globalDefault") != Some(&Value::Bool(true)) {
            return Ok(());
        }
        let classes = self.all_values("scheduling.k8s.io/priorityclasses/")?;
        let Some(known) = admission::default_priority(&classes) else { return Ok(()) };
        if is_update && known.class == object.name() {
            return Ok(());
        }
        let why =
            format!("PriorityClass {} is already marked as default. Only one default can exist", known.class);
        Err(forbidden(call, object, &why))
    }

    /// Every object under a prefix.
    fn all_values(&self, prefix: &str) -> Result<Vec<Value>, Status> {
        let page = self.storage.range(prefix, "", usize::MAX, None)?;
        let decoded = page.items.iter().map(|(_, stored)| stored.decode().map_err(Status::internal));
        decoded.map(|object| object.map(Object::into_value)).collect()
    }
}

fn spec_of(object: &mut Object) -> Option<&mut Value> {
    object.value_mut().get_mut("spec").filter(|spec| spec.is_object())
}

fn keep_pod(object: &mut Object, old: &Object) {
    let before = old.get("spec").cloned().unwrap_or_default();
    if let Some(spec) = spec_of(object) {
        admission::keep_priority(spec, &before);
        admission::tolerate_lost_nodes(spec);
    }
}

/// A pod that a kubelet runs by itself has nothing to do with the API.
fn check_mirror(call: &Call, object: &Object) -> Result<(), Status> {
    let account = object.value().pointer("/spec/serviceAccountName").and_then(Value::as_str);
    if account.is_some_and(|account| !account.is_empty()) {
        return Err(forbidden(call, object, "a mirror pod may not reference service accounts"));
    }
    Ok(())
}

/// Refuses as admission does: an object whose name was made up is called by what it was made from.
fn forbidden(call: &Call, object: &Object, why: &str) -> Status {
    let (name, prefix) = (object.name(), object.meta_text("generateName"));
    let is_generated = !prefix.is_empty() && name.starts_with(prefix);
    Status::forbidden(Subject::resource(&call.resource.kind), if is_generated { prefix } else { name }, why)
}
