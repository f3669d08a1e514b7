//! What krono-cel promises, checked from outside.

#![allow(clippy::print_stdout, reason = "what was left out or counted is said aloud")]

mod conformance;
mod corpus;
mod parse_corpus;
