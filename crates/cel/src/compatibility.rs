//! Whether what an expression gives fits the field it is meant for.

#![expect(clippy::wildcard_enum_match_arm, reason = "kinds that are not containers are treated alike")]

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use crate::types::{ObjectType, Type};

/// Why a value of one type cannot be put where another is expected.
///
/// `Display` is kro's wording without its first part, which names the resource and the expression.
#[derive(Clone, Debug, Error)]
#[error("returns type \"{}\" but expected \"{}\": {reason}", Declared(.output), Declared(.expected))]
pub struct Incompatible {
    /// The type of the whole value.
    pub output: Type,
    /// The type that was expected of it.
    pub expected: Type,
    /// Where in the value they disagree, such as `ports[].name`; empty for the value itself.
    pub path: String,
    /// How they disagree, from the outside in.
    pub reason: String,
}

impl Type {
    /// Whether a value of this type can be put where `target` is expected: by name, or else by structure.
    ///
    /// What is known at run time only passes. An optional counts as what it may hold. An object fits another that has all of its fields,
    /// a map fits an object if its values fit every field, and an object fits a map whose values all of its fields fit.
    pub fn assignable_to(&self, target: &Type) -> Result<(), Incompatible> {
        fit(self, target).map_err(|mismatch| Incompatible {
            output: self.clone(),
            expected: target.clone(),
            path: mismatch.path(),
            reason: mismatch.reason,
        })
    }
}

struct Mismatch {
    reason: String,
    /// Innermost first.
    path: Vec<String>,
}

impl Mismatch {
    fn new(reason: String) -> Self {
        Self { reason, path: Vec::new() }
    }

    fn kinds(output: &Type, expected: &Type) -> Self {
        let (output, expected) = (Declared(output), Declared(expected));
        Self::new(format!("type kind mismatch: got \"{output}\", expected \"{expected}\""))
    }

    fn within(mut self, step: String, reason: &str) -> Self {
        self.path.push(step);
        self.reason = format!("{reason}: {}", self.reason);
        self
    }

    fn path(&self) -> String {
        let path: String = self.path.iter().rev().map(String::as_str).collect();
        path.strip_prefix('.').map_or(path.clone(), str::to_owned)
    }
}

fn fit(output: &Type, expected: &Type) -> Result<(), Mismatch> {
    match (output, expected) {
        (Type::Dyn | Type::Error, _)
        | (_, Type::Dyn | Type::Error)
        | (Type::Null, Type::Wrapper(_) | Type::Object(_))
        | (Type::Type(_), Type::Type(_)) => Ok(()),
        (Type::Optional(inner), Type::Optional(expected)) => fit(inner, expected),
        (Type::Optional(inner) | Type::Wrapper(inner), _) => fit(inner, expected),
        (_, Type::Wrapper(inner)) => fit(output, inner),
        (Type::List(a), Type::List(b)) => fit(&a.element, &b.element)
            .map_err(|it| it.within("[]".to_owned(), "list element type incompatible")),
        (Type::Map(a), Type::Map(b)) => {
            fit(&a.0, &b.0).map_err(|it| it.within("{key}".to_owned(), "map key type incompatible"))?;
            fit(&a.1, &b.1).map_err(|it| it.within("{}".to_owned(), "map value type incompatible"))
        }
        (Type::Map(map), Type::Object(object)) => fit_map_to_object(&map.0, &map.1, object),
        (Type::Object(object), Type::Map(map)) => fit_object_to_map(object, &map.0, &map.1),
        (Type::Object(a), Type::Object(b)) => fit_objects(a, b),
        _ if output == expected => Ok(()),
        _ => Err(Mismatch::kinds(output, expected)),
    }
}

fn fit_objects(output: &Arc<ObjectType>, expected: &Arc<ObjectType>) -> Result<(), Mismatch> {
    if Arc::ptr_eq(output, expected) || output.name == expected.name || expected.open {
        return Ok(());
    }
    if expected.fields.is_empty() && !output.fields.is_empty() {
        return Err(Mismatch::new("output has fields but expected type has none".to_owned()));
    }
    output.fields.iter().try_for_each(|(name, field)| {
        let Some(wanted) = expected.fields.get(name) else {
            let mut missing =
                Mismatch::new(format!("field {name:?} exists in output but not in expected type"));
            missing.path.push(format!(".{name}"));
            return Err(missing);
        };
        fit(field, wanted)
            .map_err(|it| it.within(format!(".{name}"), &format!("field {name:?} has incompatible type")))
    })
}

fn fit_map_to_object(key: &Type, value: &Type, expected: &ObjectType) -> Result<(), Mismatch> {
    if !matches!(key, Type::String | Type::Dyn) && !expected.fields.is_empty() {
        return Err(Mismatch::new("map keys must be strings to assign to struct".to_owned()));
    }
    expected.fields.iter().try_for_each(|(name, field)| {
        fit(value, field).map_err(|it| {
            it.within(format!(".{name}"), &format!("map value incompatible with struct field {name:?}"))
        })
    })
}

fn fit_object_to_map(output: &ObjectType, key: &Type, value: &Type) -> Result<(), Mismatch> {
    if !matches!(key, Type::String | Type::Dyn) && !output.fields.is_empty() {
        return Err(Mismatch::new("map key type must be string when assigning struct → map".to_owned()));
    }
    output.fields.iter().try_for_each(|(name, field)| {
        fit(field, value).map_err(|it| {
            it.within(format!(".{name}"), &format!("struct field {name:?} incompatible with map value type"))
        })
    })
}

/// A type by the names that kro's messages have, which are those of the run time.
struct Declared<'t>(&'t Type);

impl fmt::Display for Declared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Type::List(list) => write!(f, "list({})", Declared(&list.element)),
            Type::Map(entry) => write!(f, "map({}, {})", Declared(&entry.0), Declared(&entry.1)),
            Type::Optional(inner) => write!(f, "optional_type({})", Declared(inner)),
            Type::Type(Some(inner)) => write!(f, "type({})", Declared(inner)),
            Type::Null | Type::Timestamp | Type::Duration => f.write_str(self.0.runtime_name()),
            ty => ty.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::FieldTypes;

    #[expect(clippy::needless_pass_by_value, reason = "the tables read better")]
    fn check(output: Type, expected: Type, verdict: Result<(), (&str, &str)>) {
        let found = output.assignable_to(&expected);
        let found = found.as_ref().map_err(|it| (it.path.as_str(), it.reason.as_str()));
        assert_eq!(found, verdict.as_ref().map_err(|it| *it), "{output} to {expected}");
    }

    fn port(ty: Type) -> Type {
        Type::object("port", [("name", Type::String), ("port", ty)])
    }

    #[test]
    fn what_is_known_at_run_time_only_passes() {
        check(Type::Dyn, Type::Int, Ok(()));
        check(Type::Int, Type::Dyn, Ok(()));
        check(Type::list(Type::Dyn), Type::list(Type::Int), Ok(()));
        check(Type::map(Type::Dyn, Type::Dyn), port(Type::Int), Ok(()));
    }

    #[test]
    fn scalars_fit_themselves() {
        check(Type::Int, Type::Int, Ok(()));
        check(Type::optional(Type::Int), Type::Int, Ok(()));
        check(Type::Wrapper(Arc::new(Type::Int)), Type::Int, Ok(()));
        check(Type::Int, Type::Double, Err(("", "type kind mismatch: got \"int\", expected \"double\"")));
        check(
            Type::Timestamp,
            Type::String,
            Err(("", "type kind mismatch: got \"google.protobuf.Timestamp\", expected \"string\"")),
        );
        check(
            Type::String,
            Type::list(Type::String),
            Err(("", "type kind mismatch: got \"string\", expected \"list(string)\"")),
        );
        check(
            Type::String,
            port(Type::Int),
            Err(("", "type kind mismatch: got \"string\", expected \"port\"")),
        );
        check(Type::Null, port(Type::Int), Ok(()));
    }

    #[test]
    fn containers_fit_by_what_they_hold() {
        let reason = "list element type incompatible: type kind mismatch: got \"int\", expected \"string\"";
        check(Type::list(Type::Int), Type::list(Type::String), Err(("[]", reason)));
        check(Type::list(Type::optional(Type::Int)), Type::list(Type::Int), Ok(()));
        let reason = "map value type incompatible: type kind mismatch: got \"int\", expected \"string\"";
        check(Type::map(Type::String, Type::Int), Type::map(Type::String, Type::String), Err(("{}", reason)));
    }

    #[test]
    fn objects_fit_where_all_of_their_fields_do() {
        let small = || Type::object("small", [("name", Type::String)]);
        check(small(), port(Type::Int), Ok(()));
        check(
            port(Type::Int),
            small(),
            Err(("port", "field \"port\" exists in output but not in expected type")),
        );
        let nested = |name, ty| Type::object(name, [("ports", Type::list(ty))]);
        check(
            nested("a", small()),
            nested("b", Type::object("other", [("name", Type::Int)])),
            Err((
                "ports[].name",
                "field \"ports\" has incompatible type: list element type incompatible: \
                 field \"name\" has incompatible type: type kind mismatch: got \"string\", expected \"int\"",
            )),
        );
        let open = ObjectType::new("open", true, FieldTypes::new);
        check(port(Type::Int), Type::Object(Arc::new(open)), Ok(()));
        let empty = Type::object("empty", []);
        check(port(Type::Int), empty.clone(), Err(("", "output has fields but expected type has none")));
        check(empty, port(Type::Int), Ok(()));
    }

    #[test]
    fn maps_and_objects_fit_each_other() {
        check(Type::map(Type::String, Type::String), port(Type::String), Ok(()));
        check(
            Type::map(Type::String, Type::String),
            port(Type::Int),
            Err((
                "port",
                "map value incompatible with struct field \"port\": \
                 type kind mismatch: got \"string\", expected \"int\"",
            )),
        );
        check(
            Type::map(Type::Int, Type::String),
            port(Type::String),
            Err(("", "map keys must be strings to assign to struct")),
        );
        check(port(Type::String), Type::map(Type::String, Type::String), Ok(()));
        check(
            port(Type::Int),
            Type::map(Type::String, Type::String),
            Err((
                "port",
                "struct field \"port\" incompatible with map value type: \
                 type kind mismatch: got \"int\", expected \"string\"",
            )),
        );
    }

    #[test]
    fn the_message_is_kros() {
        let found = Type::list(Type::Int).assignable_to(&Type::list(Type::Timestamp)).unwrap_err();
        assert_eq!(
            found.to_string(),
            "returns type \"list(int)\" but expected \"list(google.protobuf.Timestamp)\": list element type \
             incompatible: type kind mismatch: got \"int\", expected \"google.protobuf.Timestamp\""
        );
    }
}
