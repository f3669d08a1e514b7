//! Calling library functions without a parser, for tables of expectations.

use crate::env::{Env, EnvBuilder};
use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::meter::Meter;
use crate::types::Type;
use crate::value::{Key, Map, Val};

/// Asserts what a call gives, written as [`show`] writes it; errors as `! message`.
#[track_caller]
pub(super) fn check(library: &Library, name: &str, args: &[Val<'_>], expect: &str) {
    assert_eq!(shown(library, name, args), expect, "{name}({args:?})");
}

/// Asserts what an expression gives in an environment of the standard library and these.
#[track_caller]
pub(super) fn check_expression(libraries: impl IntoIterator<Item = Library>, expression: &str, expect: &str) {
    let libraries = [super::standard()].into_iter().chain(libraries);
    let env = libraries.fold(Env::builder(), EnvBuilder::library).build();
    let found = match env.compile(expression) {
        Ok(program) => match program.eval(&env.bindings()) {
            Ok(value) => show(&value),
            Err(error) => format!("! {error}"),
        },
        Err(issues) => format!("!! {}", issues.to_string().lines().next().unwrap_or_default()),
    };
    assert_eq!(found, expect, "{expression}");
}

/// What a call gives, as text.
pub(super) fn shown(library: &Library, name: &str, args: &[Val<'_>]) -> String {
    match call(library, name, args) {
        Ok(value) => show(&value),
        Err(error) => format!("! {error}"),
    }
}

/// Calls the first overload that takes such arguments.
pub(super) fn call<'a>(library: &Library, name: &str, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let overloads =
        library.functions.iter().filter(|(it, _)| *it == name).flat_map(|(_, overloads)| overloads);
    let mut taking = overloads.filter(|it| takes(it, args));
    let overload = taking.next().ok_or_else(EvalError::no_such_overload)?;
    (overload.implementation)(&Meter::default(), args)
}

fn takes(overload: &Overload, args: &[Val<'_>]) -> bool {
    let accepts = |(param, arg): (&Type, &Val<'_>)| {
        matches!(param, Type::Dyn | Type::Param(_)) || param.runtime_name() == arg.type_of().runtime_name()
    };
    overload.params.len() == args.len() && overload.params.iter().zip(args).all(accepts)
}

/// A value in CEL's notation.
pub(super) fn show(value: &Val<'_>) -> String {
    if let Some(list) = value.as_list() {
        return format!("[{}]", list.iter().map(|it| show(&it)).collect::<Vec<_>>().join(", "));
    }
    if let Some(map) = value.as_map() {
        let entries = map.entries();
        let entry = |(key, value): &(Key<'_>, Val<'_>)| format!("{}: {}", show(&key.to_val()), show(value));
        return format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "));
    }
    match value {
        Val::Null => "null".into(),
        Val::Bool(value) => value.to_string(),
        Val::Int(value) => value.to_string(),
        Val::Uint(value) => format!("{value}u"),
        Val::Double(value) => format!("{value:?}"),
        Val::String(text) => format!("'{}'", &**text),
        Val::Bytes(bytes) => format!("b'{}'", bytes.escape_ascii()),
        Val::Optional(None) => "none".into(),
        Val::Optional(Some(value)) => format!("some({})", show(value)),
        other => format!("{other:?}"),
    }
}

/// A list of text.
pub(super) fn texts<'a>(texts: &[&'a str]) -> Val<'a> {
    Val::list(texts.iter().map(|it| Val::str(it)).collect())
}

/// A map with text keys.
pub(super) fn map<'a>(entries: &[(&'a str, Val<'a>)]) -> Val<'a> {
    let key = |text: &'a str| Key::String(crate::value::Text::Lent(text));
    Val::map(Map::last_wins(entries.iter().map(|(name, value)| (key(name), value.clone())).collect()))
}
