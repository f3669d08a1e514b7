//! The function libraries of the Kubernetes API server.

mod quantity;

pub use quantity::{ParseQuantityError, Quantity, quantity};
