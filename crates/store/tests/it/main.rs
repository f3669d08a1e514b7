//! What every store promises, and what the one on disk promises beyond.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "counts and seeds are said aloud")]

mod conformance;
mod crash;
mod damage;
mod disk;
mod failing;
mod kill;
mod linearizable;
mod model;
mod power;
mod random;
mod watches;
