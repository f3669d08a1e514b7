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

    fn equals(&self, _: &dyn Opaque) -> bool {
        false
    }

    fn is_absence(&self) -> bool {
        true
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
    }

    #[test]
    fn omit_cannot_be_compared() {
        let check = |expression: &str| {
            let sentinel = "! kro.omit is a field-removal sentinel and cannot be compared";
            check_expression([omit()], expression, sentinel);
        };
        check("omit() == omit()");
        check("omit() == 1");
        check("[dyn(1), 2] == [omit(), 2]");
        check("omit() in [1]");
    }

    #[test]
    fn what_is_omitted_is_not_written() {
        let env = crate::Env::builder().library(standard()).library(omit()).build();
        let program = env.compile("{'a': omit(), 'b': [omit(), 1, {'c': omit()}]}").unwrap();
        let written = program.eval(&env.bindings()).unwrap().to_json().unwrap();
        assert_eq!(written, serde_json::json!({"b": [1, {}]}));

        let whole = env.compile("omit()").unwrap();
        let error = whole.eval(&env.bindings()).unwrap().to_json().unwrap_err();
        let expected = "kro.omit cannot be written as JSON: it stands for a field that is left out";
        assert_eq!(error.message(), expected);
    }
}
