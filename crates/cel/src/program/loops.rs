//! Comprehensions, each as a loop of its own.

use serde_json::Value;

use super::eval::{Frame, Outcome};
use super::ir::LoopIr;
use crate::ast::LoopKind;
use crate::error::EvalError;
use crate::value::{Key, Map, Val, element_type};

/// What a comprehension runs over.
enum Range<'a> {
    Json(&'a [Value], &'a crate::types::Type),
    List(std::sync::Arc<Vec<Val<'a>>>),
    Entries(Vec<(Key<'a>, Val<'a>)>),
}

impl<'a> Range<'a> {
    fn of(value: Val<'a>) -> Option<Self> {
        match value {
            Val::Json(Value::Array(elements), ty) => Some(Self::Json(elements, element_type(ty))),
            Val::List(elements) | Val::United(elements, _) => Some(Self::List(elements)),
            other => other.as_map().map(|map| Self::Entries(map.entries())),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Json(elements, _) => elements.len(),
            Self::List(elements) => elements.len(),
            Self::Entries(entries) => entries.len(),
        }
    }

    /// What a loop with one variable sees: elements of a list, keys of a map.
    fn single(&self, index: usize) -> Val<'a> {
        match self {
            Self::Json(elements, ty) => Val::from_json(&elements[index], ty),
            Self::List(elements) => elements[index].clone(),
            Self::Entries(entries) => entries[index].0.to_val(),
        }
    }

    /// What a loop with two variables sees: index and element, or key and value.
    fn pair(&self, index: usize) -> (Val<'a>, Val<'a>) {
        match self {
            Self::Entries(entries) => (entries[index].0.to_val(), entries[index].1.clone()),
            Self::Json(..) | Self::List(_) => {
                (Val::Int(i64::try_from(index).unwrap_or(i64::MAX)), self.single(index))
            }
        }
    }
}

impl<'a> Frame<'_, 'a> {
    #[inline(never)]
    pub(super) fn comprehension(&mut self, it: &'a LoopIr) -> Outcome<'a> {
        let range = self.eval(&it.range)?;
        let range = Range::of(range).ok_or_else(|| EvalError::no_such_overload().at(it.range.span))?;
        match it.kind {
            LoopKind::All => self.quantify(it, &range, false),
            LoopKind::Exists => self.quantify(it, &range, true),
            LoopKind::ExistsOne => self.exists_one(it, &range),
            LoopKind::Filter => self.filter(it, &range),
            LoopKind::Map => self.map_elements(it, &range),
            LoopKind::TransformMap => self.transform_map(it, &range),
            LoopKind::TransformMapEntry => self.transform_entries(it, &range),
        }
    }

    /// Makes the loop's variables those of one iteration, and pays for it.
    fn enter(&mut self, it: &'a LoopIr, range: &Range<'a>, index: usize) -> Result<(), EvalError> {
        self.meter.charge(1)?;
        let slot = it.slot as usize;
        if it.pair {
            (self.locals[slot], self.locals[slot + 1]) = range.pair(index);
        } else {
            self.locals[slot] = range.single(index);
        }
        Ok(())
    }

    fn passes(&mut self, it: &'a LoopIr) -> Result<bool, EvalError> {
        it.filter.as_ref().map_or(Ok(true), |filter| self.eval_bool(filter))
    }

    /// `exists` (`decisive` true) and `all` (`decisive` false): a decisive element wins over errors in others.
    fn quantify(&mut self, it: &'a LoopIr, range: &Range<'a>, decisive: bool) -> Outcome<'a> {
        let mut failure = None;
        for index in 0..range.len() {
            self.enter(it, range, index)?;
            match self.eval_bool(&it.body) {
                Ok(value) if value == decisive => return Ok(Val::Bool(decisive)),
                Ok(_) => {}
                Err(error) if error.is_fatal() => return Err(error),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        failure.map_or(Ok(Val::Bool(!decisive)), Err)
    }

    fn exists_one(&mut self, it: &'a LoopIr, range: &Range<'a>) -> Outcome<'a> {
        let mut found = 0_u32;
        for index in 0..range.len() {
            self.enter(it, range, index)?;
            found += u32::from(self.eval_bool(&it.body)?);
        }
        Ok(Val::Bool(found == 1))
    }

    fn filter(&mut self, it: &'a LoopIr, range: &Range<'a>) -> Outcome<'a> {
        let mut kept = Vec::new();
        for index in 0..range.len() {
            self.enter(it, range, index)?;
            if self.eval_bool(&it.body)? {
                kept.push(range.single(index));
            }
        }
        Ok(Val::list(kept))
    }

    fn map_elements(&mut self, it: &'a LoopIr, range: &Range<'a>) -> Outcome<'a> {
        let mut made = Vec::with_capacity(if it.filter.is_some() { 0 } else { range.len() });
        for index in 0..range.len() {
            self.enter(it, range, index)?;
            if self.passes(it)? {
                made.push(self.eval(&it.body)?);
            }
        }
        Ok(Val::list(made))
    }

    fn transform_map(&mut self, it: &'a LoopIr, range: &Range<'a>) -> Outcome<'a> {
        let mut made = Vec::with_capacity(if it.filter.is_some() { 0 } else { range.len() });
        for index in 0..range.len() {
            self.enter(it, range, index)?;
            if self.passes(it)? {
                // A key and its place cost as much as the step.
                self.meter.charge(1)?;
                let value = self.eval(&it.body)?;
                let (key, _) = range.pair(index);
                made.extend(Key::new(&key).map(|key| (key, value)));
            }
        }
        Ok(Val::map(Map::new(made)?))
    }

    fn transform_entries(&mut self, it: &'a LoopIr, range: &Range<'a>) -> Outcome<'a> {
        let mut made = Vec::new();
        for index in 0..range.len() {
            self.enter(it, range, index)?;
            if self.passes(it)? {
                let entries = self.eval(&it.body)?;
                let entries = entries.entries().map_err(|error| error.at(it.body.span))?;
                self.meter.charge(entries.len() as u64)?;
                made.extend(entries.entries());
            }
        }
        Map::new(made).map(Val::map).map_err(|error| error.at(it.body.span))
    }
}
