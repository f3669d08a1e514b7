//! The rules, one by one.

mod failures;
mod model;
mod order;
mod pace;
mod people;
mod random;
mod rollback;
