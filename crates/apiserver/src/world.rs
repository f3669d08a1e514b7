//! What the server takes from the world: the time and randomness.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

use crate::write::Moment;

/// Characters of generated names: no vowels, nothing that looks like another.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// Now, in whole seconds.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs())
        .ok()
        .and_then(|seconds| Timestamp::from_second(seconds).ok())
        .unwrap_or_default()
}

/// Any number.
pub(crate) fn random() -> u64 {
    uuid::Uuid::new_v4().as_u64_pair().0 ^ uuid::Uuid::new_v4().as_u64_pair().0.rotate_left(32)
}

/// What one write needs.
pub(crate) fn moment() -> Moment {
    let uid = uuid::Uuid::new_v4();
    let random = uuid::Uuid::new_v4();
    let letter = |byte: &u8| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()]);
    // The first six bytes of a random uid carry no version or variant.
    let suffix = random.as_bytes()[..5].iter().map(letter).collect();
    Moment { now: now().to_string(), uid: uid.to_string(), suffix }
}
