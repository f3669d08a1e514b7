use serde_json::json;

use crate::env::{Env, EnvBuilder};
use crate::library;
use crate::types::Type;
use crate::value::Val;

/// What an expression gives as JSON; `None` where it has no value.
fn eval(expression: &str) -> Option<serde_json::Value> {
    let libraries = [library::standard(), library::optionals(), library::bindings()];
    let env =
        libraries.into_iter().fold(Env::builder(), EnvBuilder::library).variable("free", Type::Dyn).build();
    let free = json!({"count": 5, "list": [1], "nothing": null});
    let program = env.compile(expression).unwrap_or_else(|issues| panic!("{issues}"));
    let value = program.eval(&env.bindings().with("free", &free)).ok()?;
    Some(value.to_json().unwrap())
}

#[track_caller]
fn check(expression: &str, expect: impl Into<serde_json::Value>) {
    assert_eq!(eval(expression), Some(expect.into()), "{expression}");
}

#[track_caller]
fn check_fails(expression: &str) {
    assert_eq!(eval(expression), None, "{expression}");
}

#[test]
fn values_without_fields_have_none() {
    check("has(free.count.x)", false);
    check("has(free.nothing.x)", false);
    check("has(dyn(1).x)", false);
    check("free.count.?x.hasValue()", false);
    check("free.count[?0].hasValue()", false);
    check_fails("has(free.list.x)");
    check_fails("has(free.count.x.y)");
    check_fails("free.list.?x");
    for missing in ["free.count.x", "dyn(1).x", "dyn(1)[0]"] {
        let env = Env::builder().library(library::standard()).variable("free", Type::Dyn).build();
        let free = json!({"count": 5});
        let error = env.compile(missing).unwrap().eval(&env.bindings().with("free", &free)).unwrap_err();
        assert!(error.is_missing_data(), "{missing}: {error}");
    }
}

#[test]
fn strict_presence_demands_fields() {
    let base = Env::builder().library(library::standard()).library(library::optionals());
    let env = base.variable("free", Type::Dyn).strict_presence(true).build();
    let free = json!({"count": 5});
    for wrong in ["has(free.count.x)", "has(dyn(1).x)", "free.count.?x", "free.?count.x"] {
        assert!(env.compile(wrong).unwrap().eval(&env.bindings().with("free", &free)).is_err(), "{wrong}");
    }
}

#[test]
fn nothing_has_no_elements() {
    check("optional.none()[1 / 0].hasValue()", false);
    check("free.?missing[?free.missing].hasValue()", false);
    check_fails("optional.of([1])[1 / 0]");
}

#[test]
fn a_bound_failure_matters_where_it_is_used() {
    check("cel.bind(x, 1 / 0, true)", true);
    check("cel.bind(x, 1 / 0, x == 1 || true)", true);
    check("cel.bind(x, 1 / 0, cel.bind(y, x, 1))", 1);
    check("cel.bind(x, free.missing.name, has(free.missing) ? x : 'none')", "none");
    check("[1, 2].map(i, cel.bind(x, 1 / 0, i))", json!([1, 2]));
    check_fails("cel.bind(x, 1 / 0, x)");
    check_fails("cel.bind(x, free.missing, x.name)");
    check_fails("cel.bind(x, free.missing, has(x.name))");
    check_fails("cel.bind(x, free.missing, [x])");
}

#[test]
fn a_bound_library_value_is_a_value() {
    let env = Env::builder()
        .library(library::standard())
        .library(library::bindings())
        .library(library::kubernetes::quantity())
        .build();
    let program = env.compile("cel.bind(x, quantity('1k'), x.asInteger())").unwrap();
    assert_eq!(program.eval(&env.bindings()), Ok(Val::Int(1000)));
}
