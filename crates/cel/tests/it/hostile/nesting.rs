//! Expressions that are deep or long.

use super::Case;
use super::Expect::{Anything, Error, Refused, Value};

/// More than any parser wants to recurse.
const DEEP: usize = 100_000;
/// As deep, within the limit on the length of sources.
const SHALLOWER: usize = 9_000;
const LONG: usize = 5_000;

pub(super) fn cases() -> Vec<Case> {
    [nested(), unclosed(), chains(), sizes()].into_iter().flatten().collect()
}

/// What nests, by its beginning and end.
const BRACKETS: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{'a': ", "}"),
    ("{", ": 1}"),
    ("[?", "]"),
    ("!(", ")"),
    ("-(", ")"),
    ("!-", ""),
    ("1 + (", ")"),
    ("true && (", ")"),
    ("true ? 1 : ", ""),
    ("true ? (", ") : 1"),
    ("(", ") ? true : false"),
    ("self[", "]"),
    ("self[?", "]"),
    ("size(", ")"),
    ("dyn(", ")"),
    ("nothing(", ")"),
    ("self.nothing(", ")"),
    ("has(", ".a)"),
    ("[1].map(x, ", ")"),
    ("[1].all(x, ", ")"),
    ("[1].filter(x, true).map(y, ", ")"),
    ("{1: 2}.transformMap(k, v, ", ")"),
    ("cel.bind(x, ", ", x)"),
    ("cel.bind(x, 1, ", ")"),
    ("cel.block([", "], cel.index(0))"),
    ("optional.of(", ")"),
    ("optional.of(1).optMap(x, ", ")"),
    ("math.greatest(", ")"),
    ("[1].sortBy(x, ", ")"),
    ("A{a: ", "}"),
    ("google.protobuf.Int32Value{value: ", "}"),
    ("runtime.newCondition({type: ", ", status: 'True'})"),
];

fn nested() -> Vec<Case> {
    let nest = |depth: usize| {
        move |(open, close): &(&str, &str)| {
            let source = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            Case::new(format!("{depth} times {open}{close}"), Refused, source)
        }
    };
    let mut cases: Vec<Case> = BRACKETS.iter().map(nest(DEEP)).collect();
    cases.extend(BRACKETS.iter().map(nest(SHALLOWER / 4)));
    cases.extend(BRACKETS.iter().map(nest(240)).map(|it| Case { expect: Anything, ..it }));
    cases.extend(BRACKETS.iter().map(nest(60)).map(|it| Case { expect: Anything, ..it }));
    cases
}

fn unclosed() -> Vec<Case> {
    let openings = BRACKETS
        .iter()
        .map(|(open, _)| *open)
        .chain(["a.", "a ? ", "a :", "'", "'''", "b\"", "r'", "`", "//", "\\", ","]);
    let many =
        |open: &str| Case::new(format!("unclosed {open}"), Refused, open.repeat(SHALLOWER / open.len()));
    let mut cases: Vec<Case> = openings.map(many).collect();
    cases.extend(BRACKETS.iter().filter(|it| !it.1.is_empty()).map(|(_, close)| many(close)));
    cases
}

/// Operators that may follow one another, with what stands between them.
const OPERATORS: &[(&str, &str, super::Expect)] = &[
    ("1", " + ", Value),
    ("1", " - ", Value),
    ("1", " * ", Value),
    ("1", " / ", Value),
    ("3", " % ", Value),
    ("1.5", " * ", Value),
    ("1u", " + ", Value),
    ("'ab'", " + ", Value),
    ("b'ab'", " + ", Anything),
    ("[1]", " + ", Anything),
    ("dyn(1)", " + ", Value),
    ("dyn('a')", " + ", Anything),
    ("duration('1s')", " + ", Value),
    ("true", " && ", Value),
    ("false", " || ", Value),
    ("dyn(1)", " || ", Error),
    ("1", " == 1 && 2 > ", Refused),
    ("true", " && true || ", Value),
    ("true", " == ", Refused),
    ("true", " != ", Refused),
    ("dyn(1)", " < ", Refused),
    ("dyn(1)", " >= ", Refused),
    ("dyn(1)", " in ", Refused),
    ("dyn(1)", " == dyn(1) + ", Refused),
];

fn chains() -> Vec<Case> {
    let chain = |(operand, operator, expect): &(&str, &str, super::Expect)| {
        let source = vec![*operand; LONG].join(operator);
        Case::new(format!("{LONG} times {operand}{operator}"), *expect, source)
    };
    let mut cases: Vec<Case> = OPERATORS.iter().map(chain).collect();
    let tails = [
        ".a",
        ".?a",
        "[0]",
        "[?0]",
        "['a']",
        ".size()",
        ".nothing()",
        ".map(x, x)",
        ".orValue(1)",
        ".first()",
        ".?a.b",
    ];
    for tail in tails {
        for count in [LONG, 20_000, 240] {
            let expect = if count == 240 { Anything } else { Refused };
            cases.push(Case::new(
                format!("{count} times {tail}"),
                expect,
                format!("self{}", tail.repeat(count)),
            ));
        }
    }
    let prefixes = [("!", "true"), ("-", "1"), ("!", "(true)"), ("- ", "(1)")];
    cases.extend(prefixes.map(|(prefix, operand)| {
        Case::new(format!("{DEEP} times {prefix}"), Anything, prefix.repeat(90_000) + operand)
    }));
    cases
}

/// Sources of a megabyte, and others near the limit.
fn sizes() -> Vec<Case> {
    const MEGABYTE: usize = 1 << 20;
    let near = 99_000;
    let repeated = |name: &str, expect, start: &str, part: &str, end: &str, size: usize| {
        Case::new(
            format!("{size} bytes of {name}"),
            expect,
            format!("{start}{}{end}", part.repeat(size / part.len())),
        )
    };
    vec![
        repeated("sum", Refused, "1", " + 1", "", MEGABYTE),
        repeated("text", Refused, "'", "x", "'", MEGABYTE),
        repeated("wide text", Refused, "'", "\u{1f600}", "'", MEGABYTE),
        repeated("spaces", Refused, "", " ", "1", MEGABYTE),
        repeated("comment", Refused, "//", "x", "", MEGABYTE),
        repeated("name", Refused, "", "x", "", MEGABYTE),
        repeated("wrong characters", Refused, "", "\u{0}", "", MEGABYTE),
        repeated("text", Value, "'", "x", "'", near),
        repeated("wide text", Value, "'", "\u{1f600}", "'", 4 * near),
        repeated("escapes", Value, "'", "\\n", "'", near),
        repeated("spaces", Value, "", " ", "1", near),
        repeated("lines", Value, "", "\n", "1", near),
        repeated("comments", Value, "", "//\n", "1", near),
        repeated("name", Refused, "", "x", "", near),
        repeated("digits", Refused, "", "9", "", near),
        repeated("digits", Anything, "0.", "9", "", near),
        repeated("exponent", Anything, "1e", "9", "", near),
        repeated("wrong characters", Refused, "", "#", "", near),
        repeated("wrong lines", Refused, "", "#\n", "", near),
        repeated("wrong literals", Refused, "[", "'\\q',", "]", near),
        repeated("unknown names", Refused, "[", "a,", "]", near),
        repeated("unknown names in lines", Refused, "[", "a,\n", "]", near),
        repeated("unknown functions", Refused, "[", "f(),", "]", near),
        repeated("unknown messages", Refused, "[", "A{},", "]", near),
        repeated("wrong types", Refused, "[", "1+'',", "]", near),
        repeated("wrong macros", Refused, "[", "has(1),", "]", near),
        repeated("elements", Value, "[", "1,", "]", near),
        repeated("lists", Value, "[", "[],", "]", near),
        repeated("mixed elements", Value, "[", "1,'',", "]", near),
        repeated("equal keys", Error, "{", "1:1,", "}", near),
        repeated("equal names", Error, "{", "'a':1,", "}", near),
        repeated("arguments", Refused, "size(", "1,", "1)", near),
        repeated("least", Value, "math.least(", "1,", "1)", near),
        repeated("comprehensions", Value, "[", "[1].map(x,x),", "]", near),
        repeated("conditions", Refused, "", "true ? 1 : ", "2", near),
        repeated("strange names", Refused, "", "a.`b`.", "c", near),
        repeated("dots", Refused, "", ".", "", near),
        repeated("question marks", Refused, "self", ".?", "a", near),
        Case::new(
            "many keys",
            Value,
            format!("{{{}}}", (0..9_000).map(|it| format!("{it}: 1,")).collect::<Vec<_>>().concat()),
        ),
        Case::new(
            "many names",
            Value,
            format!("{{{}}}", (0..8_000).map(|it| format!("'a{it}': 1,")).collect::<Vec<_>>().concat()),
        ),
    ]
}
