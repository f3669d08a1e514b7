//! Rows, trees, timelines and sentences for people, from objects of the cluster.
//!
//! Pure: no colours, no HTML, no input or output. The command line and the dashboard show the same.

mod author;
mod describe;
#[cfg(test)]
mod fixture;
pub mod fleet;
mod health;
mod inputs;
mod instance;
mod losses;
mod propagation;
mod revisions;
mod table;
mod time;
mod timeline;
mod tree;
mod why;

pub use describe::{described_input, described_revision};
pub use health::{Health, health};
pub use inputs::{InputRow, input_rows, input_table, is_input_of, wide_input_table};
pub use instance::{assigned_revision, definition_of, kind_of_instances, krono_status};
pub use losses::{Loss, losses};
pub use propagation::{
    is_held_by_people, is_hold_invalid, is_of_latest, propagation_mistake, propagation_text,
    waits_for_deletes,
};
pub use revisions::{RevisionRow, RevisionRows, Standing};
pub use table::Table;
pub use time::shown_time;
pub use timeline::{Change, Entry, Past, Whose, time_of_event, timeline, timeline_table};
pub use tree::{Branch, Row, rows};
pub use why::{counted_instances, pending, why_definition, why_gone, why_instance, why_left};
