//! Status conditions: `runtime.newCondition({type: 'Ready', status: 'True'})`.

use crate::error::EvalError;
use crate::function::{Library, Message, Overload};
use crate::library::arity;
use crate::macros;
use crate::meter::Meter;
use crate::quote::quoted;
use crate::types::Type::{self, Dyn, String};
use crate::value::{Key, Map, MapView, Opaque, Text, Val};

/// `runtime.newCondition` and `runtime.condition`.
pub fn runtime() -> Library {
    let runtime = Runtime::cel_type;
    let texts = Type::map(String, String);
    Library::new()
        .with_macros(macros::RUNTIME)
        .message(condition_message())
        .constant("runtime", Val::opaque(Runtime), runtime())
        .function(
            "newCondition",
            [Overload::method(
                "runtime_newCondition_map",
                [runtime(), texts],
                condition_type(),
                new_condition,
            )],
        )
        .function(
            "condition",
            [Overload::method(
                "runtime_condition_dyn_string",
                [runtime(), Dyn, String],
                condition_type(),
                condition,
            )],
        )
}

/// The type of conditions in expressions.
pub fn condition_type() -> Type {
    Type::object("kro.run.Condition", FIELDS.map(|field| (field, String)))
}

fn condition_message() -> Message {
    Message {
        name: "kro.run.Condition",
        fields: FIELDS.map(|field| (field, String)).into(),
        result: condition_type(),
        build: |set| {
            let field = |name: &str| set.iter().find(|(it, _)| **it == *name).map(|(_, value)| value.clone());
            Ok(condition_of(field))
        },
    }
}

const FIELDS: [&str; 4] = ["type", "status", "reason", "message"];

/// What the name `runtime` stands for.
#[derive(Debug)]
struct Runtime;

impl Runtime {
    fn cel_type() -> Type {
        Type::object("kro.run.Runtime", [])
    }
}

impl Opaque for Runtime {
    fn type_of(&self) -> Type {
        Self::cel_type()
    }

    fn equals(&self, other: &dyn Opaque) -> bool {
        (other as &dyn std::any::Any).is::<Self>()
    }
}

/// A condition with these fields; those left out are empty.
fn condition_of<'a>(field: impl Fn(&str) -> Option<Val<'a>>) -> Val<'a> {
    let entry = |name: &'static str| (Key::String(Text::Lent(name)), field(name).unwrap_or(Val::str("")));
    Val::map(Map::last_wins(FIELDS.map(entry).into()))
}

fn new_condition<'a>(_: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [_, fields] = arity(args)?;
    let fields = fields.entries()?;
    for (name, value) in fields.entries() {
        check_field(&name.to_string(), &value)?;
    }
    Ok(condition_of(|name| fields.get_str(name)))
}

fn check_field(name: &str, value: &Val<'_>) -> Result<(), EvalError> {
    let Some(text) = value.as_str() else {
        let ty = value.type_of();
        return Err(wrong(&format!("{name} must be a string, got {}", ty.runtime_name())));
    };
    match name {
        "type" if text.is_empty() => Err(wrong("type must not be empty")),
        "status" if !["True", "False", "Unknown"].contains(&text) => {
            Err(wrong(&format!("status must be one of True, False, Unknown (got {})", quoted(text))))
        }
        _ => Ok(()),
    }
}

fn wrong(problem: &str) -> EvalError {
    EvalError::invalid(format!("runtime.newCondition: {problem}"))
}

/// The condition of a type that an object has, or one with empty fields.
fn condition<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [_, object, wanted] = arity(args)?;
    let wanted = wanted.text()?;
    let refuse = |problem: &str| EvalError::invalid(format!("runtime.condition: {problem}"));
    let object = object.as_map().ok_or_else(|| refuse("obj must be an object"))?;
    let Some(status) = object.get_str("status") else { return Ok(condition_of(|_| None)) };
    let status = status.as_map().ok_or_else(|| refuse("obj.status must be an object"))?;
    let Some(conditions) = status.get_str("conditions") else { return Ok(condition_of(|_| None)) };
    let conditions = conditions.as_list().ok_or_else(|| refuse("obj.status.conditions must be a list"))?;
    meter.charge(conditions.len() as u64)?;
    for element in conditions.iter() {
        let fields = element.as_map().ok_or_else(|| {
            let ty = element.type_of();
            refuse(&format!("unexpected condition element type {}", ty.runtime_name()))
        })?;
        if text_field(fields, "type").as_ref().and_then(Val::as_str) == Some(wanted) {
            return Ok(condition_of(|name| text_field(fields, name)));
        }
    }
    Ok(condition_of(|_| None))
}

fn text_field<'a>(fields: MapView<'_, 'a>, name: &str) -> Option<Val<'a>> {
    fields.get_str(name).filter(|value| value.as_str().is_some())
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::check_expression;
    use super::runtime;

    #[test]
    fn conditions_are_made() {
        let check = |expression: &str, expect: &str| check_expression([runtime()], expression, expect);
        check(
            "runtime.newCondition({type: 'Ready', status: 'True', reason: 'Why', message: 'so'})",
            "{'message': 'so', 'reason': 'Why', 'status': 'True', 'type': 'Ready'}",
        );
        check("runtime.newCondition({type: 'Ready', status: 'True'}).status", "'True'");
        check("runtime.newCondition({type: 'Ready', status: 'True'}).reason", "''");
        check(
            "runtime.newCondition({type: '', status: 'True'})",
            "! runtime.newCondition: type must not be empty",
        );
        check(
            "runtime.newCondition({type: 'a', status: 'Maybe'})",
            "! runtime.newCondition: status must be one of True, False, Unknown (got \"Maybe\")",
        );
        check(
            "runtime.newCondition({type: 'a', status: dyn(1)})",
            "! runtime.newCondition: status must be a string, got int",
        );
    }

    #[test]
    fn conditions_are_found() {
        let object = "{'status': {'conditions': [{'type': 'A', 'status': 'False'}, {'type': 'B', 'status': 'True', 'reason': 'r'}]}}";
        let check = |expression: &str, expect: &str| {
            check_expression([runtime()], &expression.replace("OBJECT", object), expect);
        };
        check("runtime.condition(OBJECT, 'B').reason", "'r'");
        check("runtime.condition(OBJECT, 'B').message", "''");
        check("runtime.condition(OBJECT, 'C').status", "''");
        check("runtime.condition({}, 'C').status == ''", "true");
        check("runtime.condition({'status': {}}, 'C').type", "''");
        check("runtime.condition({'status': 1}, 'C')", "! runtime.condition: obj.status must be an object");
        check(
            "runtime.condition({'status': {'conditions': 1}}, 'C')",
            "! runtime.condition: obj.status.conditions must be a list",
        );
        check("runtime.condition(1, 'C')", "! runtime.condition: obj must be an object");
    }
}
