//! The `krono` binary.

fn main() {}
