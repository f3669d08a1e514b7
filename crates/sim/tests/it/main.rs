//! Stories played in the simulated world.

mod convergence;
mod deeds;
mod histories;
mod kinds;
mod lineages;
mod maker;
mod races;
mod restore;
mod stories;
