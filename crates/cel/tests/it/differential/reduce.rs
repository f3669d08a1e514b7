//! Makes a disagreement as small as it can be: one operation, on arguments about which the engines agree.

use super::datum::Datum;
use super::engines::{Engine, Outcome};
use super::expression::{Expression, LITERAL};
use super::grammar::Ty;

/// Two engines that are of different opinions.
pub(super) struct Dispute<'e> {
    pub(super) krono: &'e dyn Engine,
    pub(super) rival: &'e dyn Engine,
}

/// What they disagree about.
#[derive(Debug)]
pub(super) struct Disagreement {
    /// The rule of the operation.
    pub(super) template: &'static str,
    pub(super) source: String,
    /// What krono takes its arguments to be; `None` for those without a value of their own.
    pub(super) arguments: Vec<Option<Datum>>,
    pub(super) krono: Outcome,
    pub(super) rival: Outcome,
}

impl Dispute<'_> {
    /// What they disagree about in this expression.
    ///
    /// Agreeing that there is an error says little, so that then the parts are compared, too.
    pub(super) fn disagreement(&self, expression: &Expression) -> Option<Disagreement> {
        let source = expression.source();
        let (krono, rival) = (self.krono.eval(&source), self.rival.eval(&source));
        if !krono.agrees(&rival) {
            return Some(self.reduced(expression, matches!(krono, Outcome::Refused(_))));
        }
        let mut parts = expression.children().map(|(it, _)| it).filter(|it| stands_alone(it));
        if krono.value().is_some() { None } else { parts.find_map(|it| self.disagreement(it)) }
    }

    fn reduced(&self, expression: &Expression, refused: bool) -> Disagreement {
        // Parts taken out of their place can be ill-typed, which is another matter.
        let disputed = |it: &Expression| self.disputed(it) == Some(refused);
        let mut smallest = expression.clone();
        while let Some(smaller) = self.parts(&smallest).into_iter().find(disputed) {
            smallest = smaller;
        }
        let smallest = if refused { smallest } else { self.simplified(smallest, disputed) };
        let source = smallest.source();
        let arguments = smallest.children().map(|(it, _)| self.value(it)).collect();
        let (krono, rival) = (self.krono.eval(&source), self.rival.eval(&source));
        Disagreement { template: smallest.template, source, arguments, krono, rival }
    }

    /// Whether krono refuses to evaluate it, if they disagree about it.
    fn disputed(&self, expression: &Expression) -> Option<bool> {
        let source = expression.source();
        let krono = self.krono.eval(&source);
        let agreed = krono.agrees(&self.rival.eval(&source));
        (!agreed).then_some(matches!(krono, Outcome::Refused(_)))
    }

    fn value(&self, expression: &Expression) -> Option<Datum> {
        if !expression.is_closed() {
            return None;
        }
        self.krono.eval(&expression.source()).value().cloned()
    }

    /// What it is made of, as far as that stands alone.
    fn parts(&self, expression: &Expression) -> Vec<Expression> {
        let parts = expression.children().map(|(it, _)| it.clone());
        parts.chain(self.iterations(expression)).filter(stands_alone).collect()
    }

    /// What a comprehension evaluates, with values in the place of its variables.
    fn iterations(&self, expression: &Expression) -> Vec<Expression> {
        let names: Vec<&str> = expression.names().collect();
        let Some((range, false)) = expression.children().next() else { return Vec::new() };
        let bodies: Vec<&Expression> =
            expression.children().filter(|(_, inner)| *inner).map(|(it, _)| it).collect();
        let rows = match self.value(range) {
            Some(value) if expression.template.starts_with("cel.bind") => vec![vec![value]],
            Some(range) => rows(range, names.len()),
            None => Vec::new(),
        };
        let body_with = |row: &Vec<Datum>, body: &Expression| {
            names.iter().zip(row).try_fold(body.clone(), |body, (name, value)| {
                Some(body.with_variable(name, &format!("({})", value.literal()?)))
            })
        };
        rows.iter()
            .flat_map(|row| bodies.iter().filter_map(|body| body_with(row, body)).collect::<Vec<_>>())
            .collect()
    }

    /// The same with arguments replaced by their values, as far as the disagreement stays.
    fn simplified(&self, mut expression: Expression, disputed: impl Fn(&Expression) -> bool) -> Expression {
        for place in 0..expression.children().count() {
            let Some((child, _)) = expression.children().nth(place) else { continue };
            let literal = self.value(child).and_then(|it| it.literal());
            if let (true, Some(literal)) = (child.template != LITERAL, literal) {
                let simpler = expression.with_child(place, Expression::literal(child.ty.clone(), literal));
                if disputed(&simpler) {
                    expression = simpler;
                }
            }
        }
        expression
    }
}

/// Whether it can be evaluated by itself; types as values are left out, because `cel` shows them as text.
fn stands_alone(expression: &Expression) -> bool {
    expression.ty != Ty::Named("type") && expression.is_closed()
}

/// The values that the variables of a comprehension take one after another.
fn rows(range: Datum, variables: usize) -> Vec<Vec<Datum>> {
    let index = |at: usize| Datum::Int(i64::try_from(at).unwrap());
    match (range, variables) {
        (Datum::List(elements), 1) => elements.into_iter().map(|it| vec![it]).collect(),
        (Datum::List(elements), 2) => {
            elements.into_iter().enumerate().map(|(at, it)| vec![index(at), it]).collect()
        }
        (Datum::Map(entries), 1) => entries.into_iter().map(|(key, _)| vec![key]).collect(),
        (Datum::Map(entries), 2) => entries.into_iter().map(|(key, value)| vec![key, value]).collect(),
        (Datum::Optional(value), 1) => value.into_iter().map(|it| vec![*it]).collect(),
        _ => Vec::new(),
    }
}
