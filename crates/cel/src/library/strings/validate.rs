//! What is sure to fail in `'…'.format([…])`, found before it runs.

use super::format::{Clause, Style};
use super::older;
use crate::ast::{Element, Expr, ExprId, Literal};
use crate::checked::Checked;
use crate::source::Issue;
use crate::types::Type;

/// Compares a literal format with the arguments beside it, in cel-go's words.
pub(super) fn validate(checked: &Checked, call: ExprId) -> Option<Issue> {
    validate_style(checked, call, Style::Current)
}

/// The same for what `format` took before version 4 of cel-go's library.
pub(super) fn validate_older(checked: &Checked, call: ExprId) -> Option<Issue> {
    validate_style(checked, call, Style::Older)
}

fn validate_style(checked: &Checked, call: ExprId, style: Style) -> Option<Issue> {
    let ast = checked.ast();
    let Expr::Call { target: Some(target), args, .. } = ast.expr(call) else { return None };
    let (Expr::Literal(Literal::String(format)), [arguments]) = (ast.expr(*target), args.as_slice()) else {
        return None;
    };
    let Expr::List(arguments) = ast.expr(*arguments) else { return None };
    let (at, message) = Format { checked, call, arguments, style }.compare(format).err()?;
    let node = ast.node(at);
    Some(Issue { at: node.at, span: node.span, message })
}

struct Format<'c> {
    checked: &'c Checked,
    call: ExprId,
    arguments: &'c [Element],
    style: Style,
}

impl Format<'_> {
    fn compare(&self, format: &str) -> Result<(), (ExprId, String)> {
        let mut rest = format;
        let mut used = 0;
        while let Some((_, behind)) = rest.split_once('%') {
            if let Some(behind) = behind.strip_prefix('%') {
                rest = behind;
                continue;
            }
            if behind.is_empty() {
                return Err((self.call, "unexpected end of string".to_owned()));
            }
            let argument = self.arguments.get(used);
            let argument = argument.ok_or_else(|| (self.call, format!("index {used} out of range")))?;
            let (clause, behind) = Clause::parse(behind).map_err(|error| (self.call, error.to_string()))?;
            self.fits(clause, argument.value)?;
            rest = behind;
            used += 1;
        }
        let given = self.arguments.len();
        if given > used {
            let message = "too many arguments supplied to string.format";
            return Err((self.call, format!("{message} (expected {used}, got {given})")));
        }
        Ok(())
    }

    fn fits(&self, clause: Clause, argument: ExprId) -> Result<(), (ExprId, String)> {
        let ty = self.checked.type_of(argument);
        let takes = match self.style {
            Style::Current => clause.takes(ty),
            Style::Older => older::takes(clause, ty),
        };
        if !takes {
            return Err((argument, clause.refusal(ty.runtime_name(), self.style)));
        }
        let (Clause::Text, expr) = (clause, self.checked.ast().expr(argument)) else { return Ok(()) };
        match expr {
            Expr::List(elements) => elements.iter().try_for_each(|it| self.fits(clause, it.value)),
            Expr::Map(entries) => entries.iter().try_for_each(|it| {
                self.fits(clause, it.key)?;
                self.fits(clause, it.value)
            }),
            _ => Ok(()),
        }
    }
}

impl Clause {
    pub(super) fn takes(self, ty: &Type) -> bool {
        let is_integer = matches!(ty, Type::Dyn | Type::Int | Type::Uint);
        match (self, ty) {
            (_, Type::Wrapper(inner)) => self.takes(inner),
            (Self::Text, _) => !matches!(ty, Type::Optional(_) | Type::Opaque(_) | Type::Object(_)),
            (Self::Decimal | Self::Fixed(_) | Self::Scientific(_), Type::Double)
            | (Self::Binary, Type::Bool)
            | (Self::Hex { .. }, Type::String | Type::Bytes) => true,
            _ => is_integer,
        }
    }
}
