//! Runs the binary and looks at exit code, stdout and stderr.
#![allow(clippy::unwrap_used, reason = "a step that fails is a test that fails")]
#![allow(clippy::print_stdout, reason = "what was left out is told")]

mod answered;
mod cel;
mod cluster;
mod colours;
mod completions;
#[cfg(unix)]
mod controller;
mod corpus;
mod definitions;
mod docs;
mod examples;
mod foretold;
mod handback;
mod help;
mod krono;
mod metrics;
mod pins;
mod plan;
mod propagation;
mod prospects;
mod revisions;
mod rollback;
mod schema;
mod seed;
mod server;
mod simulate;
mod story;
mod tree;
