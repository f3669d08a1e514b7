//! An applied configuration merged into an object.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::super::object_type::{Elements, ListShape, MapShape, ObjectType, Shape, TypeId};
use super::super::path::PathElement;
use super::element::{elements, same_identity};
use super::{as_list, as_object, zip};

/// An object and a configuration as one.
pub(in super::super) struct Merged {
    pub(in super::super) value: Value,
    /// Somewhere the configuration has nothing in an object or list in which the object has something.
    pub(in super::super) keeps_content_of_empty: bool,
}

/// `config` laid over `live`: nothing is removed, and where both say something, `config` is right.
///
/// Both are valid for their type. The order of lists is that of `config` as far as it goes.
pub(in super::super) fn merge(types: &ObjectType, live: &Value, config: &Value) -> Merged {
    let mut merger = Merger { types, keeps_content_of_empty: false };
    let value = merger.both(live, config, types.root()).unwrap_or_default();
    Merged { value, keeps_content_of_empty: merger.keeps_content_of_empty }
}

struct Merger<'t> {
    types: &'t ObjectType,
    keeps_content_of_empty: bool,
}

impl Merger<'_> {
    fn either(&mut self, live: Option<&Value>, config: Option<&Value>, id: TypeId) -> Option<Value> {
        match (live, config) {
            _ if self.types.node(id).ignored => None,
            (Some(live), Some(config)) => self.both(live, config, id),
            (only, None) | (None, only) => only.cloned(),
        }
    }

    fn both(&mut self, live: &Value, config: &Value, id: TypeId) -> Option<Value> {
        match self.types.node(id).shape(config) {
            Shape::Map(map) => self.objects(map, live, config),
            Shape::List(list) => self.lists(list, live, config),
            Shape::Scalar(_) => Some(config.clone()),
            Shape::Nothing => None,
        }
    }

    /// Two empty objects are not merged, so that null and empty stay apart.
    fn objects(&mut self, map: &MapShape, live: &Value, config: &Value) -> Option<Value> {
        let (old, new) = (as_object(Some(live)), as_object(Some(config)));
        let (old_empty, new_empty) = (old.is_none_or(Map::is_empty), new.is_none_or(Map::is_empty));
        if map.atomic || (old_empty && new_empty) {
            return Some(config.clone());
        }
        self.keeps_content_of_empty |= new_empty;
        let fields = zip(old, new).filter_map(|(name, live, config)| {
            let merged = match map.field(name) {
                Some(id) => self.either(live, config, id)?,
                None => config.or(live)?.clone(),
            };
            Some((name.to_owned(), merged))
        });
        let fields: Map<_, _> = fields.collect();
        (!fields.is_empty()).then_some(Value::Object(fields))
    }

    fn lists(&mut self, list: &ListShape, live: &Value, config: &Value) -> Option<Value> {
        let old = as_list(Some(live)).map_or(&[][..], Vec::as_slice);
        let new = as_list(Some(config)).map_or(&[][..], Vec::as_slice);
        if matches!(list.elements, Elements::Atomic) || (old.is_empty() && new.is_empty()) {
            return Some(config.clone());
        }
        self.keeps_content_of_empty |= new.is_empty();
        let same_order =
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| same_identity(list, old, new));
        let merged: Vec<_> = if same_order {
            let pairs = old.iter().zip(new);
            pairs.filter_map(|(old, new)| self.either(Some(old), Some(new), list.items)).collect()
        } else {
            let order = Lists::new(list, old, new).merge();
            order.into_iter().filter_map(|(old, new)| self.either(old, new, list.items)).collect()
        };
        (!merged.is_empty()).then_some(Value::Array(merged))
    }
}

/// Elements of two lists that are to be merged with each other, in the order of the result.
type Pairs<'a> = Vec<(Option<&'a Value>, Option<&'a Value>)>;

struct Lists<'a> {
    live: Vec<(PathElement<'a>, &'a Value)>,
    config: Vec<(PathElement<'a>, &'a Value)>,
    /// The live element, null for one that is there several times.
    in_live: BTreeMap<PathElement<'a>, &'a Value>,
    in_config: BTreeSet<PathElement<'a>>,
    merged: Pairs<'a>,
    /// Elements of `config` that were merged already.
    done: BTreeSet<PathElement<'a>>,
}

impl<'a> Lists<'a> {
    fn new(list: &'a ListShape, live: &'a [Value], config: &'a [Value]) -> Self {
        let (live, config) = (elements(list, live), elements(list, config));
        let mut in_live = BTreeMap::new();
        for (element, value) in &live {
            in_live.entry(element.clone()).and_modify(|it| *it = &Value::Null).or_insert(*value);
        }
        let in_config = config.iter().map(|(element, _)| element.clone()).collect();
        let (merged, done) = (Vec::with_capacity(live.len().max(config.len())), BTreeSet::new());
        Self { live, config, in_live, in_config, merged, done }
    }

    /// Takes both lists from the front. Elements of `live` alone keep their place relative to those they share with
    /// `config`; the shared ones stand in the order of `config`.
    fn merge(mut self) -> Pairs<'a> {
        let (live, config) = (std::mem::take(&mut self.live), std::mem::take(&mut self.config));
        let mut shared = config.iter().map(|it| &it.0).filter(|it| self.in_live.contains_key(*it));
        let shared: Vec<_> = shared.by_ref().cloned().collect();
        let mut shared = shared.iter();
        let mut next_shared = shared.next();
        let (mut left, mut right) = (live.iter().peekable(), config.iter().peekable());
        loop {
            if let (Some((old, _)), Some((new, config))) = (left.peek(), right.peek()) {
                if old == new {
                    self.push_both(new, config);
                    left.next();
                    right.next();
                    next_shared = shared.next();
                    continue;
                }
                let out_of_turn = next_shared.is_some_and(|next| next != old);
                if self.in_config.contains(old) && out_of_turn {
                    left.next();
                    continue;
                }
            }
            if let Some((old, value)) = left.peek() {
                if !self.in_config.contains(old) {
                    self.merged.push((Some(*value), None));
                    left.next();
                    continue;
                }
                left.next_if(|_| self.done.contains(old));
            }
            let Some((new, config)) = right.next() else {
                if left.peek().is_none() {
                    return self.merged;
                }
                continue;
            };
            self.push_both(new, config);
            if next_shared == Some(new) {
                next_shared = shared.next();
            }
        }
    }

    fn push_both(&mut self, element: &PathElement<'a>, config: &'a Value) {
        self.done.insert(element.clone());
        let live = self.in_live.get(element).copied();
        self.merged.push((live, Some(config)));
    }
}
