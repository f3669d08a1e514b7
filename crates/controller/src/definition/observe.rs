//! What a plan for one definition is made from.

use std::sync::Arc;

use krono_graph::{CompiledGraph, Diagnostic, compile};
use krono_planner::definition::{Failure, Instances, Serving, World, crd_name};
use serde_json::Value;
use tokio::time::Instant;

use super::crd_resource;
use crate::cache::Entry;
use crate::catalogue::{Mentioned, Served};
use crate::engine::Engine;
use crate::revisions::Revisions;

/// The world of one definition.
pub(super) struct Observed {
    pub(super) name: Arc<str>,
    pub(super) definition: Value,
    pub(super) mentioned: Mentioned,
    pub(super) compiled: Result<CompiledGraph, Vec<Diagnostic>>,
    pub(super) crd: Option<Value>,
    /// The kind of its instances, if the API server answers for it.
    pub(super) served: Option<Served>,
    pub(super) revisions: Arc<Revisions>,
    serving: Serving,
    instances: Instances,
}

impl Observed {
    pub(super) async fn of(
        engine: &Engine,
        name: &Arc<str>,
        definition: Value,
        revisions: Arc<Revisions>,
    ) -> kube::Result<Self> {
        let mentioned = engine.catalogue.mentioned(&definition).await?;
        let began = Instant::now();
        let compiled = compile(&definition, &mentioned, engine.options.graph);
        engine.metrics.compiled(name, began.elapsed(), compiled.is_err());
        let crd = match crd_name(&definition) {
            Some(name) => engine.requests.get(&crd_resource(), "", &name).await?,
            None => None,
        };
        let served = served(engine, crd.as_ref(), &definition).await?;
        let serving = serving(engine, name, &definition, &mentioned);
        let instances = instances(engine, name, served.as_ref()).await?;
        Ok(Self {
            name: Arc::clone(name),
            definition,
            mentioned,
            compiled,
            crd,
            served,
            revisions,
            serving,
            instances,
        })
    }

    pub(super) fn world<'o>(
        &'o self,
        engine: &Engine,
        failure: Option<Failure<'o>>,
        now: &'o str,
    ) -> World<'o> {
        World {
            definition: &self.definition,
            compiled: self.compiled.as_ref().map_err(Vec::as_slice),
            crd: self.crd.as_ref(),
            served: self.served.is_some(),
            serving: self.serving,
            instances: self.instances,
            failure,
            allow_crd_deletion: engine.options.allow_crd_deletion,
            now,
        }
    }
}

async fn served(engine: &Engine, crd: Option<&Value>, definition: &Value) -> kube::Result<Option<Served>> {
    let Some(crd) = crd else { return Ok(None) };
    let group = crd["spec"]["group"].as_str().unwrap_or_default();
    let schema = &definition["spec"]["schema"];
    let (version, kind) = (schema["apiVersion"].as_str(), schema["kind"].as_str());
    let api_version = format!("{group}/{}", version.unwrap_or_default());
    engine.catalogue.find(&api_version, kind.unwrap_or_default()).await
}

fn serving(engine: &Engine, name: &str, definition: &Value, mentioned: &Mentioned) -> Serving {
    match engine.serving(name) {
        None => Serving::Nothing,
        Some(it) if it.current().is_err() => Serving::Graphless,
        Some(it) if it.is_of(definition, mentioned) => Serving::Current,
        Some(_) => Serving::Older,
    }
}

/// Nobody counts the instances of a kind that is looked after before all of them are known.
async fn instances(engine: &Engine, name: &str, served: Option<&Served>) -> kube::Result<Instances> {
    let count = |terminating: &mut dyn Iterator<Item = bool>| {
        terminating.fold(Instances::default(), |sum, it| Instances {
            total: sum.total + 1,
            terminating: sum.terminating + usize::from(it),
        })
    };
    if let Some(serving) = engine.serving(name)
        && let Ok(reading) = serving.instances.read()
    {
        return Ok(count(&mut reading.objects().all().map(Entry::is_terminating)));
    }
    match served {
        Some(served) => {
            let objects = engine.requests.list(&served.resource, None).await?;
            Ok(count(&mut objects.iter().map(|it| !it["metadata"]["deletionTimestamp"].is_null())))
        }
        None => Ok(Instances::default()),
    }
}
