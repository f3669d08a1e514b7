//! Tests of the whole crate.

mod golden;
mod hostile;
mod laws;
mod thing;
