//! An embedded Kubernetes API server over a store.
//!
//! [`Server`] is a `tower` service; in process it hands out a `kube::Client`, so that tests and controllers talk
//! to a real API without a network.

mod accept;
mod api;
mod body;
pub mod builtin;
mod continue_token;
mod conversion;
mod crd;
mod discovery;
mod establishing;
mod events;
mod filter;
mod input;
mod janitor;
mod jsonpath;
pub mod kind;
mod managed;
mod namespaces;
pub mod object;
mod openapi;
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
pub mod status;
mod storage;
mod stored;
mod strategy;
mod table;
mod world;
mod write;

pub use body::Body;
pub use conversion::{Converter, Converting, Posting, Webhook, WebhookAddress, WebhookAnswer, WebhookClient};
pub use server::{Builder, Server, StartError};
