//! The instances of a definition, as far as it is concerned.

use std::sync::Arc;

use krono_planner::fleet::Census;
use serde_json::Value;

use crate::cache::Entry;
use crate::catalogue::Served;
use crate::engine::Engine;

/// What the instances of a definition say about its revisions.
#[derive(Default)]
pub(super) struct Fleet {
    pub(super) census: Arc<Census>,
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
            && let (Ok(census), Ok(reading)) = (serving.instances.census(), serving.instances.read())
        {
            let instances = reading.objects().all().filter(|_| is_ending).map(Entry::without_spec);
            return Ok(Self { census, instances: instances.collect() });
        }
        let Some(served) = served else { return Ok(Self::default()) };
        let listed = engine.requests.list(&served.resource, None).await?;
        let census = Arc::new(Census::of(&listed));
        Ok(Self { census, instances: if is_ending { listed } else { Vec::new() } })
    }
}
