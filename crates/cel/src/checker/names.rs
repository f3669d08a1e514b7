//! Names and fields.

use std::sync::Arc;

use super::Checker;
use crate::ast::{Ast, Expr, ExprId};
use crate::checked::Meaning;
use crate::env::Global;
use crate::types::{ObjectType, Type};

/// The loop and bind variables in sight, outermost first; a variable's slot is its place here.
#[derive(Debug, Default)]
pub(super) struct Scope {
    names: Vec<(Arc<str>, Type)>,
    most: usize,
}

impl Scope {
    /// The slot that the next variable gets.
    pub(super) fn depth(&self) -> usize {
        self.names.len()
    }

    /// How many variables were in sight at once, at most.
    pub(super) fn most(&self) -> u32 {
        u32::try_from(self.most).unwrap_or(u32::MAX)
    }

    pub(super) fn push(&mut self, name: &Arc<str>, ty: Type) {
        self.names.push((Arc::clone(name), ty));
        self.most = self.most.max(self.names.len());
    }

    pub(super) fn truncate(&mut self, depth: usize) {
        self.names.truncate(depth);
    }

    fn find(&self, name: &str) -> Option<(u32, &Type)> {
        let slot = self.names.iter().rposition(|(it, _)| **it == *name)?;
        Some((u32::try_from(slot).unwrap_or(u32::MAX), &self.names[slot].1))
    }
}

impl Checker<'_> {
    pub(super) fn ident(&mut self, id: ExprId, name: &str) -> Type {
        if let Some((slot, ty)) = self.scope.find(name) {
            let ty = ty.clone();
            self.mean(id, Meaning::Local(slot));
            return ty;
        }
        self.global(id, name).unwrap_or_else(|| {
            self.mean(id, Meaning::Unknown);
            self.undeclared(id, name)
        })
    }

    pub(super) fn select(&mut self, id: ExprId, operand: ExprId, field: &str, optional: bool) -> Type {
        if !optional && let Some(ty) = self.qualified(id) {
            return ty;
        }
        let ty = self.field(id, operand, field, optional);
        self.bindings.substitute(&ty)
    }

    pub(super) fn has(&mut self, id: ExprId, operand: ExprId, field: &str) -> Type {
        self.field(id, operand, field, false);
        Type::Bool
    }

    /// A global variable or constant, which the node then means.
    fn global(&mut self, id: ExprId, name: &str) -> Option<Type> {
        match self.env.global(name)? {
            Global::Variable(slot) => {
                self.mean(id, Meaning::Variable(*slot));
                Some(self.env.variables()[*slot as usize].ty.clone())
            }
            Global::Constant(value, ty) => {
                self.mean(id, Meaning::Constant(value.clone()));
                // The type `list` is that of lists of anything.
                Some(ty.without_params())
            }
        }
    }

    /// Reads `a.b.c` as the dotted name of a variable or constant, if it is one.
    fn qualified(&mut self, id: ExprId) -> Option<Type> {
        let root = root_of(self.ast, id)?;
        if self.scope.find(root).is_some() || !self.env.has_dotted_names(root) {
            return None;
        }
        let name = qualified_name(self.ast, id)?;
        self.global(id, &name)
    }

    /// The type of a field, from the type of what it is selected from.
    fn field(&mut self, id: ExprId, operand: ExprId, field: &str, optional: bool) -> Type {
        let operand = self.check(operand);
        let operand = self.bindings.substitute(&operand);
        let (target, wraps) =
            if let Type::Optional(inner) = &operand { (inner.as_ref(), true) } else { (&operand, optional) };
        let ty = self.field_of(id, target, field);
        if wraps { Type::optional(ty) } else { ty }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "types without fields are treated alike")]
    fn field_of(&mut self, id: ExprId, target: &Type, field: &str) -> Type {
        match target {
            Type::Map(entry) => entry.1.clone(),
            Type::Object(object) => self.object_field(id, object, field),
            Type::Var(_) => {
                // Whatever it turns out to be, nothing may be concluded from the fields it has.
                self.bindings.assignable(&Type::Dyn, target);
                Type::Dyn
            }
            ty => {
                if !matches!(ty, Type::Dyn | Type::Error) {
                    self.report(id, |_| format!("type '{ty}' does not support field selection"));
                }
                Type::Dyn
            }
        }
    }

    fn object_field(&mut self, id: ExprId, object: &ObjectType, field: &str) -> Type {
        if let Some(ty) = object.fields.get(field) {
            return ty.clone();
        }
        if object.open {
            return Type::Dyn;
        }
        self.report(id, |_| format!("undefined field '{field}'"));
        Type::Error
    }
}

/// The first part of `a.b.c`; none when that is not a plain path.
#[expect(clippy::wildcard_enum_match_arm, reason = "only names and fields make a path")]
pub(super) fn root_of(ast: &Ast, id: ExprId) -> Option<&str> {
    match ast.expr(id) {
        Expr::Ident(name) => Some(name),
        Expr::Select { operand, optional: false, .. } => root_of(ast, *operand),
        _ => None,
    }
}

/// The text of `a.b.c`; none when that is not a plain path.
#[expect(clippy::wildcard_enum_match_arm, reason = "only names and fields make a path")]
pub(crate) fn qualified_name(ast: &Ast, id: ExprId) -> Option<String> {
    match ast.expr(id) {
        Expr::Ident(name) => Some(name.to_string()),
        Expr::Select { operand, field, optional: false } => {
            let mut name = qualified_name(ast, *operand)?;
            name.push('.');
            name.push_str(field);
            Some(name)
        }
        _ => None,
    }
}
