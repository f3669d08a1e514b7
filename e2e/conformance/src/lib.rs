//! Compares krono's API server with the real one: the same requests, the same answers.
//!
//! [`Servers`] starts both; a [`story::Story`] is a list of requests as data; [`play::play`] sends them to both and
//! returns what differs once [`mask`] has hidden what may (identifiers, times, versions).
#![allow(clippy::print_stdout, reason = "a tool speaks to the person who runs it")]

pub mod accepted;
pub mod apply;
pub mod difference;
pub mod exchange;
pub mod http;
pub mod mask;
pub mod play;
mod servers;
pub mod story;
mod variables;

pub use servers::{Servers, Side, quiet};
