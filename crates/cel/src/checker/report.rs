//! What is wrong, in cel-go's words.

use super::Checker;
use crate::ast::ExprId;
use crate::source::{Issue, Span};
use crate::types::Type;

/// cel-go tells no more either: whoever has a hundred mistakes is not helped by more.
const MOST_ISSUES: usize = 100;

impl Checker<'_> {
    /// Notes what is wrong with a node.
    pub(super) fn report(&mut self, id: ExprId, message: impl FnOnce(&Self) -> String) {
        let node = self.ast.node(id);
        self.report_at(node.at, node.span, message);
    }

    pub(super) fn report_at(&mut self, at: u32, span: Span, message: impl FnOnce(&Self) -> String) {
        if self.lenient {
            return;
        }
        if self.issues.len() < MOST_ISSUES {
            let message = message(self);
            self.issues.push(Issue { at, span, message });
        } else {
            self.omitted += 1;
        }
    }

    pub(super) fn mismatch(&mut self, id: ExprId, expected: &Type, found: &Type) {
        self.report(id, |_| format!("expected type '{expected}' but found '{found}'"));
    }

    pub(super) fn undeclared(&mut self, id: ExprId, name: &str) -> Type {
        self.report(id, |it| {
            format!("undeclared reference to '{name}' (in container '{}')", it.env.container())
        });
        Type::Error
    }

    pub(super) fn no_overload(&mut self, id: ExprId, name: &str, args: &[Type], receiver: bool) -> Type {
        self.report(id, |it| {
            let signature = it.signature(args, receiver);
            format!("found no matching overload for '{name}' applied to '{signature}'")
        });
        Type::Error
    }

    /// Argument types as messages show them: `string.(int)`, or `(string, int)` without a receiver.
    fn signature(&self, args: &[Type], receiver: bool) -> String {
        let mut args = args.iter().map(|arg| self.bindings.close(arg).to_string());
        let target = if receiver { args.next() } else { None };
        let target = target.map_or(String::new(), |target| format!("{target}."));
        format!("{target}({})", args.collect::<Vec<_>>().join(", "))
    }
}
