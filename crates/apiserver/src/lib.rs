//! An embedded Kubernetes API server over a store.
//!
//! [`Server`] is a `tower` service; in process it hands out a `kube::Client`, so that tests and controllers talk
//! to a real API without a network. On the network it is served by [`Server::serve`].

mod accept;
mod admission;
mod api;
pub mod authentication;
mod autoscalers;
mod body;
pub mod builtin;
pub mod certificates;
mod continue_token;
mod conversion;
mod crd;
mod discovery;
mod disruption;
mod establishing;
mod events;
mod filter;
pub mod https;
mod initial;
mod input;
mod janitor;
mod jsonpath;
pub mod kind;
mod managed;
mod namespaces;
pub mod object;
mod openapi;
mod page;
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
mod witness;
mod world;
mod write;

pub use body::Body;
pub use conversion::{
    Converter, Converting, HttpsWebhooks, Posting, Webhook, WebhookAddress, WebhookAnswer, WebhookClient,
};
pub use crd::complaints as definition_complaints;
pub use page::Page;
pub use server::{Builder, Server, StartError};
pub use witness::Witness;
