//! What follows from objects that were written, done by the server itself.

use std::sync::Arc;

use serde_json::{Value, json};

use super::patch::APPLY;
use super::{Api, Call};
use crate::admission::{CLAIM_FINALIZER, VOLUME_FINALIZER};
use crate::initial::GATHERER;
use crate::object::Object;
use crate::rbac::{GROUP, Rule};
use crate::status::Status;

impl Api {
    /// Gives cluster roles that are made of others the rules of those.
    pub(crate) async fn gather_roles(self: &Arc<Self>) -> Result<(), Status> {
        let gathered = self.policies.ask(&self.storage, crate::rbac::Policy::gathered)?;
        for (name, rules) in gathered {
            let Some(stored) = self.storage.get(&format!("{GROUP}/clusterroles/{name}"))? else { continue };
            let stored = stored.decode().map_err(Status::internal)?;
            if Rule::of_role(stored.value()) != rules {
                self.apply_rules(&name, &rules).await?;
            }
        }
        Ok(())
    }

    async fn apply_rules(self: &Arc<Self>, name: &str, rules: &[Rule]) -> Result<(), Status> {
        let registry = self.registry.snapshot();
        let Some(resource) = registry.find(GROUP, "v1", "clusterroles") else { return Ok(()) };
        let mut wanted = json!({
            "apiVersion": format!("{GROUP}/v1"), "kind": "ClusterRole", "metadata": {"name": name},
        });
        if !rules.is_empty() {
            wanted["rules"] = rules.iter().map(Rule::to_json).collect();
        }
        let mut call = Call::internal(Arc::clone(resource), None, name);
        GATHERER.clone_into(&mut call.query.field_manager);
        call.query.force = Some(true);
        call.content_type = Some(APPLY.to_owned());
        call.body = wanted.to_string().into();
        self.patch(&call).await.map(drop)
    }

    /// Lets a claim or volume go that is being deleted, once nobody uses it.
    pub(crate) async fn unprotect(&self, key: &str) -> Result<(), Status> {
        let Some(stored) = self.storage.get(key)? else { return Ok(()) };
        let object = stored.decode().map_err(Status::internal)?;
        let is_claim = object.text("kind") == "PersistentVolumeClaim";
        let finalizer = if is_claim { CLAIM_FINALIZER } else { VOLUME_FINALIZER };
        let is_protected = object.is_deleting() && object.finalizers().any(|it| it == finalizer);
        let is_used = if is_claim { self.has_users(&object)? } else { is_bound(&object) };
        if !is_protected || is_used {
            return Ok(());
        }
        self.change_by_key(key, |object| object.remove_finalizer(finalizer)).await
    }

    /// Whether a pod that has not ended uses a claim.
    fn has_users(&self, claim: &Object) -> Result<bool, Status> {
        let prefix = format!("/pods/{}/", claim.namespace());
        for (_, stored) in self.storage.range(&prefix, "", usize::MAX, None)?.items {
            let pod = stored.decode().map_err(Status::internal)?;
            if uses(pod.value(), claim.name()) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn uses(pod: &Value, claim: &str) -> bool {
    let phase = pod.pointer("/status/phase").and_then(Value::as_str).unwrap_or_default();
    let name = pod.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let volumes = pod.pointer("/spec/volumes").and_then(Value::as_array);
    let names_claim = |volume: &Value| {
        let own = volume
            .get("ephemeral")
            .map(|_| format!("{name}-{}", volume["name"].as_str().unwrap_or_default()));
        volume.pointer("/persistentVolumeClaim/claimName").is_some_and(|it| it == claim)
            || own.is_some_and(|own| own == claim)
    };
    !matches!(phase, "Succeeded" | "Failed") && volumes.is_some_and(|it| it.iter().any(names_claim))
}

fn is_bound(volume: &Object) -> bool {
    volume.value().pointer("/status/phase").is_some_and(|phase| phase == "Bound")
}
