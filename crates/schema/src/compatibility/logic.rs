//! `allOf`, `anyOf`, `oneOf` and `not`.

use std::sync::Arc;

use super::{ChangeKind, Effect, Place};
use crate::schema::Schema;

impl Place<'_> {
    pub(super) fn logic(&mut self, old: &Schema, new: &Schema) {
        let within = |a: &[Arc<Schema>], b: &[Arc<Schema>]| a.iter().all(|it| b.contains(it));
        // Fewer conditions, or more alternatives, refuse nothing that was valid.
        let all_of = within(&new.all_of, &old.all_of);
        let any_of = new.any_of.is_empty() || !old.any_of.is_empty() && within(&old.any_of, &new.any_of);
        let one_of = new.one_of.is_empty();
        let not = new.not.is_none();
        self.branches(ChangeKind::AllOfChanged, old.all_of == new.all_of, all_of);
        self.branches(ChangeKind::AnyOfChanged, old.any_of == new.any_of, any_of);
        self.branches(ChangeKind::OneOfChanged, old.one_of == new.one_of, one_of);
        self.branches(ChangeKind::NotChanged, old.not == new.not, not);
    }

    fn branches(&mut self, kind: ChangeKind, same: bool, loosened: bool) {
        if !same {
            self.note(kind, if loosened { Effect::Compatible } else { Effect::Breaking }, &"", &"");
        }
    }
}
