//! One observed world in, the next changes and the status to publish out.
//!
//! Pure: what the controller does, what a preview shows and what a simulation plays are this one function.

mod actors;
pub mod contest;
pub mod definition;
pub mod digest;
pub mod fleet;
pub mod handback;
mod hindrance;
pub mod instance;
pub mod preview;
mod refused;
mod replacing;
pub mod revisions;
mod transition;

pub use actors::{asker, releaser, revision_told, wisher};
pub use replacing::replacing;
pub use transition::{Transition, notes, transitions};
