//! The order of merged lists.

use serde_json::Value;

use super::cleaning::without_directives;
use super::list::{self, ElementKind, as_object, find};
use super::lookup::Lookup;
use super::{Fields, PATCH, Result, SET_ELEMENT_ORDER, StrategicPatchError};
use crate::go_value;

/// Merges the lists for which the patch gives an order, and takes them out of the patch.
pub(super) fn set_element_order(original: &mut Fields, patch: &mut Fields, schema: Lookup<'_>) -> Result<()> {
    let directives: Vec<_> =
        patch.keys().filter(|name| name.starts_with(SET_ELEMENT_ORDER)).cloned().collect();
    for directive in directives {
        let Some(order) = patch.remove(&directive) else { continue };
        let Value::Array(order) = order else { return Err(StrategicPatchError::not_a_list(&order)) };
        let name = directive.strip_prefix(SET_ELEMENT_ORDER).and_then(|rest| rest.strip_prefix('/'));
        let name = name.ok_or(StrategicPatchError::SetElementOrderFormat)?;
        let old = list_of(original, name)?;
        let new = list_of(patch, name)?;
        if let Some(ordered) = merge_in_order(old, new, &order, schema, name)? {
            original.insert(name.to_owned(), Value::Array(ordered));
            patch.remove(name);
        }
    }
    Ok(())
}

fn list_of(fields: &Fields, name: &str) -> Result<Option<Vec<Value>>> {
    match fields.get(name) {
        None => Ok(None),
        Some(Value::Array(items)) => Ok(Some(items.clone())),
        Some(other) => Err(StrategicPatchError::not_a_list(other)),
    }
}

fn merge_in_order(
    old: Option<Vec<Value>>,
    new: Option<Vec<Value>>,
    order: &[Value],
    schema: Lookup<'_>,
    name: &str,
) -> Result<Option<Vec<Value>>> {
    let field = schema.list(name)?;
    let key = field.merge_key();
    check_order(new.as_deref().unwrap_or_default(), order, key)?;
    let mut server_order = old.clone().unwrap_or_default();
    let kind = list::element_kind(&server_order, new.as_deref().unwrap_or_default());
    if field.strategy()? == "merge"
        && let (Ok(ElementKind::Object), Some(new)) = (&kind, &new)
    {
        leave_traces(&mut server_order, new, key);
    }
    let merged = match (old, new) {
        (None, None) => return Ok(None),
        (Some(old), None) => old,
        (None, Some(new)) => new.into_iter().filter_map(without_directives).collect(),
        (Some(old), Some(new)) => list::merge_field(old, new, field, false)?,
    };
    let (in_order, rest) = match key {
        "" => merged.into_iter().partition(|item| order.contains(item)),
        key => partition(merged, order, key)?,
    };
    combine(in_order, rest, order, &server_order, Identity { kind: kind?, key }).map(Some)
}

/// The API server merges lists in place and goes by the old list afterwards: deleting moved its elements up, and what
/// was added took the places at its end.
fn leave_traces(old: &mut [Value], patch: &[Value], key: &str) {
    let directive = |element: &Value| element.get(PATCH).and_then(Value::as_str).map(str::to_owned);
    let mut length = old.len();
    for element in patch.iter().filter(|it| directive(it).as_deref() == Some("delete")) {
        while let Some(at) = old[..length].iter().position(|it| it.get(key) == element.get(key)) {
            old[at..length].rotate_left(1);
            if at + 1 < length {
                old[length - 1] = old[length - 2].clone();
            }
            length -= 1;
        }
    }
    if patch.iter().any(|it| directive(it).as_deref() == Some("replace")) {
        return;
    }
    for element in patch.iter().filter(|it| it.get(PATCH).is_none()) {
        let known = old[..length].iter().any(|it| it.get(key) == element.get(key));
        if !known && length < old.len() {
            old[length] = element.clone();
            length += 1;
        }
    }
}

/// The elements of the patch stand in the given order, which lists them all.
fn check_order(patch: &[Value], order: &[Value], key: &str) -> Result<()> {
    if order.is_empty() || patch.is_empty() {
        return Ok(());
    }
    let deleted = |element: &Value| element.get(PATCH).is_some_and(|directive| directive == "delete");
    if !key.is_empty() {
        patch.iter().try_for_each(|element| as_object(element).map(drop))?;
    }
    let kept: Vec<_> = patch.iter().filter(|element| key.is_empty() || !deleted(element)).collect();
    let (mut elements, mut places) = (kept.iter().peekable(), order.iter().peekable());
    while let (Some(element), Some(place)) = (elements.peek(), places.peek()) {
        let directive = element.get(PATCH).is_some();
        if directive || same_element(element, place, key)? {
            elements.next();
        }
        if !directive {
            places.next();
        }
    }
    if elements.peek().is_some() && places.peek().is_none() {
        let (patch, order) = (go_value::plain_items(patch), go_value::plain_items(order));
        return Err(StrategicPatchError::OrderMismatch { patch, order });
    }
    Ok(())
}

fn same_element(left: &Value, right: &Value, key: &str) -> Result<bool> {
    if key.is_empty() {
        return Ok(left == right);
    }
    Ok(key_of(left, key)? == key_of(right, key)?)
}

fn key_of<'v>(element: &'v Value, key: &str) -> Result<&'v Value> {
    let fields = as_object(element)?;
    fields.get(key).ok_or_else(|| StrategicPatchError::no_merge_key(fields, key))
}

/// The elements whose merge keys are listed, and the others.
pub(super) fn partition(
    elements: Vec<Value>,
    listed: &[Value],
    key: &str,
) -> Result<(Vec<Value>, Vec<Value>)> {
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for element in elements {
        let value = key_of(&element, key)?;
        let side = if find(listed, key, value)?.is_some() { &mut inside } else { &mut outside };
        side.push(element);
    }
    Ok((inside, outside))
}

/// The elements of the patch in their order, with the others put among them by their order on the server.
pub(super) fn combine(
    in_patch: Vec<Value>,
    rest: Vec<Value>,
    patch_order: &[Value],
    server_order: &[Value],
    by: Identity<'_>,
) -> Result<Vec<Value>> {
    let in_patch = by.sorted(in_patch, patch_order)?;
    let rest = by.sorted(rest, server_order)?;
    let placed = |elements: Vec<Value>| {
        let elements = elements.into_iter().map(|element| (by.place(server_order, &element), element));
        elements.collect::<Vec<_>>().into_iter().peekable()
    };
    let (mut patch, mut rest) = (placed(in_patch), placed(rest));
    let mut combined = Vec::with_capacity(patch.len() + rest.len());
    while let (Some((theirs, _)), Some((ours, _))) = (rest.peek(), patch.peek()) {
        let first = matches!((theirs, ours), (Some(theirs), Some(ours)) if theirs < ours);
        combined.extend(if first { rest.next() } else { patch.next() });
    }
    combined.extend(patch.chain(rest));
    Ok(combined.into_iter().map(|(_, element)| element).collect())
}

/// What makes two elements the same: their value, or that of their merge key.
#[derive(Clone, Copy)]
pub(super) struct Identity<'k> {
    pub(super) kind: ElementKind,
    pub(super) key: &'k str,
}

impl Identity<'_> {
    /// Elements in the given order, those to be deleted last.
    fn sorted(self, elements: Vec<Value>, order: &[Value]) -> Result<Vec<Value>> {
        let (mut kept, mut deleted) = (elements, Vec::new());
        if self.kind == ElementKind::Object {
            kept.iter().chain(order).try_for_each(|element| key_of(element, self.key).map(drop))?;
            let directive = |element: &Value| element.get(PATCH).is_some_and(|it| it == "delete");
            (deleted, kept) = kept.into_iter().partition(directive);
        }
        // What the order does not mention comes first, the last such element foremost.
        let (mut unknown, mut known): (Vec<_>, Vec<_>) = (Vec::new(), Vec::new());
        for element in kept {
            match self.place(order, &element) {
                Some(place) => known.push((place, element)),
                None => unknown.push(element),
            }
        }
        known.sort_by_key(|(place, _)| *place);
        let known = known.into_iter().map(|(_, element)| element);
        Ok(unknown.into_iter().rev().chain(known).chain(deleted.drain(..)).collect())
    }

    fn place(self, order: &[Value], element: &Value) -> Option<usize> {
        match self.kind {
            ElementKind::Scalar => order.iter().position(|other| other == element),
            ElementKind::Object => {
                order.iter().position(|other| other.get(self.key) == element.get(self.key))
            }
        }
    }
}
