use std::fmt::Write as _;
use std::sync::Arc;

use crate::checked::Meaning;
use crate::env::Env;
use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::library;
use crate::macros;
use crate::types::{ObjectType, Type};

/// Expressions and what cel-go 0.31 says about each, in an environment like [`env`].
const CASES: &str = include_str!("cases.txt");

/// What the specification has and cel-go has not: the type of a list is not that of the null in it.
const NOT_AS_CEL_GO: &[(&str, &str)] = &[
    ("[ts, null]", "=> list(timestamp)"),
    ("[ts, null][0]", "=> timestamp"),
    ("[optional.of(1), null]", "=> list(optional_type(int))"),
    ("[optional.of(1), null][0]", "=> optional_type(int)"),
    ("[o, null]", "=> list(optional_type(int))"),
];

fn never(id: &'static str, params: impl Into<Vec<Type>>, result: Type) -> Overload {
    Overload::function(id, params, result, |_, _| Err(EvalError::no_such_overload()))
}

fn method(id: &'static str, params: impl Into<Vec<Type>>, result: Type) -> Overload {
    Overload { receiver: true, ..never(id, params, result) }
}

/// Declarations alone: what these functions do does not matter here.
fn declarations() -> Library {
    let (a, some) = (|| Type::Param(0), || Type::optional(Type::Param(0)));
    let list = || Type::list(Type::Param(0));
    Library::new()
        .with_macros(macros::STANDARD)
        .with_macros(macros::TWO_VARIABLE)
        .with_macros(macros::BINDINGS)
        .with_macros(macros::OPTIONAL)
        .function("optional.of", [never("optional_of", [a()], some())])
        .function("optional.none", [never("optional_none", [], some())])
        .function("value", [method("optional_value", [some()], a())])
        .function("hasValue", [method("optional_hasValue", [some()], Type::Bool)])
        .function("or", [method("optional_or_optional", [some(), some()], some())])
        .function("orValue", [method("optional_orValue_value", [some(), a()], a())])
        .function("first", [method("list_first", [list()], some())])
        .function("sets.contains", [never("list_sets_contains_list", [list(), list()], Type::Bool)])
}

fn env() -> Env {
    let nested = Type::object("spec", [("replicas", Type::Int), ("tags", Type::list(Type::String))]);
    let open = ObjectType::new("open", true, || [(Arc::from("known"), Type::Int)].into());
    Env::builder()
        .library(library::standard())
        .library(library::wrappers())
        .library(library::strings(library::Dialect::CelGo))
        .library(declarations())
        .variable("d", Type::Dyn)
        .variable("i", Type::Int)
        .variable("s", Type::String)
        .variable("l", Type::list(Type::Int))
        .variable("m", Type::map(Type::String, Type::Int))
        .variable("o", Type::optional(Type::Int))
        .variable("w", Type::Wrapper(Arc::new(Type::Int)))
        .variable("ts", Type::Timestamp)
        .variable("a.b.c", Type::Int)
        .variable("lm", Type::list(Type::map(Type::String, Type::Int)))
        .variable("object", Type::object("object", [("spec", nested), ("name", Type::String)]))
        .variable("open", Type::Object(Arc::new(open)))
        .build()
}

/// What the checker says, in the form of the cases: the type, or each issue with its place.
fn verdict(env: &Env, source: &str) -> String {
    let issues = match env.parse(source).and_then(|ast| env.check(ast)) {
        Ok(checked) => return format!("=> {}\n", checked.result_type()),
        Err(issues) => issues,
    };
    let mut text = String::new();
    for issue in issues.iter() {
        let position = issues.position(issue);
        writeln!(text, "{}:{} {}", position.line, position.column, issue.message).unwrap();
    }
    text
}

fn check(source: &str, expected: &str) {
    assert_eq!(verdict(&env(), source).trim_end(), expected, "{source}");
}

#[test]
fn verdicts_are_those_of_cel_go() {
    let env = env();
    let mut cases: Vec<(&str, String)> = Vec::new();
    for line in CASES.lines() {
        match (line.strip_prefix("    "), cases.last_mut()) {
            (Some(verdict), Some(case)) => writeln!(case.1, "{verdict}").unwrap(),
            _ => cases.push((line, String::new())),
        }
    }
    let differ = cases.iter().filter_map(|(source, expected)| {
        let known = NOT_AS_CEL_GO.iter().find(|(it, _)| it == source);
        let expected = known.map_or(expected.clone(), |(_, expected)| format!("{expected}\n"));
        let found = verdict(&env, source);
        (found != expected).then(|| format!("{source}\n  cel-go: {expected}  krono:  {found}"))
    });
    let differ: Vec<String> = differ.collect();
    assert!(differ.is_empty(), "{} of {} differ\n{}", differ.len(), cases.len(), differ.join("\n"));
}

#[test]
fn objects_have_the_fields_they_declare() {
    check("object.spec.replicas", "=> int");
    check("object.spec.tags[0]", "=> string");
    check("object.spec.nope", "1:12 undefined field 'nope'");
    check("object.nope.nope", "1:7 undefined field 'nope'");
    check("has(object.nope)", "1:4 undefined field 'nope'");
    check("object.?spec.replicas", "=> optional_type(int)");
    check("object.?nope", "1:7 undefined field 'nope'");
    check("object.spec == null", "=> bool");
    check("object.spec == object", "1:13 found no matching overload for '_==_' applied to '(spec, object)'");
    check("object['name']", "1:7 found no matching overload for '_[_]' applied to '(object, string)'");
    check("open.known + 's'", "1:12 found no matching overload for '_+_' applied to '(int, string)'");
    check("open.unknown.deeper", "=> dyn");
}

#[test]
fn names_are_looked_up_from_the_container_outwards() {
    let env = env().extend().container("a.b").variable("a.x", Type::String).variable("x", Type::Int).build();
    let check =
        |source: &str, expected: &str| assert_eq!(verdict(&env, source).trim_end(), expected, "{source}");
    check("c", "=> int");
    check("b.c", "=> int");
    check("x", "=> string");
    check(".x", "=> int");
    check("l.map(x, x)", "=> list(int)");
    check("l.map(c, .a.b.c)", "=> list(int)");
    check("nope", "1:1 undeclared reference to 'nope' (in container 'a.b')");
}

#[test]
fn strictness_is_the_environments_choice() {
    let kubernetes = env().extend().mixed_comparisons(true).homogeneous_literals(true).build();
    let check = |source: &str, expected: &str| {
        assert_eq!(verdict(&kubernetes, source).trim_end(), expected, "{source}");
    };
    check("1 < 1.5 && 1u >= 1", "=> bool");
    check("1 == 1.5", "1:3 found no matching overload for '_==_' applied to '(int, double)'");
    check("[1, 's']", "1:5 expected type 'int' but found 'string'");
    check(
        "{'a': 1, 2: 's'}",
        "1:10 expected type 'string' but found 'int'\n1:13 expected type 'int' but found 'string'",
    );
    check("[1, d]", "1:5 expected type 'int' but found 'dyn'");
    check("[1, 2, ?o]", "=> list(int)");
    check("'%d %s'.format([1, 's'])", "=> string");
    check(
        "[[1], [2, 's'], [3u]]",
        "1:7 expected type 'list(int)' but found 'list(dyn)'\n1:11 expected type 'int' but found 'string'",
    );
}

/// The meanings of the names in an expression, in the order of the source.
fn meanings(source: &str) -> (Vec<String>, u32) {
    let env = env();
    let checked = env.check(env.parse(source).unwrap()).unwrap();
    let mut found: Vec<(u32, String)> = Vec::new();
    for (id, meaning) in checked.ast.ids().zip(&checked.meanings) {
        let text = match meaning {
            Meaning::Variable(slot) => format!("variable {slot}"),
            Meaning::Local(slot) => format!("local {slot}"),
            Meaning::Constant(_) => "constant".to_owned(),
            Meaning::Overloads(overloads) => overloads.iter().map(|it| it.id).collect::<Vec<_>>().join(" "),
            Meaning::Message(message) => message.name.to_owned(),
            Meaning::Structural | Meaning::Unknown => continue,
        };
        found.push((checked.ast.node(id).at, text));
    }
    found.sort();
    (found.into_iter().map(|(_, text)| text).collect(), checked.locals)
}

#[test]
fn nodes_know_what_they_mean() {
    let check = |source: &str, expected: &[&str], locals: u32| {
        assert_eq!(
            meanings(source),
            (expected.iter().map(ToString::to_string).collect(), locals),
            "{source}"
        );
    };
    check("i + 1", &["variable 1"], 0);
    check("a.b.c", &["variable 8"], 0);
    check("type(i) == int", &["type", "variable 1", "constant"], 0);
    check("s.size()", &["variable 2", "string_size"], 0);
    check("d.size()", &["variable 0", "bytes_size list_size map_size string_size"], 0);
    check("l.map(x, x)", &["variable 3", "local 0", "local 0"], 1);
    check(
        "l.all(x, l.all(y, x == y)) && l.all(z, z > 0)",
        &[
            "variable 3",
            "local 0",
            "variable 3",
            "local 1",
            "local 0",
            "local 1",
            "variable 3",
            "local 0",
            "local 0",
        ],
        2,
    );
    check(
        "m.all(k, v, l.all(x, x == v))",
        &["variable 4", "local 0", "variable 3", "local 2", "local 2", "local 1"],
        3,
    );
    check("cel.bind(x, 1, cel.bind(y, x, y))", &["local 0", "local 1", "local 0", "local 1"], 2);
    check("o.optMap(x, x)", &["variable 5", "local 0", "local 0"], 1);
    check("[1].map(i, .i)", &["local 0", "variable 1"], 1);
}

#[test]
fn unchecked_expressions_resolve_what_they_can() {
    let env = env();
    let resolve = |source: &str| env.resolve(env.parse(source).unwrap()).unwrap();
    let check = |source: &str, expected: &str| {
        assert_eq!(resolve(source).result_type().to_string(), expected, "{source}");
    };
    check("1 + 's'", "dyn");
    check("nope", "dyn");
    check("[nope]", "list(dyn)");
    check("1 == 's'", "dyn");
    check("object.spec.replicas", "int");
    check("true ? 1 : 's'", "dyn");
    let checked = resolve("size(1)");
    let Meaning::Overloads(overloads) = checked.meaning(checked.ast.root()) else { panic!("not a call") };
    assert_eq!(overloads.len(), 4);
    let checked = resolve("nope");
    assert!(matches!(checked.meaning(checked.ast.root()), Meaning::Unknown));
}

#[test]
fn long_and_deep_expressions_are_checked_on_a_small_stack() {
    let run = || {
        let env = env();
        let chain = vec!["1"; 5_000].join(" + ");
        assert_eq!(verdict(&env, &chain), "=> int\n");
        assert_eq!(verdict(&env, &vec!["true"; 5_000].join(" && ")), "=> bool\n");
        let wrong = vec!["nope"; 5_000].join(" + ");
        assert_eq!(verdict(&env, &wrong).lines().count(), 100);
        let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        assert!(verdict(&env, &deep).starts_with("=> list(list("));
        let loops = format!("{}1{}", "[1].map(x, ".repeat(60), ")".repeat(60));
        assert!(verdict(&env, &loops).starts_with("=> list(list("), "{}", verdict(&env, &loops));
        let doubling = format!("{}1{}", "cel.bind(x, {x: x}, ".repeat(60), ")".repeat(60));
        assert_eq!(verdict(&env, &doubling.replacen("{x: x}", "1", 1)), "=> int\n");
    };
    std::thread::Builder::new().stack_size(512 * 1024).spawn(run).unwrap().join().unwrap();
}

#[test]
fn names_count_as_what_they_are_bound_to() {
    let nested = |inner: &str| format!("{}{inner}{}", "[".repeat(60), "]".repeat(60));
    let bound = |count: usize| {
        let body = "size(v)".to_owned();
        (0..count).fold(body, |body, index| {
            let init = if index + 1 == count { nested("1") } else { nested("v") };
            format!("cel.bind(v, {init}, {body})")
        })
    };
    let env = Env::builder().library(library::standard()).library(library::bindings()).build();
    let verdict = |count| env.compile(&bound(count)).map(|_| ()).map_err(|it| it.to_string());
    assert_eq!(verdict(4), Ok(()));
    assert!(verdict(5).unwrap_err().contains("expression recursion limit exceeded: 250"));
}

#[test]
fn what_is_not_told_is_counted() {
    let env = Env::builder().library(library::standard()).build();
    let issues = env.compile(&format!("[{}]", ["x"; 130].join(", "))).unwrap_err();
    assert_eq!((issues.len(), issues.omitted()), (100, 30));
    assert!(issues.to_string().ends_with("^\n30 more errors were truncated"));
}
