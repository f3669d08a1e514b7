//! Compiling `propagateWhen`.

use std::sync::LazyLock;

use krono_cel::library::kro;
use krono_cel::{Env, Issue, ObjectType, Placed, Span, Template, Type, Val, advice};
use serde_json::Value;

use super::hoist::{Names, replaced};
use super::sight::Sight;
use super::values::{EACH_TYPE, INSTANCE_TYPE};
use super::{Gate, Gates, Mentions, Part, functions, values};
use crate::problem::Problem;

const PATH: &str = "spec.propagateWhen";
/// How names of shared parts begin; an expression that has such a name itself is evaluated as it stands.
const SHARED: &str = "krono__shared_";

pub(super) fn compile(
    propagate_when: &Value,
    spec: &Type,
    status: Option<&Value>,
) -> Result<Gates, Vec<Problem>> {
    let list = match propagate_when {
        Value::Null => return Ok(Gates::default()),
        Value::Array(list) => list,
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            let message = format!("{propagate_when} is not a list");
            return Err(vec![Problem::new(PATH, message, "write a list of expressions, - ${…}")]);
        }
    };
    let compiler = Compiler { env: environment(spec, &values::instance_status(status)) };
    let (mut gates, mut problems) = (Vec::new(), Vec::new());
    for (at, value) in list.iter().enumerate() {
        match compiler.gate(value, &format!("{PATH}[{at}]")) {
            Ok(gate) => gates.push(gate),
            Err(found) => problems.extend(found),
        }
    }
    if problems.is_empty() { Ok(joined(gates)) } else { Err(problems) }
}

fn joined(all: Vec<Gate>) -> Gates {
    let mut sight = Sight::default();
    for gate in &all {
        sight.join(&gate.sight);
    }
    Gates { all, sight }
}

fn environment(spec: &Type, status: &Type) -> Env {
    static FUNCTIONS: LazyLock<Env> =
        LazyLock::new(|| kro::environment().library(functions::library()).build());
    let instance = |name: &'static str, index: Type| {
        let (spec, status) = (spec.clone(), status.clone());
        Type::Object(ObjectType::new(name, true, move || values::instance_fields(index, spec, status)).into())
    };
    FUNCTIONS
        .extend()
        .variable("instances", Type::list(instance(INSTANCE_TYPE, Type::Dyn)))
        .variable("each", instance(EACH_TYPE, Type::Int))
        .variable("rgd", values::definition_type())
        .variable("fleet", values::fleet_type())
        .build()
}

struct Compiler {
    env: Env,
}

impl Compiler {
    fn gate(&self, value: &Value, path: &str) -> Result<Gate, Vec<Problem>> {
        let text = value.as_str().unwrap_or_default();
        let placed = match Template::parse(text) {
            Ok(Template::Expression(placed)) => placed,
            Ok(Template::Literal | Template::Mixed(_)) => {
                let message = "expected one expression, ${…}, with nothing around it";
                let advice = if text.is_empty() || text.contains("${") {
                    "write ${exponentiallyUpdated(instances, each)}, say".to_owned()
                } else {
                    format!("write ${{{}}}", text.trim())
                };
                return Err(vec![Problem::new(path, message, advice)]);
            }
            Err(error) => {
                let text = error.to_string();
                let (message, advice) = text.split_once("; ").unwrap_or((&text, ""));
                return Err(vec![Problem::new(path, message, advice)]);
            }
        };
        self.expression(placed, path)
    }

    fn expression(&self, placed: Placed<'_>, path: &str) -> Result<Gate, Vec<Problem>> {
        let told = |issues: &krono_cel::Issues| self.problems(issues, placed, path);
        let ast = self.env.parse(placed.source).map_err(|it| told(&it))?;
        let checked = self.env.check(ast).map_err(|it| told(&it))?;
        if !matches!(checked.result_type(), Type::Bool | Type::Dyn) {
            let message = format!("returns type \"{}\" but expected \"bool\"", checked.result_type());
            let advice = "compare it with something, as in `each.index < 10`";
            return Err(vec![Problem { span: whole(placed), ..Problem::new(path, message, advice) }]);
        }
        let names = Names::of(checked.ast());
        let sight = Sight::of(&checked);
        let mentions = mentions(&names, &sight);
        let whole = Part { env: self.env.clone(), program: self.env.program(&checked), mentions };
        if let Some(message) = names.is_constant().then(|| never(&whole)).flatten() {
            let advice = "mention instances, each, rgd or fleet; `spec.propagation.paused: true` is a pause";
            return Err(vec![Problem { span: self::whole(placed), ..Problem::new(path, message, advice) }]);
        }
        let (shared, rest) =
            self.split(&names, &whole, &sight).unwrap_or_else(|| (Vec::new(), whole.clone()));
        Ok(Gate { whole, shared, rest, sight })
    }

    /// What is shared, and the rest; nothing where nothing is, or where they would not mean the same.
    fn split(&self, names: &Names<'_>, whole: &Part, sight: &Sight) -> Option<(Vec<Part>, Part)> {
        let (source, spans) = (whole.program.source(), names.shared());
        let overlap = spans.windows(2).any(|it| it[0].end > it[1].start);
        if spans.is_empty() || overlap || source.contains(SHARED) {
            return None;
        }
        let shared: Option<Vec<Part>> =
            spans.iter().map(|it| part(&self.env, text(source, *it)?, sight)).collect();
        let shared = shared?;
        let name = |at: usize| format!("{SHARED}{at}");
        let env = shared.iter().enumerate().fold(self.env.extend(), |env, (at, part)| {
            env.variable(&name(at), part.program.result_type().clone())
        });
        let rest = part(&env.build(), &replaced(source, &spans, name), sight)?;
        let agrees = rest.program.result_type() == whole.program.result_type();
        agrees.then_some((shared, rest))
    }

    fn problems(&self, issues: &krono_cel::Issues, placed: Placed<'_>, path: &str) -> Vec<Problem> {
        let decisive = issues.iter().find(|it| advice::is_ungrammatical(it));
        let told: Vec<&Issue> = decisive.map_or_else(|| issues.iter().collect(), |it| vec![it]);
        told.into_iter().map(|it| self.problem(it, placed, path)).collect()
    }

    fn problem(&self, issue: &Issue, placed: Placed<'_>, path: &str) -> Problem {
        let message = issue.message.trim_end_matches(" (in container '')");
        let message = message.split_once(" expecting {").map_or(message, |(message, _)| message);
        let message = functions::as_written(message);
        let names = "the names here are instances, each, rgd, fleet; text stands in quotes";
        let known = advice::on_issue(issue, placed.source, &self.env);
        let advice = known.unwrap_or_else(|| {
            if advice::undeclared(issue).is_some() { names.to_owned() } else { String::new() }
        });
        Problem { span: Some(shifted(issue.span, placed.at)), ..Problem::new(path, message, advice) }
    }
}

/// Why an expression that mentions nothing lets nobody through, if it does not.
fn never(constant: &Part) -> Option<String> {
    match constant.program.eval(&constant.env.bindings()) {
        Ok(Val::Bool(true)) => None,
        Ok(_) => Some("is never true, so that no instance would ever move".to_owned()),
        Err(error) => Some(format!("never has a value: {}", error.message())),
    }
}

/// A part of an expression that looks at this much as a whole: what a part gives to others may be looked at there.
fn part(env: &Env, source: &str, sight: &Sight) -> Option<Part> {
    let checked = env.check(env.parse(source).ok()?).ok()?;
    let mentions = mentions(&Names::of(checked.ast()), sight);
    Some(Part { env: env.clone(), program: env.program(&checked), mentions })
}

fn mentions(names: &Names<'_>, sight: &Sight) -> Mentions {
    let mentions = names.mentions();
    // Of the candidate itself nothing changes: it is not admitted yet.
    let follows = mentions.instances && sight.follows_admissions();
    Mentions { admissions: mentions.admissions || follows, ..mentions }
}

fn text(source: &str, span: Span) -> Option<&str> {
    source.get(span.start as usize..span.end as usize)
}

fn whole(placed: Placed<'_>) -> Option<Span> {
    let end = u32::try_from(placed.source.len()).ok()?;
    Some(shifted(Span::new(0, end), placed.at))
}

fn shifted(span: Span, by: usize) -> Span {
    let by = u32::try_from(by).unwrap_or(u32::MAX);
    Span::new(span.start.saturating_add(by), span.end.saturating_add(by))
}
