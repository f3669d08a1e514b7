//! Values as all engines have them, to be compared part by part.

use std::fmt;

/// A value of any engine.
#[derive(Clone, Debug)]
pub(super) enum Datum {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(String),
    Bytes(Vec<u8>),
    /// Seconds since 1970 and nanoseconds.
    Timestamp(i64, u32),
    /// Nanoseconds.
    Duration(i128),
    List(Vec<Datum>),
    /// In the order of the keys as they are shown.
    Map(Vec<(Datum, Datum)>),
    Optional(Option<Box<Datum>>),
    /// What only its own engine understands.
    Other(String),
}

impl Datum {
    /// A map; the order of entries does not matter.
    pub(super) fn map(mut entries: Vec<(Datum, Datum)>) -> Self {
        entries.sort_by_cached_key(|(key, _)| key.to_string());
        Self::Map(entries)
    }

    /// Whether `test` holds for the value or any part of it.
    pub(super) fn any(&self, test: &impl Fn(&Datum) -> bool) -> bool {
        test(self) || self.parts().into_iter().any(|it| it.any(test))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others have no parts")]
    fn parts(&self) -> Vec<&Datum> {
        match self {
            Self::List(elements) => elements.iter().collect(),
            Self::Map(entries) => entries.iter().flat_map(|(key, value)| [key, value]).collect(),
            Self::Optional(Some(value)) => vec![value],
            _ => Vec::new(),
        }
    }

    /// An expression that has this value, if there is one that every engine reads.
    pub(super) fn literal(&self) -> Option<String> {
        let all = |of: &[Datum]| of.iter().map(Self::literal).collect::<Option<Vec<_>>>();
        Some(match self {
            Self::Null | Self::Bool(_) | Self::Int(_) | Self::Uint(_) => self.to_string(),
            Self::Double(value) if value.is_finite() => format!("{value:?}"),
            Self::Double(value) => format!("double('{value}')"),
            Self::String(text) => quoted(text),
            Self::Bytes(bytes) => format!("b{}", escaped(bytes)),
            Self::Timestamp(seconds, 0) => format!("timestamp({seconds})"),
            Self::Timestamp(seconds, nanos) => {
                format!("(timestamp({seconds}) + duration('{nanos}ns'))")
            }
            Self::Duration(nanos) => format!("duration('{nanos}ns')"),
            Self::List(elements) => format!("[{}]", all(elements)?.join(", ")),
            Self::Map(entries) => {
                let entry =
                    |(key, value): &(Datum, Datum)| Some(format!("{}: {}", key.literal()?, value.literal()?));
                format!("{{{}}}", entries.iter().map(entry).collect::<Option<Vec<_>>>()?.join(", "))
            }
            Self::Optional(None) => "optional.none()".to_owned(),
            Self::Optional(Some(value)) => format!("optional.of({})", value.literal()?),
            Self::Other(_) => return None,
        })
    }
}

/// Equal in kind and value; NaN is equal to itself, and zeros of different sign are not.
impl PartialEq for Datum {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

/// Unambiguous: two values are the same if and only if they are shown the same.
impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => write!(f, "null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Uint(value) => write!(f, "{value}u"),
            Self::Double(value) if value.is_nan() => write!(f, "NaN"),
            Self::Double(value) => write!(f, "{value:?}"),
            Self::String(text) => write!(f, "{}", escaped(text.as_bytes())),
            Self::Bytes(bytes) => write!(f, "b{}", escaped(bytes)),
            Self::Timestamp(seconds, nanos) => write!(f, "timestamp({seconds}.{nanos:09})"),
            Self::Duration(nanos) => write!(f, "duration({nanos})"),
            Self::List(elements) => {
                let shown: Vec<_> = elements.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", shown.join(", "))
            }
            Self::Map(entries) => {
                let shown: Vec<_> = entries.iter().map(|(key, value)| format!("{key}: {value}")).collect();
                write!(f, "{{{}}}", shown.join(", "))
            }
            Self::Optional(None) => write!(f, "none"),
            Self::Optional(Some(value)) => write!(f, "some({value})"),
            Self::Other(shown) => write!(f, "{shown}"),
        }
    }
}

/// Quoted text with all but plain ASCII written as bytes.
fn escaped(bytes: &[u8]) -> String {
    let shown = bytes.iter().map(|byte| match byte {
        b' '..=b'~' if !b"'\\".contains(byte) => char::from(*byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    });
    format!("'{}'", shown.collect::<String>())
}

/// A string literal of CEL.
pub(super) fn quoted(text: &str) -> String {
    let shown = text.chars().map(|it| match it {
        '\'' | '\\' => format!("\\{it}"),
        ' '..='~' => it.to_string(),
        _ => format!("\\U{:08x}", u32::from(it)),
    });
    format!("'{}'", shown.collect::<String>())
}
