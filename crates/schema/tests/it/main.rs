//! What krono-schema promises, checked from outside.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "what was left out is said aloud")]

mod chainsaw;
mod compatibility;
mod corpus;
mod golden;
mod laws;
mod random;
mod rules;
