//! What users do to a world.

use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};

use super::naming::CLUSTER_WIDE;
use super::{World, instance, value};

impl World {
    /// Server-side apply of every document, as a user.
    pub(crate) async fn apply(&self, yaml: &str) {
        for document in serde_saphyr::from_multiple::<Value>(yaml).expect("YAML") {
            self.put(&document).await;
        }
    }

    /// Server-side apply, as a user.
    pub(crate) async fn put(&self, object: &Value) -> Value {
        self.try_put(object).await.unwrap_or_else(|refusal| panic!("{refusal}: {object:#}"))
    }

    /// The same, or the words of the server that refuses it.
    pub(crate) async fn try_put(&self, object: &Value) -> Result<Value, String> {
        self.try_put_as("user", object).await
    }

    /// Server-side apply, as somebody with `kubectl`: nobody puts back what changes later.
    pub(crate) async fn put_by_hand(&self, object: &Value) -> Value {
        let put = self.try_put_as("kubectl", object).await;
        put.unwrap_or_else(|refusal| panic!("{refusal}: {object:#}"))
    }

    /// Server-side apply, as that manager.
    pub(crate) async fn try_put_as(&self, manager: &str, object: &Value) -> Result<Value, String> {
        let api_version = object["apiVersion"].as_str().expect("a version");
        let metadata = &object["metadata"];
        let namespace = metadata["namespace"].as_str().unwrap_or("default");
        let kind = object["kind"].as_str().expect("a kind");
        let namespace =
            if CLUSTER_WIDE.contains(&kind) || metadata["namespace"] == "" { "" } else { namespace };
        let api = self.api(api_version, kind, namespace);
        let (name, parameters) =
            (metadata["name"].as_str().expect("a name"), PatchParams::apply(manager).force());
        match api.patch(name, &parameters, &Patch::Apply(object)).await {
            Ok(applied) => Ok(value(&applied)),
            Err(kube::Error::Api(status)) => Err(status.message),
            Err(error) => panic!("{error}"),
        }
    }

    /// Applies a definition and waits until it is served.
    pub(crate) async fn define(&self, definition: &Value) -> Value {
        let applied = self.put(definition).await;
        let name = applied["metadata"]["name"].as_str().expect("a name").to_owned();
        self.active(&format!("ResourceGraphDefinition /{name}")).await
    }

    /// Applies an instance with that spec.
    pub(crate) async fn instance(&self, what: &str, spec: &str) -> Value {
        self.put(&instance(what, spec)).await
    }

    /// A merge patch, as a user.
    pub(crate) async fn merge(&self, what: &str, patch: Value) -> Value {
        let (api, name) = self.named(what);
        let parameters = PatchParams { field_manager: Some("user".to_owned()), ..PatchParams::default() };
        value(&api.patch(&name, &parameters, &Patch::Merge(patch)).await.expect("a patch"))
    }

    /// The same, or the words of the server that refuses it.
    pub(crate) async fn try_merge(&self, what: &str, patch: Value) -> Result<Value, String> {
        let (api, name) = self.named(what);
        match api.patch(&name, &PatchParams::default(), &Patch::Merge(patch)).await {
            Ok(patched) => Ok(value(&patched)),
            Err(kube::Error::Api(status)) => Err(status.message),
            Err(error) => panic!("{error}"),
        }
    }

    /// Writes an annotation, or takes it away.
    pub(crate) async fn annotate(&self, what: &str, key: &str, text: Option<&str>) -> Value {
        self.merge(what, json!({"metadata": {"annotations": {key: text}}})).await
    }

    /// A merge patch of a status, as whoever looks after such objects.
    pub(crate) async fn merge_status(&self, what: &str, patch: Value) -> Value {
        let (api, name) = self.named(what);
        let patch = Patch::Merge(json!({"status": patch}));
        value(&api.patch_status(&name, &PatchParams::default(), &patch).await.expect("a patch"))
    }

    /// Deletes an object at once, as a node does whose containers have ended.
    pub(crate) async fn end(&self, what: &str) {
        let (api, name) = self.named(what);
        api.delete(&name, &DeleteParams::default().grace_period(0)).await.expect("a deletion");
    }

    pub(crate) async fn delete(&self, what: &str) {
        let (api, name) = self.named(what);
        api.delete(&name, &DeleteParams::default()).await.expect("a deletion");
    }
}
