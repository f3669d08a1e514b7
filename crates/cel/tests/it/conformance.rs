//! The CEL specification's own tests, as far as they need no protobuf.

use std::collections::HashMap;
use std::sync::Arc;

use krono_cel::library::{self, Dialect};
use krono_cel::{Bindings, Checked, Env, EvalError, Key, Library, Map, OpaqueType, Overload, Type, Val};
use serde_json::Value;

use crate::corpus;

/// Cases left out, with the reason; at most ten.
const LEFT_OUT: &[(&str, &str)] = &[];

#[test]
fn cel_spec() {
    let Some(text) = corpus::read("cel-spec/tests.json") else { return };
    let cases: Value = serde_json::from_str(&text).unwrap();
    let cases: Vec<Case> =
        cases.as_array().unwrap().iter().map(Case).filter(|it| !it.flag("proto")).collect();
    let base = everything();
    let failures: Vec<String> = cases
        .iter()
        .filter(|case| !LEFT_OUT.iter().any(|(name, _)| *name == case.full_name()))
        .filter_map(|case| {
            Some(format!("{}: {}\n    {}", case.full_name(), case.text("expr"), case.run(&base).err()?))
        })
        .collect();
    println!("cel-spec: {}/{}", cases.len() - failures.len() - LEFT_OUT.len(), cases.len());
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// Every library the specification's tests use.
fn everything() -> Env {
    let libraries = [
        library::standard(),
        library::strings(Dialect::Specification),
        library::network(),
        library::wrappers(),
        library::bindings(),
        library::two_variable(),
        library::block(),
        library::optionals(),
        library::math(),
        library::encoders(),
    ];
    libraries.into_iter().fold(Env::builder(), krono_cel::EnvBuilder::library).strict_presence(true).build()
}

struct Case<'c>(&'c Value);

impl Case<'_> {
    fn flag(&self, name: &str) -> bool {
        self.0[name] == true
    }

    fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_default()
    }

    fn full_name(&self) -> String {
        format!("{}/{}/{}", self.text("file"), self.text("section"), self.text("name"))
    }

    fn run(&self, base: &Env) -> Result<(), String> {
        let env = self.env(base);
        match (&self.0["err"], self.outcome(&env)) {
            (Value::Null, Ok(())) => Ok(()),
            (Value::Null, Err(error)) => Err(error),
            (_, Err(error)) if !error.starts_with("wanted") => Ok(()),
            (expected, outcome) => Err(format!("expected the error {expected}, got {outcome:?}")),
        }
    }

    fn outcome(&self, env: &Env) -> Result<(), String> {
        let ast = env.parse(self.text("expr")).map_err(|it| it.to_string())?;
        let checked = if self.flag("disable_check") {
            env.resolve(ast).map_err(|it| it.to_string())?
        } else {
            env.check(ast).map_err(|it| it.to_string())?
        };
        self.compare_type(&checked)?;
        if self.flag("check_only") {
            return Ok(());
        }
        let program = env.program(&checked);
        let value = program.eval(&self.bindings(env)).map_err(|it| it.to_string())?;
        self.compare_value(&value)
    }

    fn compare_type(&self, checked: &Checked) -> Result<(), String> {
        if self.0["type"].is_null() {
            return Ok(());
        }
        let wanted = Types::default().read(&self.0["type"]);
        let found = checked.result_type();
        if wanted == *found { Ok(()) } else { Err(format!("wanted the type {wanted}, found {found}")) }
    }

    fn compare_value(&self, found: &Val<'_>) -> Result<(), String> {
        if self.0["want"].is_null() {
            return Ok(());
        }
        let wanted = value(&self.0["want"]);
        let same = wanted == *found && wanted.type_of().runtime_name() == found.type_of().runtime_name();
        if same || is_nan(&wanted) && is_nan(found) {
            Ok(())
        } else {
            Err(format!("wanted {wanted:?}, found {found:?}"))
        }
    }

    fn env(&self, base: &Env) -> Env {
        let mut builder = base.extend().container(self.text("container"));
        for declaration in self.0["env"].as_array().unwrap() {
            let name = declaration["name"].as_str().unwrap();
            builder = match declaration["func"].as_array() {
                Some(overloads) => {
                    builder.library(Library::new().function(leak(name), overloads.iter().map(overload)))
                }
                None => builder.variable(name, Types::default().read(&declaration["type"])),
            };
        }
        let bound = self.0["bind"].as_object().unwrap();
        let undeclared = bound.keys().filter(|name| base.slot(name).is_none());
        let declared = builder.clone().build();
        undeclared
            .filter(|name| declared.slot(name).is_none())
            .fold(builder, |it, name| it.variable(name, Type::Dyn))
            .build()
    }

    fn bindings<'e>(&self, env: &'e Env) -> Bindings<'e> {
        let mut bindings = env.bindings();
        for (name, bound) in self.0["bind"].as_object().unwrap() {
            bindings.set_val(name, value(bound));
        }
        bindings
    }
}

fn is_nan(value: &Val<'_>) -> bool {
    matches!(value, Val::Double(value) if value.is_nan())
}

/// Declared functions are only checked, never called.
fn overload(declaration: &Value) -> Overload {
    let mut types = Types::default();
    let params: Vec<Type> =
        declaration["params"].as_array().unwrap().iter().map(|it| types.read(it)).collect();
    let id = leak(declaration["id"].as_str().unwrap());
    Overload::function(id, params, types.read(&declaration["res"]), |_, _| Err(EvalError::no_such_overload()))
}

/// Declarations name things for as long as the program runs.
fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

/// Reads types, numbering the type parameters of one declaration.
#[derive(Default)]
struct Types(HashMap<String, u32>);

impl Types {
    fn read(&mut self, json: &Value) -> Type {
        let name = json["n"].as_str().unwrap_or_default();
        let params = json["p"].as_array().into_iter().flatten();
        let mut params: Vec<Type> = params.map(|it| self.read(it)).collect();
        match json["k"].as_str().unwrap() {
            "bool" => Type::Bool,
            "int64" => Type::Int,
            "uint64" => Type::Uint,
            "double" => Type::Double,
            "string" => Type::String,
            "bytes" => Type::Bytes,
            "null" => Type::Null,
            "dyn" => Type::Dyn,
            "list" => Type::list(params.remove(0)),
            "map" => Type::map(params.remove(0), params.remove(0)),
            "abstract" if name == "optional_type" => Type::optional(params.remove(0)),
            "abstract" => Type::Opaque(Arc::new(OpaqueType { name: name.into(), params })),
            "param" => {
                let next = u32::try_from(self.0.len()).unwrap();
                Type::Param(*self.0.entry(name.to_owned()).or_insert(next))
            }
            other => panic!("unknown kind of type {other}"),
        }
    }
}

fn value(json: &Value) -> Val<'static> {
    let text = || json["v"].as_str().unwrap();
    match json["t"].as_str().unwrap() {
        "null" => Val::Null,
        "bool" => Val::Bool(json["v"].as_bool().unwrap()),
        "int" => Val::Int(text().parse().unwrap()),
        "uint" => Val::Uint(text().parse().unwrap()),
        "double" => Val::Double(text().parse().unwrap()),
        "string" => Val::string(text()),
        "bytes" => Val::bytes(
            elements(json).map(|it| u8::try_from(it.as_u64().unwrap()).unwrap()).collect::<Vec<_>>(),
        ),
        "list" => Val::list(elements(json).map(value).collect()),
        "map" => {
            let entry = |it: &Value| (Key::new(&value(&it[0])).unwrap(), value(&it[1]));
            Val::map(Map::new(elements(json).map(entry).collect()).unwrap())
        }
        "type" => Val::Type(Arc::new(type_named(text()))),
        other => panic!("unknown kind of value {other}"),
    }
}

fn elements(json: &Value) -> impl Iterator<Item = &Value> {
    json["v"].as_array().unwrap().iter()
}

fn type_named(name: &str) -> Type {
    let plain = [Type::Bool, Type::Int, Type::Uint, Type::Double, Type::String, Type::Bytes, Type::Null];
    let times = [Type::Timestamp, Type::Duration, Type::Type(None)];
    let aggregates = [Type::list(Type::Dyn), Type::map(Type::Dyn, Type::Dyn)];
    let mut known = plain.into_iter().chain(times).chain(aggregates);
    known.find(|it| it.runtime_name() == name).unwrap_or_else(|| Type::opaque(name))
}
