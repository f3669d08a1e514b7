//! Reading fields, elements and keys.

use serde_json::Value;

use super::eval::{Frame, Outcome};
use super::ir::{Index, Ir, Path, Root, Select};
use super::operators;
use crate::error::EvalError;
use crate::number::exact_int;
use crate::source::Span;
use crate::types::Type;
use crate::value::{Key, Val, field_type};

impl<'a> Frame<'_, 'a> {
    pub(super) fn path(&mut self, path: &'a Path) -> Outcome<'a> {
        let root = self.root(path)?;
        match root {
            Val::Json(json, ty) if path.is_self_typed(ty) => {
                path.walk(json, path.steps.len()).map(|found| Val::from_json(found, &path.ty))
            }
            _ => path.follow(root.clone(), path.steps.len()),
        }
    }

    pub(super) fn has_path(&mut self, path: &'a Path) -> Outcome<'a> {
        let (last, parents) = (&path.steps[path.steps.len() - 1], path.steps.len() - 1);
        let root = self.root(path)?;
        let found = match root {
            Val::Json(json, _) => match path.walk(json, parents)? {
                Value::Object(map) => Ok(map.contains_key(&*last.field)),
                other => self.has_field(&Val::from_json(other, &Type::Dyn), &last.field),
            },
            _ => self.has_field(&path.follow(root.clone(), parents)?, &last.field),
        };
        found.map(Val::Bool).map_err(|it| it.at(last.span))
    }

    pub(super) fn path_is_text(&mut self, path: &'a Path, text: &str) -> Outcome<'a> {
        let root = self.root(path)?;
        if let Val::Json(json, ty) = root
            && path.is_self_typed(ty)
            && let Value::String(found) = path.walk(json, path.steps.len())?
        {
            return Ok(Val::Bool(found == text));
        }
        let found = path.follow(root.clone(), path.steps.len())?;
        Ok(Val::Bool(found.as_str() == Some(text)))
    }

    fn root(&self, path: &Path) -> Result<&Val<'a>, EvalError> {
        match path.root {
            Root::Local(slot) => self.local(slot),
            Root::Variable(slot) => self.variable(slot).map_err(|it| it.at(path.steps[0].span)),
        }
    }

    #[inline(never)]
    pub(super) fn select(&mut self, select: &'a Select, span: Span) -> Outcome<'a> {
        let operand = self.eval(&select.operand)?;
        let outcome = match operand {
            Val::Optional(None) => Ok(Val::Optional(None)),
            Val::Optional(Some(value)) => self.field_if_present(&value, select),
            value if select.optional => self.field_if_present(&value, select),
            value => get_field(&value, &select.field, &select.ty),
        };
        outcome.map_err(|it| it.at(span))
    }

    #[inline(never)]
    pub(super) fn has(&mut self, select: &'a Select, span: Span) -> Outcome<'a> {
        let operand = self.eval(&select.operand)?;
        let found = match operand {
            Val::Optional(None) => Ok(false),
            Val::Optional(Some(value)) => self.has_field(&value, &select.field),
            value => self.has_field(&value, &select.field),
        };
        found.map(Val::Bool).map_err(|it| it.at(span))
    }

    fn field_if_present(&self, value: &Val<'a>, select: &'a Select) -> Outcome<'a> {
        self.demand_parts(value, &select.field)?;
        missing_is_none(get_field(value, &select.field, &select.ty))
    }

    fn has_field(&self, value: &Val<'_>, field: &str) -> Result<bool, EvalError> {
        self.demand_parts(value, field)?;
        has_field(value, field)
    }

    /// Where presence is strict, a value that has no parts cannot be asked for one.
    fn demand_parts(&self, value: &Val<'_>, field: &str) -> Result<(), EvalError> {
        let has_parts =
            value.as_map().is_some() || value.as_list().is_some() || matches!(value, Val::Optional(_));
        if has_parts || !self.bindings.env().strict_presence() {
            return Ok(());
        }
        Err(EvalError::no_such_key(field))
    }

    #[inline(never)]
    pub(super) fn index(&mut self, index: &'a Index, span: Span) -> Outcome<'a> {
        let operand = self.eval(&index.operand)?;
        if matches!(operand, Val::Optional(None)) {
            return Ok(operand);
        }
        let key = self.eval(&index.key)?;
        let outcome = match operand {
            Val::Optional(Some(value)) => missing_is_none(get_element(&value, &key, &index.ty)),
            value if index.optional => missing_is_none(get_element(&value, &key, &index.ty)),
            value => get_element(&value, &key, &index.ty),
        };
        outcome.map_err(|it| it.at(span))
    }

    #[inline(never)]
    pub(super) fn contains(&mut self, element: &'a Ir, container: &'a Ir, node: &'a Ir) -> Outcome<'a> {
        let element = self.eval(element)?;
        let container = self.eval(container)?;
        if let Some(list) = container.as_list() {
            return Ok(Val::Bool(list.position(&element, self.meter)?.is_some()));
        }
        match container.as_map() {
            Some(map) => Ok(Val::Bool(Key::lookup(&element).is_some_and(|key| map.contains(&key)))),
            None => Err(EvalError::no_such_overload().at(node.span)),
        }
    }
}

impl Path {
    /// Whether the type of what is found is known without asking the value: the checker knew it, or nobody does.
    fn is_self_typed(&self, root: &Type) -> bool {
        !self.ty.is_dyn() || root.is_dyn()
    }

    /// The JSON after so many steps.
    fn walk<'a>(&self, mut json: &'a Value, steps: usize) -> Result<&'a Value, EvalError> {
        for step in &self.steps[..steps] {
            let found = match json {
                Value::Object(map) => map.get(&*step.field),
                Value::Array(_) => return Err(text_index().at(step.span)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
            };
            json = found.ok_or_else(|| EvalError::no_such_key(&step.field).at(step.span))?;
        }
        Ok(json)
    }

    /// The value after so many steps, where it is not all JSON or the type is found on the way.
    #[inline(never)]
    fn follow<'a>(&'a self, root: Val<'a>, steps: usize) -> Outcome<'a> {
        let mut value = root;
        for (index, step) in self.steps[..steps].iter().enumerate() {
            let known = if index + 1 == self.steps.len() { &self.ty } else { &Type::Dyn };
            value = get_field(&value, &step.field, known).map_err(|it| it.at(step.span))?;
        }
        Ok(value)
    }
}

/// A field of a map or object; `known` is its type when the checker knew it.
fn get_field<'a>(value: &Val<'a>, field: &str, known: &'a Type) -> Outcome<'a> {
    match value {
        Val::Json(Value::Object(map), ty) => {
            let found = map.get(field).ok_or_else(|| EvalError::no_such_key(field))?;
            Ok(Val::from_json(found, if known.is_dyn() { field_type(ty, field) } else { known }))
        }
        Val::Map(map) => map.get_str(field).cloned().ok_or_else(|| EvalError::no_such_key(field)),
        Val::Optional(None) => Ok(Val::Optional(None)),
        Val::Optional(Some(inner)) => missing_is_none(get_field(inner, field, known)),
        other if other.as_list().is_some() => Err(text_index()),
        _ => Err(EvalError::no_such_key(field)),
    }
}

/// Whether the field is there; in values that have no fields, none is.
fn has_field(value: &Val<'_>, field: &str) -> Result<bool, EvalError> {
    match value {
        Val::Json(Value::Object(map), _) => Ok(map.contains_key(field)),
        Val::Map(map) => Ok(map.get_str(field).is_some()),
        Val::Optional(inner) => inner.as_ref().map_or(Ok(false), |inner| has_field(inner, field)),
        other if other.as_list().is_some() => Err(text_index()),
        _ => Ok(false),
    }
}

fn get_element<'a>(value: &Val<'a>, key: &Val<'a>, known: &'a Type) -> Outcome<'a> {
    if let (Val::String(field), Val::Json(Value::Object(_), _)) = (key, value) {
        return get_field(value, field, known);
    }
    if let Some(list) = value.as_list() {
        let position = list_position(key)?;
        let found = usize::try_from(position).ok().and_then(|it| list.get(it));
        return found.ok_or_else(|| EvalError::index_out_of_bounds(position));
    }
    if let Some(map) = value.as_map() {
        let found = Key::lookup(key).and_then(|key| map.get(&key));
        return found.ok_or_else(|| EvalError::no_such_key(operators::display(key)));
    }
    match value {
        Val::Optional(None) => Ok(Val::Optional(None)),
        Val::Optional(Some(inner)) => missing_is_none(get_element(inner, key, known)),
        _ => Err(EvalError::no_such_key(operators::display(key))),
    }
}

fn list_position(key: &Val<'_>) -> Result<i64, EvalError> {
    match key {
        Val::Int(index) => Ok(*index),
        Val::Uint(index) => i64::try_from(*index).map_err(|_| EvalError::index_out_of_bounds(index)),
        Val::Double(index) => exact_int(*index).ok_or_else(|| {
            EvalError::invalid(format!("unsupported index value {index}: a list index is a whole number"))
        }),
        _ => Err(unsupported_index(key.type_of().runtime_name())),
    }
}

/// A field of a list.
#[cold]
fn text_index() -> EvalError {
    unsupported_index("string")
}

#[cold]
fn unsupported_index(ty: &str) -> EvalError {
    EvalError::invalid(format!("unsupported index type '{ty}' in list"))
}

/// Absence becomes `optional.none()`; other errors stay.
fn missing_is_none(found: Outcome<'_>) -> Outcome<'_> {
    match found {
        Err(error) if error.is_missing_data() => Ok(Val::Optional(None)),
        found => found.map(Val::some),
    }
}
