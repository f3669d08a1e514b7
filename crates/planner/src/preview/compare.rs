//! Two rehearsals side by side: what happens because of the edit, and what happens anyway.

use serde_json::Value;

use super::merge::{content, merged, settled};
use super::rehearsal::{Played, Touched};
use super::{Change, Effect, Premise};
use crate::instance::{ObjectName, Wanted};

/// The changes of resources that an edit makes, and how many come without it.
pub(super) fn changes(
    old: Option<&Played<'_>>,
    new: &Played<'_>,
    premise: &Premise<'_>,
) -> (Vec<Change>, usize) {
    let comparison = Comparison { old, new, premise };
    let (mut changes, mut regardless) = (Vec::new(), 0);
    for (name, touched) in &new.touched {
        if comparison.happens_anyway(name, touched) {
            regardless += 1;
        } else {
            changes.extend(comparison.change(name, touched));
        }
    }
    changes.extend(new.wanted.iter().filter(|it| it.is_draft).filter_map(|it| comparison.draft(it)));
    changes.sort_by(|one, other| (&one.effect, &one.name).cmp(&(&other.effect, &other.name)));
    (changes, regardless)
}

struct Comparison<'c, 'o> {
    old: Option<&'c Played<'o>>,
    new: &'c Played<'o>,
    premise: &'c Premise<'o>,
}

impl Comparison<'_, '_> {
    /// Whether the old graph leads to the same.
    fn happens_anyway(&self, name: &ObjectName, touched: &Touched) -> bool {
        let before = self.old.filter(|_| !self.premise.assume_made).and_then(|it| it.touched.get(name));
        match (before, touched) {
            (Some(Touched::Applied { digest: old, .. }), Touched::Applied { digest: new, .. }) => old == new,
            (Some(before), _) => before == touched,
            (None, _) => false,
        }
    }

    fn change(&self, name: &ObjectName, touched: &Touched) -> Option<Change> {
        let before = self.before(name).map(content);
        let (effect, after, applied) = match touched {
            Touched::Deleted => (Effect::Delete, None, None),
            Touched::Released => (Effect::Release, self.new.world.whole(name).map(content), None),
            Touched::Refused { object, words } => {
                let after = merged(before.as_ref(), self.old_wish(name), object);
                (Effect::Refused(words.clone()), Some(content(&after)), Some(object))
            }
            Touched::Applied { object, .. } if before.is_none() => {
                (Effect::Create, Some(content(object)), Some(object))
            }
            Touched::Applied { object, .. } => {
                let after = content(self.new.world.whole(name)?);
                let after = settled(before.as_ref(), self.old_wish(name), object, after);
                if before.as_ref() == Some(&after) {
                    return None;
                }
                (Effect::Update, Some(after), Some(object))
            }
        };
        let node = self.node(name).unwrap_or_default().to_owned();
        let (kind, name) = (name.kind.clone(), Some(name.clone()));
        Some(Change {
            kind,
            name,
            node,
            effect,
            before,
            after,
            is_awaiting: false,
            applied: applied.cloned(),
        })
    }

    /// A resource that waits for others.
    fn draft(&self, wanted: &Wanted) -> Option<Change> {
        let before = match &wanted.name {
            Some(name) => self.before(name).map(content).or_else(|| self.old_draft(name)),
            None => None,
        };
        let old = wanted.name.as_ref().and_then(|it| self.old_wish(it));
        let after = content(&merged(before.as_ref(), old, &wanted.object));
        if before.as_ref() == Some(&after) || self.is_same_mystery(wanted) {
            return None;
        }
        let effect = if before.is_some() { Effect::Update } else { Effect::Create };
        let (kind, name, node) = (wanted.kind.clone(), wanted.name.clone(), wanted.node.clone());
        let applied = Some(wanted.object.clone());
        Some(Change { kind, name, node, effect, before, after: Some(after), is_awaiting: true, applied })
    }

    /// The resource before the edit: as observed, or as the old graph is taken to have made it.
    fn before(&self, name: &ObjectName) -> Option<&Value> {
        match self.old.filter(|_| self.premise.assume_made) {
            Some(old) => old.world.whole(name),
            None => self.premise.objects.get(name),
        }
    }

    /// What the old graph wants of a resource that it cannot make yet either.
    fn old_draft(&self, name: &ObjectName) -> Option<Value> {
        self.wish_of_old(name).filter(|it| it.is_draft).map(|it| content(&it.object))
    }

    fn old_wish(&self, name: &ObjectName) -> Option<&Value> {
        self.wish_of_old(name).map(|it| &it.object)
    }

    fn wish_of_old(&self, name: &ObjectName) -> Option<&Wanted> {
        self.old?.wanted.iter().find(|it| it.name.as_ref() == Some(name))
    }

    /// Whether the old graph has the same wish for something without a name.
    fn is_same_mystery(&self, wanted: &Wanted) -> bool {
        let same = |it: &Wanted| it.name.is_none() && it.node == wanted.node && it.object == wanted.object;
        wanted.name.is_none() && self.old.is_some_and(|old| old.wanted.iter().any(same))
    }

    fn node(&self, name: &ObjectName) -> Option<&str> {
        let wanted = self.new.wanted.iter().chain(self.old.into_iter().flat_map(|it| &it.wanted));
        let named = wanted.into_iter().find(|it| it.name.as_ref() == Some(name));
        let label = || self.before(name)?["metadata"]["labels"][krono_model::names::NODE_ID_LABEL].as_str();
        named.map(|it| it.node.as_str()).or_else(label)
    }
}
