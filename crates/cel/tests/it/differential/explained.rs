//! Disagreements in which the rival is wrong, or the specification leaves the choice.
//!
//! Where the specification does not decide, cel-go does (and Kubernetes for its own functions): each entry was put to them.

use super::datum::Datum;
use super::engines::{Outcome, PANIC};
use super::reduce::Disagreement;

use Rival::{Cel, CelCore, KubeCel};

/// An engine that krono is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rival {
    Cel = 1,
    CelCore,
    KubeCel,
}

impl Rival {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cel => "cel",
            Self::CelCore => "cel-core",
            Self::KubeCel => "kube-cel",
        }
    }
}

/// Why the engines disagree, if that is known.
pub(super) fn reason(rival: Rival, disagreement: &Disagreement) -> Option<&'static str> {
    let found = EXPLAINED.iter().find(|it| it.rivals.contains(&rival) && (it.applies)(disagreement));
    found.map(|it| it.reason)
}

/// A kind of disagreement.
struct Explained {
    rivals: &'static [Rival],
    /// What is right; the rivals do otherwise.
    reason: &'static str,
    applies: fn(&Disagreement) -> bool,
}

const EXPLAINED: &[Explained] = &[
    Explained {
        rivals: &[Cel, CelCore],
        reason: "comparisons with NaN are false, not errors",
        applies: |it| it.compares() && it.krono_gives(&Datum::Bool(false)) && it.rival_fails(),
    },
    Explained {
        rivals: &[Cel, KubeCel],
        reason: "lists that contain NaN have an order",
        applies: |it| it.is_one_of(LIST_ORDERS) && it.mentions(is_nan) && it.rival_fails(),
    },
    Explained {
        rivals: &[CelCore],
        reason: "NaN is neither the greatest nor the least number",
        applies: |it| it.template.starts_with("math.") && it.mentions(is_nan) && it.krono_fails(),
    },
    Explained {
        rivals: &[Cel, CelCore],
        reason: "a value that cannot be a key is in no map",
        applies: |it| {
            it.template == "$dyn in $map(K, T)" && it.krono_gives(&Datum::Bool(false)) && it.rival_fails()
        },
    },
    Explained {
        rivals: &[Cel, CelCore],
        reason: "`or` and `orValue` of a present optional do not look at their argument",
        applies: |it| it.template.contains(".or") && it.krono.value().is_some() && it.rival_fails(),
    },
    Explained {
        rivals: &[CelCore],
        reason: "a failure in what is bound matters only where the name is used",
        applies: |it| {
            it.template.starts_with("cel.bind(") && it.arguments[0].is_none() && it.krono.value().is_some()
        },
    },
    Explained {
        rivals: &[CelCore],
        reason: "the index of an absent optional is not evaluated",
        applies: |it| {
            it.template.starts_with("$optional(")
                && it.krono_gives(&Datum::Optional(None))
                && it.rival_fails()
        },
    },
    Explained {
        rivals: &[Cel, CelCore],
        reason: "it is an error to look for fields in a number",
        applies: |it| it.is_one_of(&["free.?count.?x", "has(free.count.x)"]) && it.krono_fails(),
    },
    Explained {
        rivals: &[CelCore],
        reason: "has() does not hide errors in its operand",
        applies: |it| {
            it.template.starts_with("has(") && it.krono_fails() && it.rival_gives(&Datum::Bool(false))
        },
    },
    Explained {
        rivals: &[CelCore],
        reason: "negative numbers are no positions in lists",
        applies: |it| it.template.contains("$index]") && it.mentions(|part| matches!(part, Datum::Int(..0))),
    },
    Explained {
        rivals: &[CelCore],
        reason: "durations are 64 bits of nanoseconds",
        applies: |it| {
            it.krono_fails() && exceeds_duration(it.rival.value())
                || it.is_one_of(FAR_TIMES) && it.krono_fails()
        },
    },
    Explained {
        rivals: &[CelCore],
        reason: "parts of durations are counted from zero, milliseconds over the whole of it",
        applies: |it| {
            it.template == "$duration.getMilliseconds()"
                || it.template.starts_with("$duration.get")
                    && it.mentions(|part| matches!(part, Datum::Duration(..0)))
        },
    },
    Explained {
        rivals: &[Cel, CelCore, KubeCel],
        reason: "durations are read as Go does: signs first, a bare 0, no exponents, to the nanosecond",
        applies: |it| it.template == "duration($duration_text)" && it.mentions(is_odd_duration),
    },
    Explained {
        rivals: &[Cel],
        reason: "parts of timestamps are those of universal time",
        applies: |it| {
            it.template.starts_with("$timestamp.get")
                && !it.template.contains("$zone")
                && (it.source.contains("+05:45") || it.source.contains("-08:00"))
        },
    },
    Explained {
        rivals: &[Cel, CelCore],
        reason: "the rules of time zones hold after 2037, too",
        applies: |it| {
            it.template.contains("($zone)")
                && it.mentions(|part| matches!(part, Datum::Timestamp(2_145_916_800.., _)))
        },
    },
    Explained {
        rivals: &[CelCore],
        reason: "a time zone without a name is universal time",
        applies: |it| {
            it.template.contains("($zone)") && it.mentions(|part| is_text(part, "")) && it.rival_fails()
        },
    },
    Explained {
        rivals: &[Cel, CelCore],
        reason: "bool() reads `T` and `F`",
        applies: |it| {
            it.template == "bool($bool_text)" && it.mentions(|part| is_text(part, "T") || is_text(part, "F"))
        },
    },
    Explained {
        rivals: &[Cel, CelCore],
        reason: "text of a number that no double can hold is an error",
        applies: |it| it.template == "double($number_text)" && it.mentions(|part| is_text(part, "1e400")),
    },
    Explained {
        rivals: &[Cel, CelCore],
        reason: "string(double) writes the shortest text, as Go's %g does",
        applies: |it| it.template == "string($double)" && same_number(&it.krono, &it.rival),
    },
    Explained {
        rivals: &[Cel],
        reason: "string clauses write all nanoseconds, and replace bytes that are no text one by one",
        applies: |it| {
            it.template.starts_with("'%s") && it.mentions(|part| is_long_duration(part) || is_binary(part))
        },
    },
    Explained {
        rivals: &[CelCore],
        reason: "string clauses write maps in the order of their keys as text",
        applies: |it| {
            it.template.starts_with("'%s")
                && it.mentions(|part| matches!(part, Datum::Map(entries) if entries.len() > 1))
        },
    },
    Explained {
        rivals: &[CelCore],
        reason: "%d takes doubles, and %e the smallest ones",
        applies: |it| {
            it.template == "'%d'.format([$double])" && it.rival_fails()
                || it.template.starts_with("'%e")
                    && it.mentions(|part| matches!(part, Datum::Double(value) if value.is_subnormal()))
        },
    },
    Explained {
        rivals: &[CelCore],
        reason: "%x and %o write negative numbers with a sign",
        applies: |it| {
            it.is_one_of(&["'%x %X'.format([$int, $uint])", "'%o %b'.format([$int, $uint])"])
                && it.mentions(|part| matches!(part, Datum::Int(..0)))
        },
    },
    Explained {
        rivals: &[Cel],
        reason: "empty text lies behind the end only where the offset does not",
        applies: |it| {
            it.template.contains("ndexOf($string, $index)")
                && is_some_text(it.arguments[1].as_ref(), "")
                && it.krono_fails()
        },
    },
    Explained {
        rivals: &[Cel],
        reason: "there is nothing to be found behind the last character, but looking there is no error",
        applies: |it| {
            it.template.contains("ndexOf($string, $index)") && it.krono.value().is_some() && it.rival_fails()
        },
    },
    Explained {
        rivals: &[CelCore],
        reason: "splitting by nothing gives the characters",
        applies: |it| it.template.starts_with("$string.split(") && is_some_text(it.arguments[1].as_ref(), ""),
    },
    Explained {
        rivals: &[CelCore],
        reason: "line breaks may stand in base64",
        applies: |it| it.template.starts_with("base64.decode(") && it.source.contains("\\U0000000a"),
    },
    Explained {
        rivals: &[CelCore],
        reason: "rounding keeps the sign of zero",
        applies: |it| it.template == "math.round($double)" && it.krono_gives(&Datum::Double(-0.0)),
    },
    Explained {
        rivals: &[Cel, CelCore],
        reason: "the start of the year 1 is the zero of timestamps, and no time that of durations",
        applies: |it| {
            it.template == "optional.ofNonZeroValue($T)"
                && it.mentions(|part| matches!(part, Datum::Timestamp(..) | Datum::Duration(0)))
        },
    },
    Explained {
        rivals: &[Cel, CelCore, KubeCel],
        reason: "in patterns \\w, \\s and \\b are about ASCII",
        applies: |it| {
            it.template.contains("$pattern") && it.source.contains('\\') && it.mentions(is_not_ascii)
        },
    },
    Explained {
        rivals: &[Cel, KubeCel],
        reason: "any character may stand in a string",
        applies: |it| it.source.contains('\0') && it.rival_fails(),
    },
    Explained {
        rivals: &[Cel, CelCore, KubeCel],
        reason: "empty lists and optionals take the type of the first overload that fits",
        applies: |it| {
            matches!(&it.krono, Outcome::Refused(issues) if ["no matching overload", "expected type"].iter().any(|it| issues.contains(it)))
                && has_untyped(&it.source)
        },
    },
    Explained {
        rivals: &[KubeCel],
        reason: "a panic is no verdict",
        applies: |it| matches!(&it.rival, Outcome::Error(error) if error == PANIC),
    },
    Explained {
        rivals: &[KubeCel],
        reason: "durations have sums, and bytes an order",
        applies: |it| {
            it.rival_fails()
                && (it.template == "$list(duration).sum()"
                    || it.is_one_of(LIST_ORDERS) && it.mentions(|part| matches!(part, Datum::Bytes(_))))
        },
    },
    Explained {
        rivals: &[KubeCel],
        reason: "sums do not wrap around",
        applies: |it| it.template.ends_with(".sum()") && it.krono_fails(),
    },
    Explained {
        rivals: &[KubeCel],
        reason: "a sum starts from zero, which has no sign",
        applies: |it| it.template == "$list(double).sum()" && it.krono_gives(&Datum::Double(0.0)),
    },
    Explained {
        rivals: &[KubeCel],
        reason: "a quantity may lack digits, but not end in a space",
        applies: |it| it.template.contains("uantity($quantity_text)") && is_odd_quantity(&it.source),
    },
    Explained {
        rivals: &[KubeCel],
        reason: "binary quantities are capped at 64 bits",
        applies: |it| it.template.contains("uantity") && is_large_binary(&it.source),
    },
    Explained {
        rivals: &[KubeCel],
        reason: "krono holds quantities in 128 bits; Kubernetes has no bound for sums",
        applies: |it| matches!(&it.krono, Outcome::Error(error) if error == "quantity overflow"),
    },
    Explained {
        rivals: &[KubeCel],
        reason: "sums of quantities beyond 64 bits do not wrap around",
        applies: |it| {
            it.template == "$quantity.asApproximateFloat()"
                && matches!(it.krono.value(), Some(Datum::Double(sum)) if sum.abs() > 9.3e18)
        },
    },
    Explained {
        rivals: &[KubeCel],
        reason: "bytes are quoted in all the ways in which strings are",
        applies: |it| {
            it.template == "literal" && (it.source.starts_with("br'") || it.source.starts_with("b\"\"\""))
        },
    },
    Explained {
        rivals: &[KubeCel],
        reason: "quantities with a fraction or many digits are no integers, even if they are whole",
        applies: |it| it.is_one_of(&["$quantity.asInteger()", "$quantity.isInteger()"]),
    },
    Explained {
        rivals: &[KubeCel],
        reason: "quantities count billionths, rounded up; as doubles they are approximate",
        applies: |it| it.template == "$quantity.asApproximateFloat()" && nearly_equal(it),
    },
    Explained {
        rivals: &[KubeCel],
        reason: "addresses and prefix lengths have no leading zeros",
        applies: |it| {
            it.krono.value().is_none_or(|it| *it == Datum::Bool(false))
                && ["/08", "01.2.3.4", "1.2.3.04"].iter().any(|zero| it.source.contains(zero))
        },
    },
    Explained {
        rivals: &[KubeCel],
        reason: "a version is normalized by dropping `v`, not `V`, and by adding zeros at the end",
        applies: |it| it.template.contains("emver($semver_text, $bool)") && it.source.contains("true"),
    },
    Explained {
        rivals: &[KubeCel],
        reason: "URLs are read by RFC 3986, and not changed",
        applies: |it| {
            (it.template.contains("$url") || it.template.starts_with("format.uri()"))
                && is_unusual_url(&it.source)
        },
    },
    Explained {
        rivals: &[KubeCel],
        reason: "formats are those of go-openapi: padded base64 with text, dashes optional in UUIDs, no limit for parts of names, but some text",
        applies: |it| it.is_one_of(FORMATS) && ODD_NAMES.iter().any(|name| it.source.contains(name)),
    },
];

const LIST_ORDERS: &[&str] = &[
    "([$O] + $list(O)).sort()",
    "$list(T).sortBy(@T, &O)",
    "$list(dyn).sort()",
    "$list(O).min()",
    "$list(O).max()",
    "$list(O).isSorted()",
];
const FAR_TIMES: &[&str] = &["$timestamp - $duration", "$timestamp + $duration", "$duration + $timestamp"];
const FORMATS: &[&str] = &[
    "format.byte().validate($base64_text).hasValue()",
    "format.uuid().validate($name_text).hasValue()",
    "format.dns1123Subdomain().validate($name_text).hasValue()",
    "format.dns1123SubdomainPrefix().validate($name_text).hasValue()",
    "format.dns1035LabelPrefix().validate($name_text).hasValue()",
];
const ODD_NAMES: &[&str] =
    &["('')", "'YQ'", "'_-8='", "'Y Q=='", "'123e4567e89b12d3", "'0123456789012345678901234567890123456789"];

impl Disagreement {
    fn is_one_of(&self, templates: &[&str]) -> bool {
        templates.contains(&self.template)
    }

    fn compares(&self) -> bool {
        [" < ", " <= ", " > ", " >= "].iter().any(|it| self.template.contains(it))
    }

    fn krono_gives(&self, value: &Datum) -> bool {
        self.krono.value() == Some(value)
    }

    fn rival_gives(&self, value: &Datum) -> bool {
        self.rival.value() == Some(value)
    }

    fn krono_fails(&self) -> bool {
        matches!(self.krono, Outcome::Error(_))
    }

    fn rival_fails(&self) -> bool {
        self.rival.value().is_none()
    }

    /// Whether the test holds for some part of an argument.
    fn mentions(&self, test: fn(&Datum) -> bool) -> bool {
        self.arguments.iter().flatten().any(|it| it.any(&test))
    }
}

fn is_nan(value: &Datum) -> bool {
    matches!(value, Datum::Double(value) if value.is_nan())
}

fn is_text(value: &Datum, text: &str) -> bool {
    matches!(value, Datum::String(found) if found == text)
}

fn is_some_text(value: Option<&Datum>, text: &str) -> bool {
    value.is_some_and(|it| is_text(it, text))
}

fn is_not_ascii(value: &Datum) -> bool {
    matches!(value, Datum::String(text) if !text.is_ascii())
}

fn is_binary(value: &Datum) -> bool {
    matches!(value, Datum::Bytes(bytes) if str::from_utf8(bytes).is_err())
}

/// Whether a double cannot hold all its nanoseconds.
fn is_long_duration(value: &Datum) -> bool {
    matches!(value, Datum::Duration(nanos) if nanos.abs() > 1_000_000_000_000_000)
}

fn is_odd_duration(value: &Datum) -> bool {
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

fn exceeds_duration(value: Option<&Datum>) -> bool {
    matches!(value, Some(Datum::Duration(nanos)) if i64::try_from(*nanos).is_err())
}

fn same_number(krono: &Outcome, rival: &Outcome) -> bool {
    match (krono.value(), rival.value()) {
        (Some(Datum::String(a)), Some(Datum::String(b))) => a.parse::<f64>().ok() == b.parse().ok(),
        _ => false,
    }
}

fn nearly_equal(it: &Disagreement) -> bool {
    match (it.krono.value(), it.rival.value()) {
        (Some(Datum::Double(a)), Some(Datum::Double(b))) => {
            // Binary quantities are capped at 64 bits.
            let capped = it.source.contains("i'") && b.abs() > 9.2e18;
            capped || (a - b).abs() <= 2e-9 + a.abs() * 1e-14
        }
        _ => false,
    }
}

fn has_untyped(source: &str) -> bool {
    ["[]", "{}", "optional.none()"].iter().any(|it| source.contains(it))
}

/// Whether the text has no digits before its suffix, or a space behind it.
fn is_odd_quantity(source: &str) -> bool {
    let text = source.split('\'').nth(1).unwrap_or_default();
    let number = text.trim_start_matches(['+', '-']).trim_start_matches('.');
    text.ends_with(' ') || !number.starts_with(|it: char| it.is_ascii_digit())
}

/// Whether it has a binary quantity beyond 64 bits.
fn is_large_binary(source: &str) -> bool {
    let mut texts = source.split('\'').skip(1).step_by(2);
    texts.any(|text| text.ends_with("Ei") || text.ends_with('i') && text.contains("9223372036854775807"))
}

/// Whether WHATWG's rules, by which the rival reads URLs, differ from those of RFC 3986.
fn is_unusual_url(source: &str) -> bool {
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
