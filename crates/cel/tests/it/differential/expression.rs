//! Random expressions, kept as trees so that they can be taken apart again.

use super::grammar::{Meanings, Part, Rule, Ty};
use super::leaves;
use crate::random::Random;

/// An expression of a known type.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) ty: Ty,
    /// The template of its rule, or what kind of leaf it is.
    pub(super) template: &'static str,
    pub(super) parts: Vec<Piece>,
    primary: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Piece {
    Text(String),
    /// A use of a variable that a rule introduced.
    Local(String),
    /// An expression; `inner` ones may use the variables of their rule.
    Expression {
        expression: Expression,
        inner: bool,
    },
    /// A variable that the rule introduces.
    Name(String),
}

impl From<&'static str> for Piece {
    fn from(text: &'static str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Expression> for Piece {
    fn from(expression: Expression) -> Self {
        Self::Expression { expression, inner: false }
    }
}

/// The template of leaves that stand for themselves.
pub(super) const LITERAL: &str = "literal";
const LOCAL: &str = "local";

impl Expression {
    pub(super) fn literal(ty: Ty, text: impl Into<String>) -> Self {
        Self { ty, template: LITERAL, parts: vec![Piece::Text(text.into())], primary: true }
    }

    /// Of parts that need no parentheses around them.
    pub(super) fn composed(ty: Ty, template: &'static str, parts: Vec<Piece>) -> Self {
        Self { ty, template, parts, primary: true }
    }

    /// The source text.
    pub(super) fn source(&self) -> String {
        let pieces = self.parts.iter().map(|piece| match piece {
            Piece::Text(text) | Piece::Local(text) | Piece::Name(text) => text.clone(),
            Piece::Expression { expression, .. } => expression.as_operand(),
        });
        pieces.collect()
    }

    fn as_operand(&self) -> String {
        let source = self.source();
        if self.primary && !source.starts_with('-') { source } else { format!("({source})") }
    }

    /// Whether it uses no variable that it does not introduce itself.
    pub(super) fn is_closed(&self) -> bool {
        self.uses_only(&mut Vec::new())
    }

    fn uses_only(&self, known: &mut Vec<String>) -> bool {
        self.parts.iter().all(|piece| match piece {
            Piece::Text(_) | Piece::Name(_) => true,
            Piece::Local(name) => known.contains(name),
            Piece::Expression { expression, inner: false } => expression.uses_only(known),
            Piece::Expression { expression, inner: true } => {
                let before = known.len();
                known.extend(self.names().map(str::to_owned));
                let closed = expression.uses_only(known);
                known.truncate(before);
                closed
            }
        })
    }

    /// The variables its rule introduces.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|it| match it {
            Piece::Name(name) => Some(name.as_str()),
            Piece::Text(_) | Piece::Local(_) | Piece::Expression { .. } => None,
        })
    }

    /// The expressions it is made of, and whether they may use its variables.
    pub(super) fn children(&self) -> impl Iterator<Item = (&Expression, bool)> {
        self.parts.iter().filter_map(|it| match it {
            Piece::Expression { expression, inner } => Some((expression, *inner)),
            Piece::Text(_) | Piece::Local(_) | Piece::Name(_) => None,
        })
    }

    /// The same with text in the place of a variable that is not its own.
    pub(super) fn with_variable(&self, variable: &str, text: &str) -> Self {
        let shadowed = self.names().any(|it| it == variable);
        let piece = |piece: &Piece| match piece {
            Piece::Local(name) if name == variable => Piece::Text(text.to_owned()),
            Piece::Expression { expression, inner } if !(*inner && shadowed) => {
                Piece::Expression { expression: expression.with_variable(variable, text), inner: *inner }
            }
            Piece::Text(_) | Piece::Local(_) | Piece::Name(_) | Piece::Expression { .. } => piece.clone(),
        };
        Self { parts: self.parts.iter().map(piece).collect(), ..self.clone() }
    }

    /// The same with another expression as its `place`th.
    pub(super) fn with_child(&self, place: usize, child: Expression) -> Self {
        let mut changed = self.clone();
        let mut children = changed.parts.iter_mut().filter_map(|it| match it {
            Piece::Expression { expression, .. } => Some(expression),
            Piece::Text(_) | Piece::Local(_) | Piece::Name(_) => None,
        });
        *children.nth(place).unwrap() = child;
        changed
    }
}

/// Makes expressions by the rules of a grammar.
pub(super) struct Generator {
    rules: Vec<Rule>,
    /// Types that expressions as a whole, and parameters, may have.
    plain: Vec<Ty>,
    variables: Vec<(&'static str, Ty)>,
}

/// Variables in scope, innermost last.
type Scope = Vec<(String, Ty)>;

impl Generator {
    pub(super) fn new(
        tables: &[&'static [&'static str]],
        plain: &'static [&'static str],
        variables: &[(&'static str, &'static str)],
    ) -> Self {
        Self {
            rules: tables.iter().copied().flatten().map(|line| Rule::parse(line)).collect(),
            plain: plain.iter().map(|it| Ty::parse(it).0).collect(),
            variables: variables.iter().map(|(name, ty)| (*name, Ty::parse(ty).0)).collect(),
        }
    }

    /// An expression of any type.
    pub(super) fn expression(&self, random: &mut Random) -> Expression {
        let ty = random.pick(&self.plain).clone();
        let depth = 1 + random.below(4);
        self.of_type(&ty, depth, &mut Vec::new(), random)
    }

    fn of_type(&self, ty: &Ty, depth: usize, scope: &mut Scope, random: &mut Random) -> Expression {
        if depth > 0 && *ty != Ty::Named("type") && random.percent(90) {
            let candidates: Vec<(&Rule, Meanings)> =
                self.rules.iter().filter_map(|it| fits(it, ty)).collect();
            // Rules for any type would else outnumber the few of a type's own.
            let (general, own): (Vec<_>, Vec<_>) =
                candidates.into_iter().partition(|(it, _)| matches!(it.result, Ty::Param(_)));
            let chosen = if own.is_empty() || random.percent(20) { general } else { own };
            if !chosen.is_empty() {
                let (rule, meanings) = random.pick(&chosen);
                return self.by_rule(rule, ty, meanings.clone(), depth - 1, scope, random);
            }
        }
        self.leaf(ty, scope, random)
    }

    fn by_rule(
        &self,
        rule: &Rule,
        ty: &Ty,
        mut meanings: Meanings,
        depth: usize,
        scope: &mut Scope,
        random: &mut Random,
    ) -> Expression {
        let before = scope.len();
        let mut names: Scope = Vec::new();
        let mut parts = Vec::new();
        for part in &rule.parts {
            parts.push(match part {
                Part::Text(text) => Piece::Text((*text).to_owned()),
                Part::Name(ty) => {
                    let ty = ty.instantiate(&mut meanings, &self.plain, random);
                    let name = unused_name(&names, random);
                    names.push((name.clone(), ty));
                    Piece::Name(name)
                }
                Part::Hole(ty) => {
                    let ty = ty.instantiate(&mut meanings, &self.plain, random);
                    self.of_type(&ty, depth, scope, random).into()
                }
                Part::Body(ty) => {
                    let ty = ty.instantiate(&mut meanings, &self.plain, random);
                    scope.extend(names.iter().cloned());
                    let expression = self.of_type(&ty, depth, scope, random);
                    scope.truncate(before);
                    Piece::Expression { expression, inner: true }
                }
            });
        }
        Expression { ty: ty.clone(), template: rule.template, parts, primary: rule.is_primary() }
    }

    fn leaf(&self, ty: &Ty, scope: &Scope, random: &mut Random) -> Expression {
        let locals: Vec<_> =
            scope.iter().enumerate().filter(|(at, it)| it.1 == *ty && !is_shadowed(scope, *at)).collect();
        if !locals.is_empty() && random.percent(60) {
            let parts = vec![Piece::Local(random.pick(&locals).1.0.clone())];
            return Expression { ty: ty.clone(), template: LOCAL, parts, primary: true };
        }
        let variables: Vec<_> = self.variables.iter().filter(|(_, it)| it == ty).collect();
        if !variables.is_empty() && random.percent(30) {
            return Expression::literal(ty.clone(), random.pick(&variables).0);
        }
        leaves::leaf(ty, random)
    }
}

fn fits<'r>(rule: &'r Rule, ty: &Ty) -> Option<(&'r Rule, Meanings)> {
    let mut meanings = Vec::new();
    ty.matches(&rule.result, &mut meanings).then_some((rule, meanings))
}

/// Few names, so that variables often hide others.
fn unused_name(names: &Scope, random: &mut Random) -> String {
    loop {
        let name = format!("v{}", random.below(3));
        if names.iter().all(|it| it.0 != name) {
            return name;
        }
    }
}

fn is_shadowed(scope: &Scope, at: usize) -> bool {
    scope[at + 1..].iter().any(|it| it.0 == scope[at].0)
}
