//! What can be set.

/// How the controllers work.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many definitions and instances are worked on at a time.
    pub concurrency: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { concurrency: 32 }
    }
}
