//! Watches definitions and instances and makes the cluster what they say.
//!
//! Nothing is decided here: worlds are observed, `krono-planner` plans, and what it says is done and published.

mod backoff;
mod cache;
mod caches;
mod catalogue;
mod claims;
mod clock;
mod contests;
mod definition;
mod definitions;
mod engine;
mod events;
mod fleet;
mod graphs;
mod hindrances;
mod instance;
mod kept;
mod lease;
mod live;
mod metrics;
mod numbers;
mod options;
mod pace;
mod pauses;
mod published;
mod queue;
mod quiet;
mod refusal;
mod requests;
mod revisions;
mod rooms;
mod router;
mod run;
mod serving;
mod snapshot;

pub use lease::{Leadership, Lost, Waiting};
pub use options::Options;
pub use run::{Controllers, StartError};
