//! Instances to which the same happens, shown once.

use std::collections::BTreeMap;

use krono_history::RevisionNumber;
use krono_planner::preview::Effect;

use super::InstancePlan;
use super::body::body;

/// Instances to which the same happens, but for their names.
pub(super) struct Group<'p> {
    /// The first of them, which is shown.
    pub(super) shown: &'p InstancePlan,
    /// All of them.
    pub(super) all: Vec<&'p InstancePlan>,
}

/// The instances to which something happens, those that lose something first.
pub(super) fn groups(instances: &[InstancePlan]) -> Vec<Group<'_>> {
    let mut groups: BTreeMap<Key, Group<'_>> = BTreeMap::new();
    for instance in instances.iter().filter(|it| !it.forecast.is_unchanged()) {
        let group = groups.entry(key(instance)).or_insert_with(|| Group { shown: instance, all: Vec::new() });
        group.all.push(instance);
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort_by_key(|it| {
        let forecast = &it.shown.forecast;
        (!forecast.is_destructive(), forecast.failure.is_none(), it.shown.title())
    });
    groups
}

/// Where an instance stays, and why.
pub(super) type Place<'p> = (Option<RevisionNumber>, &'p str);

/// The instances that are not made with the edit, by where they stay and why.
pub(super) fn staying(instances: &[InstancePlan]) -> Vec<(Place<'_>, Vec<&InstancePlan>)> {
    let mut groups: BTreeMap<Place<'_>, Vec<&InstancePlan>> = BTreeMap::new();
    for instance in instances {
        if let Some(stay) = &instance.course.stays {
            groups.entry((instance.course.to, &stay.words)).or_default().push(instance);
        }
    }
    groups.into_iter().collect()
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    changes: Vec<(Effect, String, String, String)>,
    words: Vec<String>,
}

fn key(instance: &InstancePlan) -> Key {
    let forecast = &instance.forecast;
    let anonymous = |text: &str| anonymous(text, instance);
    let change = |it: &krono_planner::preview::Change| {
        let effect = match &it.effect {
            Effect::Refused(words) => Effect::Refused(anonymous(words)),
            Effect::Delete | Effect::Release | Effect::Update | Effect::Create => it.effect.clone(),
        };
        let name = it.name.as_ref().map_or(String::new(), |it| format!("{}/{}", it.namespace, it.name));
        let kind = format!("{} {} {}", it.kind.kind, it.kind.api_version, anonymous(&name));
        (effect, kind, it.node.clone(), anonymous(&body(it)))
    };
    let mut changes: Vec<_> = forecast.changes.iter().map(change).collect();
    changes.sort_unstable();
    let words = forecast.failure.iter().chain(&forecast.objections).map(|it| anonymous(it)).collect();
    Key { changes, words }
}

/// A text without the names of the instance, so that those of two instances can be the same.
fn anonymous(text: &str, instance: &InstancePlan) -> String {
    let text = replaced(text, &instance.name, "{name}");
    replaced(&text, &instance.namespace, "{namespace}")
}

/// The text with a word replaced wherever it stands by itself.
fn replaced(text: &str, word: &str, instead: &str) -> String {
    if word.is_empty() {
        return text.to_owned();
    }
    let is_letter = |it: char| it.is_alphanumeric();
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, found) = rest.split_at(at);
        let after = &found[word.len()..];
        let last = before.chars().next_back().or_else(|| result.chars().next_back());
        let is_alone = !last.is_some_and(is_letter) && !after.starts_with(is_letter);
        result += before;
        result += if is_alone { instead } else { word };
        rest = after;
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_where_they_stand_by_themselves() {
        let check = |text: &str, expect: &str| assert_eq!(replaced(text, "app", "*"), expect);
        check("app", "*");
        check("app-config of app", "*-config of *");
        check("apple and mapp", "apple and mapp");
        check("appapp", "appapp");
        check("", "");
    }
}
