//! The instances of a definition, as far as it is concerned.

use krono_planner::fleet::Census;
use serde_json::Value;

use crate::cache::Entry;
use crate::catalogue::Served;
use crate::engine::Engine;

/// What the instances of a definition say about its revisions.
#[derive(Default)]
pub(super) struct Fleet {
    pub(super) census: Census,
    /// Themselves, when the definition is on its way out.
    pub(super) instances: Vec<Value>,
}

impl Fleet {
    /// From the cache of those who are looked after, unless that may be behind; else from the server.
    pub(super) async fn of(
        engine: &Engine,
        name: &str,
        served: Option<&Served>,
        live: bool,
    ) -> kube::Result<Self> {
        let is_ending =
            engine.definition(name).is_some_and(|it| !it["metadata"]["deletionTimestamp"].is_null());
        if !live
            && let Some(serving) = engine.serving(name)
            && let Ok(reading) = serving.instances.read()
        {
            return Ok(Self::read(reading.objects().all().map(Entry::without_spec), is_ending));
        }
        match served {
            Some(served) => Ok(Self::read(engine.requests.list(&served.resource, None).await?, is_ending)),
            None => Ok(Self::default()),
        }
    }

    fn read(instances: impl IntoIterator<Item = Value>, keep: bool) -> Self {
        let mut fleet = Self::default();
        for instance in instances {
            fleet.census.take(&instance);
            if keep {
                fleet.instances.push(instance);
            }
        }
        fleet
    }
}
