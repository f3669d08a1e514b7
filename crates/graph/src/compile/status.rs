//! The status of instances.

#![expect(clippy::wildcard_enum_match_arm, reason = "any other type is one condition, or none")]

use krono_cel::library::kro;
use krono_cel::{Env, Template, Type};
use krono_schema::cel::schema_of_type;
use krono_schema::crd::{CustomResourceDefinition, InstanceSchema, Version};
use krono_schema::{FieldError, Path, Schema, simple, structural};
use serde_json::Value;

use super::{Compiler, environment};
use crate::cure;
use crate::expression::{Expression, unwrapped};
use crate::fields::Lowering;
use crate::graph::StatusShape;
use crate::shape::Shape;

const ROOT: &str = "spec.schema.status";
/// Written by the controller, whatever the author says.
const STATE: &str = "state";
const CONDITIONS: &str = "conditions";

impl Compiler<'_> {
    /// The status and the definition whose schema it has.
    pub(super) fn status(&mut self) -> Option<(StatusShape, CustomResourceDefinition)> {
        let instance = self.source.instance.as_ref()?;
        let options = super::Options { omit: false, ..self.options };
        let env = environment(self.source, self.subjects, options);
        let crd = self.definition(instance, &env);
        let path = Path::named(ROOT);
        let fields = instance.status.as_object().into_iter().flatten();
        let fields = fields.filter(|(name, _)| ![STATE, CONDITIONS].contains(&name.as_str()));
        let fields =
            fields.map(|(name, value)| (name.clone(), self.status_field(value, &env, &path.field(name))));
        let fields = fields.collect();
        let env = env.extend().library(kro::runtime()).build();
        let conditions = self.author_conditions(instance, &env, &path.field(CONDITIONS));
        Some((StatusShape { fields, conditions, env }, crd?))
    }

    fn definition(&mut self, instance: &InstanceSchema, env: &Env) -> Option<CustomResourceDefinition> {
        let mut schema_of = |source: &str| {
            let checked = env.parse(source).and_then(|ast| env.check(ast));
            checked.map_or_else(|_| Schema::any(), |it| schema_of_type(it.result_type()))
        };
        instance
            .definition(&mut schema_of)
            .map_err(|invalid| {
                for error in invalid.errors {
                    let (message, advice) = cure::of(&error.problem);
                    self.diagnostics.report(format!("spec.schema.{}", error.path), message).advise(advice);
                }
            })
            .ok()
            .inspect(|crd| self.check_sound(crd))
    }

    /// What the API server would refuse about the schema of the kind.
    fn check_sound(&mut self, crd: &CustomResourceDefinition) {
        let schemas = crd.spec.versions.iter().filter_map(Version::schema);
        for error in schemas.flat_map(|it| structural::check(it, "")) {
            let (field, keyword) = simple::written(&error.path);
            let (message, advice) = unsound(&error, keyword);
            self.diagnostics.report(format!("spec.schema.{field}"), message).advise(advice);
        }
    }

    fn status_field(&mut self, value: &Value, env: &Env, path: &Path<'_>) -> Shape {
        let mut lowering = Lowering { expressions: self.expressions(env), type_name: "__type_status" };
        let shape = lowering.lower(value, None, path);
        let mut fixed = Vec::new();
        shape.for_each_expression(&mut |it| {
            if it.variables().is_empty() {
                fixed.push((format!("{:?} refers to no resource and not to schema", it.source()), it.span()));
            }
        });
        for (message, span) in fixed {
            let advice = "a status tells about resources or the instance; mention one, or remove the field";
            self.diagnostics.report(path, message).at(span).advise(advice);
        }
        shape
    }

    fn author_conditions(
        &mut self,
        instance: &InstanceSchema,
        env: &Env,
        path: &Path<'_>,
    ) -> Vec<Expression> {
        let entries =
            instance.status.get(CONDITIONS).and_then(Value::as_array).into_iter().flatten().enumerate();
        // What is no expression is reported with the schema of the status.
        let is_expression = |it: &&str| matches!(Template::parse(it), Ok(Template::Expression(_)));
        let entries =
            entries.filter_map(|(index, entry)| Some((index, entry.as_str().filter(is_expression)?)));
        let mut conditions = Vec::new();
        for (index, text) in entries {
            let at = path.index(index);
            let Some(expression) = self.expressions(env).standalone(text, &at) else { continue };
            if !makes_conditions(expression.result_type()) {
                let found = expression.result_type();
                let message =
                    format!("returns type \"{found}\" but expected a condition or a list of conditions");
                self.diagnostics
                    .report(at, message)
                    .at(expression.span())
                    .advise("write ${runtime.newCondition({type: …, status: …})}");
            }
            conditions.push(expression);
        }
        conditions
    }
}

/// The API server's words about a keyword of a field, and what to do.
fn unsound(error: &FieldError, keyword: &str) -> (String, &'static str) {
    if keyword.starts_with("x-kubernetes-validations") {
        let detail = error.detail.strip_prefix("compilation failed: ").unwrap_or(&error.detail);
        let message = detail.lines().next().unwrap_or_default();
        let message = message.trim_start_matches("ERROR: <input>:");
        return (
            format!("validation: {message}"),
            "a rule is an expression about `self`, the value of this field, that says true or false",
        );
    }
    if keyword.starts_with("default") {
        return (format!("default: {}", error.body()), "give a default that the other markers allow");
    }
    (format!("{keyword}: {}", error.body()), "the API server would refuse this schema; correct the marker")
}

fn makes_conditions(ty: &Type) -> bool {
    let condition = kro::condition_type();
    match unwrapped(ty) {
        Type::Dyn => true,
        Type::List(list) => list.element.is_dyn() || unwrapped(&list.element) == &condition,
        other => *other == condition,
    }
}
