//! Which revision each instance of a definition should run.
//!
//! An instance has wishes (a pin, a policy, an approval), the platform owner has limits, and a definition has a revision that is
//! current: [`assignment`] weighs them, one instance at a time. A [`assignment::Gate`] stands between an instance and the
//! current revision.
//!
//! Pure: no clock, no randomness, no files, no network; nothing is written here, and nothing panics on any input.

pub mod assignment;
pub mod limits;
pub mod policy;
mod problem;

pub use problem::Problem;
