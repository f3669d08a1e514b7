//! The rules, one by one.

mod failures;
mod order;
mod pace;
mod people;
mod random;
mod rollback;
