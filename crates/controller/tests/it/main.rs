//! The controllers on the embedded API server.

mod collections;
mod conditions;
mod convergence;
mod definitions;
mod deletion;
mod examples;
mod external;
mod faults;
mod first;
mod kinds;
mod leadership;
mod line;
mod numbers;
mod order;
mod ownership;
mod play;
mod retention;
mod revisions;
mod rollback;
mod schemas;
mod scopes;
mod status;
mod storm;
mod suspension;
mod values;
mod world;
