//! List, map and struct literals.

use super::Checker;
use super::bindings::{is_nullable, most_general};
use super::parts::bounded;
use crate::ast::{Element, Entry, ExprId, StructField};
use crate::checked::Meaning;
use crate::env::Global;
use crate::function::Message;
use crate::source::Span;
use crate::types::Type;

impl Checker<'_> {
    pub(super) fn list(&mut self, elements: &[Element]) -> Type {
        let mut joined = None;
        for element in elements {
            let ty = self.entry(element.value, element.optional);
            joined = Some(self.join(joined, ty));
        }
        Type::list(bounded(joined.unwrap_or_else(|| self.bindings.fresh())))
    }

    pub(super) fn map(&mut self, entries: &[Entry]) -> Type {
        let mut joined = None;
        for entry in entries {
            let (keys, values) = joined.unzip();
            let key = self.check(entry.key);
            let keys = self.join(keys, key);
            let value = self.entry(entry.value, entry.optional);
            joined = Some((keys, self.join(values, value)));
        }
        let (keys, values) = joined.unwrap_or_else(|| (self.bindings.fresh(), self.bindings.fresh()));
        Type::map(bounded(keys), bounded(values))
    }

    /// The type of an entry; written `?value` it must be optional, and counts as what it may hold.
    fn entry(&mut self, value: ExprId, optional: bool) -> Type {
        let ty = self.check(value);
        if !optional || ty.is_dyn() {
            return ty;
        }
        if let Type::Optional(inner) = &ty {
            return inner.as_ref().clone();
        }
        self.mismatch(value, &Type::optional(ty.clone()), &ty);
        ty
    }

    /// The common type of the entries so far and one more.
    fn join(&mut self, joined: Option<Type>, ty: Type) -> Type {
        let Some(joined) = joined else {
            return ty;
        };
        if self.bindings.assignable(&joined, &ty) {
            // The specification has the type that is not null; cel-go would take that of the null.
            let null = matches!(ty, Type::Null) && is_nullable(&joined);
            return if null { joined } else { most_general(&joined, &ty) };
        }
        Type::Dyn
    }

    pub(super) fn message(&mut self, id: ExprId, type_name: &str, fields: &[StructField]) -> Type {
        let Some(message) = self.env.message(type_name) else {
            return self.not_a_message(id, type_name, fields);
        };
        self.mean(id, Meaning::Message(message.clone()));
        for field in fields {
            self.message_field(message, field);
        }
        message.result.clone()
    }

    fn message_field(&mut self, message: &Message, field: &StructField) {
        let ty = self.entry(field.value, field.optional);
        let Some((_, expected)) = message.fields.iter().find(|(name, _)| **name == *field.name) else {
            self.report_at(field.at, field.span(), |_| format!("undefined field '{}'", field.name));
            return;
        };
        if !self.bindings.assignable(expected, &ty) {
            self.report_at(field.at, field.span(), |_| {
                let name = &field.name;
                format!("expected type of field '{name}' is '{expected}' but provided type is '{ty}'")
            });
        }
    }

    fn not_a_message(&mut self, id: ExprId, type_name: &str, fields: &[StructField]) -> Type {
        self.mean(id, Meaning::Unknown);
        let Some(Global::Constant(_, Type::Type(Some(named)))) = self.env.global(type_name) else {
            return self.undeclared(id, type_name);
        };
        self.report(id, |_| format!("'{}' is not a message type", named.runtime_name()));
        for field in fields {
            self.check(field.value);
            self.report_at(field.at, field.span(), |_| {
                format!("unexpected failed resolution of '{}'", type_name.trim_start_matches('.'))
            });
        }
        Type::Error
    }
}

impl StructField {
    /// The colon, for want of the place of the name.
    fn span(&self) -> Span {
        Span::new(self.at, self.at + 1)
    }
}
