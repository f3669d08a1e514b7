//! Label and field selectors.

mod field;
mod label;
mod label_text;
mod tokens;

pub(crate) use field::FieldSelector;
pub(crate) use label::LabelSelector;

/// Most requirements in one selector.
const MAX_REQUIREMENTS: usize = 1000;
