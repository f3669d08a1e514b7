//! The rules of a schema, compiled.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use krono_cel::ast::Expr;
use krono_cel::{Env, Program, Type};

use super::environment::rule_environment;
use super::field_path::normalize;
use super::rewrite::quote_escaped_names;
use crate::cel::rule_type;
use crate::schema::{Schema, ValidationRule};

/// One node of a schema that has rules, or has nodes with rules below it.
#[derive(Debug)]
pub(crate) struct RuleNode {
    pub(super) schema: Schema,
    pub(crate) rules: Rules,
    pub(super) properties: BTreeMap<String, Arc<RuleNode>>,
    pub(super) additional: Option<Arc<RuleNode>>,
    pub(super) items: Option<Arc<RuleNode>>,
    pub(super) all_of: Vec<RuleNode>,
}

/// The rules of one node.
#[derive(Debug)]
pub(crate) enum Rules {
    /// There are none.
    None,
    /// The node has no type, so no rule can be checked.
    Untyped,
    /// The rules, and what they are evaluated in.
    Compiled(RuleGroup),
}

/// Rules on values of one type.
#[derive(Debug)]
pub(crate) struct RuleGroup {
    pub(super) env: Env,
    /// Where `oldSelf` is optional.
    pub(super) optional_env: Env,
    pub(crate) rules: Vec<CompiledRule>,
}

/// One rule.
#[derive(Debug)]
pub(crate) struct CompiledRule {
    pub(crate) rule: ValidationRule,
    /// The program, or why there is none. A blank rule has neither.
    pub(crate) program: Option<Result<Program, String>>,
    pub(crate) message: Option<Result<Program, String>>,
    pub(crate) uses_old_self: bool,
    /// The field to blame, if it is a field.
    pub(super) field: Option<String>,
}

impl RuleNode {
    /// Compiles the rules of a whole object's schema; none when there are no rules.
    pub(crate) fn compile_object(schema: &Schema) -> Option<Self> {
        Self::compile(&Schema { embedded_resource: true, ..schema.clone() })
    }

    /// Compiles the rules of a value's schema.
    pub(crate) fn compile(schema: &Schema) -> Option<Self> {
        has_rules(schema).then(|| Compiler::default().node(schema, schema)).flatten()
    }
}

fn has_rules(schema: &Schema) -> bool {
    let children = schema.properties.values().chain(schema.map_values()).chain(&schema.items);
    !schema.validations.is_empty() || children.into_iter().any(|child| has_rules(child))
}

/// Remembers the rules of shared schemas by their address.
#[derive(Default)]
struct Compiler {
    done: HashMap<*const Schema, Option<Arc<RuleNode>>>,
}

impl Compiler {
    /// The rules that `said` has about values of `shape`; the two differ inside `allOf`.
    fn node(&mut self, said: &Schema, shape: &Schema) -> Option<RuleNode> {
        let node = RuleNode {
            rules: compile_rules(&said.validations, shape),
            properties: self.properties(said, shape),
            additional: self.pair(said.map_values(), shape.map_values()),
            items: self.pair(said.items.as_ref(), shape.items.as_ref()),
            all_of: said.all_of.iter().filter_map(|branch| self.node(branch, shape)).collect(),
            schema: shape.clone(),
        };
        let says_something = !matches!(node.rules, Rules::None)
            || !node.properties.is_empty()
            || node.additional.is_some()
            || node.items.is_some()
            || !node.all_of.is_empty();
        says_something.then_some(node)
    }

    fn properties(&mut self, said: &Schema, shape: &Schema) -> BTreeMap<String, Arc<RuleNode>> {
        let pairs = said.properties.iter().filter_map(|(name, property)| {
            let node = self.pair(Some(property), shape.properties.get(name))?;
            Some((name.clone(), node))
        });
        pairs.collect()
    }

    fn pair(&mut self, said: Option<&Arc<Schema>>, shape: Option<&Arc<Schema>>) -> Option<Arc<RuleNode>> {
        let (said, shape) = (said?, shape?);
        if !Arc::ptr_eq(said, shape) {
            return self.node(said, shape).map(Arc::new);
        }
        let key = Arc::as_ptr(said);
        if let Some(known) = self.done.get(&key) {
            return known.clone();
        }
        let node = self.node(said, shape).map(Arc::new);
        self.done.insert(key, node.clone());
        node
    }
}

/// Compiles rules on values of `shape`.
pub(crate) fn compile_rules(rules: &[ValidationRule], shape: &Schema) -> Rules {
    if rules.is_empty() {
        return Rules::None;
    }
    let Some(ty) = rule_type(&Arc::new(shape.clone()), "selfType") else { return Rules::Untyped };
    let env = rule_environment(&ty, ty.clone());
    let optional_env = rule_environment(&ty, Type::optional(ty.clone()));
    let compile = |rule: &ValidationRule| {
        let env = if rule.optional_old_self == Some(true) { &optional_env } else { &env };
        compile_rule(rule, env, shape)
    };
    let rules = rules.iter().map(compile).collect();
    Rules::Compiled(RuleGroup { env, optional_env, rules })
}

fn compile_rule(rule: &ValidationRule, env: &Env, shape: &Schema) -> CompiledRule {
    let mut compiled =
        CompiledRule { rule: rule.clone(), program: None, message: None, uses_old_self: false, field: None };
    if rule.rule.trim().is_empty() {
        return compiled;
    }
    let program = program(&rule.rule, env, &Type::Bool, Words::RULE);
    compiled.uses_old_self = program.is_ok() && uses_old_self(&rule.rule, env);
    if program.is_ok() {
        let message = rule.message_expression.as_deref();
        compiled.message = message.map(|source| self::program(source, env, &Type::String, Words::MESSAGE));
        compiled.field = rule.field_path.as_deref().and_then(|path| normalize(path, shape).ok());
    }
    compiled.program = Some(program);
    compiled
}

/// How the API server words what is wrong with a rule or with a message.
#[derive(Clone, Copy)]
struct Words {
    compilation: &'static str,
    wrong_type: &'static str,
}

impl Words {
    const RULE: Self =
        Self { compilation: "compilation failed: ", wrong_type: "cel expression must evaluate to a bool" };
    const MESSAGE: Self = Self {
        compilation: "messageExpression compilation failed: ",
        wrong_type: "messageExpression must evaluate to a string",
    };
}

fn program(source: &str, env: &Env, expected: &Type, words: Words) -> Result<Program, String> {
    let source = quote_escaped_names(source);
    let program = env.compile(&source).map_err(|issues| format!("{}{issues}", words.compilation))?;
    if program.result_type() == expected { Ok(program) } else { Err(words.wrong_type.to_owned()) }
}

fn uses_old_self(source: &str, env: &Env) -> bool {
    let Ok(ast) = env.parse(&quote_escaped_names(source)) else { return false };
    ast.ids().any(|id| matches!(ast.expr(id), Expr::Ident(name) if &**name == "oldSelf"))
}
