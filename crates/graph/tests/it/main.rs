//! Definitions compiled and evaluated.
#![expect(clippy::print_stdout, reason = "tests say what they left out and how much they did")]

mod corpus;
mod evaluation;
mod gates;
mod hostile;
mod identity;
mod mistakes;
mod world;
