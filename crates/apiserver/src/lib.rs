//! An embedded Kubernetes API server over a store.
//!
//! [`Server`] is a `tower` service; in process it hands out a `kube::Client`, so that tests and controllers talk
//! to a real API without a network.

mod accept;
mod admission;
mod api;
mod body;
pub mod builtin;
mod continue_token;
mod conversion;
mod crd;
mod discovery;
mod disruption;
mod events;
mod filter;
mod initial;
mod input;
mod janitor;
mod jsonpath;
pub mod kind;
mod managed;
mod namespaces;
pub mod object;
mod openapi;
mod pods;
mod policy_cache;
mod printers;
pub mod protobuf;
mod query;
pub mod rbac;
mod registry;
mod render;
mod reply;
mod request;
mod resource;
mod scale;
mod selector;
mod server;
mod services;
pub mod status;
mod storage;
mod stored;
mod strategy;
mod table;
mod world;
mod write;

pub use body::Body;
pub use conversion::{Converter, Converting};
pub use server::{Builder, Server, StartError};
