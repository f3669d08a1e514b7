//! Values of labels, which Kubernetes keeps short.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

/// The longest that the value of a label may be.
const LONGEST: usize = 63;
/// How many bytes of a digest stand for what was cut off.
const DIGEST_BYTES: usize = 5;

/// The value of a label that stands for a name: the name itself, or its beginning and a digest when it is too long.
///
/// Names of objects and groups may have 253 characters. kro writes them as they are, and the API server refuses every
/// resource of such an instance.
pub fn value(name: &str) -> Cow<'_, str> {
    if name.len() <= LONGEST {
        return Cow::Borrowed(name);
    }
    let digest = Sha256::digest(name.as_bytes());
    let end = digest[..DIGEST_BYTES].iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    let begin = &name[..name.floor_char_boundary(LONGEST - end.len() - 1)];
    Cow::Owned(format!("{begin}-{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        let long = "a".repeat(63);
        assert_eq!((value("web"), value(&long)), (Cow::Borrowed("web"), Cow::Borrowed(long.as_str())));
        let (one, other) = (value(&"a".repeat(64)).into_owned(), value(&"a".repeat(65)).into_owned());
        assert_eq!((one.len(), other.len()), (63, 63));
        assert_ne!(one, other);
        assert!(one.starts_with(&"a".repeat(52)) && one.as_bytes()[52] == b'-', "{one}");
        assert!(value(&"ä".repeat(64)).len() <= 63);
    }
}
