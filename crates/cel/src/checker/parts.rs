//! The parts of types: what lists, maps, optionals and named types are made of.

#![expect(clippy::wildcard_enum_match_arm, reason = "most kinds of type have no parts and are treated alike")]

use std::sync::Arc;

use crate::types::{ListType, OpaqueType, Type};

/// Types of more nodes than this are not followed further, what lies beyond counts as `dyn`.
///
/// Shared parts make types that print exponentially larger than the expression that has them.
pub(super) const MOST_NODES: u32 = 1_000;

/// Keeps a type that is about to become part of a larger one from growing without bound.
pub(super) fn bounded(ty: Type) -> Type {
    fn fits(ty: &Type, budget: &mut u32) -> bool {
        let left = budget.checked_sub(1);
        *budget = left.unwrap_or(0);
        left.is_some() && ty.parts().all(|part| fits(part, budget))
    }
    if fits(&ty, &mut { MOST_NODES }) { ty } else { Type::Dyn }
}

/// How many type parameters a signature has, which are numbered from zero.
pub(super) fn generics<'t>(types: impl Iterator<Item = &'t Type>) -> u32 {
    fn highest(ty: &Type) -> u32 {
        match ty {
            Type::Param(param) => param.saturating_add(1),
            ty => ty.parts().map(highest).max().unwrap_or(0),
        }
    }
    types.map(highest).max().unwrap_or(0)
}

impl Type {
    /// The type with `dyn` for its parameters.
    pub(super) fn without_params(&self) -> Type {
        match self {
            Self::Param(_) => Self::Dyn,
            ty if ty.is_open() => ty.map_parts(&mut Self::without_params),
            ty => ty.clone(),
        }
    }

    /// The type with `dyn` where it is of something reported as wrong.
    pub(super) fn without_errors(&self) -> Type {
        match self {
            Self::Error => Self::Dyn,
            ty => ty.map_parts(&mut Self::without_errors),
        }
    }

    pub(super) fn unwrapped(&self) -> &Type {
        match self {
            Self::Wrapper(inner) => inner,
            ty => ty,
        }
    }

    /// The types this one is made of; fields of an object and what a wrapper wraps are not parts.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Type> {
        let (pair, rest): ([Option<&Type>; 2], &[Type]) = match self {
            Self::List(list) => ([Some(&list.element), None], &[]),
            Self::Map(entry) => ([Some(&entry.0), Some(&entry.1)], &[]),
            Self::Optional(inner) | Self::Type(Some(inner)) => ([Some(inner), None], &[]),
            Self::Opaque(opaque) => ([None, None], &opaque.params),
            _ => ([None, None], &[]),
        };
        pair.into_iter().flatten().chain(rest)
    }

    /// Whether there are variables or parameters in it.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Var(_) | Self::Param(_)) || self.parts().any(Self::is_open)
    }

    /// The same kind of type with other parts.
    pub(super) fn map_parts(&self, part: &mut dyn FnMut(&Type) -> Type) -> Type {
        match self {
            Self::List(list) => Self::List(Arc::new(ListType {
                element: part(&list.element),
                semantics: list.semantics.clone(),
            })),
            Self::Map(entry) => Self::map(part(&entry.0), part(&entry.1)),
            Self::Optional(inner) => Self::optional(part(inner)),
            Self::Type(Some(inner)) => Self::type_of(part(inner)),
            Self::Opaque(opaque) => {
                let params = opaque.params.iter().map(part).collect();
                Self::Opaque(Arc::new(OpaqueType { name: Arc::clone(&opaque.name), params }))
            }
            ty => ty.clone(),
        }
    }
}
