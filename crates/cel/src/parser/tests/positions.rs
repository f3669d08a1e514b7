//! Where nodes say they stand.

use super::parse;
use crate::ast::{Ast, Expr, ExprId};

/// Checks each node of the tree, from the root down: its text, with `^` before what messages point at.
#[track_caller]
fn check(source: &str, expect: &[&str]) {
    let ast = parse(source);
    let mut found = Vec::new();
    collect(&ast, ast.root(), &mut found);
    assert_eq!(found, expect, "{source}");
}

fn collect(ast: &Ast, id: ExprId, found: &mut Vec<String>) {
    let node = ast.node(id);
    let (start, at, end) = (node.span.start as usize, node.at as usize, node.span.end as usize);
    found.push(format!("{}^{}", &ast.source()[start..at], &ast.source()[at..end]));
    node.expr.for_each_child(|child| collect(ast, child, found));
}

#[test]
fn operators() {
    check("a + b", &["a ^+ b", "^a", "^b"]);
    check("(a) * (b)", &["(a) ^* (b)", "^a", "^b"]);
    check("a ? b : c", &["a ^? b : c", "^a", "^b", "^c"]);
    check("-a", &["^-a", "^a"]);
    check("- 1", &["^- 1"]);
    check("!!!a", &["^!!!a", "^a"]);
    check("a && b", &["a ^&& b", "^a", "^b"]);
    check("a || b || c", &["a || b ^|| c", "^a", "^b", "^c"]);
}

#[test]
fn members() {
    check(".a", &[".^a"]);
    check("a.b", &["a^.b", "^a"]);
    check("a.?b", &["a^.?b", "^a"]);
    check("a[?0]", &["a^[?0]", "^a", "^0"]);
    check("f(a)", &["f^(a)", "^a"]);
    check("(a) .f(b).c", &["(a) .f(b)^.c", "(a) .f^(b)", "^a", "^b"]);
    check("[a]", &["^[a]", "^a"]);
    check("{a: b}", &["^{a: b}", "^a", "^b"]);
    check("a.B{c: d}", &["a.B^{c: d}", "^d"]);
    check("'é' + 'x'", &["'é' ^+ 'x'", "^'é'", "^'x'"]);
}

#[test]
fn macros() {
    check("has(a.b)", &["has^(a.b)", "^a"]);
    check("x.all(i, i)", &["x.all^(i, i)", "^x", "^i"]);
    check("cel.bind(a, 1, a)", &["cel.bind^(a, 1, a)", "^1", "^a"]);
}

#[test]
fn fields_of_messages_point_at_the_colon() {
    let ast = parse("A{b : c}");
    let Expr::Struct { fields, .. } = ast.expr(ast.root()) else { panic!("no message") };
    assert_eq!(fields[0].at, 4);
}

#[test]
fn operators_between_logic_terms() {
    let ast = parse("(a) && (b) // &&\n && c");
    let at = |term| ast.logic_operator_at(ast.root(), term);
    assert_eq!((at(0), at(1)), (4, 18));
    assert_eq!(ast.node(ast.root()).at, 18);
}
