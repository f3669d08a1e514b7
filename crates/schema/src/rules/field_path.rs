//! `fieldPath` of a rule: the field to blame, relative to the rule's schema.

use crate::schema::Schema;

/// `.spec['a-b']` as the API server prints it, `spec.a-b`; or why it is no path of the schema.
pub(crate) fn normalize(path: &str, schema: &Schema) -> Result<String, String> {
    resolve(path, schema, true).map(|(normalized, _)| normalized)
}

/// The path as the API server prints it and the schema of the field it leads to, or why it leads nowhere.
pub(crate) fn resolve<'s>(
    path: &str,
    schema: &'s Schema,
    brackets: bool,
) -> Result<(String, &'s Schema), String> {
    let mut normalized = String::new();
    let mut schema = schema;
    let mut rest = path;
    while !rest.is_empty() {
        if !brackets && rest.starts_with('[') {
            return Err("array notation is not allowed".to_owned());
        }
        let (name, after) = next_step(rest)?;
        let is_named = !schema.properties.is_empty();
        let child = if is_named { schema.properties.get(&name) } else { schema.map_values() };
        schema = child.ok_or("does not refer to a valid field")?;
        if is_named {
            let dot = if normalized.is_empty() { "" } else { "." };
            normalized.extend([dot, &name]);
        } else {
            normalized.extend(["[", &name, "]"]);
        }
        rest = after;
    }
    Ok((normalized, schema))
}

/// `.name` or `['name']`, and what follows.
fn next_step(path: &str) -> Result<(String, &str), String> {
    if let Some(after) = path.strip_prefix('.') {
        let (name, rest) = token(after);
        return if name.is_empty() {
            Err("unexpected end of JSON path".to_owned())
        } else {
            Ok((name.to_owned(), rest))
        };
    }
    let Some(after) = path.strip_prefix('[') else {
        return Err(format!("expected [ or . but got: {}", token(path).0));
    };
    let Some(quoted) = after.strip_prefix('\'') else {
        return Err(format!("expected single quoted string but got {}", token(after).0));
    };
    let end = closing_quote(quoted).ok_or("unexpected end of JSON path")?;
    let rest = quoted[end + 1..]
        .strip_prefix(']')
        .ok_or_else(|| format!("expected ] but got {}", token(&quoted[end + 1..]).0))?;
    Ok((unescape(&quoted[..end])?, rest))
}

/// A delimiter, or what comes before the next one; and what follows.
fn token(text: &str) -> (&str, &str) {
    let end = match text.find(['.', '[', ']']) {
        Some(0) => 1,
        Some(end) => end,
        None => text.len(),
    };
    text.split_at(end)
}

fn closing_quote(text: &str) -> Option<usize> {
    let quotes = text.match_indices('\'').map(|(position, _)| position);
    quotes.into_iter().find(|position| !text[..*position].ends_with('\\'))
}

fn unescape(text: &str) -> Result<String, String> {
    let mut unescaped = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            unescaped.push(character);
            continue;
        }
        unescaped.push(match characters.next() {
            Some('a') => '\x07',
            Some('b') => '\x08',
            Some('f') => '\x0c',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('v') => '\x0b',
            Some(escaped @ ('\'' | '\\')) => escaped,
            other => {
                return Err(format!(
                    "invalid string literal: invalid escape char \\{}",
                    other.unwrap_or(' ')
                ));
            }
        });
    }
    Ok(unescaped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths() {
        let schema = Schema::from_value(&json!({"type": "object", "properties": {
            "a": {"type": "object", "properties": {"b-c": {"type": "string"}, "d": {"type": "string"}}},
            "m": {"type": "object", "additionalProperties": {"type": "string"}},
        }}))
        .unwrap();
        let check = |path: &str, expect: Result<&str, &str>| {
            assert_eq!(normalize(path, &schema), expect.map(str::to_owned).map_err(str::to_owned), "{path}");
        };
        check(".a.d", Ok("a.d"));
        check(".a['b-c']", Ok("a.b-c"));
        check(".m.key", Ok("m[key]"));
        check(r".m['it\'s']", Ok("m[it's]"));
        check("a", Err("expected [ or . but got: a"));
        check(".x", Err("does not refer to a valid field"));
        check(".a.d.e", Err("does not refer to a valid field"));
        check(".a['x", Err("unexpected end of JSON path"));
        check(".a[0]", Err("expected single quoted string but got 0"));
    }
}
