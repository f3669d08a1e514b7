//! Simulated workloads: a controller that makes Pods run where there are no nodes.
//!
//! It works through a `kube::Client`. On the embedded server it is all the controllers of a cluster
//! ([`Scope::Everything`]), on a real API server without nodes it is the missing node ([`Scope::Pods`]). No container
//! is ever started: Pods get the statuses and events that real ones would, and say that they are simulated.
//!
//! Every decision is a pure function from what is known, the *world*, and the time, to a plan; one loop observes and
//! performs.

mod action;
mod adoption;
mod autoscaler;
mod behaviour;
mod budget;
mod claim;
mod clock;
mod cron_job;
mod daemon_set;
mod deployment;
mod difference;
mod fingerprint;
mod history;
mod interest;
mod job;
mod kind;
mod node;
mod numbers;
mod options;
mod owner;
mod perform;
mod plan;
mod pod;
mod queue;
mod replica_set;
mod replication_controller;
mod run;
mod selector;
mod service;
mod stateful_set;
mod table;
mod template;
mod watch;

pub use behaviour::SIMULATE;
pub use clock::Clock;
pub use node::SIMULATED;
pub use options::{Options, Pace, Scope};
pub use run::{StartError, run};
