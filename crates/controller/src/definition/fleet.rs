//! The instances of a definition, as far as it is concerned.

use std::sync::Arc;

use krono_history::Digest;
use krono_planner::fleet::Census;
use serde_json::Value;

use super::observe::is_ending;
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
    /// From the cache of those who are looked after, unless that is behind when it must not be; else from the server.
    pub(super) async fn of(
        engine: &Engine,
        definition: &Value,
        served: Option<&Served>,
        live: bool,
    ) -> kube::Result<Self> {
        let name = definition["metadata"]["name"].as_str().unwrap_or_default();
        let is_ending = is_ending(definition);
        if let Some(serving) = engine.serving(name)
            && (!live || serving.instances.is_current(&engine.requests).await?)
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

    /// With those who wait to go back to some contents.
    pub(super) fn expecting(mut self, contents: impl Iterator<Item = Digest>) -> Self {
        for content in contents {
            Arc::make_mut(&mut self.census).expect(content);
        }
        self
    }
}
