//! Names that mean nothing here.

use std::collections::BTreeSet;

use super::similar;
use crate::env::Env;

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

/// What to do about a variable or function that is not there.
pub(super) fn hint(name: &str, at: u32, source: &str, env: &Env) -> Option<String> {
    let at = (at as usize).min(source.len());
    let (before, rest) = (source.get(..at)?, source.get(at..)?);
    if rest.starts_with('(') {
        let library = before.strip_suffix(name).and_then(|it| it.strip_suffix('.')?.rsplit(' ').next());
        return Some(library.and_then(left_out).unwrap_or_else(|| unknown_function(name)));
    }
    dashed(name, at, source).or_else(|| left_out(name)).or_else(|| {
        let known: BTreeSet<&str> = env.variables().iter().map(|it| it.name.as_ref()).collect();
        similar::nearest(name, &known).map(|near| format!("did you mean `{near}`?"))
    })
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
