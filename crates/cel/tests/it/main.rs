//! What krono-cel promises, checked from outside.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "what was left out or counted is said aloud")]

mod conformance;
mod corpus;
mod golden;
mod parse_corpus;
