//! The outcome of checking: the expression with a type and a meaning for each node.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ast::{Ast, ExprId};
use crate::function::{Message, Overload};
use crate::types::Type;
use crate::value::Val;

/// An expression whose names are resolved and whose types agree.
#[derive(Clone, Debug)]
pub struct Checked {
    pub(crate) ast: Ast,
    /// By node; no [`Type::Var`] is left.
    pub(crate) types: Vec<Type>,
    /// By node.
    pub(crate) meanings: Vec<Meaning>,
    /// How many local slots an evaluation needs.
    pub(crate) locals: u32,
}

/// What a name or call in the expression refers to.
#[derive(Clone, Debug, Default)]
pub(crate) enum Meaning {
    /// The node needs none, being a literal, say.
    #[default]
    Structural,
    /// A variable of the environment, by slot. On a select node: the whole dotted name is the variable.
    Variable(u32),
    /// On a name: a loop or bind variable, by slot. On a loop or bind: its first slot; a second variable has the next.
    Local(u32),
    /// A name with a fixed value.
    Constant(Val<'static>),
    /// The overloads that may apply, in order. If none of them takes a receiver, the call's target is part of the name.
    Overloads(Vec<Arc<Overload>>),
    /// The type a struct literal makes.
    Message(Arc<Message>),
    /// Nothing is known by that name; only in expressions that were not checked.
    Unknown,
}

impl Checked {
    /// The type of the whole expression.
    pub fn result_type(&self) -> &Type {
        &self.types[self.ast.root().index()]
    }

    /// The parsed expression.
    pub fn ast(&self) -> &Ast {
        &self.ast
    }

    /// The type of a node.
    pub fn type_of(&self, id: ExprId) -> &Type {
        &self.types[id.index()]
    }

    /// The slots of the variables that the expression mentions.
    ///
    /// ```
    /// use krono_cel::{Type, library::kro};
    ///
    /// let env = kro::environment().variable("a", Type::Int).variable("b", Type::Int).variable("c", Type::Int).build();
    /// let checked = env.check(env.parse("[c].all(a, a > b)")?)?;
    /// assert_eq!(checked.variables(), [1, 2].into());
    /// # Ok::<(), krono_cel::Issues>(())
    /// ```
    pub fn variables(&self) -> BTreeSet<usize> {
        let slot = |meaning: &Meaning| {
            if let Meaning::Variable(slot) = meaning { Some(*slot as usize) } else { None }
        };
        self.meanings.iter().filter_map(slot).collect()
    }

    pub(crate) fn meaning(&self, id: ExprId) -> &Meaning {
        &self.meanings[id.index()]
    }
}
