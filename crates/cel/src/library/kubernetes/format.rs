//! Named formats of text: `format.dns1123Label().validate("my-name")`.

mod names;
mod strfmt;

use super::super::arity;
use super::urls::Url;
use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::meter::Meter;
use crate::types::Type::{self, String};
use crate::value::{Opaque, Val};

/// `format.named`, a function for each format, and `validate`.
pub fn format() -> Library {
    let messages = Type::optional(Type::list(String));
    let library = Library::new()
        .function(
            "validate",
            [Overload::method("format-validate", [NamedFormat::cel_type(), String], messages, validate)],
        )
        .function(
            "format.named",
            [Overload::function("format-named", [String], Type::optional(NamedFormat::cel_type()), named)],
        )
        .type_name("kubernetes.NamedFormat", NamedFormat::cel_type());
    FORMATS.iter().fold(library, |library, format| {
        let ty = NamedFormat::cel_type();
        library.function(
            format.function,
            [Overload::function(format.function, [], ty, move |_, _| Ok(Val::opaque(*format)))],
        )
    })
}

/// A format that text can be checked against.
#[derive(Clone, Copy)]
pub struct NamedFormat {
    /// The function that gives it.
    function: &'static str,
    /// What is wrong with a text.
    problems: fn(&str) -> Vec<std::string::String>,
}

impl NamedFormat {
    /// The type of formats in expressions.
    pub fn cel_type() -> Type {
        Type::object("kubernetes.NamedFormat", [])
    }

    /// The format of this name, such as `dns1123Label`.
    pub fn named(name: &str) -> Option<Self> {
        FORMATS.iter().find(|format| format.function.strip_prefix("format.") == Some(name)).copied()
    }

    /// What is wrong with a text, in the words of Kubernetes; nothing if it has the format.
    pub fn problems(&self, text: &str) -> Vec<std::string::String> {
        (self.problems)(text)
    }
}

impl std::fmt::Debug for NamedFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("NamedFormat").field(&self.function).finish()
    }
}

static FORMATS: [NamedFormat; 13] = [
    NamedFormat { function: "format.dns1123Label", problems: |text| names::dns1123_label(text) },
    NamedFormat { function: "format.dns1123Subdomain", problems: |text| names::dns1123_subdomain(text) },
    NamedFormat { function: "format.dns1035Label", problems: |text| names::dns1035_label(text) },
    NamedFormat { function: "format.qualifiedName", problems: names::qualified_name },
    NamedFormat {
        function: "format.dns1123LabelPrefix",
        problems: |text| names::dns1123_label(&names::as_prefix(text)),
    },
    NamedFormat {
        function: "format.dns1123SubdomainPrefix",
        problems: |text| names::dns1123_subdomain(&names::as_prefix(text)),
    },
    NamedFormat {
        function: "format.dns1035LabelPrefix",
        problems: |text| names::dns1035_label(&names::as_prefix(text)),
    },
    NamedFormat { function: "format.labelValue", problems: names::label_value },
    NamedFormat { function: "format.uri", problems: |text| Url::problem(text).into_iter().collect() },
    NamedFormat {
        function: "format.uuid",
        problems: |text| unless(strfmt::is_uuid(text), "does not match the UUID format"),
    },
    NamedFormat {
        function: "format.byte",
        problems: |text| unless(strfmt::is_base64(text), "invalid base64"),
    },
    NamedFormat { function: "format.date", problems: |text| unless(strfmt::is_date(text), "invalid date") },
    NamedFormat {
        function: "format.datetime",
        problems: |text| unless(strfmt::is_date_time(text), "invalid datetime"),
    },
];

fn unless(valid: bool, problem: &str) -> Vec<std::string::String> {
    if valid { Vec::new() } else { vec![problem.to_owned()] }
}

impl Opaque for NamedFormat {
    fn type_of(&self) -> Type {
        Self::cel_type()
    }

    fn equals(&self, other: &dyn Opaque) -> bool {
        let other = (other as &dyn std::any::Any).downcast_ref::<Self>();
        other.is_some_and(|other| self.function == other.function)
    }
}

fn named<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [name] = arity(args)?;
    meter.charge_text(name.text()?.len())?;
    Ok(NamedFormat::named(name.text()?).map_or(Val::Optional(None), |format| Val::some(Val::opaque(format))))
}

fn validate<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [format, text] = arity(args)?;
    meter.charge_text(text.text()?.len())?;
    let problems = format.library::<NamedFormat>()?.problems(text.text()?);
    if problems.is_empty() {
        return Ok(Val::Optional(None));
    }
    Ok(Val::some(Val::list(problems.into_iter().map(Val::string).collect())))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::check_expression;
    use super::super::super::{optionals, sets};
    use super::format;

    #[test]
    fn formats_are_values() {
        let check = |expression: &str, expect: &str| {
            check_expression([format(), optionals(), sets()], expression, expect);
        };
        check("format.dns1123Label().validate('my-label-name')", "none");
        check("format.named('uuid').value().validate('x')", "some(['does not match the UUID format'])");
        check("format.named('unknown').hasValue()", "false");
        check("format.named('byte').value() == format.byte()", "true");
        check("format.date() == format.byte()", "false");
        check("format.uri().validate('foo')", "some(['parse \"foo\": invalid URI for request'])");
        check("format.datetime().validate('2020-01-32T00:00:00Z')", "some(['invalid datetime'])");
    }
}
