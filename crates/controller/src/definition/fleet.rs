//! The instances of a definition, as far as it is concerned.

use std::collections::BTreeSet;

use krono_history::number::highest_claim;
use krono_history::retention::Uses;
use krono_history::{Digest, RevisionNumber};
use krono_model::names;
use krono_planner::definition::{Counts, Instances};
use krono_propagation::assignment::Because;
use serde_json::Value;

use crate::cache::Entry;
use crate::catalogue::Served;
use crate::engine::Engine;

/// What the instances of a definition say about its revisions.
#[derive(Default)]
pub(super) struct Fleet {
    pub(super) sizes: Instances,
    pub(super) uses: Uses,
    /// The contents that instances stay at whatever becomes current.
    pub(super) staying: BTreeSet<Digest>,
    pub(super) counts: Counts,
    pub(super) statuses: Option<RevisionNumber>,
    pub(super) claims: Option<RevisionNumber>,
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
            fleet.take(&instance);
            if keep {
                fleet.instances.push(instance);
            }
        }
        fleet
    }

    fn take(&mut self, instance: &Value) {
        self.sizes.total += 1;
        self.sizes.terminating += usize::from(!instance["metadata"]["deletionTimestamp"].is_null());
        match assigned(instance) {
            Some(digest) => {
                self.uses.contents.insert(digest);
                if stays(instance) {
                    self.staying.insert(digest);
                }
                *self.counts.assigned.entry(digest).or_default() += 1;
            }
            None => self.counts.following += 1,
        }
        let annotation = |key: &str| instance["metadata"]["annotations"][key].as_str()?.parse().ok();
        let named = [names::RGD_REVISION, names::APPROVE_REVISION_ANNOTATION].map(annotation);
        let named: Vec<RevisionNumber> = named.into_iter().flatten().collect();
        self.uses.named.extend(&named);
        self.claims = highest_claim(named.into_iter().chain(self.claims));
        self.statuses = numbers(instance).max().max(self.statuses);
    }
}

/// The content that an instance is assigned to; nothing when it follows what is current.
pub(crate) fn assigned(instance: &Value) -> Option<Digest> {
    own(instance, "assignment")["digest"].as_str()?.parse().ok()
}

/// Whether an instance does not follow its definition.
fn stays(instance: &Value) -> bool {
    let because = own(instance, "assignment")["because"].as_str();
    because.is_some_and(|it| it != Because::Following.as_str() && it != Because::Ending.as_str())
}

/// The numbers of revisions in the status of an instance.
fn numbers(instance: &Value) -> impl Iterator<Item = RevisionNumber> {
    let plain = ["currentRGDRevision", "observedRGDRevision"].map(|field| own(instance, field).as_i64());
    let assigned = own(instance, "assignment")["revision"].as_i64();
    plain.into_iter().chain([assigned]).flatten().filter_map(RevisionNumber::from_wire)
}

/// A field of krono's in the status of an instance: elsewhere when the author has one of that name.
fn own<'v>(instance: &'v Value, field: &str) -> &'v Value {
    let status = &instance["status"];
    status["krono"].get(field).unwrap_or(&status[field])
}
