//! The status of instances.

use krono_cel::Env;
use krono_cel::library::kro;
use krono_schema::cel::schema_of_type;
use krono_schema::crd::{CustomResourceDefinition, Version, status_schema};
use krono_schema::{FieldError, Path, Schema, simple, structural};
use serde_json::Value;

use super::{Compiler, environment};
use crate::cure;
use crate::fields::Lowering;
use crate::graph::StatusShape;
use crate::shape::Shape;

const ROOT: &str = "spec.schema.status";
/// Written by the controller, whatever the author says.
const STATE: &str = "state";
/// Where conversions between API versions keep what one of them has no room for: in the same place in every version.
const CONVERSION_STASH: &str = "conversionStash";
pub(super) const CONDITIONS: &str = "conditions";

impl Compiler<'_> {
    /// The status and the definition whose schema it has.
    pub(super) fn status(&mut self) -> Option<(StatusShape, CustomResourceDefinition)> {
        let status = self.source.status;
        let options = super::Options { omit: false, ..self.options };
        let env = environment(self.source, self.subjects, options);
        let crd = self.definition(&env);
        let path = Path::named(ROOT);
        if status.get(CONVERSION_STASH).is_some() {
            let words = format!("{CONVERSION_STASH:?} is a reserved word");
            self.diagnostics.report(path.field(CONVERSION_STASH), words).advise("choose another name");
        }
        let fields = status.as_object().into_iter().flatten();
        let fields = fields.filter(|(name, _)| ![STATE, CONDITIONS].contains(&name.as_str()));
        let fields =
            fields.map(|(name, value)| (name.clone(), self.status_field(value, &env, &path.field(name))));
        let fields = fields.collect();
        let env = env.extend().library(kro::runtime()).build();
        let conditions = self.author_conditions(status, &env, &path.field(CONDITIONS));
        Some((StatusShape { fields, conditions, env }, crd?))
    }

    fn definition(&mut self, env: &Env) -> Option<CustomResourceDefinition> {
        let mut schema_of = |source: &str| {
            let checked = env.parse(source).and_then(|ast| env.check(ast));
            checked.map_or_else(|_| Schema::any(), |it| schema_of_type(it.result_type()))
        };
        let made = match &self.source.instance {
            Some(instance) => instance.definition(&mut schema_of).map(Some),
            None => status_schema(self.source.status, &mut schema_of).map(|_| None),
        };
        match made {
            Ok(crd) => crd.inspect(|crd| self.check_sound(crd)),
            Err(invalid) => {
                for error in invalid.errors {
                    let (message, advice) = cure::of(&error.problem);
                    self.diagnostics.report(format!("spec.schema.{}", error.path), message).advise(advice);
                }
                None
            }
        }
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
