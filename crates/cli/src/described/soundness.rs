//! What the API server would refuse about a schema.

use krono_schema::crd::Version;
use krono_schema::{FieldError, Schema, simple, structural};

use super::reading::crd_path;
use super::{Described, Problem, problem};

/// Everything the API server would refuse, with paths into the document.
pub(super) fn problems(described: &Described) -> Vec<Problem> {
    match described {
        Described::Definition(definition) => {
            let versions = definition.crd.spec.versions.iter().filter_map(Version::schema);
            versions.flat_map(|it| of_simple(it, "spec.schema")).collect()
        }
        Described::Crd(crd) => {
            let versions = crd.versions.iter().enumerate();
            versions
                .flat_map(|(index, it)| structural::check(&it.schema, &crd_path(index)))
                .map(Problem::from)
                .collect()
        }
        Described::Simple(schema) => of_simple(schema, ""),
        Described::OpenApi(schema) => of_value(schema),
    }
}

/// The problems of a schema that need not be of a whole object: it is checked as a field of one.
fn of_value(schema: &Schema) -> Vec<Problem> {
    let object = Schema::object([("value", schema.clone())]);
    let strip = |mut it: Problem| {
        let inside = it.path.strip_prefix(".properties[value]").unwrap_or_default();
        it.path = inside.trim_start_matches('.').to_owned();
        it
    };
    structural::check(&object, "").into_iter().map(Problem::from).map(strip).collect()
}

/// The problems of a schema that was written in the short notation, with paths into what was written.
fn of_simple(schema: &Schema, prefix: &str) -> Vec<Problem> {
    structural::check(schema, "").into_iter().map(|it| simplified(&it).below(prefix)).collect()
}

/// From `properties[spec].items.properties[port].default` to `spec.port`, the rest standing in the message.
fn simplified(error: &FieldError) -> Problem {
    let (field, rest) = simple::written(&error.path);
    let keyword = if rest.is_empty() { String::new() } else { format!("{rest}: ") };
    Problem::new(field, format!("{keyword}{}", problem::words(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn problems_are_placed_where_they_were_written() {
        let check = |fields: Value, expected: &str| {
            let schema = simple::expand("", &fields, &Value::Null).unwrap();
            let lines: Vec<_> =
                of_simple(&schema, "").iter().map(|it| format!("{}: {}", it.path, it.message)).collect();
            assert_eq!(lines.join("\n"), expected);
        };
        check(json!({"a": {"b": "integer | default=1 minimum=0"}}), "");
        check(json!({"a": {"b": "[]integer | validation=\"self.all(x, x > 0)\""}}), "");
        check(
            json!({"a": {"b": "integer | default=1 minimum=5"}}),
            "a.b: default: Invalid value: 1:  in body should be greater than or equal to 5",
        );
        check(
            json!({"a": "string | validation=\"self > 1\""}),
            "a: x-kubernetes-validations[0].rule: compilation failed: ERROR: <input>:1:6: found no matching overload for '_>_' applied to '(string, int)'\n | self > 1\n | .....^",
        );
    }
}
