//! Fields that a type does not have.

use std::collections::BTreeSet;

use super::similar;
use crate::env::Env;
use crate::types::{ObjectType, Type};

/// More names than this are no help.
const MOST_NAMES: usize = 12;

/// What to do about a field that is read at an offset and is not there.
pub(super) fn hint(field: &str, at: u32, source: &str, env: &Env) -> String {
    let owner = source.get(..at as usize).and_then(|before| owner(before, env));
    let near = match owner {
        Some((_, object)) => similar::nearest(field, &names(object)),
        None => similar::nearest(field, &every_name(env)),
    };
    match (near, owner) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, Some((path, object))) if (1..=MOST_NAMES).contains(&object.fields.len()) => {
            let names: Vec<_> = object.fields.keys().map(AsRef::as_ref).collect();
            format!("`{path}` has {}", names.join(", "))
        }
        (None, _) => format!("the schema has no field `{field}` there; only what it declares may be read"),
    }
}

/// The object whose field is read, when it is written as `variable.field.field`.
fn owner<'e, 's>(before: &'s str, env: &'e Env) -> Option<(&'s str, &'e ObjectType)> {
    let before = before.trim_end_matches(['.', '?']);
    let start =
        before.rfind(|it: char| !it.is_ascii_alphanumeric() && !"_.?".contains(it)).map_or(0, |it| it + 1);
    let path = before.get(start..)?;
    let mut steps = path.split('.').map(|it| it.trim_start_matches('?'));
    let variable = env.variables().get(env.slot(steps.next()?)?)?;
    let mut object = object_in(&variable.ty)?;
    for step in steps {
        object = object_in(object.fields.get(step)?)?;
    }
    Some((path, object))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all other types have no fields")]
fn object_in(ty: &Type) -> Option<&ObjectType> {
    match ty {
        Type::Object(object) => Some(object),
        Type::Optional(inner) => object_in(inner),
        _ => None,
    }
}

fn names(object: &ObjectType) -> BTreeSet<&str> {
    object.fields.keys().map(AsRef::as_ref).collect()
}

fn every_name(env: &Env) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    env.variables().iter().for_each(|it| collect(&it.ty, &mut names));
    names
}

fn collect<'t>(ty: &'t Type, names: &mut BTreeSet<&'t str>) {
    #[expect(clippy::wildcard_enum_match_arm, reason = "all other types have no fields below them")]
    match ty {
        Type::Object(object) => object.fields.iter().for_each(|(name, field)| {
            names.insert(name);
            collect(field, names);
        }),
        Type::List(list) => collect(&list.element, names),
        Type::Map(entry) => collect(&entry.1, names),
        _ => {}
    }
}
