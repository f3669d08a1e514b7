//! Types as written: `[]map[string]Port`.

use super::error::Problem;
use crate::schema::SchemaType;

/// How deep `[]` and `map[string]` may be nested in one type.
pub const MAX_TYPE_NESTING: usize = 16;

/// A type as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TypeName<'t> {
    /// `string`, `integer`, `boolean` or `float`.
    Scalar(SchemaType),
    /// `object`: any fields.
    Object,
    /// `[]T`.
    List(Box<TypeName<'t>>),
    /// `map[string]T`.
    Map(Box<TypeName<'t>>),
    /// Anything else is the name of a custom type.
    Custom(&'t str),
}

impl<'t> TypeName<'t> {
    /// Reads a type; the text may have space around it.
    pub(super) fn parse(text: &'t str) -> Result<Self, Problem> {
        if text.trim().is_empty() { Err(Problem::EmptyType) } else { parse_nested(text, 0) }
    }

    /// The custom type inside, if any.
    pub(super) fn custom(&self) -> Option<&'t str> {
        match self {
            Self::Scalar(_) | Self::Object => None,
            Self::List(inner) | Self::Map(inner) => inner.custom(),
            Self::Custom(name) => Some(name),
        }
    }
}

fn parse_nested(text: &str, depth: usize) -> Result<TypeName<'_>, Problem> {
    if depth > MAX_TYPE_NESTING {
        return Err(Problem::TypeTooNested);
    }
    let text = text.trim();
    if let Some(scalar) = scalar(text) {
        return Ok(TypeName::Scalar(scalar));
    }
    if text == "object" {
        return Ok(TypeName::Object);
    }
    if let Some(element) = text.strip_prefix("[]") {
        let element = non_empty(element, Problem::EmptyElement)?;
        return Ok(TypeName::List(Box::new(parse_nested(element, depth + 1)?)));
    }
    if text.starts_with("map[") {
        let value = text.strip_prefix("map[string]");
        let value = value.ok_or_else(|| Problem::MapKey { written: text.to_owned() })?;
        let value = non_empty(value, Problem::EmptyValue)?;
        return Ok(TypeName::Map(Box::new(parse_nested(value, depth + 1)?)));
    }
    Ok(TypeName::Custom(text))
}

fn non_empty(text: &str, problem: Problem) -> Result<&str, Problem> {
    if text.trim().is_empty() { Err(problem) } else { Ok(text) }
}

fn scalar(text: &str) -> Option<SchemaType> {
    Some(match text {
        "string" => SchemaType::String,
        "integer" => SchemaType::Integer,
        "boolean" => SchemaType::Boolean,
        "float" => SchemaType::Number,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(inner: TypeName<'static>) -> TypeName<'static> {
        TypeName::List(Box::new(inner))
    }

    fn map(inner: TypeName<'static>) -> TypeName<'static> {
        TypeName::Map(Box::new(inner))
    }

    #[test]
    fn types() {
        let check = |text: &'static str, expect: TypeName<'_>| assert_eq!(TypeName::parse(text), Ok(expect));
        let string = || TypeName::Scalar(SchemaType::String);
        check("string", string());
        check(" float ", TypeName::Scalar(SchemaType::Number));
        check("object", TypeName::Object);
        check("[]string", list(string()));
        check("[] string", list(string()));
        check("[][]map[string]Person", list(list(map(TypeName::Custom("Person")))));
        check("map[string][]string", map(list(string())));
        check("int", TypeName::Custom("int"));
    }

    #[test]
    fn problems() {
        let check = |text: &str, expect: Problem| assert_eq!(TypeName::parse(text), Err(expect));
        check("", Problem::EmptyType);
        check("  ", Problem::EmptyType);
        check("[]", Problem::EmptyElement);
        check("[][]", Problem::EmptyElement);
        check("map[string][]", Problem::EmptyElement);
        check("map[string] ", Problem::EmptyValue);
        check("map[integer]string", Problem::MapKey { written: "map[integer]string".into() });
        check("map[stringPerson", Problem::MapKey { written: "map[stringPerson".into() });
        check(&format!("{}string", "[]".repeat(17)), Problem::TypeTooNested);
        check(&"[]".repeat(100_000), Problem::TypeTooNested);
        assert!(TypeName::parse(&format!("{}string", "[]".repeat(16))).is_ok());
    }
}
