//! Checksums of text.

use sha2::{Digest, Sha256};

use super::super::arity;
use crate::function::{Library, Overload};
use crate::types::Type::{Bytes, String};
use crate::value::Val;

/// `hash.fnv64a`, `hash.sha256` and `hash.md5`.
pub fn hash() -> Library {
    let function = |id, hash: fn(&[u8]) -> Vec<u8>| {
        Overload::function(id, [String], Bytes, move |meter, args| {
            let text = arity::<1>(args)?[0].text()?;
            meter.charge_text(text.len())?;
            Ok(Val::bytes(hash(text.as_bytes())))
        })
    };
    Library::new()
        .function("hash.fnv64a", [function("hash.fnv64a_string", |text| fnv64a(text).to_be_bytes().to_vec())])
        .function("hash.sha256", [function("hash.sha256_string", |text| Sha256::digest(text).to_vec())])
        .function("hash.md5", [function("hash.md5_string", |text| md5::Md5::digest(text).to_vec())])
}

fn fnv64a(bytes: &[u8]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    bytes.iter().fold(OFFSET, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::check_expression;
    use super::super::super::{Dialect, encoders, strings};
    use super::hash;

    /// Recorded from kro.
    #[test]
    fn checksums_are_those_of_kro() {
        let check = |expression: &str, expect: &str| {
            check_expression([hash(), encoders(), strings(Dialect::CelGo)], expression, expect);
        };
        check("base64.encode(hash.fnv64a('hello world'))", "'d5pl5wI80uc='");
        check("'%x'.format([hash.fnv64a('')])", "'cbf29ce484222325'");
        check("base64.encode(hash.sha256('hello world'))", "'uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek='");
        check("base64.encode(hash.md5('hello world'))", "'XrY7u+Ae7tCTyyK7j1rNww=='");
        check("'%x'.format([hash.md5('héllo')])", "'be50e8478cf24ff3595bc7307fb91b50'");
    }
}
