//! Ownership of the replicas, shared by an object and its scale subresource.
//!
//! Scale is an object of its own with one field of its own. Before it is changed, whoever owns the replicas of the object
//! becomes the owner of that field; afterwards its owners own the replicas of the object.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use super::field_set::FieldSet;
use super::managers::{ManagedFieldsError, Manager, Managers};
use super::path::PathElement;

const SCALE_VERSION: &str = "autoscaling/v1";

/// Where the versions of a kind keep their replicas, such as `spec` and `replicas`; none for a version without scale.
#[derive(Clone, Debug, Default)]
pub struct ReplicasPaths(BTreeMap<String, Option<Vec<String>>>);

impl ReplicasPaths {
    /// Adds a version.
    #[must_use]
    pub fn and(mut self, api_version: &str, path: Option<&[&str]>) -> Self {
        let path = path.map(|path| path.iter().map(ToString::to_string).collect());
        self.0.insert(api_version.to_owned(), path);
        self
    }

    /// The managed fields of the scale of an object with these managed fields.
    pub fn to_scale(&self, of_object: Option<&Value>) -> Result<Option<Value>, ManagedFieldsError> {
        let mut managers = Managers::read(of_object)?;
        managers.0.retain_mut(|manager| {
            let owns = self.path(&manager.api_version).is_some_and(|path| manager.set.contains(&path));
            manager.set = scale_fields();
            manager.api_version = Cow::Borrowed(SCALE_VERSION);
            owns
        });
        Ok(managers.write())
    }

    /// The managed fields of the object once its scale, changed through `api_version`, has the managed fields `of_scale`.
    pub fn to_object(
        &self,
        of_object: Option<&Value>,
        of_scale: Option<&Value>,
        api_version: &str,
    ) -> Result<Option<Value>, ManagedFieldsError> {
        let (mut managers, mut scalers) = (Managers::read(of_object)?, Managers::read(of_scale)?);
        managers.0.retain(|manager| self.0.contains_key(manager.api_version.as_ref()));
        for manager in &mut managers.0 {
            let Some(path) = self.path(&manager.api_version) else { continue };
            if manager.set.contains(&path) && scalers.take(&manager.id).is_none() {
                manager.set.subtract(&FieldSet::of([path]));
            }
        }
        managers.drop_empty();
        let replicas = self.path(api_version).unwrap_or_default();
        scalers.0.retain(|scaler| !scaler.set.intersection(&scale_fields()).is_empty());
        managers.0.extend(scalers.0.into_iter().map(|scaler| Manager {
            api_version: Cow::Owned(api_version.to_owned()),
            set: FieldSet::of([replicas.clone()]),
            time: None,
            id: scaler.id,
        }));
        Ok(managers.write())
    }

    fn path(&self, api_version: &str) -> Option<Vec<PathElement<'static>>> {
        let path = self.0.get(api_version)?.as_ref()?;
        Some(path.iter().map(|name| PathElement::field(name.clone())).collect())
    }
}

fn scale_fields() -> FieldSet<'static> {
    FieldSet::of_fields([&["spec", "replicas"]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn paths() -> ReplicasPaths {
        let paths = ReplicasPaths::default().and("apps/v1", Some(&["spec", "replicas"]));
        paths.and("apps/v2", Some(&["spec", "count"])).and("apps/v0", None)
    }

    fn entry(manager: &str, operation: &str, version: &str, subresource: &str, fields: Value) -> Value {
        let mut entry = json!({
            "manager": manager, "operation": operation, "apiVersion": version, "fieldsType": "FieldsV1", "fieldsV1": fields,
        });
        if !subresource.is_empty() {
            entry["subresource"] = subresource.into();
        }
        entry
    }

    fn replicas() -> Value {
        json!({"f:spec": {"f:replicas": {}}})
    }

    #[test]
    fn owners_of_the_replicas_own_the_scale() {
        let object = json!([
            entry("a", "Apply", "apps/v1", "", json!({"f:spec": {"f:replicas": {}, "f:selector": {}}})),
            entry("b", "Update", "apps/v2", "", json!({"f:spec": {"f:count": {}}})),
            entry("c", "Update", "apps/v1", "", json!({"f:spec": {"f:selector": {}}})),
            entry("d", "Update", "apps/v0", "", replicas()),
            entry("e", "Update", "gone/v1", "", replicas()),
        ]);
        let expect = json!([
            entry("a", "Apply", "autoscaling/v1", "", replicas()),
            entry("b", "Update", "autoscaling/v1", "", replicas()),
        ]);
        assert_eq!(paths().to_scale(Some(&object)), Ok(Some(expect)));
        assert_eq!(paths().to_scale(None), Ok(None));
    }

    #[test]
    fn owners_of_the_scale_own_the_replicas() {
        let object = json!([
            entry("a", "Apply", "apps/v1", "", json!({"f:spec": {"f:replicas": {}, "f:selector": {}}})),
            entry("b", "Update", "apps/v1", "", replicas()),
            entry("c", "Update", "apps/v0", "", replicas()),
            entry("d", "Apply", "apps/v2", "", json!({"f:spec": {"f:count": {}}})),
            entry("e", "Update", "gone/v1", "", json!({"f:spec": {}})),
        ]);
        let scale = json!([
            entry("d", "Apply", "autoscaling/v1", "", replicas()),
            entry("scaler", "Update", "autoscaling/v1", "scale", replicas()),
            entry("none", "Update", "autoscaling/v1", "scale", json!({"f:status": {}})),
        ]);
        let expect = json!([
            entry("a", "Apply", "apps/v1", "", json!({"f:spec": {"f:selector": {}}})),
            entry("d", "Apply", "apps/v2", "", json!({"f:spec": {"f:count": {}}})),
            entry("c", "Update", "apps/v0", "", replicas()),
            entry("scaler", "Update", "apps/v1", "scale", replicas()),
        ]);
        assert_eq!(paths().to_object(Some(&object), Some(&scale), "apps/v1"), Ok(Some(expect)));
    }
}
