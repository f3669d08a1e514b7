//! The formats the API server knows; all others are ignored.

mod address;
mod code;
mod email;
mod time;
mod uri;

use super::node::Types;
use crate::schema::SchemaType;

/// A format that is checked.
#[derive(Clone, Copy, Debug)]
pub(super) enum Format {
    /// `int32`, `int64`, `float` or `double`: checked with the number, not here.
    Numeric(&'static str),
    /// A format of strings: its name without dashes, and the check.
    Textual(&'static str, Accepts),
}

/// Whether a text has the format.
type Accepts = fn(&str) -> bool;

const NUMERIC: [(SchemaType, &str); 4] = [
    (SchemaType::Integer, "int32"),
    (SchemaType::Integer, "int64"),
    (SchemaType::Number, "float"),
    (SchemaType::Number, "double"),
];

const TEXTUAL: [(&str, Accepts); 26] = [
    ("bsonobjectid", code::is_object_id),
    ("byte", code::is_base64),
    ("cidr", address::is_cidr),
    ("creditcard", code::is_credit_card),
    ("date", time::is_date),
    ("datetime", time::is_date_time),
    ("duration", time::is_duration),
    ("email", email::is_email),
    ("hexcolor", code::is_hex_color),
    ("hostname", address::is_hostname),
    ("ipv4", address::is_ipv4),
    ("ipv6", address::is_ipv6),
    ("isbn", code::is_isbn),
    ("isbn10", code::is_isbn10),
    ("isbn13", code::is_isbn13),
    ("k8slongname", address::is_long_name),
    ("k8sshortname", address::is_short_name),
    ("mac", address::is_mac),
    ("password", |_| true),
    ("rgbcolor", code::is_rgb_color),
    ("ssn", code::is_social_security_number),
    ("uri", uri::is_request_uri),
    ("uuid", code::is_uuid),
    ("uuid3", code::is_uuid3),
    ("uuid4", code::is_uuid4),
    ("uuid5", code::is_uuid5),
];

impl Format {
    /// The format of this name for values of these types, when it is known; dashes do not count in strings' formats.
    pub(super) fn of(name: &str, types: Types) -> Option<Self> {
        match types {
            Types::One(numeric @ (SchemaType::Integer | SchemaType::Number)) => {
                let known = NUMERIC.into_iter().find(|known| *known == (numeric, name));
                known.map(|(_, name)| Self::Numeric(name))
            }
            Types::Any | Types::IntegerOrString | Types::One(SchemaType::String) => {
                let plain = name.replace('-', "");
                let known = TEXTUAL.into_iter().find(|(known, _)| *known == plain);
                known.map(|(name, accepts)| Self::Textual(name, accepts))
            }
            Types::One(SchemaType::Array | SchemaType::Boolean | SchemaType::Object) => None,
        }
    }

    /// The name without dashes.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Numeric(name) | Self::Textual(name, _) => name,
        }
    }

    /// Whether strings are checked.
    pub(super) fn is_textual(self) -> bool {
        matches!(self, Self::Textual(..))
    }

    /// Whether the text has the format.
    pub(super) fn accepts(self, text: &str) -> bool {
        match self {
            Self::Numeric(_) => true,
            Self::Textual(_, accepts) => accepts(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The recorded verdicts of the API server have many more.
    #[test]
    fn formats() {
        let check = |name: &str, text: &str, expect: bool| {
            let format = Format::of(name, Types::One(SchemaType::String)).unwrap();
            assert_eq!(format.accepts(text), expect, "{name}: {text}");
        };
        check("date-time", "2020-01-01T00:00:00Z", true);
        check("date-time", "2020-02-30T00:00:00Z", false);
        check("datetime", "2020-01-01t23:59:59.5+01:00", true);
        check("duration", "1h30m", true);
        check("duration", "3 days", true);
        check("duration", "soon", false);
        check("k8s-short-name", "my-name", true);
        check("k8s-short-name", "My-name", false);
    }

    #[test]
    fn unknown_formats_are_ignored() {
        assert!(Format::of("fancy", Types::One(SchemaType::String)).is_none());
        assert!(Format::of("int32", Types::One(SchemaType::String)).is_none());
        assert!(Format::of("date", Types::One(SchemaType::Integer)).is_none());
        assert!(Format::of("int32", Types::One(SchemaType::Integer)).is_some());
    }
}
