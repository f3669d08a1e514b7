//! Rules that are not written as they should be, or do not compile.

use super::context::Context;
use super::has_form;
use crate::error::{BadValue, ErrorKind, FieldError};
use crate::go_text;
use crate::path::Path;
use crate::rules::{CompiledRule, Rules, compile_rules, normalize};
use crate::schema::{Schema, ValidationRule};

/// Adds what is wrong with the texts of a node's rules.
pub(super) fn check_texts(schema: &Schema, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let rules_at = path.field("x-kubernetes-validations");
    for (index, rule) in schema.validations.iter().enumerate() {
        let at = rules_at.index(index);
        errors.extend(text_problem(rule, &at));
        if is_blank(rule.message_expression.as_deref()) {
            let detail = "messageExpression must be non-empty if specified";
            errors.push(FieldError::required(&at.field("messageExpression"), detail));
        }
        if let Some(field_path) = &rule.field_path {
            check_field_path(field_path, schema, &at.field("fieldPath"), errors);
        }
    }
}

fn text_problem(rule: &ValidationRule, at: &Path<'_>) -> Option<FieldError> {
    let message = rule.message.as_deref().unwrap_or_default();
    let message_at = at.field("message");
    if rule.rule.trim().is_empty() {
        Some(FieldError::required(&at.field("rule"), "rule is not specified"))
    } else if is_blank(rule.message.as_deref()) {
        Some(FieldError::invalid(&message_at, message, "must be non-empty if specified"))
    } else if message.trim().contains('\n') {
        Some(FieldError::invalid(&message_at, message, "must not contain line breaks"))
    } else if rule.rule.trim().contains('\n') && message.is_empty() {
        Some(FieldError::required(&message_at, "message must be specified if rule contains line breaks"))
    } else {
        None
    }
}

fn is_blank(text: Option<&str>) -> bool {
    text.is_some_and(|text| text.trim().is_empty())
}

fn check_field_path(field_path: &str, schema: &Schema, at: &Path<'_>, errors: &mut Vec<FieldError>) {
    let mut report = |detail: &str| errors.push(FieldError::invalid(at, field_path, detail));
    if field_path.trim().is_empty() {
        report("must be non-empty if specified");
    }
    if field_path.contains('\n') {
        report("must not contain line breaks");
    }
    // A schema without a structural form has no fields to be found.
    if normalize(field_path, schema).is_err() && has_form(schema) {
        report("must be a valid path");
    }
}

/// Adds what the compiler says about a node's rules.
pub(super) fn check_programs(
    schema: &Schema,
    is_root: bool,
    context: &Context,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    let rules_at = path.field("x-kubernetes-validations");
    let shape = Schema { embedded_resource: schema.embedded_resource || is_root, ..schema.clone() };
    match compile_rules(&schema.validations, &shape) {
        Rules::None => {}
        Rules::Untyped => {
            let detail = "internal error: failed to retrieve type information for x-kubernetes-validations";
            errors.push(FieldError::new(ErrorKind::Internal, &rules_at, BadValue::Omitted, detail));
        }
        Rules::Compiled(group) => {
            for (index, rule) in group.rules.iter().enumerate() {
                check_program(rule, context, &rules_at.index(index), errors);
            }
        }
    }
}

fn check_program(rule: &CompiledRule, context: &Context, at: &Path<'_>, errors: &mut Vec<FieldError>) {
    if let Some(Err(problem)) = &rule.program {
        errors.push(about_rule(&at.field("rule"), &rule.rule, problem));
    }
    if let Some(Err(problem)) = &rule.message {
        errors.push(about_rule(&at.field("messageExpression"), &rule.rule, problem));
    }
    if let (true, Some(list)) = (rule.uses_old_self, &context.uncorrelated) {
        let detail =
            format!("oldSelf cannot be used on the uncorrelatable portion of the schema within {list}");
        errors.push(FieldError::invalid(&at.field("rule"), rule.rule.rule.as_str(), detail));
    }
    if let (false, Some(optional)) = (rule.uses_old_self, rule.rule.optional_old_self) {
        let detail = "may not be set if oldSelf is not used in rule";
        errors.push(FieldError::invalid(&at.field("optionalOldSelf"), optional, detail));
    }
}

/// The API server prints the whole rule.
fn about_rule(at: &Path<'_>, rule: &ValidationRule, problem: &str) -> FieldError {
    let text = |text: Option<&str>| go_text::json(&text.unwrap_or_default().into());
    let shown = format!(
        r#"{{"Rule":{},"Message":{},"MessageExpression":{},"Reason":{},"FieldPath":{},"OptionalOldSelf":{}}}"#,
        text(Some(&rule.rule)),
        text(rule.message.as_deref()),
        text(rule.message_expression.as_deref()),
        rule.reason.map_or_else(|| "null".to_owned(), |reason| format!("\"{}\"", reason.name())),
        text(rule.field_path.as_deref()),
        rule.optional_old_self.map_or_else(|| "null".to_owned(), |it| it.to_string()),
    );
    FieldError::new(ErrorKind::Invalid, at, BadValue::Printed(shown), problem)
}
