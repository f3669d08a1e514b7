mod errors;
mod hostile;
mod macros;
mod positions;
mod print;
mod random;

use crate::ast::Ast;
use crate::env::Env;
use crate::function::Library;
use crate::macros::{BINDINGS, BLOCK, LISTS, MATH, OPTIONAL, RUNTIME, STANDARD, TWO_VARIABLE};

/// An environment with all macros.
fn env() -> Env {
    let all = [STANDARD, TWO_VARIABLE, BINDINGS, OPTIONAL, BLOCK, LISTS, MATH, RUNTIME];
    let library = all.into_iter().fold(Library::new(), Library::with_macros);
    Env::builder().library(library).build()
}

#[track_caller]
fn parse(source: &str) -> Ast {
    env().parse(source).unwrap_or_else(|issues| panic!("{source}\n{issues}"))
}

#[track_caller]
fn check(source: &str, expect: &str) {
    assert_eq!(print::tree(&parse(source)), expect, "{source}");
}

#[test]
fn operators() {
    check("1 + 2 * 3 - 4", "(- (+ 1 (* 2 3)) 4)");
    check("a || b && c == d || !e", "(|| a (&& b (== c d)) (! e))");
    check("(a && b) && c", "(&& (&& a b) c)");
    check("a ? b : c ? d : e", "(? a b (? c d e))");
    check("a in b == c", "(== (in a b) c)");
    check("!!a", "a");
    check("!!!a.b", "(! (. a b))");
    check("--a", "a");
    check("---a", "(- a)");
    check("-1", "-1");
    check("--1", "1");
    check("---1", "(- 1)");
    check("!-1", "(! -1)");
    check("1--1", "(- 1 -1)");
    check("1 - - 1", "(- 1 -1)");
    check("-1u", "(- 1u)");
    check("-1.x", "(. -1 x)");
    check("-(1)", "(- 1)");
}

#[test]
fn members() {
    check(".a", ".a");
    check(".a(b).c", "(. (.a b) c)");
    check("a.b.c", "(. (. a b) c)");
    check("a.?b[?c][d]", "([] ([?] (.? a b) c) d)");
    check("a.`b-c`.namespace", "(. (. a `b-c`) namespace)");
    check("a.f(b, c)", "(a.f b c)");
    check("f()", "(f)");
    check("'a'.size()", "('a'.size)");
    check("1.size()", "(1.size)");
}

#[test]
fn collections() {
    check("[]", "[]");
    check("[,]", "[]");
    check("[a, ?b,]", "[a ?b]");
    check("{}", "{}");
    check("{,}", "{}");
    check("{a: b, ?'c': d, }", "{a: b, ?'c': d}");
    check("A{}", "A{}");
    check(".a.b . C { , }", ".a.b.C{}");
    check("a.B{c: 1, ?`d-e`: 2,}.f", "(. a.B{c: 1, ?d-e: 2} f)");
    check("for.in_{}", "for.in_{}");
}

#[test]
fn literals() {
    check("[0, 007, 0x1F, 9223372036854775807]", "[0 7 31 9223372036854775807]");
    check("[-0x8000000000000000, -9223372036854775808]", "[-9223372036854775808 -9223372036854775808]");
    check("[0u, 18446744073709551615u, 0xFFu, 1U]", "[0u 18446744073709551615u 255u 1u]");
    check("[1.5, .5, 1e3, -2.5E-3, 1e-400]", "[1.5 0.5 1000.0 -0.0025 0.0]");
    check("[true, false, null]", "[true false null]");
    check(r#"['a', "b", '''c'd''', """e"f""", r'\n', '\n\x41']"#, r#"['a' 'b' 'c\'d' 'e\"f' '\\n' '\nA']"#);
    check(r"[b'a', B'\xff', br'\xff', b'é']", r"[b'a' b'\xff' b'\\xff' b'\xc3\xa9']");
}

#[test]
fn comments_and_blanks() {
    check("a // one\n + // two\n b // three", "(+ a b)");
    check("\t[\r\n\x0c1]", "[1]");
}
