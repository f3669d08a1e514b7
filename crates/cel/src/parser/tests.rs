mod print;

use crate::ast::Ast;
use crate::env::Env;
use crate::function::Library;
use crate::macros;

/// An environment with all macros.
fn env() -> Env {
    let library = Library::new()
        .with_macros(macros::STANDARD)
        .with_macros(macros::TWO_VARIABLE)
        .with_macros(macros::BINDINGS)
        .with_macros(macros::OPTIONAL)
        .with_macros(macros::BLOCK)
        .with_macros(macros::LISTS)
        .with_macros(macros::MATH)
        .with_macros(macros::RUNTIME);
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
