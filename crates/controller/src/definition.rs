//! One definition: observe, plan, apply, publish.

mod observe;
mod perform;

use std::sync::Arc;

use krono_graph::KindName;
use krono_planner::definition::{Failure, Plan, plan};
use kube::api::ApiResource;
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::instance::replacing;
use crate::queue::{Key, Outcome};
use crate::refusal::Refusal;
use crate::requests::Subresource;
use crate::run::StartError;

use observe::Observed;

/// Who installs the kinds that krono brings along.
const INSTALLER: &str = "krono";
/// How often a definition is planned in one go.
const MOST_ROUNDS: usize = 20;

/// The kind of definitions.
pub(crate) fn kind() -> KindName {
    KindName {
        api_version: "kro.run/v1alpha1".to_owned(),
        kind: "ResourceGraphDefinition".to_owned(),
        namespaced: false,
    }
}

/// The same, for requests.
pub(crate) fn resource() -> ApiResource {
    named("kro.run", "v1alpha1", "ResourceGraphDefinition", "resourcegraphdefinitions")
}

/// The kind of the definitions of kinds.
pub(crate) fn crd_resource() -> ApiResource {
    named("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions")
}

/// The kind of the announcements of other API servers.
pub(crate) fn api_service_resource() -> ApiResource {
    named("apiregistration.k8s.io", "v1", "APIService", "apiservices")
}

fn named(group: &str, version: &str, kind: &str, plural: &str) -> ApiResource {
    ApiResource {
        group: group.to_owned(),
        version: version.to_owned(),
        api_version: format!("{group}/{version}"),
        kind: kind.to_owned(),
        plural: plural.to_owned(),
    }
}

/// Makes the kinds that krono brings along known to the cluster.
pub(crate) async fn install(engine: &Engine) -> Result<(), StartError> {
    engine.requests.client.apiserver_version().await.map_err(StartError::Unreachable)?;
    for (_, definition) in krono_model::crd::all() {
        let applied = engine.requests.apply(&crd_resource(), &definition, INSTALLER, true).await;
        applied.map_err(StartError::Install)?;
    }
    engine.served(&kind()).await.map_err(StartError::Install)?;
    engine.served(&crate::revisions::kind()).await.map_err(StartError::Install)
}

/// Makes the kind of a definition known and serves it, as far as that is possible now.
pub(crate) async fn reconcile(engine: &Engine, name: &Arc<str>) -> Outcome {
    let mut failed = None;
    for _ in 0..MOST_ROUNDS {
        match round(engine, name, &mut failed).await {
            Ok(Some(outcome)) => return outcome,
            Ok(None) => {}
            Err(error) => match Refusal::of(&error) {
                Refusal::Stale | Refusal::Absent | Refusal::Transient(_) => return Outcome::Retry,
                Refusal::Rejected(words) => {
                    tracing::warn!(definition = &**name, "refused: {words}");
                    return Outcome::Retry;
                }
            },
        }
    }
    tracing::warn!(definition = &**name, "a definition does not come to rest");
    Outcome::Retry
}

/// What went wrong in this pass, in the words of whoever refused.
pub(super) enum Failed {
    Crd(String),
    Controller(String),
}

impl Failed {
    fn as_failure(&self) -> Failure<'_> {
        match self {
            Self::Crd(words) => Failure::Crd(words),
            Self::Controller(words) => Failure::Controller(words),
        }
    }
}

/// The cache says when it is complete; unless it has become so meanwhile.
fn wait_for_revisions(engine: &Engine, name: &Arc<str>) -> Outcome {
    let key = Key::Definition(Arc::clone(name));
    engine.router.wait(&crate::revisions::kind(), key.clone());
    if engine.revisions().read().is_ok() {
        engine.queue.add(key);
    }
    Outcome::Done
}

/// One look; nothing when another is due at once.
async fn round(
    engine: &Engine,
    name: &Arc<str>,
    failed: &mut Option<Failed>,
) -> kube::Result<Option<Outcome>> {
    let Some(definition) = engine.definition(name) else {
        engine.stop_serving(name);
        return Ok(Some(Outcome::Done));
    };
    let Ok(revisions) = engine.revisions_of(name) else {
        return Ok(Some(wait_for_revisions(engine, name)));
    };
    let observed = Observed::of(engine, name, definition, revisions).await?;
    let now = crate::clock::now();
    let Plan { actions, status, waiting, notices } =
        plan(&observed.world(engine, failed.as_ref().map(Failed::as_failure), &now));
    for notice in notices {
        tracing::warn!(definition = &**name, "{notice}");
    }
    if !actions.is_empty() {
        for action in actions {
            if let Err(failure) = perform::perform(engine, &observed, action).await? {
                *failed = Some(failure);
                break;
            }
        }
        return Ok(None);
    }
    if let Some(status) = status {
        let state = |status: &Value| status["state"].as_str().unwrap_or_default().to_owned();
        let (from, to) = (state(&observed.definition["status"]), state(&status));
        if from != to {
            engine.metrics.definition_state_changed(name, &from, &to);
        }
        // The answer to a patch of any version might hide somebody's edit, which nobody would look at.
        let version = &observed.definition["metadata"]["resourceVersion"];
        let status = replacing(&status, &observed.definition["status"]);
        let patch = json!({"metadata": {"resourceVersion": version}, "status": status});
        let answer = engine.requests.merge(&resource(), ("", name), &patch, Subresource::Status).await?;
        engine.definitions().answer(answer, None, &Key::Definition(Arc::clone(name)));
    }
    let again = waiting.is_some_and(krono_planner::definition::Waiting::needs_another_look);
    Ok(Some(if again { Outcome::Retry } else { Outcome::Done }))
}
