//! What a change of a CRD would break.

use krono_schema::compatibility::{self, Change, ChangeKind};
use krono_schema::crd::Version;

use super::own_status::without_room;

/// How many changes are named.
const NAMED: usize = 3;

/// What would break instances, if anything, of the changes that count.
pub(super) fn breaking(live: &[Version], needed: &[Version], counts: fn(&Change) -> bool) -> Option<String> {
    let needed = needed.first()?;
    let Some(same) = live.iter().find(|it| it.name == needed.name) else {
        let old: Vec<_> = live.iter().map(|it| it.name.as_str()).collect();
        return (!old.is_empty())
            .then(|| format!("version: type changed from {} to {}", old.join(", "), needed.name));
    };
    let verdict = compatibility::compare(&without_room(same.schema()?), &without_room(needed.schema()?));
    let found: Vec<String> = verdict.breaking().filter(|it| counts(it)).map(ToString::to_string).collect();
    (!found.is_empty()).then(|| summary(&found))
}

fn summary(changes: &[String]) -> String {
    let named = changes[..changes.len().min(NAMED)].join("; ");
    match changes.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named}; and {more} more changes"),
    }
}

pub(super) fn every_change(_: &Change) -> bool {
    true
}

/// For a CRD that kro wrote last: what kro cannot see it has let through long ago, and served.
pub(super) fn change_that_kro_sees(change: &Change) -> bool {
    use ChangeKind as It;
    let is_seen = matches!(
        change.kind,
        It::PropertyRemoved
            | It::PropertyAdded
            | It::TypeChanged
            | It::RequiredAdded
            | It::RequiredDefaultRemoved
            | It::EnumRestricted
            | It::PatternAdded
            | It::PatternChanged
            | It::MinimumAdded
            | It::MinimumIncreased
            | It::MaximumAdded
            | It::MaximumDecreased
            | It::MinLengthAdded
            | It::MinLengthIncreased
            | It::MaxLengthAdded
            | It::MaxLengthDecreased
            | It::MinItemsAdded
            | It::MinItemsIncreased
            | It::MaxItemsAdded
            | It::MaxItemsDecreased
            | It::ItemsRemoved
    );
    is_seen && !change.path.contains("{}")
}
