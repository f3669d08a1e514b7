//! Literal arguments that are sure to fail, where the environment wants to know.

use crate::ast::{Expr, ExprId, Literal};
use crate::checked::{Checked, Meaning};
use crate::library::Pattern;
use crate::meter::Meter;
use crate::source::Issue;
use crate::value::Val;

/// Finds durations, timestamps and regular expressions that are written wrongly.
pub(super) fn find_invalid(checked: &Checked) -> Vec<Issue> {
    checked.ast.ids().filter_map(|id| invalid_argument(checked, id)).collect()
}

fn invalid_argument(checked: &Checked, call: ExprId) -> Option<Issue> {
    let Expr::Call { function, args, .. } = checked.ast.expr(call) else { return None };
    let argument = *args.first()?;
    let Expr::Literal(literal) = checked.ast.expr(argument) else { return None };
    let fails = match &**function {
        "duration" | "timestamp" => conversion_fails(checked, call, literal),
        "matches" => matches!(literal, Literal::String(pattern) if Pattern::new(pattern).is_err()),
        _ => false,
    };
    let node = checked.ast.node(argument);
    let message = format!("invalid {function} argument");
    fails.then_some(Issue { at: node.at, span: node.span, message })
}

fn conversion_fails(checked: &Checked, call: ExprId, literal: &Literal) -> bool {
    let Meaning::Overloads(overloads) = checked.meaning(call) else { return false };
    let argument = Val::from(literal);
    overloads
        .iter()
        .all(|it| (it.implementation)(&Meter::default(), std::slice::from_ref(&argument)).is_err())
}

#[cfg(test)]
mod tests {
    use crate::library::standard;
    use crate::{Env, Type};

    #[test]
    fn wrong_literals_are_found_where_that_is_wanted() {
        let base = Env::builder().library(standard()).variable("s", Type::String);
        let (lenient, strict) = (base.clone().build(), base.validate_literals(true).build());
        let check = |expression: &str, expect: &[(u32, &str)]| {
            assert!(lenient.compile(expression).is_ok(), "{expression}");
            let issues = strict.compile(expression).err();
            let found: Vec<_> =
                issues.iter().flat_map(crate::Issues::iter).map(|it| (it.at, it.message.as_str())).collect();
            assert_eq!(found, expect, "{expression}");
        };
        check("duration('1h') < duration('1 hour')", &[(26, "invalid duration argument")]);
        check("timestamp('2024-01-01') == timestamp(0)", &[(10, "invalid timestamp argument")]);
        check("timestamp(253402300800) == timestamp(s)", &[(10, "invalid timestamp argument")]);
        check("s.matches('[') || s.matches('a')", &[(10, "invalid matches argument")]);
        check("s.matches(s) && duration(s) == duration(s)", &[]);
    }
}
