//! What a kind of disagreement is known by.

use super::datum::Datum;
use super::engines::Outcome;
use super::reduce::Disagreement;

pub(super) const LIST_ORDERS: &[&str] = &[
    "([$O] + $list(O)).sort()",
    "$list(T).sortBy(@T, &O)",
    "$list(dyn).sort()",
    "$list(O).min()",
    "$list(O).max()",
    "$list(O).isSorted()",
];
pub(super) const FAR_TIMES: &[&str] =
    &["$timestamp - $duration", "$timestamp + $duration", "$duration + $timestamp"];
pub(super) const FORMATS: &[&str] = &[
    "format.byte().validate($base64_text).hasValue()",
    "format.uuid().validate($name_text).hasValue()",
    "format.dns1123Subdomain().validate($name_text).hasValue()",
    "format.dns1123SubdomainPrefix().validate($name_text).hasValue()",
    "format.dns1035LabelPrefix().validate($name_text).hasValue()",
];
pub(super) const ODD_NAMES: &[&str] =
    &["('')", "'YQ'", "'_-8='", "'Y Q=='", "'123e4567e89b12d3", "'0123456789012345678901234567890123456789"];

impl Disagreement {
    pub(super) fn is_one_of(&self, templates: &[&str]) -> bool {
        templates.contains(&self.template)
    }

    pub(super) fn compares(&self) -> bool {
        [" < ", " <= ", " > ", " >= "].iter().any(|it| self.template.contains(it))
    }

    pub(super) fn krono_gives(&self, value: &Datum) -> bool {
        self.krono.value() == Some(value)
    }

    pub(super) fn rival_gives(&self, value: &Datum) -> bool {
        self.rival.value() == Some(value)
    }

    pub(super) fn krono_fails(&self) -> bool {
        matches!(self.krono, Outcome::Error(_))
    }

    pub(super) fn rival_fails(&self) -> bool {
        self.rival.value().is_none()
    }

    /// Whether the test holds for some part of an argument.
    pub(super) fn mentions(&self, test: fn(&Datum) -> bool) -> bool {
        self.arguments.iter().flatten().any(|it| it.any(&test))
    }
}

pub(super) fn is_nan(value: &Datum) -> bool {
    matches!(value, Datum::Double(value) if value.is_nan())
}

pub(super) fn is_text(value: &Datum, text: &str) -> bool {
    matches!(value, Datum::String(found) if found == text)
}

pub(super) fn is_some_text(value: Option<&Datum>, text: &str) -> bool {
    value.is_some_and(|it| is_text(it, text))
}

pub(super) fn is_not_ascii(value: &Datum) -> bool {
    matches!(value, Datum::String(text) if !text.is_ascii())
}

pub(super) fn is_binary(value: &Datum) -> bool {
    matches!(value, Datum::Bytes(bytes) if str::from_utf8(bytes).is_err())
}

/// Whether a double cannot hold all its nanoseconds.
pub(super) fn is_long_duration(value: &Datum) -> bool {
    matches!(value, Datum::Duration(nanos) if nanos.abs() > 1_000_000_000_000_000)
}

pub(super) fn is_odd_duration(value: &Datum) -> bool {
    const TEXTS: &[&str] = &[
        "0",
        "-0",
        "+1s",
        "1e3s",
        "1h-2m",
        "100\u{b5}s",
        "-9223372036.854775808s",
        "9223372036.854775807s",
        "9223372037s",
        "-9223372037s",
    ];
    TEXTS.iter().any(|it| is_text(value, it))
}

pub(super) fn exceeds_duration(value: Option<&Datum>) -> bool {
    matches!(value, Some(Datum::Duration(nanos)) if i64::try_from(*nanos).is_err())
}

pub(super) fn same_number(krono: &Outcome, rival: &Outcome) -> bool {
    match (krono.value(), rival.value()) {
        (Some(Datum::String(a)), Some(Datum::String(b))) => a.parse::<f64>().ok() == b.parse().ok(),
        _ => false,
    }
}

pub(super) fn nearly_equal(it: &Disagreement) -> bool {
    match (it.krono.value(), it.rival.value()) {
        (Some(Datum::Double(a)), Some(Datum::Double(b))) => {
            // Binary quantities are capped at 64 bits.
            let capped = it.source.contains("i'") && b.abs() > 9.2e18;
            capped || (a - b).abs() <= 2e-9 + a.abs() * 1e-14
        }
        _ => false,
    }
}

pub(super) fn has_untyped(source: &str) -> bool {
    ["[]", "{}", "optional.none()"].iter().any(|it| source.contains(it))
}

/// Whether the text has no digits before its suffix, or a space behind it.
pub(super) fn is_odd_quantity(source: &str) -> bool {
    let text = source.split('\'').nth(1).unwrap_or_default();
    let number = text.trim_start_matches(['+', '-']).trim_start_matches('.');
    text.ends_with(' ') || !number.starts_with(|it: char| it.is_ascii_digit())
}

/// Whether it has a binary quantity beyond 64 bits.
pub(super) fn is_large_binary(source: &str) -> bool {
    let mut texts = source.split('\'').skip(1).step_by(2);
    texts.any(|text| text.ends_with("Ei") || text.ends_with('i') && text.contains("9223372036854775807"))
}

/// Whether WHATWG's rules, by which the rival reads URLs, differ from those of RFC 3986.
pub(super) fn is_unusual_url(source: &str) -> bool {
    const MARKS: &[&str] = &[
        "%",
        " ",
        ";",
        "\\U",
        "..",
        "EXAMPLE",
        "HTTPS",
        ":x",
        ":'",
        ":/a",
        ":/?",
        ":80",
        "://:",
        "://x",
        "://?",
        "#",
        "[",
        "@",
        "mailto",
        "file",
        "1http",
        ":///",
        "localhost",
        "99999",
    ];
    let texts = source.split('\'').skip(1).step_by(2);
    texts.into_iter().any(|text| {
        let relative = !text.contains("://") || text.starts_with('/');
        relative || text.ends_with("://") || MARKS.iter().any(|it| text.contains(it))
    })
}
