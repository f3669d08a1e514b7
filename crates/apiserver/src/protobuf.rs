//! Request bodies in Kubernetes' protobuf form, turned into the JSON objects they stand for.
//!
//! The result is the JSON a Go client would have sent for the same object: fields whose zero value Go writes are
//! there with their zero value, others are absent. What the wire says about a kind comes from `table.txt`.

mod decoder;
mod go_json;
mod special;
mod table;
#[cfg(test)]
mod tests;
mod wire;

use serde_json::Value;

use decoder::Decoder;
pub use go_json::normalise;
pub(crate) use go_json::{is_null_when_absent, normalise_metadata};
use table::Table;
use wire::{Wire, WireError};

/// The media type of such bodies.
pub const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// The largest body that is looked at, in bytes.
pub const MAX_BODY: usize = 3 * 1024 * 1024;

/// What every body begins with.
const MAGIC: &[u8] = b"k8s\0";

/// Why a protobuf body stands for no object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The body does not begin with the envelope's magic number.
    #[error(
        "the body does not appear to be a Kubernetes protobuf message; it has to begin with `k8s` and a zero byte"
    )]
    NotProtobuf,
    /// The body has more than [`MAX_BODY`] bytes.
    #[error("the protobuf body has {0} bytes; at most {MAX_BODY} are accepted")]
    TooLarge(usize),
    /// Messages are nested deeper than any real object.
    #[error("the protobuf body is nested too deeply")]
    TooDeep,
    /// The body stands for more values than any real object has.
    #[error("the protobuf body holds too many values")]
    TooManyValues,
    /// The kind cannot be sent as protobuf; custom resources never can.
    #[error("no kind {kind:?} is registered for protobuf in version {api_version:?}; send it as JSON")]
    UnknownKind {
        /// The `apiVersion` of the envelope.
        api_version: String,
        /// The `kind` of the envelope.
        kind: String,
    },
    /// The bytes are not a message of the kind.
    #[error("malformed protobuf: {0}")]
    Malformed(String),
}

impl From<WireError> for DecodeError {
    fn from(error: WireError) -> Self {
        Self::Malformed(error.to_string())
    }
}

/// Decodes a body that names its kind, as those of all Go clients do.
pub fn decode(body: &[u8]) -> Result<Value, DecodeError> {
    decode_as(body, "", "")
}

/// Decodes a body; where it leaves its version or kind open they are the given ones.
pub fn decode_as(body: &[u8], api_version: &str, kind: &str) -> Result<Value, DecodeError> {
    if body.len() > MAX_BODY {
        return Err(DecodeError::TooLarge(body.len()));
    }
    let envelope = Envelope::read(body.strip_prefix(MAGIC).ok_or(DecodeError::NotProtobuf)?)?;
    let api_version = or_default(envelope.api_version, api_version);
    let kind = or_default(envelope.kind, kind);
    let table = Table::get();
    let Some(message) = table.kind(&api_version, &kind) else {
        return Err(DecodeError::UnknownKind { api_version, kind });
    };
    let mut object = Decoder::new(table).object(message, envelope.raw)?;
    object.insert("apiVersion".to_owned(), api_version.into());
    object.insert("kind".to_owned(), kind.into());
    Ok(Value::Object(object))
}

fn or_default(given: String, default: &str) -> String {
    if given.is_empty() { default.to_owned() } else { given }
}

/// `runtime.Unknown`, which wraps every object.
#[derive(Default)]
struct Envelope<'b> {
    api_version: String,
    kind: String,
    raw: &'b [u8],
}

impl<'b> Envelope<'b> {
    fn read(bytes: &'b [u8]) -> Result<Self, DecodeError> {
        let mut envelope = Self::default();
        for field in wire::fields(bytes) {
            match field? {
                (1, Wire::Bytes(type_meta)) => envelope.read_type(type_meta)?,
                (2, Wire::Bytes(raw)) => envelope.raw = raw,
                (3, Wire::Bytes(encoding)) if !encoding.is_empty() => {
                    return Err(DecodeError::Malformed("the content of the envelope is encoded".to_owned()));
                }
                _ => {}
            }
        }
        Ok(envelope)
    }

    fn read_type(&mut self, type_meta: &[u8]) -> Result<(), DecodeError> {
        for field in wire::fields(type_meta) {
            match field? {
                (1, Wire::Bytes(text)) => self.api_version = String::from_utf8_lossy(text).into_owned(),
                (2, Wire::Bytes(text)) => self.kind = String::from_utf8_lossy(text).into_owned(),
                _ => {}
            }
        }
        Ok(())
    }
}
