//! Taking out of an expression what is the same for all candidates.

use std::collections::BTreeSet;
use std::sync::Arc;

use krono_cel::Span;
use krono_cel::ast::{Ast, Expr, ExprId, Literal};

use super::functions::{EXPONENTIAL_TARGET, LINEAR_TARGET, READY, UPDATED};
use super::values::STEADY;
use super::{Each, Mentions};

const EACH: &str = "each";
const INSTANCES: &str = "instances";
const FLEET: &str = "fleet";

/// The names in an expression that are not bound within it, for each of its nodes.
pub(super) struct Names<'a> {
    ast: &'a Ast,
    free: Vec<BTreeSet<Arc<str>>>,
    bound: BTreeSet<Arc<str>>,
    ids: Vec<ExprId>,
}

impl<'a> Names<'a> {
    pub(super) fn of(ast: &'a Ast) -> Self {
        let ids: Vec<ExprId> = ast.ids().collect();
        let mut names = Self { ast, free: Vec::with_capacity(ids.len()), bound: BTreeSet::new(), ids };
        for at in 0..names.ids.len() {
            let free = names.free_in(names.ids[at]);
            names.free.push(free);
        }
        names
    }

    fn at(&self, id: ExprId) -> usize {
        self.ids.binary_search(&id).unwrap_or_default()
    }

    /// What is free in the nodes below, less what the node binds. Children stand before their parents.
    fn free_in(&mut self, id: ExprId) -> BTreeSet<Arc<str>> {
        let expr = self.ast.expr(id);
        let mut free = BTreeSet::new();
        if let Expr::Ident(name) = expr {
            free.insert(Arc::clone(name));
        }
        expr.for_each_child(|child| free.extend(self.free[self.at(child)].iter().cloned()));
        let (binds, outside): (Vec<&Arc<str>>, Option<ExprId>) = match expr {
            Expr::Loop(it) => (std::iter::once(&it.variable).chain(&it.second).collect(), Some(it.range)),
            Expr::Bind { name, init, .. } => (vec![name], Some(*init)),
            Expr::OptionalMap { name, target, .. } => (vec![name], Some(*target)),
            Expr::Literal(_)
            | Expr::Ident(_)
            | Expr::Select { .. }
            | Expr::Has { .. }
            | Expr::Index { .. }
            | Expr::Call { .. }
            | Expr::Unary { .. }
            | Expr::Binary { .. }
            | Expr::Logic { .. }
            | Expr::Ternary { .. }
            | Expr::List(_)
            | Expr::Map(_)
            | Expr::Struct { .. } => (Vec::new(), None),
        };
        for name in binds {
            free.remove(name);
            self.bound.insert(Arc::clone(name));
        }
        if let Some(outside) = outside {
            free.extend(self.free[self.at(outside)].iter().cloned());
        }
        free
    }

    fn mentions_name(&self, id: ExprId, name: &str) -> bool {
        self.free[self.at(id)].contains(name)
    }

    /// Whether it is the same for all candidates, and worth to be evaluated once.
    fn is_shared(&self, id: ExprId) -> bool {
        let free = &self.free[self.at(id)];
        let is_local = |it: &Arc<str>| **it == *EACH || self.bound.contains(it);
        free.contains(INSTANCES) && !free.iter().any(is_local) && !matches!(self.ast.expr(id), Expr::Ident(_))
    }

    /// The largest parts of an expression that are the same for all candidates, in the order in which they stand.
    pub(super) fn shared(&self) -> Vec<Span> {
        let mut found = Vec::new();
        let mut open = vec![self.ast.root()];
        while let Some(id) = open.pop() {
            if self.is_shared(id) {
                found.push(self.ast.node(id).span);
            } else {
                self.ast.expr(id).for_each_child(|child| open.push(child));
            }
        }
        found.sort_by_key(|it| it.start);
        found
    }

    /// Whether the whole expression mentions nothing: it says the same of everybody for ever.
    pub(super) fn is_constant(&self) -> bool {
        self.free[self.at(self.ast.root())].is_empty()
    }

    /// What the whole expression mentions.
    pub(super) fn mentions(&self) -> Mentions {
        let root = self.ast.root();
        let each = match () {
            () if !self.mentions_name(root, EACH) => Each::Nothing,
            () if self.only_below(|id| self.is_index(id)) => self.steps(),
            () => Each::More,
        };
        Mentions {
            each,
            instances: self.mentions_name(root, INSTANCES),
            definition: self.mentions_name(root, "rgd"),
            admissions: self.follows_admissions(),
        }
    }

    /// Whether it looks at something that becomes another as soon as somebody is admitted.
    fn follows_admissions(&self) -> bool {
        let mut open = vec![self.ast.root()];
        while let Some(id) = open.pop() {
            if self.is_name(id, FLEET) || self.is_changing_fact(id) {
                return true;
            }
            if !self.is_steady(id) {
                self.ast.expr(id).for_each_child(|child| open.push(child));
            }
        }
        false
    }

    fn is_changing_fact(&self, id: ExprId) -> bool {
        let Expr::Call { target: None, function, .. } = self.ast.expr(id) else { return false };
        [UPDATED, READY].contains(&&**function)
    }

    fn is_steady(&self, id: ExprId) -> bool {
        let Expr::Select { operand, field, .. } = self.ast.expr(id) else { return false };
        self.is_name(*operand, FLEET) && STEADY.contains(&&**field)
    }

    /// In which steps the index matters.
    fn steps(&self) -> Each {
        let mut steps = self.reachable().filter_map(|it| self.step(it));
        let Some(first) = steps.next() else { return Each::Index };
        let is_same = steps.all(|it| it == first) && self.only_below(|id| self.step(id) == Some(first));
        if is_same { first } else { Each::Index }
    }

    /// The step that a call takes the index in, if it is such a call.
    fn step(&self, id: ExprId) -> Option<Each> {
        let Expr::Call { target: None, function, args } = self.ast.expr(id) else { return None };
        match (&**function, args.as_slice()) {
            (EXPONENTIAL_TARGET, [index]) if self.is_index(*index) => Some(Each::ExponentialTarget),
            (LINEAR_TARGET, [index, step]) if self.is_index(*index) => {
                let Expr::Literal(Literal::Int(step)) = self.ast.expr(*step) else { return None };
                Some(Each::LinearTarget(*step))
            }
            _ => None,
        }
    }

    fn is_index(&self, id: ExprId) -> bool {
        matches!(self.ast.expr(id), Expr::Select { operand, field, .. } if self.is_each(*operand) && **field == *"index")
    }

    fn is_each(&self, id: ExprId) -> bool {
        self.is_name(id, EACH)
    }

    fn is_name(&self, id: ExprId, name: &str) -> bool {
        matches!(self.ast.expr(id), Expr::Ident(it) if **it == *name)
    }

    fn reachable(&self) -> impl Iterator<Item = ExprId> {
        let mut open = vec![self.ast.root()];
        std::iter::from_fn(move || {
            let id = open.pop()?;
            self.ast.expr(id).for_each_child(|child| open.push(child));
            Some(id)
        })
    }

    /// Whether the candidate is mentioned only within nodes of this form.
    fn only_below(&self, is_form: impl Fn(ExprId) -> bool) -> bool {
        let mut open = vec![self.ast.root()];
        while let Some(id) = open.pop() {
            if self.is_each(id) {
                return false;
            }
            if !is_form(id) {
                self.ast.expr(id).for_each_child(|child| open.push(child));
            }
        }
        true
    }
}

/// The text with names in place of its parts.
pub(super) fn replaced(source: &str, parts: &[Span], name: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(source.len());
    let mut end = 0;
    for (at, part) in parts.iter().enumerate() {
        text.push_str(source.get(end..part.start as usize).unwrap_or_default());
        text.push_str(&name(at));
        end = part.end as usize;
    }
    text.push_str(source.get(end..).unwrap_or_default());
    text
}
