//! Tests of the whole engine against data from outside.

#![allow(clippy::print_stdout, reason = "what was left out or counted is said aloud")]

mod corpus;
mod parse_corpus;
