//! The identity of content.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::{canonical, content};

/// Two revisions with the same digest are the same content.
///
/// As many bits as a commit has: nobody finds a second content for one that was approved, and it fits into a label.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; LENGTH]);

const LENGTH: usize = 20;

impl Digest {
    /// Of what a definition says; `spec` is its whole spec, or that of a revision.
    pub fn of_definition(spec: &Value) -> Self {
        Self::of("definition", &[&canonical::text(&content::unordered(&content::definition(spec)))])
    }

    /// Of what an instance asks for: its spec as the assigned revision's schema sees it, and that revision's content.
    pub fn of_input(spec: &Value, definition: Self) -> Self {
        Self::of("input", &[&canonical::text(spec), &definition.to_string()])
    }

    /// Of any other content, which has no fields that krono defines; `what` keeps kinds of content apart.
    pub fn of_content(what: &str, value: &Value) -> Self {
        Self::of(what, &[&canonical::text(value)])
    }

    fn of(what: &str, parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in [&["krono 1", what], parts].concat() {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part);
        }
        let mut digest = [0; LENGTH];
        digest.copy_from_slice(&hash.finalize()[..LENGTH]);
        Self(digest)
    }

    /// Whether a text that somebody typed means this content: some of its first digits, and at least one.
    pub fn starts_with(&self, prefix: &str) -> bool {
        !prefix.is_empty() && self.to_string().starts_with(&prefix.to_ascii_lowercase())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a digest, which has 40 hexadecimal digits")]
pub struct NotADigest(pub String);

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let wrong = || NotADigest(text.to_owned());
        if text.len() != 2 * LENGTH || !text.bytes().all(|it| it.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let mut digest = [0; LENGTH];
        for (byte, pair) in digest.iter_mut().zip(text.as_bytes().chunks(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| wrong())?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| wrong())?;
        }
        Ok(Self(digest))
    }
}

#[cfg(test)]
pub(crate) mod tests;
