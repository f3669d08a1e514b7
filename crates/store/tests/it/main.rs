//! What every store promises, and what the one on disk promises beyond.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "counts and seeds are said aloud")]

mod conformance;
mod crash;
mod disk;
mod kill;
mod model;
