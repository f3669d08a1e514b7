//! Disagreements in which the rival is wrong, or the specification leaves the choice.
//!
//! Where the specification does not decide, cel-go does (and Kubernetes for its own functions): each entry was put to them.

use super::datum::Datum;
use super::engines::{Outcome, PANIC};
use super::reduce::Disagreement;
use super::signs::{
    FAR_TIMES, FORMATS, LIST_ORDERS, ODD_NAMES, exceeds_duration, has_untyped, is_binary, is_large_binary,
    is_long_duration, is_nan, is_not_ascii, is_odd_duration, is_odd_quantity, is_some_text, is_text,
    is_unusual_url, nearly_equal, same_number,
};

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
