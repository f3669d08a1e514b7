//! Lists that are merged element by element.

use serde_json::Value;

use super::lookup::Field;
use super::order::Identity;
use super::{Fields, PATCH, Result, StrategicPatchError, merge_objects, order};
use crate::go_value;

/// Merges, replaces, or (when the patch lists what to delete) shortens a list.
pub(super) fn merge_field(
    original: Vec<Value>,
    patch: Vec<Value>,
    field: Field<'_>,
    deletes: bool,
) -> Result<Vec<Value>> {
    match field.strategy()? {
        "merge" => merge(original, patch, field, deletes),
        _ if deletes => merge(original, patch, field, deletes),
        _ => Ok(patch),
    }
}

fn merge(original: Vec<Value>, patch: Vec<Value>, field: Field<'_>, deletes: bool) -> Result<Vec<Value>> {
    if original.is_empty() && patch.is_empty() {
        return Ok(original);
    }
    match element_kind(&original, &patch)? {
        ElementKind::Scalar if deletes => {
            Ok(original.into_iter().filter(|item| !patch.contains(item)).collect())
        }
        ElementKind::Scalar => merge_scalars(&original, &patch),
        ElementKind::Object => merge_elements(original, patch, field),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementKind {
    Scalar,
    Object,
}

/// All elements are of one type.
pub(super) fn element_kind(original: &[Value], patch: &[Value]) -> Result<ElementKind> {
    let mut elements = original.iter().chain(patch);
    let first = elements.next().ok_or(StrategicPatchError::NoElements)?;
    if first.is_array() {
        return Err(StrategicPatchError::ListOfLists);
    }
    if elements.any(|element| go_value::type_name(element) != go_value::type_name(first)) {
        let lists = format!("[{} {}]", go_value::plain_items(original), go_value::plain_items(patch));
        return Err(StrategicPatchError::DifferentTypes { lists });
    }
    Ok(if first.is_object() { ElementKind::Object } else { ElementKind::Scalar })
}

/// The union of both, in the order of the patch as far as that goes.
fn merge_scalars(original: &[Value], patch: &[Value]) -> Result<Vec<Value>> {
    let mut merged: Vec<Value> = Vec::with_capacity(original.len() + patch.len());
    for item in original.iter().chain(patch) {
        if !merged.contains(item) {
            merged.push(item.clone());
        }
    }
    let (in_patch, rest) = merged.into_iter().partition(|item| patch.contains(item));
    order::combine(in_patch, rest, patch, original, Identity { kind: ElementKind::Scalar, key: "" })
}

fn merge_elements(original: Vec<Value>, patch: Vec<Value>, field: Field<'_>) -> Result<Vec<Value>> {
    let key = field.merge_key();
    if key.is_empty() {
        return Err(StrategicPatchError::ListWithoutMergeKey { kind: field.inner.kind() });
    }
    let (mut merged, patch) = follow_directives(original, patch, key)?;
    let before = merged.clone();
    for element in &patch {
        merge_element(&mut merged, element, key, field)?;
    }
    let (in_patch, rest) = order::partition(merged, &patch, key)?;
    order::combine(in_patch, rest, &patch, &before, Identity { kind: ElementKind::Object, key })
}

/// Deletes elements, or all of them, as the patch says; returns what is left of the list and of the patch.
fn follow_directives(
    mut original: Vec<Value>,
    patch: Vec<Value>,
    key: &str,
) -> Result<(Vec<Value>, Vec<Value>)> {
    let (mut replaces, mut rest) = (false, Vec::with_capacity(patch.len()));
    for element in patch {
        let Some(directive) = element.get(PATCH) else {
            rest.push(element);
            continue;
        };
        let fields = as_object(&element)?;
        match directive.as_str() {
            Some("delete") => {
                let value = fields.get(key).ok_or_else(|| StrategicPatchError::no_merge_key(fields, key))?;
                while let Some(at) = find(&original, key, value)? {
                    original.remove(at);
                }
            }
            Some("replace") => replaces = true,
            Some("merge") => return Err(StrategicPatchError::MergeInList),
            _ => return Err(StrategicPatchError::unknown_directive(fields)),
        }
    }
    Ok(if replaces { (rest, Vec::new()) } else { (original, rest) })
}

fn merge_element(merged: &mut Vec<Value>, element: &Value, key: &str, field: Field<'_>) -> Result<()> {
    let fields = as_object(element)?;
    let value = fields.get(key).ok_or_else(|| StrategicPatchError::no_merge_key(fields, key))?;
    let Some(at) = find(merged, key, value)? else {
        merged.push(element.clone());
        return Ok(());
    };
    if let Value::Object(original) = merged[at].take() {
        merged[at] = Value::Object(merge_objects(original, fields.clone(), field.inner)?);
    }
    Ok(())
}

/// The position of the first element with this value of its merge key.
pub(super) fn find(elements: &[Value], key: &str, value: &Value) -> Result<Option<usize>> {
    for (position, element) in elements.iter().enumerate() {
        let Value::Object(fields) = element else {
            return Err(StrategicPatchError::ElementNotAnObject { position });
        };
        if fields.get(key) == Some(value) {
            return Ok(Some(position));
        }
    }
    Ok(None)
}

pub(super) fn as_object(value: &Value) -> Result<&Fields> {
    value.as_object().ok_or_else(|| StrategicPatchError::not_an_object(value))
}
