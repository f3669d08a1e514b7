//! kro's own function libraries.

mod hash;
mod json;
mod lists;
mod maps;
mod omit;
mod random;
mod runtime;

pub use hash::hash;
pub use json::json;
pub use lists::lists;
pub use maps::maps;
pub use omit::{Omit, omit};
pub use random::random;
pub use runtime::{condition_type, runtime};
