//! A spec as one opaque text, for a status that has little room.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde_json::Value;

use crate::canonical;

/// How hard to compress, of 10: specs are small and written often.
const LEVEL: u8 = 6;
/// No spec is larger than what an API server stores; a text that claims to be was not written by krono.
const LARGEST: usize = 4 << 20;

/// A spec, compressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedSpec(String);

/// A text that holds no spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stored spec cannot be read; somebody has edited it")]
pub struct Unpackable;

impl PackedSpec {
    /// Of a spec.
    pub fn pack(spec: &Value) -> Self {
        Self(STANDARD.encode(compress_to_vec(canonical::text(spec).as_bytes(), LEVEL)))
    }

    /// As it stands on the wire.
    pub fn from_text(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// As it stands on the wire.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How much room it takes, in bytes.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// The spec.
    pub fn unpack(&self) -> Result<Value, Unpackable> {
        let bytes = STANDARD.decode(&self.0).map_err(|_| Unpackable)?;
        let text = decompress_to_vec_with_limit(&bytes, LARGEST).map_err(|_| Unpackable)?;
        serde_json::from_slice(&text).map_err(|_| Unpackable)
    }
}
