//! How `format` wrote values before version 4 of cel-go's library, which is what Kubernetes' rules use.
//!
//! Clauses take values of their own type only, numbers are those of an English text, and what is inside a list or map is
//! written as an expression would have it.

use super::format::Clause;
use crate::types::Type;
use crate::value::Val;

/// What is said about an argument that a clause does not take, before the type of the argument.
pub(super) fn rule(clause: Clause) -> &'static str {
    match clause {
        Clause::Text => {
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
        }
        Clause::Decimal => "decimal clause can only be used on integers",
        Clause::Fixed(_) => "fixed-point clause can only be used on doubles",
        Clause::Scientific(_) => "scientific clause can only be used on doubles",
        Clause::Binary => "only integers and bools can be formatted as binary",
        Clause::Octal => "octal clause can only be used on integers",
        Clause::Hex { .. } => "only integers, byte buffers, and strings can be formatted as hex",
    }
}

/// Whether a clause may be given a value of this static type; text may be `"NaN"` or `"Infinity"`.
pub(super) fn takes(clause: Clause, ty: &Type) -> bool {
    match clause {
        Clause::Text | Clause::Binary | Clause::Hex { .. } => clause.takes(ty),
        Clause::Decimal | Clause::Octal => matches!(ty, Type::Dyn | Type::Int | Type::Uint),
        Clause::Fixed(_) | Clause::Scientific(_) => matches!(ty, Type::Dyn | Type::Double | Type::String),
    }
}

/// The number a clause for doubles is given.
pub(super) fn double(value: &Val<'_>) -> Option<f64> {
    match value {
        Val::Double(value) => Some(*value),
        Val::String(text) => match &**text {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

/// `%f`, with the thousands apart: `1,234.500000`.
pub(super) fn fixed(value: f64, precision: usize) -> String {
    if !value.is_finite() {
        return not_finite(value).to_owned();
    }
    let unsigned_zero = if value == 0.0 { 0.0 } else { value };
    let text = format!("{unsigned_zero:.precision$}");
    let (sign, unsigned) = text.strip_prefix('-').map_or(("", text.as_str()), |it| ("-", it));
    let (whole, fraction) = unsigned.split_at(unsigned.find('.').unwrap_or(unsigned.len()));
    let mut grouped = String::with_capacity(text.len() + whole.len() / 3);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}{fraction}")
}

/// `%e`, as in `1.234567×10⁰³`; what is written as a precision is taken for a width.
pub(super) fn scientific(value: f64, width: usize) -> String {
    if !value.is_finite() {
        return format!("{:>width$}", not_finite(value));
    }
    let text = format!("{value:.6e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(("", exponent), |digits| ("⁻", digits));
    let raised: String = format!("{digits:0>2}").chars().map(superscript).collect();
    format!("{:>width$}", format!("{mantissa}×10{sign}{raised}"))
}

/// A value inside a list or map, where it is written other than by itself.
pub(super) fn element(value: &Val<'_>) -> Option<String> {
    Some(match value {
        Val::String(text) => crate::quote::quoted(text),
        Val::Bytes(bytes) => format!("b{}", crate::quote::quoted(&String::from_utf8_lossy(bytes))),
        Val::Double(value) if value.is_finite() => format!("{value:.6}"),
        Val::Double(value) if value.is_nan() => "\"NaN\"".to_owned(),
        Val::Double(value) => (if *value > 0.0 { "\"+Inf\"" } else { "\"-Inf\"" }).to_owned(),
        Val::Timestamp(value) => format!("timestamp(\"{value}\")"),
        Val::Duration(value) => format!("duration(\"{value}\")"),
        _ => return None,
    })
}

fn not_finite(value: f64) -> &'static str {
    match value {
        _ if value.is_nan() => "NaN",
        f64::INFINITY => "∞",
        _ => "-∞",
    }
}

fn superscript(digit: char) -> char {
    match digit {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    }
}

#[cfg(test)]
mod tests {
    use crate::library::{kubernetes, testing::check_expression};

    #[test]
    fn values_are_written_as_the_api_server_does() {
        let check = |expression: &str, expect: &str| {
            check_expression([kubernetes::strings()], expression, &format!("'{expect}'"));
        };
        check("'%f'.format([-1234567.5])", "-1,234,567.500000");
        check("'%.0f %.1f'.format([999.5, -0.0])", "1,000 0.0");
        check("'%f %f %f'.format([double('NaN'), double('inf'), '-Infinity'])", "NaN ∞ -∞");
        check("'%e %.2e'.format([0.00123, 1e100])", "1.230000×10⁻⁰³ 1.000000×10¹⁰⁰");
        check("'%s %s'.format([1e10, 1.5])", "1e+10 1.5");
        check("'%s'.format([['a', 1, 1.5, double('inf'), null]])", r#"["a", 1, 1.500000, "+Inf", null]"#);
        check("'%s'.format([{'b': [1u], 'a': b'x'}])", r#"{"a":b"x", "b":[1]}"#);
        check("'%s'.format([{10: duration('1h'), 9: true}])", r#"{10:duration("3600s"), 9:true}"#);
        check("'%x %X %o %b'.format([-255, 'hi', 8u, true])", "-ff 6869 10 1");
    }

    #[test]
    fn clauses_take_their_own_type() {
        let check = |expression: &str, expect: &str| {
            let expect = format!("! error during formatting: {expect}");
            check_expression([kubernetes::strings()], expression, &expect);
        };
        check("'%d'.format([dyn(1.5)])", "decimal clause can only be used on integers, was given double");
        check("'%f'.format([dyn(1)])", "fixed-point clause can only be used on doubles, was given int");
        check("'%e'.format([dyn('x')])", "scientific clause can only be used on doubles, was given string");
        check("'%o'.format([dyn('x')])", "octal clause can only be used on integers, was given string");
    }
}
