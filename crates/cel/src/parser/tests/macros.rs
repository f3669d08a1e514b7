//! What macros are rewritten to.

use super::{check, env};

#[test]
fn standard() {
    check("has(a.b)", "(has a b)");
    check("has(a.`b-c`)", "(has a `b-c`)");
    check("has(has(a.b))", "(has a b)");
    check(".has(a.b)", "(.has (. a b))");
    check("has(a, b)", "(has a b)");
    check("x.all(i, i > 0)", "(all i x (> i 0))");
    check("x.exists(i, i)", "(exists i x i)");
    check("x.exists_one(i, i)", "(exists_one i x i)");
    check("x.existsOne(i, i)", "(exists_one i x i)");
    check("x.filter(i, i)", "(filter i x i)");
    check("x.map(i, i + 1)", "(map i x (+ i 1))");
    check("x.map(i, b, i)", "(map i x if b i)");
    check("x.map(i)", "(x.map i)");
    check("map(x, i, i)", "(map x i i)");
    check("x.map(i, y.filter(j, j == i))", "(map i x (filter j y (== j i)))");
}

#[test]
fn two_variables() {
    check("x.all(i, v, v)", "(all i v x v)");
    check("x.exists(i, v, v)", "(exists i v x v)");
    check("x.exists_one(i, v, v)", "(exists_one i v x v)");
    check("x.existsOne(i, v, v)", "(exists_one i v x v)");
    check("x.transformList(i, v, v)", "(map i v x v)");
    check("x.transformList(i, v, b, v)", "(map i v x if b v)");
    check("x.transformMap(k, v, v)", "(transformMap k v x v)");
    check("x.transformMap(k, v, b, v)", "(transformMap k v x if b v)");
    check("x.transformMapEntry(k, v, {v: k})", "(transformMapEntry k v x {v: k})");
    check("x.transformMapEntry(k, v, b, {})", "(transformMapEntry k v x if b {})");
}

#[test]
fn bindings_and_optionals() {
    check("cel.bind(a, 1, a + a)", "(bind a 1 (+ a a))");
    check("x.bind(a, 1, a)", "(x.bind a 1 a)");
    check(".cel.bind(a, 1, a)", "(.cel.bind a 1 a)");
    check("x.?y.optMap(a, a)", "(optMap a (.? x y) a)");
    check("x.optFlatMap(a, a.?b)", "(optFlatMap a x (.? a b))");
}

#[test]
fn blocks() {
    check("cel.block([1, cel.index(0)], cel.index(1))", "(bind @index0 1 (bind @index1 @index0 @index1))");
    check("cel.block([], 1)", "1");
    check("[1].map(cel.iterVar(0, 1), cel.iterVar(0, 1))", "(map @it:0:1 [1] @it:0:1)");
    check("cel.accuVar(2, 3)", "@ac:2:3");
    check("x.index(0)", "(x.index 0)");
    refused("cel.block(x, 1)", "1:11 cel.block requires the first arg to be a list literal");
    refused("cel.block([1, ?x], 1)", "1:16 cel.block elements must not be optional");
    refused("cel.index(-1)", "1:11 cel.index requires a single non-negative int constant arg");
    refused("cel.iterVar(0, x)", "1:16 cel.iterVar requires two non-negative int constant args");
}

#[test]
fn libraries() {
    let keys = "(map i @__sortBy_input__ (- i))";
    let sorted = format!("(bind @__sortBy_input__ (f) (@__sortBy_input__.@sortByAssociatedKeys {keys}))");
    check("f().sortBy(i, -i)", &sorted);
    check("math.greatest(a)", "(math.@max a)");
    check("math.greatest([1, a])", "(math.@max [1 a])");
    check("math.least(1, a)", "(math.@min 1 a)");
    check("math.least(1, a, 2u)", "(math.@min [1 a 2u])");
    check("x.least(1)", "(x.least 1)");
}

#[test]
fn new_condition() {
    check(
        "runtime.newCondition({status: a, type: 'T'})",
        "(runtime.newCondition {'status': a, 'type': 'T'})",
    );
    check("x.newCondition({a: 1})", "(x.newCondition {a: 1})");
    let refuse = |source: &str, place: &str, message: &str| {
        refused(source, &format!("{place} runtime.newCondition: {message}"));
    };
    refuse("runtime.newCondition(1)", "1:22", "argument must be a map literal");
    refuse("runtime.newCondition({type: 'T'})", "1:22", "'status' is required");
    refuse("runtime.newCondition({status: 'S'})", "1:22", "'type' is required");
    let unknown = "unknown key \"x\" (allowed: type, status, reason, message)";
    refuse("runtime.newCondition({type: 'T', x: 1})", "1:34", unknown);
    refuse("runtime.newCondition({type: 'T', type: 'T'})", "1:34", "duplicate key \"type\"");
    let quoted = "keys must be bare identifiers (type, status, reason, message); \
                  quoted or computed keys are not allowed";
    refuse("runtime.newCondition({'type': 'T'})", "1:23", quoted);
}

#[track_caller]
fn refused(source: &str, expect: &str) {
    let issues = env().parse(source).unwrap_err();
    let issue = issues.iter().next().unwrap();
    let position = issues.position(issue);
    assert_eq!(format!("{}:{} {}", position.line, position.column, issue.message), expect, "{source}");
}
