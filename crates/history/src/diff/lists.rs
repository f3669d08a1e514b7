//! Which item of a list was which.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{ChangeKind, Differ, Path, Shape, Step};
use crate::canonical;

impl Differ {
    pub(super) fn lists(&mut self, path: &Path, old: &[Value], new: &[Value]) {
        let order = order(self.shape, path);
        if order == Order::Set {
            return self.sets(path, old, new);
        }
        let name = match path.steps().last() {
            Some(Step::Field(name)) => name.as_str(),
            Some(Step::Item { .. }) | None => "",
        };
        match keys(name, old, new) {
            Some((old_keys, new_keys)) => self.keyed(path, (old, &old_keys), (new, &new_keys), order),
            None => self.positions(path, old, new),
        }
    }

    fn keyed(&mut self, path: &Path, old: (&[Value], &[String]), new: (&[Value], &[String]), order: Order) {
        let places: BTreeMap<&str, usize> = old.1.iter().map(String::as_str).zip(0..).collect();
        for (index, (item, key)) in new.0.iter().zip(new.1).enumerate() {
            let path = path.item(index, Some(key));
            match places.get(key.as_str()) {
                Some(place) => self.values(&path, &old.0[*place], item),
                None => self.tell(path, ChangeKind::Added(item.clone())),
            }
        }
        let present: BTreeSet<&String> = new.1.iter().collect();
        for (index, (item, key)) in old.0.iter().zip(old.1).enumerate() {
            if !present.contains(key) {
                self.tell(path.item(index, Some(key)), ChangeKind::Removed(item.clone()));
            }
        }
        if order == Order::Matters {
            self.reordered(path, old.1, new.1);
        }
    }

    /// Tells when items that were there and still are stand in another order.
    fn reordered(&mut self, path: &Path, old: &[String], new: &[String]) {
        let common = |keys: &[String], others: &[String]| -> Vec<String> {
            let others: BTreeSet<_> = others.iter().collect();
            keys.iter().filter(|it| others.contains(it)).cloned().collect()
        };
        let (old, new) = (common(old, new), common(new, old));
        if old != new {
            self.tell(path.clone(), ChangeKind::Reordered { old, new });
        }
    }

    /// Without keys: what is the same at both ends is left alone, and the rest is compared place by place.
    fn positions(&mut self, path: &Path, old: &[Value], new: &[Value]) {
        let is_same = |(old, new): &(&Value, &Value)| canonical::text(old) == canonical::text(new);
        let start = old.iter().zip(new).take_while(is_same).count();
        let (old, new) = (&old[start..], &new[start..]);
        let end = old.iter().rev().zip(new.iter().rev()).take_while(is_same).count();
        let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
        for index in 0..old.len().max(new.len()) {
            let path = path.item(start + index, None);
            match (old.get(index), new.get(index)) {
                (Some(old), Some(new)) => self.values(&path, old, new),
                (None, Some(new)) => self.tell(path, ChangeKind::Added(new.clone())),
                (Some(old), None) => self.tell(path, ChangeKind::Removed(old.clone())),
                (None, None) => {}
            }
        }
    }

    /// Without order, and the same value may be there more than once.
    fn sets(&mut self, path: &Path, old: &[Value], new: &[Value]) {
        let mut left: Vec<String> = old.iter().map(canonical::text).collect();
        for (index, item) in new.iter().enumerate() {
            let text = canonical::text(item);
            match left.iter().position(|it| *it == text) {
                Some(place) => drop(left.swap_remove(place)),
                None => self.tell(path.item(index, None), ChangeKind::Added(item.clone())),
            }
        }
        for (index, item) in old.iter().enumerate().rev() {
            let text = canonical::text(item);
            if let Some(place) = left.iter().position(|it| *it == text) {
                left.swap_remove(place);
                self.tell(path.item(index, None), ChangeKind::Removed(item.clone()));
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Matters,
    /// Of items with keys.
    Free,
    /// Of items without.
    Set,
}

fn order(shape: Shape, path: &Path) -> Order {
    let field =
        |step: &Step, names: &[&str]| matches!(step, Step::Field(name) if names.contains(&name.as_str()));
    match (shape, path.steps()) {
        (Shape::Definition, [_, list]) if field(list, &["resources"]) => Order::Free,
        (Shape::Definition, [_, list, _, conditions])
            if field(list, &["resources"]) && field(conditions, &["readyWhen", "includeWhen"]) =>
        {
            Order::Set
        }
        (Shape::Definition | Shape::Plain, _) => Order::Matters,
    }
}

/// What the items of a list are told apart by, by the name of the list; after these, `id` and `name`.
fn candidates(name: &str) -> &'static [&'static [&'static str]] {
    match name {
        "ports" => &[&["containerPort", "protocol"], &["port", "protocol"]],
        "volumeMounts" => &[&["mountPath"]],
        "volumeDevices" => &[&["devicePath"]],
        "hostAliases" => &[&["ip"]],
        "topologySpreadConstraints" => &[&["topologyKey", "whenUnsatisfiable"]],
        "conditions" => &[&["type"]],
        "ownerReferences" => &[&["uid"]],
        _ => &[],
    }
}

const USUAL: &[&[&str]] = &[&["id"], &["name"]];

/// The keys of the items of two lists, where every item has one of its own.
fn keys(name: &str, old: &[Value], new: &[Value]) -> Option<(Vec<String>, Vec<String>)> {
    let mut all = candidates(name).iter().chain(USUAL);
    all.find_map(|fields| Some((distinct(old, fields)?, distinct(new, fields)?)))
}

fn distinct(items: &[Value], fields: &[&str]) -> Option<Vec<String>> {
    let keys: Vec<String> = items.iter().map(|it| key(it, fields)).collect::<Option<_>>()?;
    let is_distinct = keys.iter().collect::<BTreeSet<_>>().len() == keys.len();
    is_distinct.then_some(keys)
}

fn key(item: &Value, fields: &[&str]) -> Option<String> {
    let parts: Option<Vec<String>> = fields.iter().map(|field| part(item, field)).collect();
    Some(parts?.join("/"))
}

fn part(item: &Value, field: &str) -> Option<String> {
    match item.as_object()?.get(field) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(canonical::number(number)),
        // What the API server fills in.
        None if field == "protocol" => Some("TCP".to_owned()),
        Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => None,
    }
}

/// The newer content with its resources in the order of the older one, and after them those that are new.
pub(super) fn arranged(new: &Value, old: &Value) -> Value {
    let mut arranged = new.clone();
    let order: BTreeMap<&str, usize> = old["resources"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|it| it["id"].as_str())
        .zip(0..)
        .collect();
    if let Some(resources) = arranged.get_mut("resources").and_then(Value::as_array_mut) {
        let place = |it: &Value| it["id"].as_str().and_then(|id| order.get(id)).copied();
        resources.sort_by_key(|it| place(it).unwrap_or(usize::MAX));
    }
    arranged
}
