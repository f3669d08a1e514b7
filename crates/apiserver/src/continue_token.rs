//! Where the next page of a list begins.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::status::Status;

/// The place in a list after which the next page begins, and the version all pages are read at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContinueToken {
    /// The version of the first page.
    pub(crate) version: u64,
    /// The first key of the next page, relative to the collection.
    pub(crate) start: String,
}

impl ContinueToken {
    /// The token as clients hand it back.
    pub(crate) fn encode(&self) -> String {
        let token = json!({"v": "meta.k8s.io/v1", "rv": self.version, "start": self.start});
        URL_SAFE_NO_PAD.encode(token.to_string())
    }

    /// Reads a token of ours.
    pub(crate) fn decode(text: &str) -> Result<Self, Status> {
        Self::read(text)
            .ok_or_else(|| Status::bad_request("continue key is not valid: illegal base64 data or token"))
    }

    fn read(text: &str) -> Option<Self> {
        let token: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let version = token.get("rv")?.as_u64()?;
        let start = token.get("start")?.as_str()?.to_owned();
        (token.get("v")? == "meta.k8s.io/v1").then_some(Self { version, start })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let token = ContinueToken { version: 7, start: "ns/name\0".to_owned() };
        assert_eq!(ContinueToken::decode(&token.encode()), Ok(token));
        assert_eq!(ContinueToken::decode("x").unwrap_err().code, 400);
    }
}
