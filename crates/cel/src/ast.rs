//! The parsed expression: an arena of nodes, each with its place in the source.
//!
//! Macros are already expanded here, into [`Expr::Loop`] and [`Expr::Bind`] nodes that keep their meaning, so that later stages need
//! not recognise a loop from its parts. Being an arena, a tree of any shape is dropped without recursion.

mod builder;

use std::sync::Arc;

use crate::lexer::{Lexer, TokenKind};
use crate::source::Span;

pub use builder::AstBuilder;

/// A node of an [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(u32);

impl ExprId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A parsed expression.
#[derive(Clone, Debug)]
pub struct Ast {
    source: Arc<str>,
    nodes: Vec<Node>,
    root: ExprId,
}

/// One node with its place in the source.
#[derive(Clone, Debug)]
pub struct Node {
    /// What the node is.
    pub expr: Expr,
    /// The text it was written as; for a node made by a macro, the text of the macro call.
    pub span: Span,
    /// Byte offset that messages point at: an operator, a dot, an opening bracket, else the start.
    pub at: u32,
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Negate,
}

/// An operator with two operands, other than `&&` and `||`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
}

impl BinaryOp {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::In => "in",
        }
    }
}

/// `&&` or `||`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogicOp {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// A literal as written.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(Arc<str>),
    Bytes(Arc<[u8]>),
}

/// Which comprehension a [`Expr::Loop`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// `all`: every element satisfies the body.
    All,
    /// `exists`: some element satisfies the body.
    Exists,
    /// `exists_one`, `existsOne`: exactly one element satisfies the body.
    ExistsOne,
    /// `filter`: the elements which satisfy the body.
    Filter,
    /// `map` and `transformList`: the body of each element that passes `filter`.
    Map,
    /// `transformMap`: the same keys, the body as values.
    TransformMap,
    /// `transformMapEntry`: the union of the maps the body gives.
    TransformMapEntry,
}

/// What a node is.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A literal.
    Literal(Literal),
    /// A name; with a leading dot it is looked up from the root only.
    Ident(Arc<str>),
    /// `operand.field`, or `operand.?field` when optional.
    Select {
        /// What is selected from.
        operand: ExprId,
        /// The field.
        field: Arc<str>,
        /// Written `.?`: absent gives `optional.none()`.
        optional: bool,
    },
    /// `has(operand.field)`.
    Has {
        /// What is selected from.
        operand: ExprId,
        /// The field whose presence is asked.
        field: Arc<str>,
    },
    /// `operand[index]`, or `operand[?index]` when optional.
    Index {
        /// The list, map or optional of either.
        operand: ExprId,
        /// Position or key.
        index: ExprId,
        /// Written `[?`: absent gives `optional.none()`.
        optional: bool,
    },
    /// A call by name, with the receiver first when there is one.
    Call {
        /// `target` in `target.function(args)`.
        target: Option<ExprId>,
        /// The name as written.
        function: Arc<str>,
        /// The arguments.
        args: Vec<ExprId>,
    },
    /// `!x` or `-x`.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// The operand.
        operand: ExprId,
    },
    /// `lhs op rhs`. Chains lean left and may be long: walk them with [`Ast::left_spine`].
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        lhs: ExprId,
        /// Right operand.
        rhs: ExprId,
    },
    /// `a && b && c`, flattened; two terms or more.
    Logic {
        /// The operator.
        op: LogicOp,
        /// The terms in source order.
        terms: Vec<ExprId>,
    },
    /// `condition ? then : otherwise`.
    Ternary {
        /// The condition.
        condition: ExprId,
        /// Value when true.
        then: ExprId,
        /// Value when false.
        otherwise: ExprId,
    },
    /// `[a, ?b]`.
    List(Vec<Element>),
    /// `{k: v, ?k: v}`.
    Map(Vec<Entry>),
    /// `pkg.Type{field: value}`.
    Struct {
        /// The type's name as written.
        type_name: Arc<str>,
        /// The fields.
        fields: Vec<StructField>,
    },
    /// A comprehension.
    Loop(Box<Loop>),
    /// `init` evaluated once and known as `name` in `body`.
    Bind {
        /// The name.
        name: Arc<str>,
        /// Its value.
        init: ExprId,
        /// Where it is visible.
        body: ExprId,
    },
    /// `target.optMap(name, body)` and, when `flat`, `optFlatMap`.
    OptionalMap {
        /// The optional.
        target: ExprId,
        /// The name of its value in `body`.
        name: Arc<str>,
        /// Evaluated when there is a value.
        body: ExprId,
        /// The body is itself optional.
        flat: bool,
    },
}

impl Expr {
    /// Calls `visit` with each node directly below, in source order.
    pub fn for_each_child(&self, mut visit: impl FnMut(ExprId)) {
        match self {
            Self::Literal(_) | Self::Ident(_) => {}
            Self::Select { operand, .. } | Self::Has { operand, .. } | Self::Unary { operand, .. } => {
                visit(*operand);
            }
            Self::Index { operand: first, index: second, .. }
            | Self::Binary { lhs: first, rhs: second, .. }
            | Self::Bind { init: first, body: second, .. }
            | Self::OptionalMap { target: first, body: second, .. } => {
                [*first, *second].into_iter().for_each(visit);
            }
            Self::Call { target, args, .. } => target.iter().chain(args).for_each(|it| visit(*it)),
            Self::Logic { terms, .. } => terms.iter().for_each(|it| visit(*it)),
            Self::Ternary { condition, then, otherwise } => {
                [*condition, *then, *otherwise].into_iter().for_each(visit);
            }
            Self::List(elements) => elements.iter().for_each(|it| visit(it.value)),
            Self::Map(entries) => entries.iter().flat_map(|it| [it.key, it.value]).for_each(visit),
            Self::Struct { fields, .. } => fields.iter().for_each(|it| visit(it.value)),
            Self::Loop(it) => {
                let children = [Some(it.range), it.filter, Some(it.body)];
                children.into_iter().flatten().for_each(visit);
            }
        }
    }
}

/// An element of a list literal.
#[derive(Clone, Copy, Debug)]
pub struct Element {
    /// The value.
    pub value: ExprId,
    /// Written `?value`: left out when it is `optional.none()`.
    pub optional: bool,
}

/// An entry of a map literal.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The key.
    pub key: ExprId,
    /// The value.
    pub value: ExprId,
    /// Written `?key: value`: left out when the value is `optional.none()`.
    pub optional: bool,
}

/// A field of a struct literal.
#[derive(Clone, Debug)]
pub struct StructField {
    /// The field.
    pub name: Arc<str>,
    /// The value.
    pub value: ExprId,
    /// Written `?field: value`.
    pub optional: bool,
    /// Byte offset of the colon, which messages about the field point at.
    pub at: u32,
}

/// A comprehension over a list or map.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Which one.
    pub kind: LoopKind,
    /// What is iterated.
    pub range: ExprId,
    /// With one variable: element or key. With two: index or key.
    pub variable: Arc<str>,
    /// With two variables: element or value.
    pub second: Option<Arc<str>>,
    /// Condition an element must meet to reach the body, in the forms that have one.
    pub filter: Option<ExprId>,
    /// What is evaluated for each element.
    pub body: ExprId,
}

impl Ast {
    /// The root node.
    pub fn root(&self) -> ExprId {
        self.root
    }

    /// The source text.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// A node.
    pub fn node(&self, id: ExprId) -> &Node {
        &self.nodes[id.index()]
    }

    /// What a node is.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.node(id).expr
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Always false: an expression has at least one node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All nodes, children before their parents.
    ///
    /// Some of them, such as the `cel` in `cel.bind(x, 1, x)`, may not be part of the tree below the root.
    pub fn ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)).map(ExprId)
    }

    /// Where the operator stands that follows the term of this number in a [`Expr::Logic`] node.
    pub fn logic_operator_at(&self, id: ExprId, term: usize) -> u32 {
        let Expr::Logic { terms, .. } = self.expr(id) else { return self.node(id).at };
        let Some(before) = terms.get(term) else { return self.node(id).at };
        operator_after(&self.source, self.node(*before))
    }

    /// The binary nodes from `id` down its left operands, outermost first, and the first operand that is not one.
    ///
    /// Parser depth limits do not bound `a + b + c + …`, so whoever folds over it must use this instead of recursion.
    pub fn left_spine(&self, id: ExprId) -> (Vec<ExprId>, ExprId) {
        let mut spine = Vec::new();
        let mut current = id;
        while let Expr::Binary { lhs, .. } = self.expr(current) {
            spine.push(current);
            current = *lhs;
        }
        (spine, current)
    }
}

/// Where the operator stands that follows an operand; only closing parentheses and comments may be in between.
fn operator_after(source: &str, operand: &Node) -> u32 {
    let mut lexer = Lexer::starting_at(source, operand.span.end);
    let mut token = lexer.next_token();
    while token.kind == TokenKind::RightParen {
        token = lexer.next_token();
    }
    token.start
}
