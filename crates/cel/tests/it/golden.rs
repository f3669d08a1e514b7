//! cel-go's verdicts on wrong and right expressions, recorded by `cargo run -p xtask -- cel-golden`, beside krono's.

use std::sync::Arc;

use krono_cel::library;
use krono_cel::{Env, ObjectType, Type};
use serde_json::Value;

const EXPRESSIONS: &str = include_str!("../golden/wrong.json");
const VERDICTS: &str = include_str!("../golden/wrong.golden.json");

/// Of a hundred wrong expressions, this many are found wrong at the same places.
const PLACE_TARGET: usize = 98;
/// Of a hundred wrong expressions, this many are found wrong in the same words.
const WORDING_TARGET: usize = 90;

#[test]
fn wrong_expressions_are_wrong_as_in_cel_go() {
    let env = env();
    let (mut places, mut wordings, mut differ) = (0, 0, Vec::new());
    let cases = cases("wrong");
    for case in &cases {
        let source = case["expression"].as_str().unwrap();
        let expected: Vec<Report> = case["errors"].as_array().unwrap().iter().map(Report::recorded).collect();
        let found = reports(&env, source);
        let place = found.iter().map(Report::place).eq(expected.iter().map(Report::place));
        places += usize::from(place);
        wordings += usize::from(found == expected);
        if found != expected {
            differ.push(format!("{source}\n  cel-go {}\n  krono  {}", show(&expected), show(&found)));
        }
    }
    println!("{}", differ.join("\n"));
    println!("golden: verdict+position {places}/{0}, wording {wordings}/{0}", cases.len());
    assert!(places * 100 >= PLACE_TARGET * cases.len());
    assert!(wordings * 100 >= WORDING_TARGET * cases.len());
}

#[test]
fn right_expressions_have_cel_go_s_types() {
    let env = env();
    let cases = cases("right");
    let differ: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let source = case["expression"].as_str().unwrap();
            let expected = case["type"].as_str().unwrap();
            let found = match env.parse(source).and_then(|ast| env.check(ast)) {
                Ok(checked) => checked.result_type().to_string(),
                Err(issues) => issues.to_string(),
            };
            (found != expected).then(|| format!("{source}\n  cel-go {expected}\n  krono  {found}"))
        })
        .collect();
    println!("golden: right {}/{}", cases.len() - differ.len(), cases.len());
    assert!(differ.is_empty(), "{}", differ.join("\n"));
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
    let env = library::kro::libraries().into_iter().fold(Env::builder(), krono_cel::EnvBuilder::library);
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
    Type::Object(Arc::new(ObjectType {
        name: name.into(),
        fields: json["object"].as_object().unwrap().iter().map(field).collect(),
        open: json["open"] == true,
    }))
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
