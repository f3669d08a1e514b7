//! Operators and functions applied to types they do not take.

const NUMBERS: &[&str] = &["int", "uint", "double"];

/// What to do about a message of the checker on types.
pub(super) fn hint(message: &str) -> Option<String> {
    let mut parts = message.strip_prefix("found no matching overload for '")?.split('\'');
    let (name, signature) = (parts.next()?, parts.nth(1)?);
    let types = arguments(signature);
    let types: Vec<&str> = types.iter().map(String::as_str).collect();
    by_types(name, &types).or_else(|| by_name(name, &types).map(str::to_owned))
}

/// What to do about `no such overload: string + int`.
pub fn at_run_time(message: &str) -> Option<String> {
    let applied = message.strip_prefix("no such overload: ")?;
    let [left, operator, right] = applied.split(' ').collect::<Vec<_>>()[..] else { return None };
    let name = format!("_{operator}_");
    by_types(&name, &[left, right]).or_else(|| by_name(&name, &[left, right]).map(str::to_owned))
}

fn by_types(name: &str, types: &[&str]) -> Option<String> {
    let operator = name.trim_matches('_');
    if types.iter().any(|it| it.starts_with("optional_type(")) {
        return Some(
            "an optional is opened with `.orValue(…)`, or `.value()` where it is surely there".to_owned(),
        );
    }
    match types {
        [a, b] if NUMBERS.contains(a) && NUMBERS.contains(b) => Some(format!(
            "numbers of two kinds do not mix; convert one: {b}(…) {operator} … or … {operator} {a}(…)"
        )),
        ["string", other] | [other, "string"] if name == "_+_" && is_scalar(other) => {
            Some(format!("`+` turns no {other} into text; write string(…) around it"))
        }
        [_, "null"] | ["null", _] => Some("`has(x.field)` asks whether a field is there".to_owned()),
        [_, "string"] if name == "@in" => {
            Some("`in` looks into lists and maps; for text it is `text.contains(part)`".to_owned())
        }
        [a, b] if matches!(name, "_==_" | "_!=_") => {
            Some(format!("{a} never equals {b}; convert one side, with string(…) or int(…) for example"))
        }
        _ => None,
    }
}

fn by_name(name: &str, types: &[&str]) -> Option<&'static str> {
    match (name, types) {
        ("_?_:_", ["bool", ..]) => {
            Some("both results must be of one type; dyn(…) around each gives up on checking them")
        }
        ("_?_:_" | "_&&_" | "_||_" | "!_", _) => {
            Some("only true and false will do here; compare first, as in `x > 0` or `x != \"\"`")
        }
        ("_+_", _) => Some("both sides of `+` must be of one type"),
        _ => None,
    }
}

fn is_scalar(ty: &str) -> bool {
    NUMBERS.contains(&ty) || matches!(ty, "bool" | "timestamp" | "duration" | "bytes")
}

/// The types in `(int, list(string))` or `string.(int)`, the receiver first.
fn arguments(signature: &str) -> Vec<String> {
    let (receiver, rest) = match signature.find(".(") {
        Some(dot) => (Some(signature[..dot].to_owned()), &signature[dot + 1..]),
        None => (None, signature),
    };
    let inner = rest.strip_prefix('(').and_then(|it| it.strip_suffix(')')).unwrap_or(rest);
    receiver.into_iter().chain(split_at_top(inner)).collect()
}

fn split_at_top(list: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let ends_type = |character: char| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    };
    list.split(ends_type).map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).collect()
}
