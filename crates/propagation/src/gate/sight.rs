//! What expressions look at of an instance: the rest of it need not be made.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a few forms are known to look at fields alone, and all others alike may look at everything"
)]

use std::collections::BTreeSet;
use std::sync::Arc;

use krono_cel::ast::{Expr, ExprId, LoopKind};
use krono_cel::{Checked, Type};

use super::functions::{EXPONENTIAL, FACT_FUNCTIONS, LINEAR};
use super::values::{EACH_TYPE, FACTS, INDEX, INSTANCE_TYPE, MOVING, STATUS};

/// The fields of an instance, and of its status, that expressions look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sight {
    pub(super) fields: Names,
    pub(super) status: Names,
}

/// Names of fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Names {
    All,
    These(BTreeSet<Arc<str>>),
}

impl Default for Names {
    fn default() -> Self {
        Self::These(BTreeSet::new())
    }
}

impl Names {
    fn add(&mut self, name: &str) {
        if let Self::These(names) = self {
            names.insert(name.into());
        }
    }

    fn join(&mut self, other: &Self) {
        match other {
            Self::All => *self = Self::All,
            Self::These(names) => names.iter().for_each(|it| self.add(it)),
        }
    }
}

impl Sight {
    /// What an expression looks at; everything where an instance goes to where that cannot be told.
    pub(super) fn of(checked: &Checked) -> Self {
        let mut sight = Self::default();
        let mut open = vec![checked.ast().root()];
        while let Some(parent) = open.pop() {
            let expr = checked.ast().expr(parent);
            expr.for_each_child(|child| {
                sight.look(checked, parent, child);
                open.push(child);
            });
        }
        sight
    }

    /// Whether it is no more than how far instances have come.
    pub(super) fn is_of_progress(&self) -> bool {
        let is_progress = |it: &Arc<str>| [FACTS, INDEX].contains(&&**it);
        matches!(&self.fields, Names::These(names) if names.iter().all(is_progress))
    }

    /// Whether it is something that becomes another as soon as an instance is admitted, and no function tells.
    pub(super) fn follows_admissions(&self) -> bool {
        let is_moving = |it: &Arc<str>| MOVING.contains(&&**it);
        self.fields == Names::All
            || matches!(&self.status, Names::These(names) if names.iter().any(is_moving))
            || self.status == Names::All
    }

    /// What either looks at.
    pub(super) fn join(&mut self, other: &Self) {
        self.fields.join(&other.fields);
        self.status.join(&other.status);
    }

    fn look(&mut self, checked: &Checked, parent: ExprId, child: ExprId) {
        if is_instance(checked.type_of(child)) {
            self.look_at_instance(checked, parent, child);
        } else if is_instances(checked.type_of(child)) {
            self.look_at_list(checked, parent, child);
        } else if is_status(checked, child) {
            self.look_at_status(checked.ast().expr(parent));
        }
    }

    fn look_at_instance(&mut self, checked: &Checked, parent: ExprId, child: ExprId) {
        match checked.ast().expr(parent) {
            Expr::Select { field, optional: false, .. } | Expr::Has { field, .. } => self.fields.add(field),
            Expr::Call { target: None, function, .. } if FACT_FUNCTIONS.contains(&&**function) => {
                self.fields.add(FACTS);
            }
            Expr::Call { target: None, function, .. } if is_pace(function) => self.look_at_pace(),
            Expr::Loop(it) if it.kind == LoopKind::Map && it.body == child && is_kept(checked, parent) => {}
            _ if is_handed_on(checked, parent, child) => {}
            _ => self.fields = Names::All,
        }
        // Whoever sees the whole sees the whole status.
        if self.fields == Names::All {
            self.status = Names::All;
        }
    }

    fn look_at_list(&mut self, checked: &Checked, parent: ExprId, child: ExprId) {
        match checked.ast().expr(parent) {
            Expr::Loop(it) if it.range == child => {}
            Expr::Index { operand, optional: false, .. } if *operand == child => {}
            Expr::Call { function, .. } if **function == *"size" => {}
            Expr::Call { target: None, function, .. } if is_pace(function) => self.look_at_pace(),
            _ if is_handed_on(checked, parent, child) => {}
            _ => *self = Self { fields: Names::All, status: Names::All },
        }
    }

    fn look_at_status(&mut self, parent: &Expr) {
        match parent {
            Expr::Select { field, optional: false, .. } | Expr::Has { field, .. } => self.status.add(field),
            _ => self.status = Names::All,
        }
    }

    fn look_at_pace(&mut self) {
        self.fields.add(FACTS);
        self.fields.add(INDEX);
    }
}

fn is_pace(function: &str) -> bool {
    [EXPONENTIAL, LINEAR].contains(&function)
}

/// Whether a node gives what is below it to others, who are looked at in their turn.
fn is_handed_on(checked: &Checked, parent: ExprId, child: ExprId) -> bool {
    match checked.ast().expr(parent) {
        Expr::Bind { init, .. } if *init == child => true,
        Expr::Bind { .. } | Expr::Ternary { .. } => is_kept(checked, parent),
        _ => false,
    }
}

/// Whether a node is still known to be an instance, or a list of them.
fn is_kept(checked: &Checked, id: ExprId) -> bool {
    let ty = checked.type_of(id);
    is_instance(ty) || is_instances(ty)
}

fn is_status(checked: &Checked, id: ExprId) -> bool {
    let Expr::Select { operand, field, .. } = checked.ast().expr(id) else { return false };
    **field == *STATUS && is_instance(checked.type_of(*operand))
}

fn is_instance(ty: &Type) -> bool {
    matches!(ty, Type::Object(it) if [INSTANCE_TYPE, EACH_TYPE].contains(&&*it.name))
}

fn is_instances(ty: &Type) -> bool {
    matches!(ty, Type::List(it) if is_instance(&it.element))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Gates;
    use super::*;

    fn shown(names: &Names) -> String {
        match names {
            Names::All => "*".to_owned(),
            Names::These(names) => names.iter().map(|it| &**it).collect::<Vec<_>>().join(" "),
        }
    }

    #[test]
    fn v35_what_is_looked_at_is_known_beforehand() {
        let check = |expression: &str, fields: &str, status: &str| {
            let gates = Gates::compile(&json!([format!("${{{expression}}}")]), &Type::Dyn).unwrap();
            let found = (shown(&gates.sight.fields), shown(&gates.sight.status));
            assert_eq!(found, (fields.to_owned(), status.to_owned()), "{expression}");
        };
        check("fleet.settled > 3", "", "");
        check("exponentiallyUpdated(instances, each)", "index", "");
        check("instances.all(i, i.status.state == 'ACTIVE')", "status", "state");
        check("instances.exists(i, has(i.status.a) && has(i.spec.b))", "spec status", "a");
        check(
            "instances.filter(i, ready(i)).map(i, i).filter(i, i.index < 3).size() > 1",
            "@facts index",
            "",
        );
        check("size(instances) > 3 && instances[0].metadata.name == 'a'", "metadata", "");
        check(
            "exponentiallyUpdated(instances.filter(i, i.kind == each.kind), each)",
            "@facts index kind",
            "",
        );
        check("cel.bind(i, instances[0], i.status.state) == ''", "status", "state");
        check("(each.index > 1 ? instances[0] : instances[1]).kind == 'A'", "index kind", "");
        // Where an instance, or its status, is handed to somebody as a whole.
        check("instances.all(i, i.status == each.status)", "status", "*");
        check("instances.exists(i, i == instances[0])", "*", "*");
        check("instances.exists(i, dyn(i) == dyn(each))", "*", "*");
        check("instances.exists(i, i.?spec.hasValue())", "*", "*");
        check("instances[?0].hasValue()", "*", "*");
        check("instances[0] in instances", "*", "*");
        check("[each].size() > 0", "*", "*");
        check("{'a': instances}.size() > 0", "*", "*");
        check("instances.all(i, cel.bind(s, i.status, s.a == 1))", "status", "*");
        check("type(instances) == type([])", "*", "*");
    }
}
