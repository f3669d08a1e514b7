//! Finds the end of a quoted literal.

/// The offset after the literal whose first quote stands at `start`, or that of the byte which rules a literal out.
///
/// An opening triple quote without its closing one is an empty literal followed by something else, the longest match there is.
pub(super) fn end(source: &[u8], start: usize, raw: bool) -> Result<usize, usize> {
    let quote = source[start];
    if source[start..].starts_with(&[quote; 3]) {
        return Ok(triple(source, start + 3, quote, raw).unwrap_or(start + 2));
    }
    single(source, start + 1, quote, raw)
}

fn single(source: &[u8], start: usize, quote: u8, raw: bool) -> Result<usize, usize> {
    let mut at = start;
    while let Some(byte) = source.get(at) {
        at = match byte {
            b'\n' | b'\r' => return Err(at),
            b'\\' if !raw => escape(source, at + 1)?,
            it if *it == quote => return Ok(at + 1),
            _ => at + 1,
        };
    }
    Err(at)
}

fn triple(source: &[u8], start: usize, quote: u8, raw: bool) -> Option<usize> {
    let mut at = start;
    while let Some(byte) = source.get(at) {
        at = match byte {
            b'\\' if !raw => escape(source, at + 1).ok()?,
            it if *it == quote && source[at..].starts_with(&[quote; 3]) => return Some(at + 3),
            _ => at + 1,
        };
    }
    None
}

/// The offset after the escape whose backslash stands before `start`, or that of the byte which is wrong in it.
fn escape(source: &[u8], start: usize) -> Result<usize, usize> {
    match source.get(start) {
        Some(b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'"' | b'\'' | b'\\' | b'?' | b'`') => {
            Ok(start + 1)
        }
        Some(b'x' | b'X') => digits(source, start + 1, 2, u8::is_ascii_hexdigit),
        Some(b'u') => digits(source, start + 1, 4, u8::is_ascii_hexdigit),
        Some(b'U') => digits(source, start + 1, 8, u8::is_ascii_hexdigit),
        Some(b'0'..=b'3') => digits(source, start + 1, 2, |it| (b'0'..=b'7').contains(it)),
        _ => Err(start),
    }
}

fn digits(source: &[u8], start: usize, count: usize, allowed: fn(&u8) -> bool) -> Result<usize, usize> {
    match (start..start + count).find(|at| !source.get(*at).is_some_and(allowed)) {
        Some(wrong) => Err(wrong),
        None => Ok(start + count),
    }
}
