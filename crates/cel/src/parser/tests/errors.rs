//! What is said about expressions that do not parse; the texts are those of cel-go 0.31.

use super::env;

/// How a message lists what an expression may begin with.
const EXPR: &str = "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', \
                    NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";

#[track_caller]
fn check(source: &str, expect: &[&str]) {
    let found: Vec<String> = match env().parse(source) {
        Ok(_) => Vec::new(),
        Err(issues) => {
            let show = |it| {
                let position = issues.position(it);
                let message = it.message.replace(EXPR, "EXPR");
                format!("{}:{} {message}", position.line, position.column)
            };
            issues.iter().map(show).collect()
        }
    };
    assert_eq!(found, expect, "{source}");
}

#[test]
fn nothing_there() {
    check("1 +", &["1:4 Syntax error: mismatched input '<EOF>' expecting {EXPR}"]);
    check("a && ", &["1:6 Syntax error: mismatched input '<EOF>' expecting {EXPR}"]);
    check("a +\n\n  ", &["3:3 Syntax error: mismatched input '<EOF>' expecting {EXPR}"]);
    check("(", &["1:2 Syntax error: mismatched input '<EOF>' expecting {EXPR}"]);
    check("()", &["1:2 Syntax error: mismatched input ')' expecting {EXPR}"]);
    check(
        "[1].all(, true)",
        &[
            "1:9 Syntax error: extraneous input ',' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
        ],
    );
    check(
        "f(",
        &[
            "1:3 Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
        ],
    );
    check("f(a,)", &["1:5 Syntax error: mismatched input ')' expecting {EXPR}"]);
    check(
        "a[",
        &[
            "1:3 Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
        ],
    );
    check(
        "a[]",
        &[
            "1:3 Syntax error: mismatched input ']' expecting {'[', '{', '(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
        ],
    );
    check("a ?", &["1:4 Syntax error: mismatched input '<EOF>' expecting {EXPR}"]);
    check("a ? b :", &["1:8 Syntax error: mismatched input '<EOF>' expecting {EXPR}"]);
    check("a ? b", &["1:6 Syntax error: mismatched input '<EOF>' expecting ':'"]);
    check("x in", &["1:5 Syntax error: mismatched input '<EOF>' expecting {EXPR}"]);
    check("{a: }", &["1:5 Syntax error: mismatched input '}' expecting {EXPR}"]);
    check("A{b: }", &["1:6 Syntax error: mismatched input '}' expecting {EXPR}"]);
}

#[test]
fn left_out() {
    check("(a", &["1:3 Syntax error: missing ')' at '<EOF>'"]);
    check("f(a", &["1:4 Syntax error: missing ')' at '<EOF>'"]);
    check("x.f(a", &["1:6 Syntax error: missing ')' at '<EOF>'"]);
    check("a[1", &["1:4 Syntax error: missing ']' at '<EOF>'"]);
    check("[1, 2", &["1:6 Syntax error: mismatched input '<EOF>' expecting {']', ','}"]);
    check("[1, 2,", &["1:7 Syntax error: missing ']' at '<EOF>'"]);
    check("{1: 2", &["1:6 Syntax error: mismatched input '<EOF>' expecting {'}', ','}"]);
    check("{1: 2,", &["1:7 Syntax error: missing '}' at '<EOF>'"]);
    check("A{b: 1", &["1:7 Syntax error: mismatched input '<EOF>' expecting {'}', ','}"]);
    check("A{b: 1,", &["1:8 Syntax error: missing '}' at '<EOF>'"]);
    check(
        "a{",
        &["1:3 Syntax error: mismatched input '<EOF>' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"],
    );
    check("A{b", &["1:4 Syntax error: mismatched input '<EOF>' expecting ':'"]);
    check("{1}", &["1:3 Syntax error: mismatched input '}' expecting ':'"]);
    check(
        "{1, 2}",
        &[
            "1:3 Syntax error: mismatched input ',' expecting ':'",
            "1:5 Syntax error: extraneous input '2' expecting '}'",
        ],
    );
    check("{'a' 1}", &["1:6 Syntax error: missing ':' at '1'"]);
    check("A{b 1}", &["1:5 Syntax error: missing ':' at '1'"]);
    check("a ? b c", &["1:7 Syntax error: missing ':' at 'c'"]);
}

#[test]
fn too_much() {
    check("a)", &["1:2 Syntax error: extraneous input ')' expecting <EOF>"]);
    check("a b", &["1:3 Syntax error: extraneous input 'b' expecting <EOF>"]);
    check("1 2 3", &["1:3 Syntax error: mismatched input '2' expecting <EOF>"]);
    check("'a' 'b'", &["1:5 Syntax error: extraneous input ''b'' expecting <EOF>"]);
    check("a]", &["1:2 Syntax error: extraneous input ']' expecting <EOF>"]);
    check("*a", &["1:1 Syntax error: extraneous input '*' expecting {EXPR}"]);
    check("in a", &["1:1 Syntax error: extraneous input 'in' expecting {EXPR}"]);
    check("a +* b", &["1:4 Syntax error: extraneous input '*' expecting {EXPR}"]);
    check("a ** b", &["1:4 Syntax error: extraneous input '*' expecting {EXPR}"]);
    check("a <> b", &["1:4 Syntax error: extraneous input '>' expecting {EXPR}"]);
    check(
        "f(,)",
        &[
            "1:3 Syntax error: extraneous input ',' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
        ],
    );
    check("f(a b)", &["1:5 Syntax error: extraneous input 'b' expecting ')'"]);
    check("f(a b c)", &["1:5 Syntax error: mismatched input 'b' expecting ')'"]);
    check("[1 2]", &["1:4 Syntax error: extraneous input '2' expecting {']', ','}"]);
    check("[1,,2]", &["1:4 Syntax error: mismatched input ',' expecting ']'"]);
    check("[1 2 3]", &["1:4 Syntax error: mismatched input '2' expecting {']', ','}"]);
    check("{1: 2 3: 4}", &["1:7 Syntax error: mismatched input '3' expecting {'}', ','}"]);
    check("A{b: 1 c: 2}", &["1:8 Syntax error: mismatched input 'c' expecting {'}', ','}"]);
    check("a ? b ? c : d : e", &["1:7 Syntax error: mismatched input '?' expecting ':'"]);
    check(
        "? a : b",
        &[
            "1:1 Syntax error: extraneous input '?' expecting {EXPR}",
            "1:5 Syntax error: mismatched input ':' expecting <EOF>",
        ],
    );
    check("a.?b()", &["1:5 Syntax error: mismatched input '(' expecting <EOF>"]);
    check("a.`b`()", &["1:6 Syntax error: mismatched input '(' expecting <EOF>"]);
    check("(a){}", &["1:4 Syntax error: mismatched input '{' expecting <EOF>"]);
    check("a !b", &["1:3 Syntax error: mismatched input '!' expecting <EOF>"]);
    check("true false", &["1:6 Syntax error: extraneous input 'false' expecting <EOF>"]);
    check("1.2.3", &["1:4 Syntax error: extraneous input '.3' expecting <EOF>"]);
    check("0x", &["1:2 Syntax error: extraneous input 'x' expecting <EOF>"]);
    check("1e", &["1:2 Syntax error: extraneous input 'e' expecting <EOF>"]);
    check("a[1:2]", &["1:4 Syntax error: mismatched input ':' expecting ']'"]);
    check("a[1,2]", &["1:4 Syntax error: mismatched input ',' expecting ']'"]);
}

#[test]
fn no_alternative() {
    check("a.", &["1:3 Syntax error: no viable alternative at input '.'"]);
    check("a.b.", &["1:5 Syntax error: no viable alternative at input '.'"]);
    check("a..b", &["1:3 Syntax error: no viable alternative at input '..'"]);
    check("a . . b", &["1:5 Syntax error: no viable alternative at input '. .'"]);
    check("a .\n . b", &["2:2 Syntax error: no viable alternative at input '.\\n .'"]);
    check("..", &["1:2 Syntax error: no viable alternative at input '..'"]);
    check(".", &["1:2 Syntax error: no viable alternative at input '.'"]);
    check("-!a", &["1:2 Syntax error: no viable alternative at input '-!'"]);
    check("!-a", &["1:3 Syntax error: no viable alternative at input '-a'"]);
    check(
        "-)",
        &[
            "1:2 Syntax error: no viable alternative at input '-)'",
            "1:2 Syntax error: mismatched input ')' expecting {EXPR}",
        ],
    );
    check(
        "--)",
        &[
            "1:3 Syntax error: no viable alternative at input '-)'",
            "1:3 Syntax error: mismatched input ')' expecting {EXPR}",
        ],
    );
    check(
        "--*a",
        &[
            "1:3 Syntax error: no viable alternative at input '-*'",
            "1:3 Syntax error: extraneous input '*' expecting {EXPR}",
        ],
    );
    check(
        "a--",
        &[
            "1:4 Syntax error: no viable alternative at input '-'",
            "1:4 Syntax error: mismatched input '<EOF>' expecting {EXPR}",
        ],
    );
    check(
        "a.in",
        &[
            "1:3 Syntax error: no viable alternative at input '.in'",
            "1:5 Syntax error: mismatched input '<EOF>' expecting {EXPR}",
        ],
    );
    check("a.true", &["1:3 Syntax error: mismatched input 'true' expecting IDENTIFIER"]);
    check("a. true", &["1:4 Syntax error: no viable alternative at input '. true'"]);
    check("a.null == 1", &["1:3 Syntax error: mismatched input 'null' expecting IDENTIFIER"]);
    check("'a'.1b", &["1:4 Syntax error: mismatched input '.1' expecting <EOF>"]);
    check("!*a", &["1:2 Syntax error: extraneous input '*' expecting {EXPR}"]);
    check("!)", &["1:2 Syntax error: extraneous input ')' expecting {EXPR}"]);
}

#[test]
fn no_token() {
    check(
        "a = b",
        &[
            "1:3 Syntax error: token recognition error at: '= '",
            "1:5 Syntax error: extraneous input 'b' expecting <EOF>",
        ],
    );
    check(
        "a & b",
        &[
            "1:3 Syntax error: token recognition error at: '& '",
            "1:5 Syntax error: extraneous input 'b' expecting <EOF>",
        ],
    );
    check(
        "a | b",
        &[
            "1:3 Syntax error: token recognition error at: '| '",
            "1:5 Syntax error: extraneous input 'b' expecting <EOF>",
        ],
    );
    check(
        "'abc",
        &[
            "1:1 Syntax error: token recognition error at: ''abc'",
            "1:5 Syntax error: mismatched input '<EOF>' expecting {EXPR}",
        ],
    );
    check(
        "\"a\nb\"",
        &[
            "1:1 Syntax error: token recognition error at: '\"a\n'",
            "2:2 Syntax error: token recognition error at: '\"'",
        ],
    );
    check(
        "'\\q'",
        &[
            "1:1 Syntax error: token recognition error at: ''\\q'",
            "1:4 Syntax error: token recognition error at: '''",
            "1:5 Syntax error: mismatched input '<EOF>' expecting {EXPR}",
        ],
    );
    check(
        "\"\\xz\"",
        &[
            "1:1 Syntax error: token recognition error at: '\"\\xz'",
            "1:5 Syntax error: token recognition error at: '\"'",
            "1:6 Syntax error: mismatched input '<EOF>' expecting {EXPR}",
        ],
    );
    check("b'", &["1:2 Syntax error: token recognition error at: '''"]);
    check("\"\"\"abc", &["1:3 Syntax error: token recognition error at: '\"abc'"]);
    check(
        "$a + @b",
        &[
            "1:1 Syntax error: token recognition error at: '$'",
            "1:6 Syntax error: token recognition error at: '@'",
        ],
    );
    check(
        "a # b",
        &[
            "1:3 Syntax error: token recognition error at: '#'",
            "1:5 Syntax error: extraneous input 'b' expecting <EOF>",
        ],
    );
    check("a;", &["1:2 Syntax error: token recognition error at: ';'"]);
    check(
        "${a}",
        &[
            "1:1 Syntax error: token recognition error at: '$'",
            "1:4 Syntax error: mismatched input '}' expecting ':'",
        ],
    );
    check(
        "a.`b",
        &[
            "1:3 Syntax error: token recognition error at: '`b'",
            "1:5 Syntax error: no viable alternative at input '.'",
        ],
    );
    check(
        "a .$. b",
        &[
            "1:4 Syntax error: token recognition error at: '$'",
            "1:5 Syntax error: no viable alternative at input '..'",
        ],
    );
    check(
        "é(",
        &[
            "1:1 Syntax error: token recognition error at: 'é'",
            "1:3 Syntax error: mismatched input '<EOF>' expecting {EXPR}",
        ],
    );
    check("a === b", &["1:5 Syntax error: token recognition error at: '= '"]);
    check(
        "x => y",
        &[
            "1:3 Syntax error: token recognition error at: '=>'",
            "1:6 Syntax error: extraneous input 'y' expecting <EOF>",
        ],
    );
    check("a += 1", &["1:4 Syntax error: token recognition error at: '= '"]);
    check(
        "a\\b",
        &[
            "1:2 Syntax error: token recognition error at: '\\'",
            "1:3 Syntax error: extraneous input 'b' expecting <EOF>",
        ],
    );
}

#[test]
fn names() {
    check(
        "a.?",
        &[
            "1:4 Syntax error: mismatched input '<EOF>' expecting {IDENTIFIER, ESC_IDENTIFIER}",
            "1:4 unsupported ident kind",
        ],
    );
    check(
        "a.?.",
        &[
            "1:4 Syntax error: mismatched input '.' expecting {IDENTIFIER, ESC_IDENTIFIER}",
            "1:4 unsupported ident kind",
        ],
    );
    check("a.?.b", &["1:4 Syntax error: extraneous input '.' expecting {IDENTIFIER, ESC_IDENTIFIER}"]);
    check(
        "A{?: 1}",
        &[
            "1:3 unsupported ident kind",
            "1:4 Syntax error: mismatched input ':' expecting {IDENTIFIER, ESC_IDENTIFIER}",
        ],
    );
    check(
        "A{a: for, ?: 1}",
        &[
            "1:3 unsupported ident kind",
            "1:6 reserved identifier: for",
            "1:12 Syntax error: mismatched input ':' expecting {IDENTIFIER, ESC_IDENTIFIER}",
        ],
    );
    check(
        "A{1: 2}",
        &["1:3 Syntax error: mismatched input '1' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"],
    );
    check("`a`", &["1:1 Syntax error: mismatched input '`a`' expecting {EXPR}"]);
    check("for", &["1:1 reserved identifier: for"]);
    check("for.x", &["1:1 reserved identifier: for"]);
    check("a.for", &[]);
    check("for(x)", &["1:1 reserved identifier: for"]);
    check("{for: 1}", &["1:2 reserved identifier: for"]);
    check("x.map(for, 1)", &["1:7 reserved identifier: for", "1:7 argument is not an identifier"]);
    check("for + while", &["1:1 reserved identifier: for", "1:7 reserved identifier: while"]);
    check(
        "return a",
        &["1:1 reserved identifier: return", "1:8 Syntax error: extraneous input 'a' expecting <EOF>"],
    );
    check(
        "if (b) { 1 } else { 2 }",
        &["1:1 reserved identifier: if", "1:8 Syntax error: mismatched input '{' expecting <EOF>"],
    );
    check(
        "let x = 1",
        &[
            "1:1 reserved identifier: let",
            "1:5 Syntax error: mismatched input 'x' expecting <EOF>",
            "1:7 Syntax error: token recognition error at: '= '",
        ],
    );
    check(
        "if b then 1 else 2",
        &["1:1 reserved identifier: if", "1:4 Syntax error: mismatched input 'b' expecting <EOF>"],
    );
}

#[test]
fn several() {
    check(
        "[1].all(+, true)",
        &[
            "1:9 Syntax error: mismatched input '+' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
            "1:10 Syntax error: extraneous input ',' expecting {EXPR}",
            "1:16 Syntax error: extraneous input ')' expecting <EOF>",
        ],
    );
    check(
        "++a",
        &[
            "1:1 Syntax error: mismatched input '+' expecting {EXPR}",
            "1:2 Syntax error: extraneous input '+' expecting {EXPR}",
        ],
    );
    check(
        "a++",
        &[
            "1:3 Syntax error: mismatched input '+' expecting {EXPR}",
            "1:4 Syntax error: mismatched input '<EOF>' expecting {EXPR}",
        ],
    );
    check(
        "a /* b */",
        &[
            "1:4 Syntax error: extraneous input '*' expecting {EXPR}",
            "1:9 Syntax error: mismatched input '/' expecting {EXPR}",
            "1:10 Syntax error: mismatched input '<EOF>' expecting {EXPR}",
        ],
    );
    check(
        "a ?: b",
        &[
            "1:4 Syntax error: extraneous input ':' expecting {EXPR}",
            "1:7 Syntax error: mismatched input '<EOF>' expecting ':'",
        ],
    );
    check(
        "{{a}}",
        &[
            "1:4 Syntax error: mismatched input '}' expecting ':'",
            "1:5 Syntax error: mismatched input '}' expecting ':'",
        ],
    );
    check(
        "[x for x in y]",
        &[
            "1:4 Syntax error: mismatched input 'for' expecting {']', ','}",
            "1:14 Syntax error: extraneous input ']' expecting <EOF>",
        ],
    );
    check(
        "(()",
        &[
            "1:3 Syntax error: mismatched input ')' expecting {EXPR}",
            "1:4 Syntax error: missing ')' at '<EOF>'",
        ],
    );
    check(
        "for + while + )",
        &[
            "1:1 reserved identifier: for",
            "1:7 reserved identifier: while",
            "1:15 Syntax error: mismatched input ')' expecting {EXPR}",
        ],
    );
    check(
        "has(a.b + )",
        &["1:9 invalid argument to has() macro", "1:11 Syntax error: mismatched input ')' expecting {EXPR}"],
    );
    check("-1.f(a b)", &["1:8 Syntax error: extraneous input 'b' expecting ')'"]);
    check(
        "f(x => x)",
        &[
            "1:5 Syntax error: token recognition error at: '=>'",
            "1:8 Syntax error: extraneous input 'x' expecting ')'",
        ],
    );
    check(
        "'a' $ 'b' @ 'c'",
        &[
            "1:5 Syntax error: token recognition error at: '$'",
            "1:7 Syntax error: mismatched input ''b'' expecting <EOF>",
            "1:11 Syntax error: token recognition error at: '@'",
        ],
    );
}

#[test]
fn literals() {
    check("9223372036854775808", &["1:1 invalid int literal"]);
    check("-9223372036854775809", &["1:1 invalid int literal"]);
    check("0x8000000000000000", &["1:1 invalid int literal"]);
    check("18446744073709551616u", &["1:1 invalid uint literal"]);
    check("1e400", &["1:1 invalid double literal"]);
    check("'\\ud800'", &["1:1 invalid unicode code point"]);
    check("'\\U00110000'", &["1:1 invalid unicode code point"]);
    check("b'\\u0041'", &["1:1 unable to unescape string"]);
    check("[1, 99999999999999999999, 1e999]", &["1:5 invalid int literal", "1:27 invalid double literal"]);
    check("--9223372036854775808", &["1:3 invalid int literal"]);
}

#[test]
fn macros() {
    check("has(a)", &["1:5 invalid argument to has() macro"]);
    check("has(a[0])", &["1:6 invalid argument to has() macro"]);
    check("has(f(a))", &["1:6 invalid argument to has() macro"]);
    check("has(a.?b)", &["1:6 invalid argument to has() macro"]);
    check("has(a && b && c)", &["1:12 invalid argument to has() macro"]);
    check("has(has(a.b))", &[]);
    check("x.all(1, true)", &["1:7 argument must be a simple name"]);
    check("x.all(a.b, true)", &["1:8 argument must be a simple name"]);
    check("x.exists(a + 1, true)", &["1:12 argument must be a simple name"]);
    check("x.exists_one('a', true)", &["1:14 argument must be a simple name"]);
    check("x.existsOne(a(), true)", &["1:14 argument must be a simple name"]);
    check("x.map(1, a)", &["1:7 argument is not an identifier"]);
    check("x.map(a.b, true, a)", &["1:8 argument is not an identifier"]);
    check("x.filter([a], true)", &["1:10 argument is not an identifier"]);
    check("x.map(__result__, 1)", &["1:7 iteration variable overwrites accumulator variable"]);
    check("x.all(__result__, true)", &["1:7 iteration variable overwrites accumulator variable"]);
    check("x.all(a, a, true)", &["1:10 duplicate variable name: a"]);
    check("x.all(a, 1, true)", &["1:10 argument must be a simple name"]);
    check("x.all(a, __result__, true)", &["1:10 iteration variable overwrites accumulator variable"]);
    check("x.transformList(1, v, v)", &["1:17 argument must be a simple name"]);
    check("x.transformMap(k, k, 1)", &["1:19 duplicate variable name: k"]);
    check("x.transformMapEntry('k', v, v)", &["1:21 argument must be a simple name"]);
    check("cel.bind(1, 2, 3)", &["1:10 cel.bind() variable names must be simple identifiers"]);
    check("cel.bind(a.b, 1, a)", &["1:11 cel.bind() variable names must be simple identifiers"]);
    check("x.optMap(1, a)", &["1:10 optMap() variable name must be a simple identifier"]);
    check("x.optFlatMap('a', a)", &["1:14 optFlatMap() variable name must be a simple identifier"]);
    check("x.sortBy(1, a)", &["1:10 argument is not an identifier"]);
    check(
        "'abc'.sortBy(a, a)",
        &["1:1 sortBy can only be applied to a list, identifier, comprehension, call or select expression"],
    );
    check(
        "{}.sortBy(a, a)",
        &["1:1 sortBy can only be applied to a list, identifier, comprehension, call or select expression"],
    );
    check("math.greatest()", &["1:1 math.greatest() requires at least one argument"]);
    check("math.greatest('a')", &["1:15 math.greatest() invalid single argument value"]);
    check("math.greatest([])", &["1:15 math.greatest() invalid single argument value"]);
    check("math.least([1, 'a'])", &["1:12 math.least() invalid single argument value"]);
    check("math.least(1, 'a')", &["1:15 math.least() simple literal arguments must be numeric"]);
    check("math.least({}, 1, [2])", &["1:12 math.least() simple literal arguments must be numeric"]);
    check("math.greatest(a, b, true)", &["1:21 math.greatest() simple literal arguments must be numeric"]);
}
