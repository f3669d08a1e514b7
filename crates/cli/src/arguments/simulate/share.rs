//! `2%` and `0.02`.

use std::str::FromStr;

/// A share of instances, between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Share(pub(crate) f64);

impl FromStr for Share {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let (digits, whole) = match written.strip_suffix('%') {
            Some(digits) => (digits, 100.0),
            None => (written, 1.0),
        };
        let is_plain = digits.bytes().all(|it| it.is_ascii_digit() || it == b'.');
        let number = digits.parse::<f64>().ok().filter(|_| is_plain);
        let share = number.ok_or("expected a share, such as 2% or 0.02")? / whole;
        if share <= 1.0 { Ok(Self(share)) } else { Err(too_much(written)) }
    }
}

fn too_much(written: &str) -> String {
    let meant =
        if written.ends_with('%') { String::new() } else { format!("; write {written}% for percent") };
    format!("that is more than all{meant}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_percents_or_fractions() {
        let check = |written: &str, expected: Result<f64, &str>| {
            let found = written.parse::<Share>().map(|it| it.0);
            assert_eq!(found, expected.map_err(str::to_owned), "{written}");
        };
        check("2%", Ok(0.02));
        check("0.5%", Ok(0.005));
        check("0.02", Ok(0.02));
        check("0", Ok(0.0));
        check("1", Ok(1.0));
        check("100%", Ok(1.0));
        check("5", Err("that is more than all; write 5% for percent"));
        check("101%", Err("that is more than all"));
        for wrong in ["", "%", "-1%", "+1%", "NaN", "inf", "a few", "1e-2", "."] {
            check(wrong, Err("expected a share, such as 2% or 0.02"));
        }
    }
}
