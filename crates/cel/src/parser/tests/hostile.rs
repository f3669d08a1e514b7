//! Input made to break parsers: an answer, soon, on a small stack.

use std::time::{Duration, Instant};

use super::env;

const STACK: usize = 512 * 1024;

/// Parses on a small stack; gives the first message, or nothing when the source parses.
fn first_message(source: String) -> Option<String> {
    let started = Instant::now();
    let parse =
        move || env().parse(&source).err().and_then(|it| it.iter().next().map(|it| it.message.clone()));
    let message = std::thread::Builder::new().stack_size(STACK).spawn(parse).unwrap().join().unwrap();
    assert!(started.elapsed() < Duration::from_secs(1), "took {:?}", started.elapsed());
    message
}

#[track_caller]
fn too_deep(source: String) {
    let message = first_message(source);
    assert_eq!(message.as_deref(), Some("expression recursion limit exceeded: 250"));
}

#[track_caller]
fn parses(source: String) {
    assert_eq!(first_message(source), None);
}

fn around(open: &str, middle: &str, close: &str, depth: usize) -> String {
    open.repeat(depth) + middle + &close.repeat(depth)
}

/// The operators of all precedences before each parenthesis: the most frames a level of nesting can take.
const ALL_OPERATORS: &str = "a || b && c == d + e * -(";

const NESTS: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{1: ", "}"),
    ("{", ": 1}"),
    ("A{b: ", "}"),
    ("f(", ")"),
    ("x.f(", ")"),
    ("x[", "]"),
    ("!(", ")"),
    ("-(", ")"),
    ("x.all(i, ", ")"),
    ("cel.bind(a, ", ", a)"),
    ("a ? b : ", ""),
    ("a ? (", ") : b"),
    (ALL_OPERATORS, ")"),
];

#[test]
fn nesting_is_bounded() {
    for (open, close) in NESTS {
        let fits = 99_990 / (open.len() + close.len());
        parses(around(open, "1", close, 40));
        too_deep(around(open, "1", close, fits.min(250)));
        too_deep(around(open, "1", close, fits));
        too_deep(open.repeat(99_990 / open.len()));
    }
}

#[test]
fn the_limit_is_that_of_cel_go() {
    parses(around("(", "1", ")", 249));
    too_deep(around("(", "1", ")", 250));
}

#[test]
fn errors_deep_inside_are_found_on_a_small_stack() {
    for (open, close) in NESTS {
        let source = around(open, "1 $ 2", close, 240);
        assert!(first_message(source).unwrap().contains("token recognition error"), "{open}");
        let unclosed = format!("{}1 2 {}", open.repeat(240), ") ".repeat(200));
        assert!(first_message(unclosed).unwrap().starts_with("Syntax error: "), "{open}");
    }
}

#[test]
fn chains_of_operators_may_be_long() {
    for operator in [" + ", " - ", " * ", " / ", " % ", " && ", " || "] {
        parses(vec!["a"; 5_000].join(operator));
        parses(vec!["a.b[0]"; 5_000].join(operator));
    }
    parses(vec!["a + b * c && d"; 5_000].join(" || "));
    parses("!".repeat(99_999) + "a");
    parses("-".repeat(99_999) + "a");
    parses(format!("[{}]", "1, ".repeat(30_000)));
    parses(format!("f({}1)", "1, ".repeat(30_000)));
}

/// Comparisons of comparisons are bounded as all nesting is.
#[test]
fn chains_of_comparisons_may_not() {
    for operator in [" == ", " < ", " in "] {
        let message = first_message(vec!["a"; 5_000].join(operator)).unwrap();
        assert_eq!(message, "expression recursion limit exceeded: 250", "{operator}");
    }
}

#[test]
fn chains_of_members_are_bounded() {
    for link in [".b", "[0]", ".f()", ".?b", ".all(i, i)", ".optMap(i, i)"] {
        parses("a".to_owned() + &link.repeat(240));
        too_deep("a".to_owned() + &link.repeat(99_990 / link.len()));
    }
    let block = format!("cel.block([{}], 1)", "1, ".repeat(1_000));
    too_deep(block);
}

#[test]
fn sources_are_bounded() {
    let message = first_message("a".repeat(1_000_000));
    let expect = "expression code point size exceeds limit: size: 1000000, limit 100000";
    assert_eq!(message.as_deref(), Some(expect));
    parses(format!("'{}'", "é".repeat(99_998)));
}

#[test]
fn errors_are_counted() {
    let issues = env().parse(&"$".repeat(90_000)).unwrap_err();
    assert_eq!(issues.len(), 101);
    assert!(issues.to_string().contains("Syntax error: More than 100 syntax errors"));
    let issues = env().parse(&"a b ".repeat(20_000)).unwrap_err();
    assert!(issues.to_string().contains("error recovery token lookahead limit exceeded: 256"));
    let issues = env().parse(&"[1 2 3], ".repeat(10_000)).unwrap_err();
    assert!(issues.len() <= 31);
    let issues = env().parse(&"+ ".repeat(30_000)).unwrap_err();
    assert!(issues.to_string().contains("error recovery attempt limit exceeded: 30"));
}
