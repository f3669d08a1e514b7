//! Definitions compiled and evaluated.

mod corpus;
mod evaluation;
mod mistakes;
mod world;
