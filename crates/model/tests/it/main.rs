//! The custom resource definitions on a server.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]
#![expect(clippy::print_stdout, reason = "tests say what they left out")]

mod corpus;
mod definitions;
mod published;
mod revisions;
mod seed;
mod server;
