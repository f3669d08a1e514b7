//! `text.format(args)`: printf-like formatting.

use super::super::arity;
use super::older;
use crate::error::EvalError;
use crate::meter::Meter;
use crate::number::format_double;
use crate::quote::quoted;
use crate::value::{Key, ListView, Text, Val};

const DEFAULT_PRECISION: usize = 6;
const MAX_PRECISION: usize = 100;

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// As cel-go does from version 4 of its library on.
    Current,
    /// As it did before.
    Older,
}

pub(super) fn format(
    style: Style,
) -> impl for<'a> Fn(&Meter<'_>, &[Val<'a>]) -> Result<Val<'a>, EvalError> + Send + Sync + 'static {
    move |meter, args| {
        let [template, arguments] = arity(args)?;
        let (template, arguments) = (template.text()?, arguments.elements()?);
        meter.charge_text(template.len())?;
        Ok(Val::string(formatted(style, meter, template, arguments)?))
    }
}

fn formatted(
    style: Style,
    meter: &Meter<'_>,
    template: &str,
    arguments: ListView<'_, '_>,
) -> Result<String, EvalError> {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    let mut index = 0;
    while let Some((literal, behind)) = rest.split_once('%') {
        out.push_str(literal);
        if let Some(behind) = behind.strip_prefix('%') {
            out.push('%');
            rest = behind;
            continue;
        }
        let argument =
            arguments.get(index).ok_or_else(|| EvalError::invalid(format!("index {index} out of range")))?;
        let (clause, behind) = Clause::parse(behind)?;
        clause.write(&mut Output { text: &mut out, meter, style }, &argument)?;
        rest = behind;
        index += 1;
    }
    out.push_str(rest);
    Ok(out)
}

/// What stands behind a `%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clause {
    Text,
    Decimal,
    Fixed(usize),
    Scientific(usize),
    Binary,
    Octal,
    Hex { upper: bool },
}

impl Clause {
    /// The clause at the start of the text, and what is behind it.
    pub(super) fn parse(text: &str) -> Result<(Self, &str), EvalError> {
        if text.is_empty() {
            return Err(EvalError::invalid("unexpected end of string"));
        }
        let (precision, rest) = precision(text).map_err(|reason| {
            EvalError::invalid(format!(
                "could not parse formatting clause: error while parsing precision: {reason}"
            ))
        })?;
        let mut characters = rest.chars();
        let clause = match characters.next() {
            Some('s') => Self::Text,
            Some('d') => Self::Decimal,
            Some('f') => Self::Fixed(precision),
            Some('e') => Self::Scientific(precision),
            Some('b') => Self::Binary,
            Some('o') => Self::Octal,
            Some('x') => Self::Hex { upper: false },
            Some('X') => Self::Hex { upper: true },
            other => return Err(unrecognized(other)),
        };
        Ok((clause, characters.as_str()))
    }

    fn write(self, out: &mut Output<'_, '_>, value: &Val<'_>) -> Result<(), EvalError> {
        let number = |out: &mut Output<'_, '_>, text: String| {
            out.text.push_str(&text);
            Ok(())
        };
        let older = out.style == Style::Older;
        match (self, value) {
            (Self::Text, _) | (Self::Decimal, Val::Int(_) | Val::Uint(_)) => out.value(value),
            (Self::Decimal, Val::Double(_)) if !older => out.value(value),
            (Self::Fixed(precision), _) if older => match older::double(value) {
                Some(value) => number(out, older::fixed(value, precision)),
                None => Err(self.refuse(value, out.style)),
            },
            (Self::Scientific(width), _) if older => match older::double(value) {
                Some(value) => number(out, older::scientific(value, width)),
                None => Err(self.refuse(value, out.style)),
            },
            (Self::Fixed(precision), _) if let Some(value) = as_double(value) => {
                number(out, finite_or_name(value, |value| format!("{value:.precision$}")))
            }
            (Self::Scientific(precision), _) if let Some(value) = as_double(value) => {
                number(out, finite_or_name(value, |value| scientific(value, precision)))
            }
            (Self::Binary, Val::Bool(value)) => number(out, u8::from(*value).to_string()),
            (Self::Binary, Val::Int(value)) => number(out, signed(*value, |it| format!("{it:b}"))),
            (Self::Binary, Val::Uint(value)) => number(out, format!("{value:b}")),
            (Self::Octal, Val::Int(value)) => number(out, signed(*value, |it| format!("{it:o}"))),
            (Self::Octal, Val::Uint(value)) => number(out, format!("{value:o}")),
            (Self::Hex { upper }, Val::Int(value)) => number(out, signed(*value, |it| hex_number(it, upper))),
            (Self::Hex { upper }, Val::Uint(value)) => number(out, hex_number(*value, upper)),
            (Self::Hex { upper }, Val::String(text)) => out.hex(text.as_bytes(), upper),
            (Self::Hex { upper }, Val::Bytes(bytes)) => out.hex(bytes, upper),
            _ => Err(self.refuse(value, out.style)),
        }
    }

    fn refuse(self, value: &Val<'_>, style: Style) -> EvalError {
        EvalError::invalid(self.refusal(value.type_of().runtime_name(), style))
    }

    /// What is said about an argument of a type that the clause does not take.
    pub(super) fn refusal(self, given: &str, style: Style) -> String {
        let rule = match self {
            _ if style == Style::Older => older::rule(self),
            Self::Text => {
                "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
            }
            Self::Decimal => "decimal clause can only be used on ints, uints, and doubles",
            Self::Fixed(_) => "fixed-point clause can only be used on ints, uints, and doubles",
            Self::Scientific(_) => "scientific clause can only be used on ints, uints, and doubles",
            Self::Binary => "only ints, uints, and bools can be formatted as binary",
            Self::Octal => "octal clause can only be used on ints and uints",
            Self::Hex { .. } => "only ints, uints, bytes, and strings can be formatted as hex",
        };
        format!("error during formatting: {rule}, was given {given}")
    }
}

fn unrecognized(clause: Option<char>) -> EvalError {
    let clause = clause.map_or_else(String::new, String::from);
    EvalError::invalid(format!(
        "could not parse formatting clause: unrecognized formatting clause \"{clause}\""
    ))
}

/// The digits behind a point, if there is one, and what is behind them.
fn precision(text: &str) -> Result<(usize, &str), String> {
    let Some(behind) = text.strip_prefix('.') else { return Ok((DEFAULT_PRECISION, text)) };
    let Some(end) = behind.find(|c: char| !c.is_ascii_digit()) else {
        return Err("could not find end of precision specifier".into());
    };
    let (digits, rest) = behind.split_at(end);
    match digits.parse::<usize>() {
        Ok(precision) if precision <= MAX_PRECISION => Ok((precision, rest)),
        Err(_) if digits.is_empty() => {
            Err("error while converting precision to integer: strconv.Atoi: parsing \"\": invalid syntax"
                .into())
        }
        Ok(_) | Err(_) => {
            Err(format!("precision {digits} exceeds maximum allowed precision {MAX_PRECISION}"))
        }
    }
}

/// Text being produced, and the budget it is produced on.
struct Output<'o, 'm> {
    text: &'o mut String,
    meter: &'o Meter<'m>,
    style: Style,
}

impl Output<'_, '_> {
    /// Writes any value as `%s` does.
    fn value(&mut self, value: &Val<'_>) -> Result<(), EvalError> {
        self.meter.charge(1)?;
        match value {
            Val::Null => self.text.push_str("null"),
            Val::Bool(value) => self.text.push_str(if *value { "true" } else { "false" }),
            Val::Int(value) => self.text.push_str(&value.to_string()),
            Val::Uint(value) => self.text.push_str(&value.to_string()),
            Val::Double(value) if self.style == Style::Older => self.text.push_str(&format_double(*value)),
            Val::Double(value) => self.text.push_str(&finite_or_name(*value, |value| value.to_string())),
            Val::String(text) => self.string(text)?,
            Val::Bytes(bytes) => self.string(&Text::Shared(String::from_utf8_lossy(bytes).into()))?,
            Val::Timestamp(value) => self.text.push_str(&value.to_string()),
            Val::Duration(value) => self.text.push_str(&value.to_string()),
            Val::Type(ty) => self.text.push_str(ty.runtime_name()),
            Val::Json(..) | Val::List(_) | Val::United(..) | Val::Map(_) => return self.aggregate(value),
            Val::Optional(_) | Val::Opaque(_) => return Err(Clause::Text.refuse(value, self.style)),
        }
        Ok(())
    }

    /// Writes a value inside a list or map.
    fn element(&mut self, value: &Val<'_>) -> Result<(), EvalError> {
        let literal = if self.style == Style::Older { older::element(value) } else { None };
        match literal {
            Some(text) => self.string(&text),
            None => self.value(value),
        }
    }

    fn string(&mut self, text: &str) -> Result<(), EvalError> {
        self.meter.charge_text(text.len())?;
        self.text.push_str(text);
        Ok(())
    }

    fn hex(&mut self, bytes: &[u8], upper: bool) -> Result<(), EvalError> {
        self.meter.charge_text(bytes.len() * 2)?;
        let digits = if upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
        for byte in bytes {
            self.text.push(char::from(digits[usize::from(byte >> 4)]));
            self.text.push(char::from(digits[usize::from(byte & 15)]));
        }
        Ok(())
    }

    fn aggregate(&mut self, value: &Val<'_>) -> Result<(), EvalError> {
        if let Some(list) = value.as_list() {
            self.text.push('[');
            for (index, element) in list.iter().enumerate() {
                self.text.push_str(if index > 0 { ", " } else { "" });
                self.element(&element)?;
            }
            self.text.push(']');
        }
        match value.as_map() {
            Some(map) => {
                let older = self.style == Style::Older;
                let name = |key: &Key<'_>| match key {
                    Key::String(text) if older => quoted(text),
                    key => key.to_string(),
                };
                self.entries(map.entries().iter().map(|(key, value)| (name(key), value)).collect())
            }
            None => Ok(()),
        }
    }

    /// Entries are in the order of their keys as text, whatever the types of the keys.
    fn entries(&mut self, mut entries: Vec<(String, &Val<'_>)>) -> Result<(), EvalError> {
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        self.text.push('{');
        for (index, (key, value)) in entries.iter().enumerate() {
            self.text.push_str(if index > 0 { ", " } else { "" });
            self.string(key)?;
            self.text.push_str(if self.style == Style::Older { ":" } else { ": " });
            self.element(value)?;
        }
        self.text.push('}');
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "fixed-point and scientific notation are those of doubles")]
fn as_double(value: &Val<'_>) -> Option<f64> {
    match value {
        Val::Double(value) => Some(*value),
        Val::Int(value) => Some(*value as f64),
        Val::Uint(value) => Some(*value as f64),
        _ => None,
    }
}

fn finite_or_name(value: f64, finite: impl Fn(f64) -> String) -> String {
    if value.is_nan() {
        "NaN".into()
    } else if value.is_infinite() {
        if value > 0.0 { "Infinity" } else { "-Infinity" }.into()
    } else {
        finite(value)
    }
}

/// Scientific notation with a sign and at least two digits in the exponent.
fn scientific(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

fn signed(value: i64, magnitude: impl Fn(u64) -> String) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}", magnitude(value.unsigned_abs()))
}

fn hex_number(value: u64, upper: bool) -> String {
    if upper { format!("{value:X}") } else { format!("{value:x}") }
}
