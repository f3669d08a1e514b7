//! A whole world in memory that performs what the planner plans.
//!
//! A server that keeps objects, a controller whose caches lag behind it, faults at every write, and the laws that hold
//! whatever happens. Pure: the same seed plays the same story.

pub mod cache;
pub mod controller;
pub mod faults;
pub mod laws;
pub mod lineage;
pub mod random;
pub mod server;
pub mod simulation;
mod text;

pub use controller::Controller;
pub use faults::Faults;
pub use random::Random;
pub use server::{Answer, Refusal, Request, Server};
pub use simulation::{Definition, Simulation};
