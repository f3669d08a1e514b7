//! One definition: observe, plan, apply, publish.

use std::sync::Arc;

use krono_graph::{KindName, compile};
use krono_model::crd;
use kube::api::ApiResource;
use serde_json::Value;

use crate::engine::Engine;
use crate::queue::Outcome;
use crate::run::StartError;
use crate::serving::Serving;

/// Who installs the kinds that krono brings along.
const INSTALLER: &str = "krono";

/// The kind of definitions.
pub(crate) fn kind() -> KindName {
    KindName {
        api_version: "kro.run/v1alpha1".to_owned(),
        kind: "ResourceGraphDefinition".to_owned(),
        namespaced: false,
    }
}

pub(crate) fn resource() -> ApiResource {
    named("kro.run", "v1alpha1", "ResourceGraphDefinition", "resourcegraphdefinitions")
}

/// The kind of the definitions of kinds.
pub(crate) fn crd_resource() -> ApiResource {
    named("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions")
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
    for (_, definition) in crd::all() {
        let applied = engine.requests.apply(&crd_resource(), &definition, INSTALLER, true).await;
        applied.map_err(StartError::Install)?;
    }
    Ok(())
}

/// Makes the kind of a definition known and serves it.
pub(crate) async fn reconcile(engine: &Engine, name: &Arc<str>) -> Outcome {
    let Some(definition) = engine.definition(name) else {
        engine.stop_serving(name);
        return Outcome::Done;
    };
    match serve(engine, name, &definition).await {
        Ok(()) => Outcome::Done,
        Err(error) => {
            tracing::warn!(definition = &**name, %error, "definition");
            Outcome::Retry
        }
    }
}

async fn serve(engine: &Engine, name: &Arc<str>, definition: &Value) -> Result<(), String> {
    let words = |error: kube::Error| error.to_string();
    let mentioned = engine.catalogue.mentioned(definition).await.map_err(words)?;
    let graph = compile(definition, &mentioned, krono_graph::Options::default())
        .map_err(|it| it.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    let crd = serde_json::to_value(&graph.crd).map_err(|error| error.to_string())?;
    engine.requests.apply(&crd_resource(), &crd, INSTALLER, true).await.map_err(words)?;
    let version = &graph.crd.spec.versions[0];
    let api_version = format!("{}/{}", graph.crd.spec.group, version.name);
    let served = engine.catalogue.find(&api_version, &graph.crd.spec.names.kind).await.map_err(words)?;
    let served = served.ok_or("the kind is not served yet")?;
    let uid = definition["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
    let serving = Serving::new((Arc::clone(name), uid), graph, &served, &mentioned, &engine.caches);
    engine.serve(serving);
    Ok(())
}
