//! Values with expressions in them, and what becomes of them when the expressions have values.

use std::collections::BTreeSet;

use krono_cel::library::kro::Omit;
use krono_cel::{Bindings, EvalError};
use serde_json::{Map, Value};

use crate::budget::Budget;
use crate::expression::Expression;

/// A value whose expressions are compiled.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A value without expressions.
    Literal(Value),
    /// A map, some of whose values have expressions in them.
    Object(Vec<(String, Shape)>),
    /// A list, some of whose elements have expressions in them.
    List(Vec<Shape>),
    /// The value of an expression.
    Expression(Expression),
    /// Text with expressions in it.
    Text(Vec<TextPart>),
}

/// A part of a text.
#[derive(Clone, Debug)]
pub enum TextPart {
    /// Text as it is.
    Literal(String),
    /// An expression whose value is text.
    Expression(Expression),
}

/// Why a value could not be made, and where in it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{path}: {error}")]
pub struct FillError {
    /// The field, such as `spec.replicas`.
    pub path: String,
    /// What went wrong there.
    pub error: EvalError,
}

impl Shape {
    /// The value; none where `omit()` takes it away.
    pub(crate) fn fill<'a>(
        &'a self,
        bindings: &Bindings<'a>,
        budget: &Budget,
    ) -> Result<Option<Value>, FillError> {
        let at_root = |error| FillError { path: String::new(), error };
        match self {
            Self::Literal(value) => budget.copy(value).map(Some).map_err(at_root),
            Self::Object(fields) => fill_object(fields, bindings, budget).map(Some),
            Self::List(elements) => fill_list(elements, bindings, budget).map(Some),
            Self::Expression(expression) => value_of(expression, bindings, budget).map_err(at_root),
            Self::Text(parts) => {
                text_of(parts, bindings, budget).map(Value::String).map(Some).map_err(at_root)
            }
        }
    }

    /// Calls `visit` with every expression.
    pub(crate) fn for_each_expression<'a>(&'a self, visit: &mut impl FnMut(&'a Expression)) {
        match self {
            Self::Literal(_) => {}
            Self::Object(fields) => fields.iter().for_each(|(_, it)| it.for_each_expression(visit)),
            Self::List(elements) => elements.iter().for_each(|it| it.for_each_expression(visit)),
            Self::Expression(expression) => visit(expression),
            Self::Text(parts) => parts.iter().for_each(|part| match part {
                TextPart::Literal(_) => {}
                TextPart::Expression(expression) => visit(expression),
            }),
        }
    }

    /// Calls `visit` with the steps from here to every value that has expressions.
    pub(crate) fn for_each_place(&self, steps: &mut Vec<String>, visit: &mut impl FnMut(&[String])) {
        match self {
            Self::Literal(_) => {}
            Self::Expression(_) | Self::Text(_) => visit(steps),
            Self::Object(fields) => {
                for (name, field) in fields {
                    steps.push(name.clone());
                    field.for_each_place(steps, visit);
                    steps.pop();
                }
            }
            Self::List(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    steps.push(format!("[{index}]"));
                    element.for_each_place(steps, visit);
                    steps.pop();
                }
            }
        }
    }

    /// The variables that its expressions mention.
    pub(crate) fn variables(&self) -> BTreeSet<usize> {
        let mut variables = BTreeSet::new();
        self.for_each_expression(&mut |it| variables.extend(it.variables()));
        variables
    }

    /// The part of it at a place in nested maps.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Shape> {
        let Some((first, rest)) = path.split_first() else { return Some(self) };
        match self {
            Self::Object(fields) => fields.iter().find(|(name, _)| name == first)?.1.at(rest),
            Self::Literal(_) | Self::List(_) | Self::Expression(_) | Self::Text(_) => None,
        }
    }
}

fn fill_object<'a>(
    fields: &'a [(String, Shape)],
    bindings: &Bindings<'a>,
    budget: &Budget,
) -> Result<Value, FillError> {
    let mut object = Map::new();
    for (name, shape) in fields {
        if let Some(value) = shape.fill(bindings, budget).map_err(|error| error.within(name))? {
            object.insert(name.clone(), value);
        }
    }
    Ok(Value::Object(object))
}

fn fill_list<'a>(
    elements: &'a [Shape],
    bindings: &Bindings<'a>,
    budget: &Budget,
) -> Result<Value, FillError> {
    let fill = |(index, shape): (usize, &'a Shape)| {
        shape.fill(bindings, budget).map_err(|error| error.within(&format!("[{index}]"))).transpose()
    };
    elements.iter().enumerate().filter_map(fill).collect::<Result<_, _>>().map(Value::Array)
}

fn value_of<'a>(
    expression: &'a Expression,
    bindings: &Bindings<'a>,
    budget: &Budget,
) -> Result<Option<Value>, EvalError> {
    let value = expression.evaluate(bindings, budget)?;
    if Omit::is(&value) { Ok(None) } else { budget.write(&value).map(Some) }
}

fn text_of<'a>(parts: &'a [TextPart], bindings: &Bindings<'a>, budget: &Budget) -> Result<String, EvalError> {
    let mut text = String::new();
    let mut add = |part: &str| {
        text.push_str(part);
        budget.keep(part.len())
    };
    for part in parts {
        match part {
            TextPart::Literal(literal) => add(literal)?,
            TextPart::Expression(expression) => add(expression.evaluate(bindings, budget)?.text()?)?,
        }
    }
    Ok(text)
}

impl FillError {
    fn within(self, step: &str) -> Self {
        let separator = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        Self { path: format!("{step}{separator}{}", self.path), ..self }
    }
}
