//! Stories played in the simulated world.

mod convergence;
mod kinds;
mod races;
mod stories;
