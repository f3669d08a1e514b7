//! Type variables and what they stand for so far: cel-go's assignability with substitution.

#![expect(clippy::wildcard_enum_match_arm, reason = "most kinds of type have no parts and are treated alike")]

use std::sync::Arc;

use super::parts::MOST_NODES;
use crate::types::Type;

/// Type variables by number, and what they stand for so far.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    bound: Vec<Option<Type>>,
    /// What the variables bound since the last outermost comparison stood for before.
    trail: Vec<(u32, Option<Type>)>,
    /// What the comparison under way may still look at.
    fuel: u32,
}

/// A type as seen from one place: the parameters of an overload are variables counted from `base`.
#[derive(Clone, Copy)]
struct View<'t> {
    ty: &'t Type,
    base: u32,
}

/// One signature of a function or operator.
#[derive(Clone, Copy)]
pub(super) struct Signature<'t> {
    pub(super) params: &'t [Type],
    pub(super) result: &'t Type,
    /// How many type parameters there are.
    pub(super) generics: u32,
}

/// Whether a type can take a variable's place.
#[derive(PartialEq)]
enum Fit {
    Yes,
    /// The variable stands for something else.
    Conflict,
    /// The variable occurs within the type.
    Occurs,
}

impl Bindings {
    /// A new type variable.
    pub(super) fn fresh(&mut self) -> Type {
        Type::Var(self.reserve(1))
    }

    /// Takes the next `count` variables; gives the first.
    ///
    /// cel-go numbers its variables in the order of the declarations it tries, and its messages can show the numbers.
    pub(super) fn reserve(&mut self, count: u32) -> u32 {
        let base = self.bound.len();
        self.bound.resize(base + count as usize, None);
        u32::try_from(base).unwrap_or(u32::MAX)
    }

    /// Whether a value of `from` can be used as `to`; if so, variables are bound to make it true.
    pub(super) fn assignable(&mut self, from: &Type, to: &Type) -> bool {
        self.attempt(|it| it.assign(View::of(from), View::of(to)))
    }

    /// The type of a call with these argument types, if the signature takes them.
    pub(super) fn apply(&mut self, args: &[Type], signature: Signature<'_>) -> Option<Type> {
        let base = self.reserve(signature.generics);
        if args.len() != signature.params.len() {
            return None;
        }
        let fits = |it: &mut Self| {
            let mut pairs = args.iter().zip(signature.params);
            pairs.all(|(arg, param)| it.assign(View::of(arg), View { ty: param, base }))
        };
        if !self.attempt(fits) {
            return None;
        }
        Some(self.replace(View { ty: signature.result, base }, false, &mut { MOST_NODES }))
    }

    /// The type with bound variables replaced.
    pub(super) fn substitute(&self, ty: &Type) -> Type {
        self.replace(View::of(ty), false, &mut { MOST_NODES })
    }

    /// The type with bound variables replaced, and unbound ones by `dyn`.
    pub(super) fn close(&self, ty: &Type) -> Type {
        self.replace(View::of(ty), true, &mut { MOST_NODES })
    }

    fn attempt(&mut self, compare: impl FnOnce(&mut Self) -> bool) -> bool {
        self.trail.clear();
        self.fuel = 4 * MOST_NODES;
        let holds = compare(self);
        if !holds {
            while let Some((var, before)) = self.trail.pop() {
                self.set(var, before);
            }
        }
        holds
    }

    fn bind(&mut self, var: u32, to: View<'_>) {
        let before = self.set(var, Some(to.instantiate()));
        self.trail.push((var, before));
    }

    fn bound(&self, var: u32) -> Option<&Type> {
        self.bound.get(var as usize)?.as_ref()
    }

    fn set(&mut self, var: u32, to: Option<Type>) -> Option<Type> {
        // A declaration could name a variable that was never made, which then stays unbound.
        let place = self.bound.get_mut(var as usize)?;
        std::mem::replace(place, to)
    }

    fn assign(&mut self, from: View<'_>, to: View<'_>) -> bool {
        let (from_var, to_var) = (from.variable(), to.variable());
        if from_var.is_none() && to_var.is_none() {
            return self.assign_known(from, to);
        }
        if self.fuel == 0 {
            return true;
        }
        self.fuel -= 1;
        if let Some(var) = to_var {
            match self.fit(from, var) {
                Fit::Yes => return true,
                Fit::Conflict => return false,
                Fit::Occurs => {}
            }
        }
        from_var.is_some_and(|var| self.fit(to, var) == Fit::Yes)
    }

    fn fit(&mut self, ty: View<'_>, var: u32) -> Fit {
        if ty.variable() == Some(var) {
            return Fit::Yes;
        }
        let Some(bound) = self.bound(var).cloned() else {
            if self.occurs(var, ty) {
                // Out of fuel the variable stays unbound, which is `dyn` in the end.
                return if self.fuel == 0 { Fit::Yes } else { Fit::Occurs };
            }
            self.bind(var, ty);
            return Fit::Yes;
        };
        let bound = View::of(&bound);
        if ty.exactly(bound) {
            return Fit::Yes;
        }
        if !self.assign(ty, bound) {
            return Fit::Conflict;
        }
        let general = if ty.is_at_most_as_specific_as(bound) { ty } else { bound };
        if !self.occurs(var, general) {
            self.bind(var, general);
        }
        Fit::Yes
    }

    /// Assignability where neither side is itself a variable.
    fn assign_known(&mut self, from: View<'_>, to: View<'_>) -> bool {
        match (from.ty, to.ty) {
            (Type::Dyn | Type::Error, _) | (_, Type::Dyn | Type::Error) | (Type::Type(_), Type::Type(_)) => {
                true
            }
            (Type::Null, other) | (other, Type::Null) => is_nullable(other),
            (Type::List(a), Type::List(b)) => self.assign(from.inner(&a.element), to.inner(&b.element)),
            (Type::Map(a), Type::Map(b)) => {
                self.assign(from.inner(&a.0), to.inner(&b.0)) && self.assign(from.inner(&a.1), to.inner(&b.1))
            }
            (Type::Optional(a), Type::Optional(b)) => self.assign(from.inner(a), to.inner(b)),
            (Type::Opaque(a), Type::Opaque(b)) => {
                a.name == b.name
                    && a.params.len() == b.params.len()
                    && a.params.iter().zip(&b.params).all(|(a, b)| self.assign(from.inner(a), to.inner(b)))
            }
            (Type::Object(a), Type::Object(b)) => Arc::ptr_eq(a, b) || a.name == b.name,
            (a, b) => same_kind(a, b),
        }
    }

    /// Whether the variable is in the type, directly or by what the variables in it stand for.
    fn occurs(&mut self, var: u32, within: View<'_>) -> bool {
        if self.fuel == 0 {
            return true;
        }
        self.fuel -= 1;
        if let Some(other) = within.variable() {
            let bound = self.bound(other).cloned();
            return other == var || bound.is_some_and(|bound| self.occurs(var, View::of(&bound)));
        }
        within.ty.parts().any(|part| self.occurs(var, within.inner(part)))
    }

    fn replace(&self, view: View<'_>, close: bool, budget: &mut u32) -> Type {
        let Some(left) = budget.checked_sub(1) else {
            return Type::Dyn;
        };
        *budget = left;
        if let Some(var) = view.variable() {
            return match self.bound(var) {
                Some(bound) => self.replace(View::of(bound), close, budget),
                None if close => Type::Dyn,
                None => Type::Var(var),
            };
        }
        if !view.ty.is_open() {
            return view.ty.clone();
        }
        view.ty.map_parts(&mut |part| self.replace(view.inner(part), close, budget))
    }
}

impl<'t> View<'t> {
    /// A type outside of any overload.
    fn of(ty: &'t Type) -> Self {
        Self { ty, base: 0 }
    }

    fn inner(self, part: &Type) -> View<'_> {
        View { ty: part, base: self.base }
    }

    fn variable(self) -> Option<u32> {
        match self.ty {
            Type::Var(var) => Some(*var),
            Type::Param(param) => Some(self.base.saturating_add(*param)),
            _ => None,
        }
    }

    /// The type with the overload's parameters turned into variables.
    fn instantiate(self) -> Type {
        match self.ty {
            Type::Param(param) => Type::Var(self.base.saturating_add(*param)),
            ty if ty.is_open() => ty.map_parts(&mut |part| self.inner(part).instantiate()),
            ty => ty.clone(),
        }
    }

    fn exactly(self, other: View<'_>) -> bool {
        if let (Some(a), Some(b)) = (self.variable(), other.variable()) {
            return a == b;
        }
        match (self.ty, other.ty) {
            (Type::Object(a), Type::Object(b)) => Arc::ptr_eq(a, b) || a.name == b.name,
            (Type::Opaque(a), Type::Opaque(b)) if a.name != b.name => false,
            (Type::Type(a), Type::Type(b)) if a.is_some() != b.is_some() => false,
            (a, b) => {
                same_kind(a, b)
                    && a.parts().count() == b.parts().count()
                    && a.parts().zip(b.parts()).all(|(a, b)| self.inner(a).exactly(other.inner(b)))
            }
        }
    }

    /// Equal, or equal but for `dyn` and variables where the other says more.
    fn is_at_most_as_specific_as(self, other: View<'_>) -> bool {
        if self.variable().is_some() || self.ty.is_dyn() {
            return true;
        }
        if other.variable().is_some() || other.ty.is_dyn() {
            return false;
        }
        match (self.ty, other.ty) {
            (Type::Type(_), Type::Type(_)) => true,
            (Type::Object(a), Type::Object(b)) => a.name == b.name,
            (Type::Opaque(a), Type::Opaque(b)) if a.name != b.name || a.params.len() != b.params.len() => {
                false
            }
            (a, b) => {
                let mut parts = a.parts().zip(b.parts());
                same_kind(a, b) && parts.all(|(a, b)| self.inner(a).is_at_most_as_specific_as(other.inner(b)))
            }
        }
    }
}

/// The more general of two types, the first of which is assignable to the second.
pub(super) fn most_general(a: &Type, b: &Type) -> Type {
    if View::of(a).is_at_most_as_specific_as(View::of(b)) { a.clone() } else { b.clone() }
}

/// Whether the types are exactly the same to cel-go, which takes a wrapper for what it wraps.
pub(super) fn is_exactly(a: &Type, b: &Type) -> bool {
    View::of(a).exactly(View::of(b))
}

/// Whether `null` may stand for a value of the type, as cel-go has always allowed.
pub(super) fn is_nullable(ty: &Type) -> bool {
    match ty {
        Type::Null
        | Type::Wrapper(_)
        | Type::Optional(_)
        | Type::Opaque(_)
        | Type::Object(_)
        | Type::Duration
        | Type::Timestamp => true,
        Type::Dyn
        | Type::Bool
        | Type::Int
        | Type::Uint
        | Type::Double
        | Type::String
        | Type::Bytes
        | Type::List(_)
        | Type::Map(_)
        | Type::Type(_)
        | Type::Param(_)
        | Type::Var(_)
        | Type::Error => false,
    }
}

/// The same but for their parts; a wrapper counts as what it wraps.
fn same_kind(a: &Type, b: &Type) -> bool {
    std::mem::discriminant(a.unwrapped()) == std::mem::discriminant(b.unwrapped())
}

#[cfg(test)]
#[path = "bindings_tests.rs"]
mod tests;
