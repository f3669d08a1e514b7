use super::super::testing::{check, map, texts};
use super::*;
use crate::time::{Duration, Timestamp};

fn text_call(name: &str, args: &[Val<'_>], expect: &str) {
    check(&strings(Dialect::Specification), name, args, expect);
}

#[test]
fn positions_are_code_points() {
    let int_call = |name: &str, text: &str, index: i64, expect: &str| {
        text_call(name, &[Val::str(text), Val::Int(index)], expect);
    };
    int_call("charAt", "tacocat", 3, "'o'");
    int_call("charAt", "tacocat", 7, "''");
    int_call("charAt", "©αT", 1, "'α'");
    int_call("charAt", "tacocat", 8, "! index out of range: 8");
    int_call("charAt", "tacocat", -1, "! index out of range: -1");
    int_call("substring", "tacocat", 4, "'cat'");
    int_call("substring", "tacocat", 7, "''");
    int_call("substring", "tacocat", 40, "! index out of range: 40");
    let range = |text: &str, start, end, expect: &str| {
        text_call("substring", &[Val::str(text), Val::Int(start), Val::Int(end)], expect);
    };
    range("ta©o©αT", 2, 6, "'©o©α'");
    range("ta©o©αT", 7, 7, "''");
    range("tacocat", 1, 50, "! index out of range: 50");
    range("tacocat", 49, 50, "! index out of range: 49");
    range("tacocat", 4, 3, "! invalid substring range. start: 4, end: 3");
    range("tacocat", i64::MIN, i64::MAX, "! index out of range: -9223372036854775808");
}

#[test]
fn searches_count_code_points() {
    let find = |name: &str, text: &str, part: &str, expect: &str| {
        text_call(name, &[Val::str(text), Val::str(part)], expect);
    };
    find("indexOf", "tacocat", "", "0");
    find("indexOf", "ta©o©αT", "©", "2");
    find("indexOf", "tacocat", "none", "-1");
    find("lastIndexOf", "tacocat", "", "7");
    find("lastIndexOf", "ta©o©αT", "©", "4");
    find("lastIndexOf", "", "@@", "-1");
    find("lastIndexOf", "hello wello", "hello wello", "0");
}

#[test]
fn searches_start_at_an_offset() {
    let find = |dialect, name: &str, text: &str, part: &str, offset, expect: &str| {
        check(&strings(dialect), name, &[Val::str(text), Val::str(part), Val::Int(offset)], expect);
    };
    let spec = Dialect::Specification;
    find(spec, "indexOf", "tacocat", "a", 3, "5");
    find(spec, "indexOf", "ta©o©αT", "©αT", 3, "4");
    find(spec, "indexOf", "ta©o©αT", "©α", 5, "-1");
    find(spec, "lastIndexOf", "tacocat", "a", 3, "1");
    find(spec, "lastIndexOf", "ta©o©αT", "©α", 4, "4");
    find(spec, "lastIndexOf", "aé", "b", 0, "-1");
    find(spec, "lastIndexOf", "bananananana", "nana", 7, "6");
    find(spec, "lastIndexOf", "hello wello", "ello", 6, "1");
    find(spec, "indexOf", "tacocat", "a", 30, "! index out of range: 30");
    find(spec, "lastIndexOf", "tacocat", "a", 30, "! index out of range: 30");
    find(spec, "lastIndexOf", "tacocat", "a", -1, "! index out of range: -1");
    let go = Dialect::CelGo;
    find(go, "indexOf", "tacocat", "a", 30, "-1");
    find(go, "indexOf", "tacocat", "", 30, "7");
    find(go, "lastIndexOf", "tacocat", "a", 30, "-1");
    find(go, "lastIndexOf", "tacocat", "a", 7, "-1");
    find(spec, "lastIndexOf", "tacocat", "a", 7, "5");
    find(go, "lastIndexOf", "tacocat", "", 7, "7");
    find(go, "lastIndexOf", "tacocat", "", 30, "7");
    find(go, "lastIndexOf", "cat", "t", 3, "-1");
    find(go, "lastIndexOf", "cat", "", 3, "3");
    find(spec, "lastIndexOf", "cat", "t", 3, "2");
    find(go, "indexOf", "tacocat", "a", -30, "! index out of range: -30");
}

#[test]
fn splits_and_joins() {
    let split = |text: &str, separator: &str, limit: i64, expect: &str| {
        text_call("split", &[Val::str(text), Val::str(separator), Val::Int(limit)], expect);
    };
    split("hello world", " ", -1, "['hello', 'world']");
    split("hello world events!", " ", 0, "[]");
    split("hello world events!", " ", 1, "['hello world events!']");
    split("hello world events!", " ", 2, "['hello', 'world events!']");
    split("", ",", -1, "['']");
    split("", "", -1, "[]");
    split("a©b", "", -1, "['a', '©', 'b']");
    split("a©b", "", 2, "['a', '©b']");
    split("a©b", "", 0, "[]");
    split(",a,", ",", -1, "['', 'a', '']");
    text_call("join", &[texts(&["x", "y"])], "'xy'");
    text_call("join", &[texts(&["x", "y"]), Val::str("-")], "'x-y'");
    text_call("join", &[texts(&[]), Val::str("-")], "''");
    text_call("join", &[Val::list(vec![Val::Int(1)])], "! join: invalid input: int");
}

#[test]
fn replaces() {
    let replace = |text: &str, from: &str, to: &str, times: i64, expect: &str| {
        text_call("replace", &[Val::str(text), Val::str(from), Val::str(to), Val::Int(times)], expect);
    };
    replace("{0} days {0} hours", "{0}", "2", 1, "'2 days {0} hours'");
    replace("1 ©αT taco", "αT", "o©α", -1, "'1 ©o©α taco'");
    replace("ab", "", "-", -1, "'-a-b-'");
    replace("ab", "", "-", 2, "'-a-b'");
    replace("ab", "a", "-", 0, "'ab'");
}

#[test]
fn changes_case_and_space() {
    text_call("lowerAscii", &[Val::str("TacoCÆt Xii")], "'tacocÆt xii'");
    text_call("upperAscii", &[Val::str("tacoCαt")], "'TACOCαT'");
    text_call("trim", &[Val::str(" \x0c\n\r\t\x0b\u{85}\u{a0}text\u{2028}\u{3000}")], "'text'");
    text_call("trim", &[Val::str(" \u{2029} ")], "''");
    text_call("trim", &[Val::str("\u{180e}text\u{200b}\u{feff}")], "'\u{180e}text\u{200b}\u{feff}'");
    text_call("reverse", &[Val::str("Ta©oCαt")], "'tαCo©aT'");
    text_call("strings.quote", &[Val::str("a\x07\"\\\n\u{1}é")], "'\"a\\a\\\"\\\\\\n\u{1}é\"'");
}

#[test]
fn formats() {
    let format = |template: &str, args: Vec<Val<'_>>, expect: &str| {
        text_call("format", &[Val::str(template), Val::list(args)], expect);
    };
    format("%%%s%%", vec![Val::str("text")], "'%text%'");
    format("%d %d", vec![Val::Int(-1), Val::Double(2.5)], "'-1 2.5'");
    format("%.3f|%f|%.0f", vec![Val::Double(1.2345), Val::Int(2), Val::Double(2.5)], "'1.234|2.000000|2'");
    format("%.6e", vec![Val::Double(1_052.032_911_275)], "'1.052033e+03'");
    format("%e", vec![Val::Double(1e-300)], "'1.000000e-300'");
    format("%b %b %b", vec![Val::Int(-5), Val::Bool(true), Val::Uint(64)], "'-101 1 1000000'");
    format("%o %x %X", vec![Val::Int(11), Val::Int(-30), Val::Uint(30)], "'13 -1e 1E'");
    format("%x %X", vec![Val::str("Hi!"), Val::bytes(*b"\xff\x00")], "'486921 FF00'");
    format("%s", vec![Val::Double(f64::NEG_INFINITY)], "'-Infinity'");
    let moment = Timestamp::parse("2023-02-03T23:31:20Z").unwrap();
    let aggregate = Val::list(vec![Val::str("abc"), Val::Null, Val::Timestamp(moment)]);
    format("%s", vec![aggregate], "'[abc, null, 2023-02-03T23:31:20Z]'");
    let span = Val::Duration(Duration::parse("2h").unwrap());
    format("%s", vec![map(&[("b", span), ("a", Val::Type(Type::Uint.into()))])], "'{a: uint, b: 7200s}'");
}

#[test]
fn refuses_wrong_formats() {
    let format = |template: &str, args: Vec<Val<'_>>, expect: &str| {
        text_call("format", &[Val::str(template), Val::list(args)], expect);
    };
    format("%", vec![], "! index 0 out of range");
    format("%", vec![Val::Null], "! unexpected end of string");
    format("%d %d %d", vec![Val::Int(0), Val::Int(1)], "! index 2 out of range");
    let clause = "! could not parse formatting clause: ";
    format("%a", vec![Val::Int(1)], &format!("{clause}unrecognized formatting clause \"a\""));
    let precision = format!("{clause}error while parsing precision: ");
    format(
        "%.101f",
        vec![Val::Int(1)],
        &format!("{precision}precision 101 exceeds maximum allowed precision 100"),
    );
    format("%.3", vec![Val::Int(1)], &format!("{precision}could not find end of precision specifier"));
    format(
        "%b",
        vec![Val::str("abc")],
        "! error during formatting: only ints, uints, and bools can be formatted as binary, was given string",
    );
    format(
        "null: %d",
        vec![Val::Null],
        "! error during formatting: decimal clause can only be used on ints, uints, and doubles, was given null_type",
    );
}
