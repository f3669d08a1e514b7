//! Stories played in the simulated world.

mod convergence;
mod graphs;
mod kinds;
mod races;
mod stories;
