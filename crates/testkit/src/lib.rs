//! Random definitions and stories, for the tests of whoever plays them.
//!
//! A [`Story`] is data: definitions, instances, and what users do to them. The simulator and the controllers on the
//! embedded API server play the same stories, each with the faults it can make.

mod comparison;
mod graphs;
mod kinds;
mod making;
mod runner;
mod stories;

pub use comparison::comparable;
pub use graphs::{NodePlan, definition};
pub use kinds::{HOLD, SIM_VERSION, crds, values_schema};
pub use making::{Making, making};
pub use runner::{Run, run, run_from};
pub use stories::{
    Deed, FIRST, OBSTACLE, Story, Tampering, Wish, shared, stories, stories_with, tampered, wishes,
};
