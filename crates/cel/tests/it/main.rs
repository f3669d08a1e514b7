//! What krono-cel promises, checked from outside.

mod conformance;
mod corpus;
