//! Numbers, and the types of values, where the two are entangled.

use serde_json::{Number, Value};

use super::node::{Node, Types};
use super::value::{Findings, type_of};
use crate::go_text;
use crate::path::Path;
use crate::schema::SchemaType;

/// What type was expected and what was found instead, as the API server names them.
pub(super) fn type_complaint<'n>(node: &'n Node, value: &Value) -> Option<(&'n str, &'static str)> {
    let types = node.types;
    let Some(found) = type_of(value) else {
        return (types != Types::Any && !node.schema.nullable).then_some((types.names(), "null"));
    };
    let whole = found == SchemaType::Number && types.contains(SchemaType::Integer) && is_nearly_whole(value);
    let widened = found == SchemaType::Integer && types.contains(SchemaType::Number);
    let fits = types.contains(found) || whole || widened;
    let Some(format) = node.format else {
        return (!fits).then_some((types.names(), found.name()));
    };
    let is_text = matches!(found, SchemaType::String | SchemaType::Array);
    let native = native_format(found);
    if !(is_text || fits || format.name() == native) {
        return Some((node.schema.format.as_deref().unwrap_or_default(), native));
    }
    let numeric = types.contains(SchemaType::Number) || types.contains(SchemaType::Integer);
    if !numeric && is_text {
        return None;
    }
    (!fits).then_some((types.names(), found.name()))
}

fn native_format(found: SchemaType) -> &'static str {
    match found {
        SchemaType::Integer => "int64",
        SchemaType::Number => "float64",
        SchemaType::Array | SchemaType::Boolean | SchemaType::Object | SchemaType::String => "",
    }
}

/// Whole within one part in a thousand million, and exact in a double.
fn is_nearly_whole(value: &Value) -> bool {
    value.as_f64().is_some_and(is_whole)
}

fn is_whole(value: f64) -> bool {
    const LIMIT: f64 = 9_007_199_254_740_991.0;
    let rounded = value.round();
    let difference = (value - rounded).abs();
    value.abs() <= LIMIT && (difference == 0.0 || difference < 1e-9 * rounded.abs())
}

/// Checks range, multiple, minimum and maximum.
pub(super) fn check(findings: &mut Findings, node: &Node, number: &Number, path: &Path<'_>) {
    let numeric = node.types.only().filter(|it| matches!(it, SchemaType::Integer | SchemaType::Number));
    let range = Range { schema_type: numeric, format: numeric.and(node.format).map_or("", |it| it.name()) };
    let value = Amount::of(number);
    range.check(findings, "Checked", value, path);
    check_multiple(findings, node, range, value, path);
    check_minimum(findings, node, range, value, path);
    check_maximum(findings, node, range, value, path);
}

fn check_multiple(findings: &mut Findings, node: &Node, range: Range, value: Amount, path: &Path<'_>) {
    let Some(factor) = node.schema.multiple_of else { return };
    let limit = if range.check(findings, "MultipleOf", Amount::Fraction(factor), path) {
        value.like(factor)
    } else {
        Amount::Fraction(factor)
    };
    if limit.as_f64() <= 0.0 {
        let detail =
            format!("factor MultipleOf declared for {} must be positive: {}", path.dotted(), limit.text());
        return findings.invalid_as_is(path, limit.json(), detail);
    }
    let is_multiple = match (value, limit) {
        (Amount::Whole(value), Amount::Whole(factor)) => value % factor == 0,
        (value, factor) if factor.as_f64() < 1.0 => is_whole(1.0 / factor.as_f64() * value.as_f64()),
        (value, factor) => is_whole(value.as_f64() / factor.as_f64()),
    };
    if !is_multiple {
        findings.invalid(path, value.json_like(limit), &format!("should be a multiple of {}", limit.text()));
    }
}

fn check_minimum(findings: &mut Findings, node: &Node, range: Range, value: Amount, path: &Path<'_>) {
    let Some(minimum) = node.schema.minimum else { return };
    let exclusive = node.schema.exclusive_minimum;
    let limit = bound(findings, range, "Minimum boundary", minimum, value, path);
    let words = if exclusive { "greater than" } else { "greater than or equal to" };
    if value.is_less(limit) || exclusive && value.is_same(limit) {
        findings.invalid(path, value.json_like(limit), &format!("should be {words} {}", limit.text()));
    }
}

fn check_maximum(findings: &mut Findings, node: &Node, range: Range, value: Amount, path: &Path<'_>) {
    let Some(maximum) = node.schema.maximum else { return };
    let exclusive = node.schema.exclusive_maximum;
    let limit = bound(findings, range, "Maximum boundary", maximum, value, path);
    let words = if exclusive { "less than" } else { "less than or equal to" };
    if limit.is_less(value) || exclusive && value.is_same(limit) {
        findings.invalid(path, value.json_like(limit), &format!("should be {words} {}", limit.text()));
    }
}

/// A bound in the type of the value: against a whole number, a bound loses its fraction, unless the bound
/// itself is out of range for the schema.
fn bound(
    findings: &mut Findings,
    range: Range,
    name: &str,
    bound: f64,
    value: Amount,
    path: &Path<'_>,
) -> Amount {
    let in_range = range.check(findings, name, Amount::Fraction(bound), path);
    if in_range { value.like(bound) } else { Amount::Fraction(bound) }
}

/// What a number of the schema's type and format can hold.
#[derive(Clone, Copy)]
struct Range {
    schema_type: Option<SchemaType>,
    format: &'static str,
}

impl Range {
    /// Whether the amount is in range; adds an error if not.
    fn check(self, findings: &mut Findings, name: &str, amount: Amount, path: &Path<'_>) -> bool {
        let fits = self.holds(amount);
        if !fits {
            let kind = self.schema_type.map_or("", SchemaType::name);
            let format = match self.format {
                "" => "(default format)".to_owned(),
                format => format!("with format {format}"),
            };
            findings.fieldless(format!("{name} value must be of type {kind} {format} in {}", path.dotted()));
        }
        fits
    }

    fn holds(self, amount: Amount) -> bool {
        match (self.schema_type, self.format) {
            (Some(SchemaType::Integer), "int32") => {
                amount.whole().is_some_and(|it| i32::try_from(it).is_ok())
            }
            (Some(SchemaType::Integer), _) => amount.whole().is_some(),
            #[expect(clippy::cast_possible_truncation, reason = "whether it overflows is the question")]
            (Some(SchemaType::Number), "float") => (amount.as_f64() as f32).is_finite(),
            _ => true,
        }
    }
}

/// A number as Go holds it.
#[derive(Clone, Copy, Debug)]
enum Amount {
    Whole(i64),
    Fraction(f64),
}

impl Amount {
    fn of(number: &Number) -> Self {
        number.as_i64().map_or_else(|| Self::Fraction(number.as_f64().unwrap_or(f64::NAN)), Self::Whole)
    }

    /// `limit` in the type of this amount.
    fn like(self, limit: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "a bound loses its fraction, as in Go")]
        match self {
            Self::Whole(_) => Self::Whole(limit as i64),
            Self::Fraction(_) => Self::Fraction(limit),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "as in Go")]
    fn as_f64(self) -> f64 {
        match self {
            Self::Whole(value) => value as f64,
            Self::Fraction(value) => value,
        }
    }

    /// The amount as a 64-bit integer, when it is one.
    fn whole(self) -> Option<i64> {
        match self {
            Self::Whole(value) => Some(value),
            Self::Fraction(value) => format!("{value}").parse().ok(),
        }
    }

    fn is_less(self, other: Self) -> bool {
        match (self, other) {
            (Self::Whole(left), Self::Whole(right)) => left < right,
            (left, right) => left.as_f64() < right.as_f64(),
        }
    }

    fn is_same(self, other: Self) -> bool {
        !self.is_less(other) && !other.is_less(self)
    }

    fn json(self) -> Value {
        match self {
            Self::Whole(value) => value.into(),
            Self::Fraction(value) => value.into(),
        }
    }

    /// The value as it is printed next to `limit`: a whole number compared as a double is printed as one.
    fn json_like(self, limit: Self) -> Value {
        match limit {
            Self::Whole(_) => self.json(),
            Self::Fraction(_) => self.as_f64().into(),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Whole(value) => value.to_string(),
            Self::Fraction(value) => go_text::double(value),
        }
    }
}
