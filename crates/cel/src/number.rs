//! Comparing, converting, reading and printing numbers.

use std::cmp::Ordering;

/// 2^63, the first double above every `i64`.
const INT_LIMIT: f64 = 9_223_372_036_854_775_808.0;
/// 2^64, the first double above every `u64`.
const UINT_LIMIT: f64 = 18_446_744_073_709_551_616.0;

/// Compares a signed with an unsigned integer.
pub(crate) fn compare_int_uint(a: i64, b: u64) -> Ordering {
    u64::try_from(a).map_or(Ordering::Less, |a| a.cmp(&b))
}

/// Compares an integer with a double as cel-go does, rounding the integer to a double; `None` for NaN.
#[expect(clippy::cast_precision_loss, reason = "rounding is what the specification's tests expect")]
pub(crate) fn compare_int_double(a: i64, b: f64) -> Option<Ordering> {
    (a as f64).partial_cmp(&b)
}

/// Compares an unsigned integer with a double as cel-go does, rounding the integer to a double; `None` for NaN.
#[expect(clippy::cast_precision_loss, reason = "rounding is what the specification's tests expect")]
pub(crate) fn compare_uint_double(a: u64, b: f64) -> Option<Ordering> {
    (a as f64).partial_cmp(&b)
}

/// The integer a double stands for exactly, if there is one.
#[expect(clippy::cast_possible_truncation, reason = "the range was tested")]
pub(crate) fn exact_int(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && (-INT_LIMIT..INT_LIMIT).contains(&value)).then_some(value as i64)
}

/// The unsigned integer a double stands for exactly, if there is one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was tested")]
pub(crate) fn exact_uint(value: f64) -> Option<u64> {
    (value.fract() == 0.0 && (0.0..UINT_LIMIT).contains(&value)).then_some(value as u64)
}

/// The integer part of a double as CEL's `int()` takes it; out of range, as cel-go, includes both limits themselves.
#[expect(clippy::cast_possible_truncation, reason = "the range was tested")]
pub(crate) fn truncate_to_int(value: f64) -> Option<i64> {
    (value > -INT_LIMIT && value < INT_LIMIT).then_some(value as i64)
}

/// The integer part of a double as CEL's `uint()` takes it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was tested")]
pub(crate) fn truncate_to_uint(value: f64) -> Option<u64> {
    (0.0..UINT_LIMIT).contains(&value).then_some(value as u64)
}

/// A double as Go's `%g` prints it: the shortest digits that read back, an exponent below 1e-4 and from 1e6 on.
pub(crate) fn format_double(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.into();
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if value == 0.0 || (-4..GO_EXPONENT_FROM).contains(&exponent) {
        return format!("{value}");
    }
    format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// Go's `%g` with shortest digits writes an exponent from here on.
const GO_EXPONENT_FROM: i32 = 6;

/// A double as Go's `ParseFloat` reads it; what overflows is no number.
pub(crate) fn parse_double(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let special = matches!(unsigned.to_ascii_lowercase().as_str(), "inf" | "infinity" | "nan");
    let value: f64 = text.parse().ok()?;
    (special || value.is_finite()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_doubles_compare_after_rounding() {
        let check = |a, b, expected| assert_eq!(compare_int_double(a, b), expected, "{a} ? {b}");
        check(1, 1.0, Some(Ordering::Equal));
        check(1, 1.5, Some(Ordering::Less));
        check(-1, -1.5, Some(Ordering::Greater));
        check(i64::MAX, INT_LIMIT, Some(Ordering::Equal));
        check(i64::MIN, f64::NEG_INFINITY, Some(Ordering::Greater));
        check(0, f64::NAN, None);
        assert_eq!(compare_uint_double(0, -0.5), Some(Ordering::Greater));
        assert_eq!(compare_uint_double(u64::MAX, f64::INFINITY), Some(Ordering::Less));
    }

    #[test]
    fn doubles_print_as_go_prints_them() {
        let check = |value, expected| assert_eq!(format_double(value), expected);
        check(0.0, "0");
        check(-0.5, "-0.5");
        check(100_000.0, "100000");
        check(1_000_000.0, "1e+06");
        check(123_456_789.0, "1.23456789e+08");
        check(0.0001, "0.0001");
        check(0.000_01, "1e-05");
        check(f64::NEG_INFINITY, "-Inf");
    }
}
