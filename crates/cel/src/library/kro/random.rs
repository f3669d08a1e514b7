//! Values that look random, and are the same for the same seed.

use sha2::{Digest, Sha256};

use super::super::arity;
use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::meter::Meter;
use crate::types::Type::{Int, String};
use crate::value::Val;

/// `random.seededString` and `random.seededInt`.
pub fn random() -> Library {
    Library::new()
        .function(
            "random.seededString",
            [Overload::function("random.seededString_int_string", [Int, String], String, seeded_string)],
        )
        .function(
            "random.seededInt",
            [Overload::function("random.seededInt_int_int_string", [Int, Int, String], Int, seeded_int)],
        )
}

/// Letters and digits; after eight of them the same ones follow again, as kro has always made them.
fn seeded_string<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    const ALPHABET: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let [length, seed] = arity(args)?;
    let length = usize::try_from(length.int()?).unwrap_or(0);
    if length == 0 {
        return Err(EvalError::invalid("random.seededString length must be positive"));
    }
    meter.charge_text(seed.text()?.len().saturating_add(length))?;
    let hash = Sha256::digest(seed.text()?);
    let characters = hash.chunks_exact(4).cycle().take(length).map(|chunk| {
        let number = chunk.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
        char::from(ALPHABET[number as usize % ALPHABET.len()])
    });
    Ok(Val::string(characters.collect::<std::string::String>()))
}

/// A number from the first bound up to, but not including, the second.
fn seeded_int<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [least, bound, seed] = arity(args)?;
    let (least, bound) = (least.int()?, bound.int()?);
    if least >= bound {
        return Err(EvalError::invalid("random.seededInt min must be less than max"));
    }
    meter.charge_text(seed.text()?.len())?;
    let hash = Sha256::digest(seed.text()?);
    let number = hash.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let offset = number % bound.abs_diff(least);
    Ok(Val::Int(least.wrapping_add_unsigned(offset)))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::check_expression;
    use super::random;

    /// Recorded from kro.
    #[test]
    fn the_same_seed_gives_the_same_value() {
        let check = |expression: &str, expect: &str| check_expression([random()], expression, expect);
        check("random.seededString(10, 'seed')", "'qakd42wvqa'");
        check("random.seededString(8, 'test')", "'x94x70hw'");
        check("random.seededString(1, '')", "'e'");
        check("random.seededString(20, 'héllo')", "'dxvmhrhtdxvmhrhtdxvm'");
        check("random.seededString(0, 'a')", "! random.seededString length must be positive");
        check("random.seededString(-1, 'a')", "! random.seededString length must be positive");
        check("random.seededInt(0, 100, 'seed')", "42");
        check("random.seededInt(30000, 32768, 'my-uid')", "31603");
        check("random.seededInt(-9223372036854775808, 9223372036854775807, 'a')", "5374906597990186442");
        check("random.seededInt(-5, 5, 'x')", "1");
        check("random.seededInt(5, 5, 'x')", "! random.seededInt min must be less than max");
    }
}
