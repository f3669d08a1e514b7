//! Evaluation.
//!
//! `eval` dispatches and nothing else, so that its stack frame stays small: it recurses once per level of the expression.

use std::sync::Arc;

use super::bindings::Bindings;
use super::failure::{self, Failure};
use super::ir::{BindIr, Call, Ir, MapEntry, Op, OptionalMapIr, StructLiteral};
use super::operators;
use crate::ast::{BinaryOp, LogicOp};
use crate::error::{EvalError, EvalErrorKind};
use crate::function::Overload;
use crate::meter::Meter;
use crate::value::{Key, Map, Text, Val};

/// Text up to this many bytes is put together on the stack.
const SMALL_TEXT: usize = 256;

pub(super) type Outcome<'a> = Result<Val<'a>, EvalError>;

/// The state of one evaluation.
pub(super) struct Frame<'f, 'a> {
    pub(super) bindings: &'f Bindings<'a>,
    pub(super) locals: &'f mut [Val<'a>],
    pub(super) meter: &'f Meter<'f>,
}

impl<'a> Frame<'_, 'a> {
    pub(super) fn eval(&mut self, node: &'a Ir) -> Outcome<'a> {
        match &node.op {
            Op::Constant(value) => Ok(lend(value)),
            Op::Path(path) => self.path(path),
            Op::Local(slot) => self.local(*slot).cloned(),
            Op::Variable(slot) => self.variable(*slot).cloned().map_err(|it| it.at(node.span)),
            Op::PathIsText(it) => self.path_is_text(&it.0, &it.1),
            Op::Logic(LogicOp::And, terms) => self.logic(terms, false),
            Op::Logic(LogicOp::Or, terms) => self.logic(terms, true),
            Op::Ternary(it) => self.ternary(&it.0, &it.1, &it.2),
            Op::Equal(it) => Ok(Val::Bool(self.equal(&it.0, &it.1)?)),
            Op::NotEqual(it) => Ok(Val::Bool(!self.equal(&it.0, &it.1)?)),
            Op::Concat(parts) => self.concat(parts),
            Op::Call(call) => self.call(call, node),
            Op::HasPath(path) => self.has_path(path),
            Op::Loop(it) => self.comprehension(it),
            Op::Order(op, it) => {
                let (a, b) = (self.eval(&it.0)?, self.eval(&it.1)?);
                operators::order(*op, &a, &b).map_err(|it| it.at(node.span))
            }
            Op::Record(entries) => self.record(entries),
            Op::List(elements) => self.list(elements),
            Op::Select(select) => self.select(select, node.span),
            Op::Has(select) => self.has(select, node.span),
            Op::Index(index) => self.index(index, node.span),
            Op::In(it) => self.contains(&it.0, &it.1, node),
            Op::Not(operand) => self.not(operand, node),
            Op::Negate(operand) => operators::negate(&self.eval(operand)?).map_err(|it| it.at(node.span)),
            Op::Arithmetic(it) => self.arithmetic(it),
            Op::ListOptional(elements) => self.list_optional(elements, node),
            Op::Map(entries) => self.map(entries, node),
            Op::Struct(literal) => self.literal(literal, node),
            Op::Bind(it) => self.bind(it),
            Op::OptionalMap(it) => self.optional_map(it, node),
            Op::Or(it) => self.or(&it.0, &it.1, node),
            Op::OrValue(it) => self.or_value(&it.0, &it.1, node),
            Op::Unknown(name) => Err(unknown(name).at(node.span)),
        }
    }

    /// The value as a condition; anything but a bool is an error.
    pub(super) fn eval_bool(&mut self, node: &'a Ir) -> Result<bool, EvalError> {
        match self.eval(node)? {
            Val::Bool(value) => Ok(value),
            _ => Err(EvalError::no_such_overload().at(node.span)),
        }
    }

    pub(super) fn local(&self, slot: u32) -> Result<&Val<'a>, EvalError> {
        let value = &self.locals[slot as usize];
        if let Val::Opaque(value) = value {
            failure::check(value.as_ref())?;
        }
        Ok(value)
    }

    pub(super) fn variable(&self, slot: u32) -> Result<&Val<'a>, EvalError> {
        self.bindings.get(slot).ok_or_else(|| unknown(self.bindings.name(slot)))
    }

    fn equal(&mut self, a: &'a Ir, b: &'a Ir) -> Result<bool, EvalError> {
        let (a, b) = (self.eval(a)?, self.eval(b)?);
        a.equals(&b, self.meter)
    }

    /// `&&` (`decisive` false) and `||` (`decisive` true): a decisive term wins over errors in others.
    fn logic(&mut self, terms: &'a [Ir], decisive: bool) -> Outcome<'a> {
        let mut failure = None;
        for term in terms {
            match self.eval_bool(term) {
                Ok(value) if value == decisive => return Ok(Val::Bool(decisive)),
                Ok(_) => {}
                Err(error) if error.is_fatal() => return Err(error),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        failure.map_or(Ok(Val::Bool(!decisive)), Err)
    }

    fn ternary(&mut self, condition: &'a Ir, then: &'a Ir, otherwise: &'a Ir) -> Outcome<'a> {
        let branch = if self.eval_bool(condition)? { then } else { otherwise };
        self.eval(branch)
    }

    fn not(&mut self, operand: &'a Ir, node: &'a Ir) -> Outcome<'a> {
        match self.eval(operand)? {
            Val::Bool(value) => Ok(Val::Bool(!value)),
            _ => Err(EvalError::no_such_overload().at(node.span)),
        }
    }

    #[inline(never)]
    fn arithmetic(&mut self, it: &'a super::ir::Arithmetic) -> Outcome<'a> {
        let mut result = self.eval(&it.first)?;
        for (op, rhs, span) in &it.rest {
            let rhs = self.eval(rhs)?;
            result = operators::arithmetic(self.meter, *op, &result, &rhs).map_err(|it| it.at(*span))?;
        }
        Ok(result)
    }

    #[inline(never)]
    fn concat(&mut self, parts: &'a [Ir]) -> Outcome<'a> {
        const INLINE: usize = 8;
        if parts.len() <= INLINE {
            let mut values = [const { Text::Lent("") }; INLINE];
            for (value, part) in values.iter_mut().zip(parts) {
                *value = self.text(part)?;
            }
            self.join(&values[..parts.len()])
        } else {
            let values = parts.iter().map(|part| self.text(part)).collect::<Result<Vec<_>, _>>()?;
            self.join(&values)
        }
    }

    /// A part of a concatenation, which the checker knows to be text; data may break its schema.
    fn text(&mut self, node: &'a Ir) -> Result<Text<'a>, EvalError> {
        match self.eval(node)? {
            Val::String(text) => Ok(text),
            other => Err(operators::mismatch(BinaryOp::Add, &Val::str(""), &other).at(node.span)),
        }
    }

    fn join(&self, parts: &[Text<'a>]) -> Outcome<'a> {
        let length = parts.iter().map(|it| it.len()).sum();
        self.meter.charge_text(length)?;
        if length > SMALL_TEXT {
            let mut text = String::with_capacity(length);
            for part in parts {
                text.push_str(part);
            }
            return Ok(Val::string(text));
        }
        let mut buffer = [0; SMALL_TEXT];
        let mut end = 0;
        for part in parts {
            buffer[end..end + part.len()].copy_from_slice(part.as_bytes());
            end += part.len();
        }
        // Whole pieces of UTF-8 one after another are UTF-8.
        Ok(Val::string(str::from_utf8(&buffer[..end]).unwrap_or_default()))
    }

    fn call(&mut self, call: &'a Call, node: &'a Ir) -> Outcome<'a> {
        let outcome = match call.args.as_slice() {
            [] => self.dispatch(call, &[]),
            [a] => {
                let args = [self.eval(a)?];
                self.dispatch(call, &args)
            }
            [a, b] => {
                let args = [self.eval(a)?, self.eval(b)?];
                self.dispatch(call, &args)
            }
            args => {
                let args = args.iter().map(|it| self.eval(it)).collect::<Result<Vec<_>, _>>()?;
                self.dispatch(call, &args)
            }
        };
        outcome.map_err(|it| it.at(node.span))
    }

    fn dispatch(&self, call: &Call, args: &[Val<'a>]) -> Outcome<'a> {
        let overload = match call.overloads.as_slice() {
            [only] => Some(only),
            overloads => overloads.iter().find(|it| accepts(it, args)),
        };
        let outcome = match overload {
            Some(overload) => (overload.implementation)(self.meter, args),
            None => Err(EvalError::no_such_overload()),
        };
        outcome.map_err(|it| it.of_call(&call.name, args))
    }

    #[inline(never)]
    fn record(&mut self, entries: &'a [(Arc<str>, Ir)]) -> Outcome<'a> {
        let mut made = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            made.push((Key::String(Text::Lent(key)), self.eval(value)?));
        }
        Ok(Val::map(Map::new(made)?))
    }

    #[inline(never)]
    fn list(&mut self, elements: &'a [Ir]) -> Outcome<'a> {
        let mut made = Vec::with_capacity(elements.len());
        for element in elements {
            made.push(self.eval(element)?);
        }
        Ok(Val::list(made))
    }

    #[inline(never)]
    fn list_optional(&mut self, elements: &'a [(Ir, bool)], node: &'a Ir) -> Outcome<'a> {
        let mut made = Vec::with_capacity(elements.len());
        for (element, optional) in elements {
            let value = self.eval(element)?;
            made.extend(if *optional {
                unwrap_optional(value).map_err(|it| it.at(node.span))?
            } else {
                Some(value)
            });
        }
        Ok(Val::list(made))
    }

    #[inline(never)]
    fn map(&mut self, entries: &'a [MapEntry], node: &'a Ir) -> Outcome<'a> {
        let mut made = Vec::with_capacity(entries.len());
        for entry in entries {
            let key = self.eval(&entry.key)?;
            let key = Key::new(&key).ok_or_else(|| unsupported_key(&key).at(entry.key.span))?;
            let value = self.eval(&entry.value)?;
            let value = if entry.optional { unwrap_optional(value)? } else { Some(value) };
            made.extend(value.map(|value| (key, value)));
        }
        Ok(Val::map(Map::new(made).map_err(|it| it.at(node.span))?))
    }

    #[inline(never)]
    fn literal(&mut self, literal: &'a StructLiteral, node: &'a Ir) -> Outcome<'a> {
        let mut fields = Vec::with_capacity(literal.fields.len());
        for (name, value, optional) in &literal.fields {
            let value = self.eval(value)?;
            let value = if *optional { unwrap_optional(value)? } else { Some(value) };
            fields.extend(value.map(|value| (Arc::clone(name), value)));
        }
        (literal.message.build)(&fields).map_err(|it| it.at(node.span))
    }

    fn or(&mut self, first: &'a Ir, second: &'a Ir, node: &'a Ir) -> Outcome<'a> {
        match self.eval(first)? {
            Val::Optional(None) => self.eval(second),
            found @ Val::Optional(Some(_)) => Ok(found),
            _ => Err(EvalError::no_such_overload().at(node.span)),
        }
    }

    fn or_value(&mut self, first: &'a Ir, second: &'a Ir, node: &'a Ir) -> Outcome<'a> {
        match self.eval(first)? {
            Val::Optional(None) => self.eval(second),
            Val::Optional(Some(value)) => Ok(Arc::unwrap_or_clone(value)),
            _ => Err(EvalError::no_such_overload().at(node.span)),
        }
    }

    /// A failure to evaluate what is bound matters only where the name is used.
    #[inline(never)]
    fn bind(&mut self, it: &'a BindIr) -> Outcome<'a> {
        self.locals[it.slot as usize] = match self.eval(&it.init) {
            Err(error) if !error.is_fatal() => Val::opaque(Failure(error)),
            outcome => outcome?,
        };
        self.eval(&it.body)
    }

    #[inline(never)]
    fn optional_map(&mut self, it: &'a OptionalMapIr, node: &'a Ir) -> Outcome<'a> {
        match self.eval(&it.target)? {
            Val::Optional(None) => Ok(Val::Optional(None)),
            Val::Optional(Some(value)) => {
                self.locals[it.slot as usize] = value.as_ref().clone();
                let body = self.eval(&it.body)?;
                Ok(if it.flat { body } else { Val::some(body) })
            }
            _ => Err(EvalError::no_such_overload().at(node.span)),
        }
    }
}

/// A constant of the program, lent instead of counted where it is text.
fn lend<'a>(value: &'a Val<'static>) -> Val<'a> {
    match value {
        Val::String(text) => Val::str(text),
        other => other.clone(),
    }
}

/// Whether an overload takes values of these types.
fn accepts(overload: &Overload, args: &[Val<'_>]) -> bool {
    overload.params.len() == args.len()
        && overload.params.iter().zip(args).all(|(param, arg)| operators::is_of_type(arg, param))
}

/// The value of an optional, or nothing; a value that is not optional counts as wrong.
fn unwrap_optional(value: Val<'_>) -> Result<Option<Val<'_>>, EvalError> {
    match value {
        Val::Optional(value) => Ok(value.map(Arc::unwrap_or_clone)),
        other => Err(EvalError::invalid(format!(
            "cannot initialize optional entry from non-optional value of type {}",
            other.type_of().runtime_name()
        ))),
    }
}

#[cold]
fn unknown(name: &str) -> EvalError {
    EvalError::new(EvalErrorKind::NoSuchAttribute, format!("no such attribute(s): {name}"))
}

#[cold]
fn unsupported_key(key: &Val<'_>) -> EvalError {
    EvalError::invalid(format!("unsupported key type: {}", key.type_of().runtime_name()))
}
