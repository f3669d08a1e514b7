//! Parts of objects that are neither read nor written: they do something, or would if workloads were real.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Api, Call};
use crate::disruption;
use crate::input::{Format, Input};
use crate::kind::Kind;
use crate::object::Object;
use crate::protobuf;
use crate::reply::Reply;
use crate::request::Verb;
use crate::status::Status;
use crate::write::delete::DeleteOptions;

/// How often an eviction that others overtake is tried again.
const TRIES: usize = 20;

/// Such a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    /// Something only a running workload has.
    Running(Connection),
    /// Lets a pod go unless too many are gone.
    Eviction,
    /// Tokens of service accounts.
    Token,
}

/// A way to reach into a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Connection {
    Log,
    Exec,
    Attach,
    PortForward,
    Proxy,
}

impl Connection {
    /// As messages call it.
    fn name(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Exec => "exec",
            Self::Attach => "attach",
            Self::PortForward => "port-forward",
            Self::Proxy => "proxy",
        }
    }

    fn allows(self, verb: Verb) -> bool {
        match self {
            Self::Log => verb == Verb::Get,
            Self::Exec | Self::Attach | Self::PortForward => matches!(verb, Verb::Get | Verb::Create),
            Self::Proxy => true,
        }
    }
}

impl Special {
    /// The part that a path names.
    pub(super) fn of(kind: &Kind, subresource: Option<&str>) -> Option<Self> {
        let first = subresource?.split('/').next()?;
        match (&*kind.group, &*kind.kind, first) {
            ("", "Pod", "log") => Some(Self::Running(Connection::Log)),
            ("", "Pod", "exec") => Some(Self::Running(Connection::Exec)),
            ("", "Pod", "attach") => Some(Self::Running(Connection::Attach)),
            ("", "Pod", "portforward") => Some(Self::Running(Connection::PortForward)),
            ("", "Pod" | "Service" | "Node", "proxy") => Some(Self::Running(Connection::Proxy)),
            ("", "Pod", "eviction") => Some(Self::Eviction),
            ("", "ServiceAccount", "token") => Some(Self::Token),
            _ => None,
        }
    }

    fn allows(self, verb: Verb) -> bool {
        match self {
            Self::Running(connection) => connection.allows(verb),
            Self::Eviction | Self::Token => verb == Verb::Create,
        }
    }
}

impl Api {
    pub(super) async fn special(
        self: &Arc<Self>,
        special: Special,
        verb: Verb,
        call: &Call,
    ) -> Result<Reply, Status> {
        if !special.allows(verb) {
            return Err(Status::method_not_allowed_here());
        }
        if special == Special::Eviction {
            return self.evict(call).await;
        }
        // Proxied names may say a scheme and a port: `https:web:443`.
        let name = call.name.split(':').find(|part| !matches!(*part, "" | "http" | "https"));
        let named = Call::internal(Arc::clone(&call.resource), call.namespace.as_deref(), name.unwrap_or(""));
        self.stored(&named)?;
        Err(match special {
            Special::Running(connection) => simulated(&call.resource.kind, &call.name, connection.name()),
            Special::Eviction | Special::Token => Status::not_implemented(format!(
                "serviceaccounts {:?}: this server does not issue tokens of service accounts yet; \
                 use a client certificate or a static token",
                call.name
            )),
        })
    }

    async fn evict(&self, call: &Call) -> Result<Reply, Status> {
        let eviction = eviction(call)?;
        let name = eviction.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        if name != call.name {
            return Err(Status::bad_request("name in URL does not match name in Eviction object"));
        }
        let options = DeleteOptions::read(eviction.get("deleteOptions"), &call.query)?;
        for _ in 0..TRIES {
            match self.try_evict(call, &options).await {
                Err(status) if status.code == 409 && options.version.is_none() => {}
                outcome => return outcome,
            }
        }
        Err(Status::too_many_requests("the pod and its disruption budget change too fast to be evicted", 10))
    }

    async fn try_evict(&self, call: &Call, options: &DeleteOptions) -> Result<Reply, Status> {
        let pod = self.stored(call)?.decode().map_err(Status::internal)?;
        if !disruption::is_free(pod.value()) {
            self.spend_budget(call, &pod, options.dry_run).await?;
        }
        if !options.dry_run {
            let now = crate::world::moment().now;
            self.change_by_key(&call.key(), |pod| mark_evicted(pod, &now)).await?;
        }
        self.remove(call, &call.key(), &call.name, options).await?;
        let done = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201,
        });
        Ok(Reply::value(201, &done))
    }

    async fn spend_budget(&self, call: &Call, pod: &Object, dry_run: bool) -> Result<(), Status> {
        let prefix = format!("policy/poddisruptionbudgets/{}/", pod.namespace());
        let mut budgets = Vec::new();
        for (key, stored) in self.storage.range(&prefix, "", usize::MAX, None)?.items {
            let budget = stored.decode().map_err(Status::internal)?;
            if disruption::is_for(budget.value(), pod.value()) {
                budgets.push((key, budget));
            }
        }
        let (key, budget) = match budgets.as_slice() {
            [] => return Ok(()),
            [(key, budget)] => (key, budget),
            _ => {
                let why = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
                return Err(Status::unknown(why));
            }
        };
        if disruption::is_unhealthy_and_free(budget.value(), pod.value()) {
            return Ok(());
        }
        let now = crate::world::moment().now;
        disruption::count(&mut budget.value().clone(), &call.name, &now)?;
        if dry_run {
            return Ok(());
        }
        // Counted once more on what is stored by then, so that two evictions cannot spend the same allowance.
        self.try_change_by_key(key, |budget| disruption::count(budget.value_mut(), &call.name, &now)).await
    }
}

/// The body is an eviction, not a pod.
fn eviction(call: &Call) -> Result<Value, Status> {
    if Format::of(call.content_type.as_deref()) != Some(Format::Protobuf) {
        return call.input().map(|Input { value, .. }| value);
    }
    protobuf::decode_as(&call.body, "policy/v1", "Eviction")
        .map_err(|error| Status::bad_request(error.to_string()))
}

fn mark_evicted(pod: &mut Object, now: &str) {
    let condition = json!({
        "type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting", "lastTransitionTime": now,
    });
    let Some(status) = pod.value_mut().get_mut("status").filter(|it| it.is_object()) else { return };
    let mut conditions = status["conditions"].as_array().cloned().unwrap_or_default();
    conditions.retain(|it| it["type"] != "DisruptionTarget");
    conditions.push(condition);
    status["conditions"] = conditions.into();
}

fn simulated(kind: &Kind, name: &str, what: &str) -> Status {
    Status::not_implemented(format!(
        "{} {name:?}: {what} is not available: workloads on this server are simulated, nothing runs in its pods",
        kind.plural
    ))
}
