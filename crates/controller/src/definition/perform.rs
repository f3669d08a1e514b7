//! One action of a plan for a definition.

use std::sync::Arc;

use krono_planner::definition::Action;
use krono_planner::instance::ObjectName;
use serde_json::Value;

use super::observe::Observed;
use super::{Failed, INSTALLER, crd_resource, resource};
use crate::engine::Engine;
use crate::graphs::Graph;
use crate::queue::Key;
use crate::refusal::Refusal;
use crate::requests::Subresource;
use crate::serving::{self, Current, Serving};

/// Does one thing. What may go right when the world is looked at again is an error; what the server does not want is
/// told to the next plan.
pub(super) async fn perform(
    engine: &Engine,
    observed: &Observed,
    action: Action,
) -> kube::Result<Result<(), Failed>> {
    match action {
        Action::AddFinalizer(patch) => {
            let answer = patch_definition(engine, observed, &patch).await?;
            engine.definitions().answer(answer, None, &Key::Definition(Arc::clone(&observed.name)));
        }
        Action::RemoveFinalizer(patch) => {
            patch_definition(engine, observed, &patch).await?;
            engine.definitions().forget("", &observed.name, &Key::Definition(Arc::clone(&observed.name)));
        }
        Action::CreateCrd(crd) => {
            let created = engine.requests.create(&crd_resource(), &crd, INSTALLER).await;
            return heard(created.map(drop), Failed::Crd);
        }
        Action::PatchCrd(patch) => {
            let name = crd_of(observed);
            let patched =
                engine.requests.merge(&crd_resource(), ("", &name), &patch, Subresource::None).await;
            return heard(patched.map(drop), Failed::Crd);
        }
        Action::DeleteCrd { uid } => {
            let name = ObjectName {
                kind: crate::catalogue::crd_kind(),
                namespace: String::new(),
                name: crd_of(observed),
            };
            return heard(engine.requests.delete(&crd_resource(), &name, &uid).await.map(drop), Failed::Crd);
        }
        Action::Serve => {
            let graph = observed.compiled.as_ref().cloned().map_err(|_| String::new());
            return serve(engine, observed, graph).await;
        }
        Action::ServeWithoutGraph { reason } => return serve(engine, observed, Err(reason)).await,
        Action::StopServing => engine.stop_serving(&observed.name),
    }
    Ok(Ok(()))
}

async fn patch_definition(engine: &Engine, observed: &Observed, patch: &Value) -> kube::Result<Value> {
    engine.requests.merge(&resource(), ("", &observed.name), patch, Subresource::None).await
}

async fn serve(
    engine: &Engine,
    observed: &Observed,
    graph: Result<krono_graph::CompiledGraph, String>,
) -> kube::Result<Result<(), Failed>> {
    let Some(served) = &observed.served else {
        let words = "the API server does not answer for the kind yet";
        return Ok(Err(Failed::Controller(words.to_owned())));
    };
    let graph = graph.map(|it| Arc::new(Graph::new(it)));
    if let Ok(graph) = &graph {
        // While what was served before still holds the caches that both need.
        graph.caches(&engine.catalogue, &engine.caches).await?;
    }
    let current = Current { revision: None, graph };
    let instances = serving::instances(served, &engine.caches);
    let (definition, mentioned) = (&observed.definition, &observed.mentioned);
    engine.serve(Serving::new(definition, current, Arc::clone(&observed.revisions), mentioned, instances));
    Ok(Ok(()))
}

fn heard(answer: kube::Result<()>, failed: fn(String) -> Failed) -> kube::Result<Result<(), Failed>> {
    match answer {
        Ok(()) => Ok(Ok(())),
        Err(error) => match Refusal::of(&error) {
            Refusal::Rejected(words) => Ok(Err(failed(words))),
            Refusal::Stale | Refusal::Absent | Refusal::Transient(_) => Err(error),
        },
    }
}

fn crd_of(observed: &Observed) -> String {
    krono_planner::definition::crd_name(&observed.definition).unwrap_or_default()
}
