//! Shows a tree as an s-expression.

use crate::ast::{Ast, BinaryOp, Expr, ExprId, Literal, LogicOp, LoopKind, UnaryOp};

pub(super) fn tree(ast: &Ast) -> String {
    node(ast, ast.root())
}

fn node(ast: &Ast, id: ExprId) -> String {
    let show = |it: &ExprId| node(ast, *it);
    match ast.expr(id) {
        Expr::Literal(it) => literal(it),
        Expr::Ident(name) => name.to_string(),
        Expr::Select { operand, field, optional } => {
            let dot = if *optional { ".?" } else { "." };
            format!("({dot} {} {})", show(operand), name(field))
        }
        Expr::Has { operand, field } => format!("(has {} {})", show(operand), name(field)),
        Expr::Index { operand, index, optional } => {
            let brackets = if *optional { "[?]" } else { "[]" };
            format!("({brackets} {} {})", show(operand), show(index))
        }
        Expr::Call { target, function, args } => {
            let target = target.map(|it| node(ast, it) + ".").unwrap_or_default();
            list(&format!("{target}{function}"), args.iter().map(show))
        }
        Expr::Unary { op: UnaryOp::Not, operand } => format!("(! {})", show(operand)),
        Expr::Unary { op: UnaryOp::Negate, operand } => format!("(- {})", show(operand)),
        Expr::Binary { op, lhs, rhs } => format!("({} {} {})", binary(*op), show(lhs), show(rhs)),
        Expr::Logic { op: LogicOp::And, terms } => list("&&", terms.iter().map(show)),
        Expr::Logic { op: LogicOp::Or, terms } => list("||", terms.iter().map(show)),
        Expr::Ternary { condition, then, otherwise } => {
            list("?", [condition, then, otherwise].into_iter().map(show))
        }
        compound => construct(ast, compound),
    }
}

fn construct(ast: &Ast, expr: &Expr) -> String {
    let show = |it: &ExprId| node(ast, *it);
    let mark = |optional: bool| if optional { "?" } else { "" };
    match expr {
        Expr::List(elements) => {
            let elements: Vec<_> =
                elements.iter().map(|it| format!("{}{}", mark(it.optional), show(&it.value))).collect();
            format!("[{}]", elements.join(" "))
        }
        Expr::Map(entries) => {
            let show = |key, value, optional| format!("{}{}: {}", mark(optional), show(key), show(value));
            let entries: Vec<_> = entries.iter().map(|it| show(&it.key, &it.value, it.optional)).collect();
            format!("{{{}}}", entries.join(", "))
        }
        Expr::Struct { type_name, fields } => {
            let fields: Vec<_> = fields
                .iter()
                .map(|it| format!("{}{}: {}", mark(it.optional), it.name, show(&it.value)))
                .collect();
            format!("{type_name}{{{}}}", fields.join(", "))
        }
        Expr::Loop(it) => {
            let second = it.second.as_ref().map(|it| format!(" {it}")).unwrap_or_default();
            let filter = it.filter.as_ref().map(|it| format!(" if {}", show(it))).unwrap_or_default();
            let (kind, range, variable) = (comprehension(it.kind), show(&it.range), &it.variable);
            format!("({kind} {variable}{second} {range}{filter} {})", show(&it.body))
        }
        Expr::Bind { name, init, body } => format!("(bind {name} {} {})", show(init), show(body)),
        Expr::OptionalMap { target, name, body, flat } => {
            let function = if *flat { "optFlatMap" } else { "optMap" };
            format!("({function} {name} {} {})", show(target), show(body))
        }
        other => unreachable!("{other:?}"),
    }
}

fn list(head: &str, rest: impl Iterator<Item = String>) -> String {
    let mut items = vec![head.to_owned()];
    items.extend(rest);
    format!("({})", items.join(" "))
}

fn name(text: &str) -> String {
    let plain = text.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
    if plain { text.to_owned() } else { format!("`{text}`") }
}

fn literal(value: &Literal) -> String {
    match value {
        Literal::Null => "null".to_owned(),
        Literal::Bool(it) => it.to_string(),
        Literal::Int(it) => it.to_string(),
        Literal::Uint(it) => format!("{it}u"),
        Literal::Double(it) => format!("{it:?}"),
        Literal::String(it) => format!("'{}'", it.escape_default()),
        Literal::Bytes(it) => format!("b'{}'", it.escape_ascii()),
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Modulo => "%",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::In => "in",
    }
}

fn comprehension(kind: LoopKind) -> &'static str {
    match kind {
        LoopKind::All => "all",
        LoopKind::Exists => "exists",
        LoopKind::ExistsOne => "exists_one",
        LoopKind::Filter => "filter",
        LoopKind::Map => "map",
        LoopKind::TransformMap => "transformMap",
        LoopKind::TransformMapEntry => "transformMapEntry",
    }
}
