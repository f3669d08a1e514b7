//! Literals, many of them at the edges of their types.

use super::datum::quoted;
use super::expression::{Expression, Piece};
use super::grammar::Ty;
use super::kubernetes_text;
use crate::random::Random;

/// The simplest kind of expression of the type, without variables.
pub(super) fn leaf(ty: &Ty, random: &mut Random) -> Expression {
    let (template, parts): (&'static str, Vec<Piece>) = match ty {
        Ty::Named("timestamp") => ("timestamp($timestamp_text)", call("timestamp", text(TIMESTAMPS, random))),
        Ty::Named(kind @ ("quantity" | "ip" | "cidr" | "url" | "semver")) => {
            let text = format!("{kind}_text");
            let text = Expression::literal(Ty::Named("string"), named(&text, random));
            (kubernetes_text::template(kind), call(kind, text))
        }
        Ty::Named("duration") => ("duration($duration_text)", call("duration", text(DURATIONS, random))),
        Ty::Named("dyn") => {
            let inner = Ty::Named(random.word(DYNAMIC));
            ("dyn($T)", call("dyn", leaf(&inner, random)))
        }
        Ty::Named(name) => return Expression::literal(ty.clone(), named(name, random)),
        Ty::Param(param) => panic!("the parameter {param} has no meaning"),
        Ty::List(element) => ("[$T, …]", list(element, random)),
        Ty::Map(key, value) => ("{$K: $T, …}", map(key, value, random)),
        Ty::Optional(_) if random.percent(30) => return Expression::literal(ty.clone(), "optional.none()"),
        Ty::Optional(value) => ("optional.of($T)", call("optional.of", leaf(value, random))),
    };
    Expression::composed(ty.clone(), template, parts)
}

fn call(function: &str, argument: Expression) -> Vec<Piece> {
    vec![Piece::Text(format!("{function}(")), argument.into(), Piece::from(")")]
}

fn text(from: &[&str], random: &mut Random) -> Expression {
    Expression::literal(Ty::Named("string"), quoted(random.word(from)))
}

fn list(element: &Ty, random: &mut Random) -> Vec<Piece> {
    let mut parts = vec![Piece::from("[")];
    for _ in 0..random.below(4) {
        parts.extend([leaf(element, random).into(), Piece::from(", ")]);
    }
    close(parts, "]")
}

fn map(key: &Ty, value: &Ty, random: &mut Random) -> Vec<Piece> {
    let mut parts = vec![Piece::from("{")];
    for _ in 0..random.below(3) {
        let entry =
            [leaf(key, random).into(), Piece::from(": "), leaf(value, random).into(), Piece::from(", ")];
        parts.extend(entry);
    }
    close(parts, "}")
}

/// Puts the closing bracket in the place of the last comma.
fn close(mut parts: Vec<Piece>, bracket: &'static str) -> Vec<Piece> {
    if parts.len() > 1 {
        parts.pop();
    }
    parts.push(Piece::from(bracket));
    parts
}

fn named(name: &str, random: &mut Random) -> String {
    let from: &[&str] = match name {
        "null" => &["null"],
        "bool" => &["true", "false"],
        "int" => return int(random),
        "index" => &["0", "0", "0", "0", "0", "0", "1", "1", "1", "2", "3", "-1", "9223372036854775807"],
        "uint" => return uint(random),
        "double" => return double(random),
        "string" => return string(random),
        "bytes" => BYTES,
        "item" => &["spec.items[0]", "spec.items[1]"],
        "small" => &["0", "1", "2", "3", "5", "10", "-1", "-7"],
        "type" => &["int", "uint", "double", "string", "bytes", "bool", "list", "map", "null_type", "type"],
        "number_text" => NUMBERS,
        "bool_text" => BOOLS,
        "timestamp_text" => return quoted(one_of(TIMESTAMPS, ODD_TIMESTAMPS, random)),
        "duration_text" => return quoted(one_of(DURATIONS, ODD_DURATIONS, random)),
        "zone" => ZONES,
        "pattern" => PATTERNS,
        "base64_text" => {
            &["''", "'YQ=='", "'YQ'", "'YWI='", "'aGVsbG8='", "'/+8='", "'_-8='", "'!'", "'Y Q=='"]
        }
        "quantity_text" | "ip_text" | "cidr_text" | "url_text" | "semver_text" | "name_text" => {
            return quoted(&kubernetes_text::text(name, random));
        }
        other => panic!("no literals of {other}"),
    };
    random.word(from).to_owned()
}

fn int(random: &mut Random) -> String {
    match random.below(10) {
        0..6 => (i64::try_from(random.below(24)).unwrap() - 8).to_string(),
        6 => format!("{:#x}", random.below(1 << 20)),
        7 => i64::from_ne_bytes(random.next().to_ne_bytes()).to_string(),
        _ => random.pick(INTS).to_string(),
    }
}

fn uint(random: &mut Random) -> String {
    match random.below(10) {
        0..6 => format!("{}u", random.below(16)),
        6 => format!("{:#x}u", random.below(1 << 20)),
        7 => format!("{}u", random.next()),
        _ => format!("{}u", random.pick(UINTS)),
    }
}

fn double(random: &mut Random) -> String {
    match random.below(10) {
        0..4 => format!("{:?}", f64::from(u16::try_from(random.below(64)).unwrap()) / 4.0 - 4.0),
        4 => {
            let value = f64::from_bits(random.next());
            if value.is_finite() { format!("{value:?}") } else { "(0.0 / 0.0)".to_owned() }
        }
        _ => random.word(DOUBLES).to_owned(),
    }
}

fn string(random: &mut Random) -> String {
    let text = random.word(STRINGS);
    let plain = !text.contains(['\\', '\'', '"', '\n', '\r']);
    match random.below(6) {
        0 if plain => format!("r\"{text}\""),
        1 if plain => format!("'''{text}'''"),
        2 if plain => format!("\"{text}\""),
        3 if plain => format!("R'''{text}'''"),
        _ => quoted(text),
    }
}

fn one_of(usual: &[&'static str], odd: &[&'static str], random: &mut Random) -> &'static str {
    let from = if random.percent(50) { usual } else { odd };
    random.word(from)
}

const DYNAMIC: &[&str] =
    &["null", "bool", "int", "uint", "double", "string", "timestamp", "duration", "bytes"];

const INTS: &[i64] = &[
    i64::MAX,
    i64::MIN,
    i64::MAX - 1,
    i64::MIN + 1,
    1 << 53,
    (1 << 53) + 1,
    -(1 << 53) - 1,
    1 << 31,
    1 << 32,
    253_402_300_799,
    253_402_300_800,
    -62_135_596_800,
    1_000_000_007,
];

const UINTS: &[u64] = &[u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, 1 << 53, (1 << 53) + 1, 1 << 32];

const DOUBLES: &[&str] = &[
    "0.0",
    "-0.0",
    "1.0",
    "0.1",
    "0.5",
    "1.5",
    "2.5",
    "-0.5",
    "-1.5",
    "1e308",
    "1.7976931348623157e308",
    "-1e308",
    "1e-308",
    "5e-324",
    "9007199254740993.0",
    "9.223372036854775807e18",
    "9.223372036854774784e18",
    "-9.223372036854775808e18",
    "1.8446744073709552e19",
    "1.8446744073709550e19",
    "1e100",
    "1e21",
    "1e20",
    "-1e-7",
    "123456789.125",
    "3.141592653589793",
    ".25",
    "1e3",
    "double('inf')",
    "double('-inf')",
    "double('nan')",
];

const STRINGS: &[&str] = &[
    "",
    "a",
    "b",
    "ab",
    "abc",
    "abcabc",
    "Hello, World",
    "  padded ",
    "h\u{e9}llo",
    "\u{65e5}\u{672c}\u{8a9e}",
    "\u{1f600}a",
    "e\u{301}",
    "\u{df}\u{130}",
    "true",
    "1",
    "-1.5",
    "A",
    "Zz",
    "a\nb",
    "it's",
    "say \"x\"",
    "back\\slash",
    "a,b,,c",
    "%d %%",
    "\u{0}\u{7f}",
    "\u{2028}\u{a0}\u{feff}",
    "name",
    "count",
    "1h",
    "2024-02-29T12:30:45.678Z",
];

const BYTES: &[&str] = &[
    "b''",
    "b'a'",
    "b'abc'",
    "b'ab'",
    "b'\\xff'",
    "b'\\x00\\x01'",
    "b'h\u{e9}llo'",
    "b'\\xc3\\x28'",
    "b'\\303\\251'",
    "b'\\xf0\\x9f\\x98\\x80'",
    "br'x'",
    "b\"\"\"tri'ple\"\"\"",
];

const TIMESTAMPS: &[&str] = &[
    "1970-01-01T00:00:00Z",
    "1969-12-31T23:59:59.999999999Z",
    "2024-02-29T12:30:45.678Z",
    "2023-12-31T23:59:59Z",
    "2000-01-01T00:00:00+05:45",
    "2009-02-13T23:31:30.123456789Z",
    "2038-01-19T03:14:08Z",
    "1900-03-01T00:00:00-08:00",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999999Z",
    "2021-03-28T01:30:00Z",
    "2021-11-07T06:30:00Z",
    "1583-10-15T00:00:00.5Z",
];

const ODD_TIMESTAMPS: &[&str] = &[
    "",
    "now",
    "2024-02-30T00:00:00Z",
    "2023-02-29T00:00:00Z",
    "2024-01-01",
    "2024-01-01T00:00:00",
    "2024-01-01T24:00:00Z",
    "10000-01-01T00:00:00Z",
    "0000-12-31T23:59:59Z",
    "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-01:00",
    "2024-13-01T00:00:00Z",
];

const DURATIONS: &[&str] = &[
    "0s",
    "1s",
    "-1s",
    "1h",
    "1.5s",
    "90m",
    "1ms",
    "250us",
    "1ns",
    "-1ns",
    "1h2m3s4ms",
    "23h59m59.999999999s",
    "1000000h",
    "2562047h",
    "-9223372036.854775808s",
    "9223372036.854775807s",
    "31536000s",
    "100\u{b5}s",
];

const ODD_DURATIONS: &[&str] = &[
    "",
    "1",
    "s",
    "1 s",
    "1d",
    "1h-2m",
    "9223372037s",
    "-9223372037s",
    "+1s",
    "1e3s",
    ".5s",
    "1.s",
    "0",
    "-0",
];

const NUMBERS: &[&str] = &[
    "'0'",
    "'1'",
    "'-1'",
    "'42'",
    "'007'",
    "'1.5'",
    "'-2.5e3'",
    "'1e3'",
    "'9223372036854775807'",
    "'9223372036854775808'",
    "'-9223372036854775808'",
    "'-9223372036854775809'",
    "'18446744073709551615'",
    "'18446744073709551616'",
    "'1e400'",
    "''",
    "'x'",
    "' 1'",
    "'1 '",
    "'-'",
    "'1u'",
    "'1.'",
    "'.5'",
    "'\u{661}'",
];

const BOOLS: &[&str] = &[
    "'true'", "'false'", "'True'", "'TRUE'", "'t'", "'T'", "'f'", "'F'", "'1'", "'0'", "'tRuE'", "'yes'",
    "''",
];

const ZONES: &[&str] = &[
    "'UTC'",
    "'America/New_York'",
    "'Europe/Berlin'",
    "'Asia/Kathmandu'",
    "'Australia/Lord_Howe'",
    "'-08:00'",
    "'+05:45'",
    "'02:00'",
    "'-00:30'",
    "'+14:00'",
    "'Nowhere/Land'",
    "'Z'",
    "''",
];

const PATTERNS: &[&str] = &[
    "'a'",
    "'^a'",
    "'a$'",
    "'^a.*c$'",
    "'[a-z]+'",
    "r'\\d+'",
    "r'^\\w+$'",
    "r'\\s'",
    "'a|b'",
    "'(ab)+'",
    "'(?i)HELLO'",
    "'.'",
    "'^.$'",
    "''",
    "'^$'",
    "'a{2,3}'",
    "'['",
    "'('",
    "'*'",
    "'(?P<x>a)'",
    "r'\\p{L}+'",
    "r'\\bHello\\b'",
    "'(?s)a.b'",
    "'[^a]'",
];
