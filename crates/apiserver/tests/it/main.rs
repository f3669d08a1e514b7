//! Requests against the server in process, and a real client on top of it.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod access;
mod admission;
mod applies;
mod bindings;
mod client;
mod conversions;
mod definitions;
mod documents;
mod endings;
mod harness;
mod hostile;
mod https;
mod lists;
mod network;
mod objects;
mod runtime;
mod services;
mod specials;
mod start;
mod watches;
mod witnesses;
mod workloads;
