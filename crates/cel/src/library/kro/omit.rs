//! The value that removes the field it is assigned to.

use crate::function::{Library, Overload};
use crate::types::Type;
use crate::value::{Opaque, Val};

/// `omit()`.
pub fn omit() -> Library {
    let overload = Overload::function("omit_void", [], Type::Dyn, |_, _| Ok(Val::opaque(Omit)));
    Library::new().function("omit", [overload])
}

/// What `omit()` gives: the field or element that it is assigned to is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Omit;

impl Omit {
    /// Whether a value is the one that removes its field.
    pub fn is(value: &Val<'_>) -> bool {
        value.as_opaque::<Self>().is_some()
    }
}

impl Opaque for Omit {
    fn type_of(&self) -> Type {
        Type::opaque("kro.omit")
    }

    /// Nothing is equal to it: it stands for the absence of a value.
    fn equals(&self, _: &dyn Opaque) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::{standard, testing::check_expression};

    #[test]
    fn omit_is_told_apart() {
        let env = crate::Env::builder().library(standard()).library(omit()).build();
        let check = |expression: &str, expect: bool| {
            let program = env.compile(expression).unwrap();
            assert_eq!(Omit::is(&program.eval(&env.bindings()).unwrap()), expect, "{expression}");
        };
        check("omit()", true);
        check("1 > 2 ? 'x' : omit()", true);
        check("2 > 1 ? dyn('x') : omit()", false);
        check_expression([omit()], "omit() == omit()", "false");
    }
}
