//! The author's conditions.

use std::collections::{BTreeMap, BTreeSet};

use krono_cel::ast::{Ast, Expr, ExprId, Literal};
use krono_cel::library::kro;
use krono_cel::{Env, Template, Type};
use krono_schema::Path;
use serde_json::Value;

use super::status::CONDITIONS;
use super::{Compiler, INSTANCE};
use crate::diagnostic::instead_of;
use crate::expression::{Expression, unwrapped};

/// The conditions that every instance has.
const USUAL: [&str; 4] = ["GraphResolved", "InstanceManaged", "Ready", "ResourcesReady"];

impl Compiler<'_> {
    pub(super) fn author_conditions(
        &mut self,
        status: &Value,
        env: &Env,
        path: &Path<'_>,
    ) -> Vec<Expression> {
        let entries = status.get(CONDITIONS).and_then(Value::as_array).into_iter().flatten().enumerate();
        // What is no expression is reported with the schema of the status.
        let is_expression = |it: &&str| matches!(Template::parse(it), Ok(Template::Expression(_)));
        let entries =
            entries.filter_map(|(index, entry)| Some((index, entry.as_str().filter(is_expression)?)));
        let (mut conditions, mut declared) = (Vec::new(), BTreeMap::new());
        for (index, text) in entries {
            let at = path.index(index);
            let Some(expression) = self.expressions(env).standalone(text, &at) else { continue };
            self.check_condition_type(&expression, &at);
            if let Ok(ast) = env.parse(expression.source()) {
                self.check_read(&ast, &expression, &at);
                self.check_declared(&ast, index, &mut declared, &expression, &at);
            }
            conditions.push(expression);
        }
        conditions
    }

    fn check_condition_type(&mut self, expression: &Expression, at: &Path<'_>) {
        if !makes_conditions(expression.result_type()) {
            let found = expression.result_type();
            let message =
                format!("returns type \"{found}\" but expected a condition or a list of conditions");
            self.diagnostics
                .report(at, message)
                .at(expression.span())
                .advise("write ${runtime.newCondition({type: …, status: …})}");
        }
    }

    /// Of the instance only the usual conditions can be read: the author's are being made.
    fn check_read(&mut self, ast: &Ast, expression: &Expression, at: &Path<'_>) {
        for name in ast.ids().filter_map(|it| read_from_instance(ast, it)) {
            if !USUAL.contains(&name) {
                let message = format!("the instance has no condition {name:?} that could be read here");
                let advice = instead_of(name, USUAL);
                self.diagnostics.report(at, message).at(expression.span()).advise(advice);
            }
        }
    }

    fn check_declared(
        &mut self,
        ast: &Ast,
        index: usize,
        declared: &mut BTreeMap<String, usize>,
        expression: &Expression,
        at: &Path<'_>,
    ) {
        // The branches of one entry may well make conditions of one type.
        let types: BTreeSet<&str> = ast.ids().filter_map(|it| declared_type(ast, it)).collect();
        for name in types {
            let first = *declared.entry(name.to_owned()).or_insert(index);
            if first != index {
                let message = format!("condition {name:?} is made by conditions[{first}] already");
                let advice = "make each condition in one entry";
                self.diagnostics.report(at, message).at(expression.span()).advise(advice);
            }
        }
    }
}

/// From `runtime.condition(schema, "Ready")`, the type.
fn read_from_instance(ast: &Ast, id: ExprId) -> Option<&str> {
    let [object, wanted] = runtime_call(ast, id, "condition")? else { return None };
    let of_instance = matches!(ast.expr(*object), Expr::Ident(name) if **name == *INSTANCE);
    text(ast, *wanted).filter(|_| of_instance)
}

/// From `runtime.newCondition({type: "Ready", …})`, the type.
fn declared_type(ast: &Ast, id: ExprId) -> Option<&str> {
    let [map] = runtime_call(ast, id, "newCondition")? else { return None };
    let Expr::Map(entries) = ast.expr(*map) else { return None };
    let entry = entries.iter().find(|it| text(ast, it.key) == Some("type"))?;
    text(ast, entry.value)
}

fn runtime_call<'a>(ast: &'a Ast, id: ExprId, wanted: &str) -> Option<&'a [ExprId]> {
    let Expr::Call { target: Some(target), function, args } = ast.expr(id) else { return None };
    let of_runtime = matches!(ast.expr(*target), Expr::Ident(name) if **name == *"runtime");
    (of_runtime && **function == *wanted).then_some(args)
}

fn text(ast: &Ast, id: ExprId) -> Option<&str> {
    if let Expr::Literal(Literal::String(text)) = ast.expr(id) { Some(text) } else { None }
}

fn makes_conditions(ty: &Type) -> bool {
    let condition = kro::condition_type();
    let ty = unwrapped(ty);
    if let Type::List(list) = ty {
        return list.element.is_dyn() || unwrapped(&list.element) == &condition;
    }
    ty.is_dyn() || *ty == condition
}
