//! Short names for content: the same everywhere and always.

/// 64-bit FNV-1a.
pub(crate) fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Characters of generated names: no vowels, nothing that looks like another.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// A fingerprint as names of replica sets and revisions end, ten characters at most.
pub(crate) fn name_suffix(content: &impl serde::Serialize, collisions: Option<i32>) -> String {
    let mut bytes = serde_json::to_vec(content).unwrap_or_default();
    bytes.extend(collisions.into_iter().flat_map(i32::to_le_bytes));
    let folded = fingerprint(&bytes);
    let short = (folded >> 32) ^ (folded & 0xffff_ffff);
    let letter = |digit: u8| char::from(ALPHABET[usize::from(digit) % ALPHABET.len()]);
    short.to_string().bytes().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fnv() {
        assert_eq!(fingerprint(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint(b"a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn suffixes_differ_by_content_and_collisions() {
        let suffix = name_suffix(&"a", None);
        assert!(suffix.len() <= 10 && suffix.bytes().all(|it| ALPHABET.contains(&it)), "{suffix}");
        assert_ne!(suffix, name_suffix(&"b", None));
        assert_ne!(suffix, name_suffix(&"a", Some(1)));
    }
}
