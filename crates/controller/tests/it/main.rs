//! The controllers on the embedded API server.

mod examples;
mod first;
mod kinds;
mod leadership;
mod line;
mod world;
