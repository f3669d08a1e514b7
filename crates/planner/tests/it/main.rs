//! The behaviours of kro that are decided by plans alone, and its defects that krono does not have.
#![expect(clippy::needless_pass_by_value, reason = "`json!` values read better")]

mod defects;
mod deletion;
mod fleet;
mod fleets;
mod gates;
mod metadata;
mod nodes;
mod preview;
mod pruning;
mod scene;
mod status;
mod stopped;
mod waves;
