//! Names that mean nothing here.

use std::collections::BTreeSet;

use krono_cel::Type;
use serde_json::Value;

use super::similar;
use crate::commands::cel::inputs::{Input, Inputs};

/// What other languages call the functions and macros of CEL.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (&["len", "length", "count"], "`size(x)` or `x.size()`"),
    (&["str", "toString", "toJson"], "`string(x)`, or `json.marshal(x)` for lists and maps"),
    (&["parseInt", "toInt", "integer", "number"], "`int(x)`"),
    (&["float", "parseFloat"], "`double(x)`"),
    (&["lower", "toLower", "toLowerCase", "lowercase"], "`x.lowerAscii()`"),
    (&["upper", "toUpper", "toUpperCase", "uppercase"], "`x.upperAscii()`"),
    (
        &["includes", "has_key", "hasKey", "containsKey"],
        "`item in list`, `key in map` or `text.contains(part)`",
    ),
    (&["startswith", "hasPrefix", "starts_with"], "`x.startsWith(text)`"),
    (&["endswith", "hasSuffix", "ends_with"], "`x.endsWith(text)`"),
    (&["strip", "trimSpace"], "`x.trim()`"),
    (&["any", "some"], "`list.exists(x, condition)`"),
    (&["every"], "`list.all(x, condition)`"),
    (&["where", "select", "find_all"], "`list.filter(x, condition)`"),
    (&["forEach", "collect"], "`list.map(x, expression)`"),
    (&["coalesce", "default", "getOrDefault", "get"], "`x.?field.orValue(…)`"),
    (&["now", "today"], "a time that is in the data; expressions see no clock"),
    (&["sprintf", "printf", "fmt"], "`\"%s-%d\".format([text, number])`"),
    (&["concat"], "`+`"),
    (&["min", "max"], "`list.min()` or `list.max()`"),
    (&["keys", "values", "entries"], "`map.transformList(k, v, k)` for keys, `…, v)` for values"),
    (&["exists", "all", "map", "filter", "exists_one"], "two arguments, as in `list.map(x, x + 1)`"),
];

/// Libraries of CEL and of Kubernetes that kro does not offer.
const LEFT_OUT: &[&str] = &["math", "sets", "authorizer", "jsonpatch", "regex"];

/// A variable or function that is not there.
pub(super) fn undeclared(name: &str, at: u32, inputs: &Inputs) -> String {
    let source = &inputs.expression;
    let at = at as usize;
    if source[at.min(source.len())..].starts_with('(') {
        let library = source[..at].strip_suffix(name).and_then(|it| it.strip_suffix('.')?.rsplit(' ').next());
        return library.and_then(left_out).unwrap_or_else(|| unknown_function(name));
    }
    if let Some(hint) = dashed(name, at, source) {
        return hint;
    }
    if let Some(hint) = left_out(name) {
        return hint;
    }
    let known: BTreeSet<&str> = inputs.variables.iter().map(|it| it.name.as_str()).collect();
    if let Some(near) = similar::nearest(name, &known) {
        return format!("did you mean `{near}`?");
    }
    let declared = match known.into_iter().collect::<Vec<_>>()[..] {
        [] => "no variables are given".to_owned(),
        [only] => format!("the only variable is {only}"),
        ref several => format!("the variables are {}", several.join(", ")),
    };
    format!(
        "{declared}; add one with `--var {name}=FILE` or `--set {name}=JSON`, or put text in quotes: \"{name}\""
    )
}

fn left_out(library: &str) -> Option<String> {
    let known = LEFT_OUT.contains(&library);
    known.then(|| format!("CEL has a library `{library}`, but definitions may not use it"))
}

fn unknown_function(name: &str) -> String {
    let last = name.rsplit('.').next().unwrap_or(name);
    match ELSEWHERE.iter().find(|(names, _)| names.contains(&last)) {
        Some((_, here)) => format!("in CEL this is {here}"),
        None => format!("there is no function or macro `{name}`; docs/cel.md lists those there are"),
    }
}

/// `labels.my-label` is a subtraction.
fn dashed(name: &str, at: usize, source: &str) -> Option<String> {
    let before = source.get(..at)?.strip_suffix('-')?;
    let start =
        before.rfind(|it: char| !it.is_alphanumeric() && it != '_' && it != '-').map_or(0, |it| it + 1);
    let end = source[at..].find(|it: char| !it.is_alphanumeric() && it != '_' && it != '-');
    let whole = &source[start..end.map_or(source.len(), |it| at + it)];
    let starts_a_name = before[start..].starts_with(|it: char| it.is_alphabetic());
    (starts_a_name && whole.contains(name))
        .then(|| format!("`-` is minus; a key with a dash is read with brackets: …[\"{whole}\"]"))
}

/// A field that a schema does not have.
pub(super) fn undefined_field(field: &str, inputs: &Inputs) -> String {
    let mut names = BTreeSet::new();
    inputs.variables.iter().for_each(|it| collect_fields(&it.ty, &mut names));
    match similar::nearest(field, &names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the schema has no field `{field}` there; only what it declares may be read"),
    }
}

/// Every key in the values of the variables.
pub(super) fn keys(inputs: &Inputs) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let mut pending: Vec<&Value> =
        inputs.variables.iter().filter_map(|it: &Input| it.value.as_ref()).collect();
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(map) => {
                names.extend(map.keys().map(String::as_str));
                pending.extend(map.values());
            }
            Value::Array(elements) => pending.extend(elements),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    names
}

fn collect_fields<'t>(ty: &'t Type, names: &mut BTreeSet<&'t str>) {
    #[expect(clippy::wildcard_enum_match_arm, reason = "all other types have no fields below them")]
    match ty {
        Type::Object(object) => object.fields.iter().for_each(|(name, field)| {
            names.insert(name);
            collect_fields(field, names);
        }),
        Type::List(list) => collect_fields(&list.element, names),
        Type::Map(entry) => collect_fields(&entry.1, names),
        _ => {}
    }
}
