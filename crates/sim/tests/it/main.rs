//! Stories played in the simulated world.

mod convergence;
mod deeds;
mod histories;
mod kinds;
mod lineages;
mod races;
mod restore;
mod stories;
