//! Rows and trees for people, from objects of the cluster.
//!
//! Pure: no colours, no HTML, no input or output. The command line and the dashboard show the same.

pub mod fleet;
mod health;
mod tree;

pub use health::{Health, health};
pub use tree::{Branch, Row, rows};
