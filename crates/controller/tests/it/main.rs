//! The controllers on the embedded API server.

mod first;
mod kinds;
mod line;
mod world;
