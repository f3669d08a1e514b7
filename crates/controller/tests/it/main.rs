//! The controllers on the embedded API server.

mod first;
mod world;
