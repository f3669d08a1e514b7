//! Percent-encoding, as Go's `net/url` has it for each part of a URL.

use crate::quote::quoted;

/// A part of a URL, by the characters that may stand in it as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Path,
    Host,
    /// The zone of an IPv6 address.
    Zone,
    UserInfo,
    Query,
    Fragment,
}

impl Part {
    fn allows(self, byte: u8) -> bool {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            return true;
        }
        match self {
            Self::Path => b"$&+,/:;=@".contains(&byte),
            Self::Host | Self::Zone => b"!$&'()*+,;=:[]<>\"".contains(&byte),
            Self::UserInfo => b"$&+,;=".contains(&byte),
            Self::Query => false,
            Self::Fragment => b"$&+,/:;=?@!()*".contains(&byte),
        }
    }
}

/// The text with percent signs and digits for all bytes the part does not allow.
pub(super) fn escape(text: &[u8], part: Part) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut escaped = String::with_capacity(text.len());
    for &byte in text {
        if part.allows(byte) {
            escaped.push(char::from(byte));
        } else {
            let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
            escaped.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    escaped
}

/// Whether a text is well encoded for a part, although perhaps not as [`escape`] would.
pub(super) fn is_encoded(text: &str, part: Part) -> bool {
    text.bytes().all(|byte| b"!$&'()*+,;=:@[]%".contains(&byte) || part.allows(byte))
}

/// The bytes an encoded text stands for.
pub(super) fn unescape(text: &str, part: Part) -> Result<Vec<u8>, String> {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'%' => {
                plain.push(escaped_byte(bytes, at, part)?);
                at += 3;
                continue;
            }
            b'+' if part == Part::Query => plain.push(b' '),
            _ if matches!(part, Part::Host | Part::Zone) && byte.is_ascii() && !part.allows(byte) => {
                let character = quoted(&char::from(byte).to_string());
                return Err(format!("invalid character {character} in host name"));
            }
            _ => plain.push(byte),
        }
        at += 1;
    }
    Ok(plain)
}

/// The byte that the escape at a place stands for.
fn escaped_byte(bytes: &[u8], at: usize, part: Part) -> Result<u8, String> {
    let escape = &bytes[at..bytes.len().min(at + 3)];
    let invalid = || format!("invalid URL escape {}", quoted(&String::from_utf8_lossy(escape)));
    let [_, high, low] = escape else { return Err(invalid()) };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (Some(high), Some(low)) = (digit(*high), digit(*low)) else { return Err(invalid()) };
    let value = high << 4 | low;
    // Hosts may escape only what is not ASCII, and the percent sign before a zone.
    let allowed = match part {
        Part::Host => value >= 0x80 || value == b'%',
        Part::Zone => value == b'%' || value == b' ' || Part::Host.allows(value),
        Part::Path | Part::UserInfo | Part::Query | Part::Fragment => true,
    };
    if allowed { Ok(value) } else { Err(invalid()) }
}
