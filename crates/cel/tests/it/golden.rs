//! cel-go's verdicts on wrong and right expressions, recorded by `cargo run -p xtask -- cel-golden`, beside krono's.

use std::collections::BTreeSet;
use std::sync::Arc;

use krono_cel::library;
use krono_cel::{Env, FieldTypes, ObjectType, Type};
use serde_json::Value;

const EXPRESSIONS: &str = include_str!("../golden/wrong.json");
const VERDICTS: &str = include_str!("../golden/wrong.golden.json");

/// Of a hundred wrong expressions, this many are found wrong at the same places.
const PLACE_TARGET: usize = 98;
/// Of a hundred wrong expressions, this many are found wrong in the same words.
const WORDING_TARGET: usize = 90;

/// Expressions, or how they begin, that krono means to treat otherwise than cel-go, and why.
const DIFFERENT: &[(&str, &str)] = &[
    ("", "there is no column 0: cel-go points before the first character of nothing"),
    ("((((((((((", "cel-go has no place for this error, krono points at what is too deep"),
    ("[[[[[[[[[[", "cel-go has no place for this error, krono points at what is too deep"),
    ("quantity('1').value", "cel-go's words blame a failed resolution: such types just have no fields"),
    ("url('http://a').host", "cel-go's words blame a failed resolution: such types just have no fields"),
    ("runtime.foo", "cel-go's words blame a failed resolution: such types just have no fields"),
    ("ls.existsOne(", "the specification has existsOne, cel-go's standard environment lacks it"),
    ("type == 1", "`type` names a type in CEL; kro's type provider hides it"),
    ("deployment.status.conditions[type==", "`type` names a type in CEL; kro's type provider hides it"),
    ("runtime.newCondition({type: 'Ready', status: 'True'}, 1)", "`type` names a type in CEL; kro hides it"),
    ("newCondition({type: 'Ready'", "`type` names a type in CEL; kro's type provider hides it"),
    ("schema.newCondition({type: 'Ready'", "`type` names a type in CEL; kro's type provider hides it"),
    ("optional_type.x", "`optional_type` names a type in CEL; kro's type provider hides it"),
    ("timestamp.now()", "kro's type provider takes `timestamp` for the name of a type, CEL does not"),
    ("semver('v1.2', true)", "krono has the newer overload of semver, which normalises"),
    ("__type_schema.spec{", "krono gives no names to the types of schemas"),
];

#[test]
fn wrong_expressions_are_wrong_as_in_cel_go() {
    let env = env();
    let cases = cases("wrong");
    let (mut places, mut wordings, mut unexplained) = (0, 0, Vec::new());
    let mut reasons = BTreeSet::new();
    for case in &cases {
        let source = case["expression"].as_str().unwrap();
        let expected: Vec<Report> = case["errors"].as_array().unwrap().iter().map(Report::recorded).collect();
        let found = reports(&env, source);
        places += usize::from(found.iter().map(Report::place).eq(expected.iter().map(Report::place)));
        wordings += usize::from(found == expected);
        let difference = format!("{source}\n  cel-go {}\n  krono  {}", show(&expected), show(&found));
        match reason(source) {
            Some((start, reason)) if found != expected => {
                println!("{difference}\n  because {reason}");
                reasons.insert(*start);
            }
            None if found != expected => unexplained.push(difference),
            Some(_) | None => {}
        }
    }
    println!("golden: verdict+position {places}/{0}, wording {wordings}/{0}", cases.len());
    assert!(unexplained.is_empty(), "{} differ\n{}", unexplained.len(), unexplained.join("\n"));
    let idle: Vec<_> = DIFFERENT.iter().filter(|(start, _)| !reasons.contains(start)).collect();
    assert!(idle.is_empty(), "these no longer differ: {idle:?}");
    assert!(places * 100 >= PLACE_TARGET * cases.len());
    assert!(wordings * 100 >= WORDING_TARGET * cases.len());
}

#[test]
fn right_expressions_have_cel_gos_types() {
    let env = env();
    let cases = cases("right");
    let differ = cases.iter().filter_map(|case| {
        let source = case["expression"].as_str().unwrap();
        let expected = case["type"].as_str().unwrap();
        let found = match env.parse(source).and_then(|ast| env.check(ast)) {
            Ok(checked) => checked.result_type().to_string(),
            Err(issues) => issues.to_string(),
        };
        (found != expected).then(|| format!("{source}\n  cel-go {expected}\n  krono  {found}"))
    });
    let differ: Vec<String> = differ.collect();
    println!("golden: right {}/{}", cases.len() - differ.len(), cases.len());
    assert!(differ.is_empty(), "{} differ\n{}", differ.len(), differ.join("\n"));
}

fn reason(source: &str) -> Option<&'static (&'static str, &'static str)> {
    let same = |start: &str| source == start || !start.is_empty() && source.starts_with(start);
    DIFFERENT.iter().find(|(start, _)| same(start))
}

/// One thing that is wrong, and where.
#[derive(PartialEq)]
struct Report {
    line: i64,
    column: i64,
    message: String,
}

impl Report {
    fn recorded(json: &Value) -> Self {
        Self {
            line: json["line"].as_i64().unwrap(),
            column: json["column"].as_i64().unwrap(),
            message: json["message"].as_str().unwrap().to_owned(),
        }
    }

    fn place(&self) -> (i64, i64) {
        (self.line, self.column)
    }
}

fn show(reports: &[Report]) -> String {
    let lines = reports.iter().map(|it| format!("{}:{} {}", it.line, it.column, it.message));
    lines.collect::<Vec<_>>().join("\n         ")
}

fn reports(env: &Env, source: &str) -> Vec<Report> {
    let Err(issues) = env.parse(source).and_then(|ast| env.check(ast)) else { return Vec::new() };
    let report = |issue| {
        let position = issues.position(issue);
        Report { line: position.line.into(), column: position.column.into(), message: issue.message.clone() }
    };
    issues.iter().map(report).collect()
}

fn cases(kind: &str) -> Vec<Value> {
    let verdicts: Value = serde_json::from_str(VERDICTS).unwrap();
    verdicts[kind].as_array().unwrap().clone()
}

/// kro's libraries and the variables that the expressions speak of.
fn env() -> Env {
    let expressions: Value = serde_json::from_str(EXPRESSIONS).unwrap();
    let env = library::kro::environment().library(library::kro::omit()).library(library::kro::runtime());
    let variables = expressions["variables"].as_object().unwrap();
    let declare = |env: krono_cel::EnvBuilder, (name, json): (&String, &Value)| {
        env.variable(name, read_type(&format!("__type_{name}"), json))
    };
    variables.iter().fold(env, declare).build()
}

/// Reads a type; objects are named after their place, as kro names them.
fn read_type(name: &str, json: &Value) -> Type {
    if let Some(scalar) = json.as_str() {
        return read_scalar(scalar);
    }
    if let Some(element) = json.get("list") {
        return Type::list(read_type(&format!("{name}.@idx"), element));
    }
    if let Some(entry) = json.get("map") {
        return Type::map(read_type("", &entry[0]), read_type(&format!("{name}.@elem"), &entry[1]));
    }
    if let Some(inner) = json.get("optional") {
        return Type::optional(read_type(name, inner));
    }
    let field = |(field, json): (&String, &Value)| {
        (Arc::from(field.as_str()), read_type(&format!("{name}.{field}"), json))
    };
    let fields: FieldTypes = json["object"].as_object().unwrap().iter().map(field).collect();
    Type::Object(Arc::new(ObjectType::new(name, json["open"] == true, || fields)))
}

fn read_scalar(name: &str) -> Type {
    match name {
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "timestamp" => Type::Timestamp,
        "duration" => Type::Duration,
        "null" => Type::Null,
        "dyn" => Type::Dyn,
        other => panic!("unknown type {other}"),
    }
}
