//! `size`, `contains`, `startsWith`, `endsWith`, `matches`.

use std::sync::Arc;

use crate::error::EvalError;
use crate::function::{Implementation, Library, Overload};
use crate::library::pattern;
use crate::meter::Meter;
use crate::types::Type;
use crate::value::Val;

pub(super) fn declare(library: Library) -> Library {
    library
        .function("size", sizes())
        .function("contains", [question("contains_string", |text, part| text.contains(part))])
        .function("startsWith", [question("starts_with_string", |text, part| text.starts_with(part))])
        .function("endsWith", [question("ends_with_string", |text, part| text.ends_with(part))])
        .function(
            "matches",
            [
                Overload::function("matches", [Type::String, Type::String], Type::Bool, matches)
                    .prepared_by(prepare_matches),
                Overload::method("matches_string", [Type::String, Type::String], Type::Bool, matches)
                    .prepared_by(prepare_matches),
            ],
        )
}

fn sizes() -> Vec<Overload> {
    let map = Type::map(Type::Param(0), Type::Param(1));
    let kinds = [
        ("bytes_size", "size_bytes", Type::Bytes),
        ("list_size", "size_list", Type::list(Type::Param(0))),
        ("map_size", "size_map", map),
        ("string_size", "size_string", Type::String),
    ];
    let both = |(method, function, ty): (&'static str, &'static str, Type)| {
        [
            Overload::method(method, [ty.clone()], Type::Int, size),
            Overload::function(function, [ty], Type::Int, size),
        ]
    };
    kinds.into_iter().flat_map(both).collect()
}

fn size<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let size = match &args[0] {
        Val::String(text) => {
            meter.charge_text(text.len())?;
            text.chars().count()
        }
        Val::Bytes(bytes) => bytes.len(),
        other => match other.as_list() {
            Some(list) => list.len(),
            None => other.entries()?.len(),
        },
    };
    Ok(Val::Int(i64::try_from(size).unwrap_or(i64::MAX)))
}

fn question(id: &'static str, ask: fn(&str, &str) -> bool) -> Overload {
    Overload::method(id, [Type::String, Type::String], Type::Bool, move |meter, args| {
        let (text, part) = (args[0].text()?, args[1].text()?);
        meter.charge_text(text.len() + part.len())?;
        Ok(Val::Bool(ask(text, part)))
    })
}

fn matches<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let pattern = pattern::compile(args[1].text()?, meter)?;
    pattern.is_match(args[0].text()?, meter).map(Val::Bool)
}

/// A fixed pattern is compiled once; a wrong one is left to fail when it is used.
fn prepare_matches(args: &[Option<&Val<'static>>]) -> Option<Implementation> {
    let pattern = pattern::compile(args.get(1)?.as_ref()?.as_str()?, &Meter::default()).ok()?;
    Some(Arc::new(move |meter: &Meter<'_>, args: &[Val<'_>]| {
        pattern.is_match(args[0].text()?, meter).map(Val::Bool)
    }))
}
