//! List and map literals of one type throughout, where the environment demands it.

use super::bindings::is_exactly;
use crate::ast::{Element, Entry, Expr, ExprId};
use crate::checked::Checked;
use crate::source::Issue;
use crate::types::Type;

/// Finds literals that mix types; those in the arguments of `format` may.
pub(super) fn find_mixed(checked: &Checked) -> Vec<Issue> {
    let mut search = Search { checked, issues: Vec::new() };
    let mut waiting = vec![checked.ast.root()];
    while let Some(id) = waiting.pop() {
        let expr = checked.ast.expr(id);
        if matches!(expr, Expr::Call { function, .. } if &**function == "format") {
            continue;
        }
        search.visit(expr);
        expr.for_each_child(|child| waiting.push(child));
    }
    search.issues
}

struct Search<'c> {
    checked: &'c Checked,
    issues: Vec<Issue>,
}

impl Search<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "only two kinds of node are literals with entries")]
    fn visit(&mut self, expr: &Expr) {
        match expr {
            Expr::List(elements) => self.list(elements),
            Expr::Map(entries) => self.map(entries),
            _ => {}
        }
    }

    fn list(&mut self, elements: &[Element]) {
        let Some((first, others)) = elements.split_first() else { return };
        for element in others {
            if !self.agree((first.value, first.optional), (element.value, element.optional)) {
                return;
            }
        }
    }

    fn map(&mut self, entries: &[Entry]) {
        let Some((first, others)) = entries.split_first() else { return };
        for entry in others {
            self.agree((first.key, false), (entry.key, false));
            self.agree((first.value, first.optional), (entry.value, entry.optional));
        }
    }

    /// Whether an entry has the type of the first, reported if not.
    fn agree(&mut self, first: (ExprId, bool), entry: (ExprId, bool)) -> bool {
        let (expected, found) = (self.held(first), self.held(entry));
        let agree = is_exactly(expected, found);
        if !agree {
            let message = format!("expected type '{expected}' but found '{found}'");
            let node = self.checked.ast.node(entry.0);
            self.issues.push(Issue { at: node.at, span: node.span, message });
        }
        agree
    }

    /// The type of an entry; of one written `?value`, what it may hold.
    fn held(&self, (value, optional): (ExprId, bool)) -> &Type {
        let ty = self.checked.type_of(value);
        if let (Type::Optional(inner), true) = (ty, optional) { inner } else { ty }
    }
}
