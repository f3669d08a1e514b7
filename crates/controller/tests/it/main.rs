//! The controllers on the embedded API server.

mod collections;
mod conditions;
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
mod retention;
mod revisions;
mod rollback;
mod scopes;
mod status;
mod suspension;
mod values;
mod world;
