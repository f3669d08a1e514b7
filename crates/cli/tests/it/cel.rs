//! `krono cel`.

use std::io::{Write, pipe};
use std::process::Stdio;

use crate::krono::{Run, command, file, krono, krono_reading};

/// Exit code, stdout and stderr.
fn check(run: &Run, code: i32, stdout: &str, stderr: &str) {
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(code), stdout, stderr), "{run}");
}

#[test]
fn values_are_printed_in_three_formats() {
    let print = |format: &str| krono(&["cel", "eval", "{'a': ['b', 1]}", "-o", format]);
    check(&print("json"), 0, "{\n  \"a\": [\n    \"b\",\n    1\n  ]\n}\n", "");
    check(&print("yaml"), 0, "a:\n- b\n- 1\n", "");
    check(&print("text"), 0, "{\"a\":[\"b\",1]}\n", "");
    check(&krono(&["cel", "eval", "-1 - -2"]), 0, "1\n", "");
}

#[test]
fn types_are_printed() {
    check(&krono(&["cel", "check", "[1].map(x, {'a': x})"]), 0, "list(map(string, int))\n", "");
    check(&krono(&["cel", "check", "a", "--set", "a=1"]), 0, "dyn\n", "");
}

#[test]
fn variables_come_from_files_stdin_and_the_command_line() {
    let app = file("app.yaml", "spec:\n  replicas: 3\n");
    let app = format!("app={app}");
    check(&krono(&["cel", "eval", "app.spec.replicas * n", "--var", &app, "--set", "n=2"]), 0, "6\n", "");
    check(&krono_reading("a: [1]\n", &["cel", "eval", "x.a[0]", "--var", "x=-"]), 0, "1\n", "");
    check(&krono_reading("1 +\n 1\n", &["cel", "eval", "-"]), 0, "2\n", "");
}

#[test]
fn schemas_give_variables_types() {
    let definition = "kind: App\napiVersion: v1\nspec:\n  replicas: integer\n  ports: '[]string'\n";
    let crd = file("typed-crd.yaml", &krono_reading(definition, &["schema", "expand", "-"]).stdout);
    for source in [file("typed.yaml", definition), crd] {
        let check_type = |expression: &str, expected: &str| {
            let schema = format!("app={source}");
            check(
                &krono(&["cel", "check", expression, "--schema", &schema]),
                0,
                &format!("{expected}\n"),
                "",
            );
        };
        check_type("app.spec.replicas + 1", "int");
        check_type("app.spec.ports", "list(string)");
        check_type("app.metadata.labels", "map(string, string)");
        check_type("app.metadata.creationTimestamp", "timestamp");
        check_type("app.metadata.namespace + app.kind", "string");
    }
    let run = krono_reading("a: integer\n", &["cel", "check", "x.b", "--schema", "x=-"]);
    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stderr.starts_with("ERROR: <input>:1:2: undefined field 'b'\n"), "{run}");
}

#[test]
fn a_value_that_does_not_fit_its_schema_is_told() {
    let run = krono_reading(
        "a: integer\nb: string\n",
        &["cel", "eval", "x.b", "--schema", "x=-", "--set", r#"x={"a": "1", "b": "c"}"#],
    );
    let warning = "warning: the value of `x` does not fit its schema: a: Invalid value: \"string\": a in body must be of type integer: \"string\"\n";
    check(&run, 0, "\"c\"\n", warning);
    let missing = krono_reading("integer | minimum=1\n", &["cel", "eval", "x", "--schema", "x=-"]);
    assert_eq!(missing.code, Some(1), "{missing}");
    let missing = krono_reading("type: integer\n", &["cel", "eval", "x + 1", "--schema", "x=-"]);
    check(
        &missing,
        1,
        "",
        "ERROR: <input>:1:1: no such attribute(s): x\n | x + 1\n | ^\nhint: `x` has a schema and no value; add `--var x=FILE` or `--set x=JSON`\n",
    );
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let expected = "\
ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'
 | 1 + '' + x
 | ..^
ERROR: <input>:1:10: undeclared reference to 'x' (in container '')
 | 1 + '' + x
 | .........^
hint: `+` turns no int into text; write string(…) around it
hint: no variables are given; add one with `--var x=FILE` or `--set x=JSON`, or put text in quotes: \"x\"
";
    check(&krono(&["cel", "check", "1 + '' + x"]), 1, "", expected);
    check(&krono(&["cel", "eval", "1 + '' + x"]), 1, "", expected);
}

#[test]
fn an_evaluation_error_points_at_the_failing_part() {
    let run = krono(&["cel", "eval", "1 + a.b.c + 1", "--set", r#"a={"b": {}}"#]);
    let expected = "ERROR: <input>:1:5: no such key: c\n | 1 + a.b.c + 1\n | ....^^^^^\n";
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run}");
    assert!(run.stderr.starts_with(expected), "{run}");
}

#[test]
fn the_budget_can_be_set() {
    let sum = "[1, 2, 3, 4, 5, 6, 7, 8].all(x, x > 0)";
    check(&krono(&["cel", "eval", sum, "--budget", "1000"]), 0, "true\n", "");
    let run = krono(&["cel", "eval", sum, "--budget", "3"]);
    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stderr.contains("actual cost limit exceeded (3 units)"), "{run}");
}

#[test]
fn what_cannot_be_read_is_a_usage_error() {
    let refused = |arguments: &[&str], expected: &str| {
        let run = krono(&[&["cel", "eval", "1"], arguments].concat());
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run}");
        assert!(run.stderr.starts_with(expected), "{run}");
    };
    refused(&["--var", "a=no/such.yaml"], "error: cannot read no/such.yaml: there is no such file\n");
    refused(&["--var", "a=."], "error: cannot read .: it is a directory\n");
    refused(&["--var", "a"], "error: invalid value 'a' for '--var <NAME=FILE>': expected NAME=FILE\n");
    refused(&["--set", "a=1", "--set", "a=2"], "error: the variable `a` is given twice\n");
    refused(&["--set", "in=1"], "error: invalid value 'in=1' for '--set <NAME=JSON>': `in` is a word of CEL");
    refused(&["--var", "a=-", "--var", "b=-"], "error: `-` stands for stdin more than once");
    refused(&["2"], "error: unexpected argument '2' found");
}

#[test]
fn what_is_malformed_is_wrong() {
    let refused = |text: &str, expected: &str| {
        let run = krono_reading(text, &["cel", "eval", "a", "--var", "a=-"]);
        check(&run, 1, "", expected);
    };
    refused(
        "a: b: c\n",
        "error: <stdin>:1:5: mapping values are not allowed in this context\nhint: is a line not indented as the one above it? text with `: ` in it stands in quotes\n",
    );
    refused(
        "# none\n",
        "error: <stdin> holds no document\nhint: is the file empty, or all of it a comment?\n",
    );
    refused(
        "1\n---\n2\n",
        "error: <stdin> holds 2 documents where one is expected\nhint: keep one of the documents that `---` separates, or split the file\n",
    );
    let twice = krono_reading("a: 1\na: 2\n", &["cel", "eval", "a.a", "--var", "a=-"]);
    check(&twice, 0, "2\n", "warning: <stdin>:2:1: the key `a` is given twice; the last one counts\n");
}

#[test]
fn hostile_expressions_end_with_an_error() {
    for (source, expected) in [
        ("(".repeat(100_000), "expression recursion limit"),
        ("1 + ".repeat(300_000), "expression code point size exceeds limit"),
        (format!("{}x", "!".repeat(50_000)), "ERROR: <input>:1:"),
        ("[0]".to_owned() + &".map(x, [x, x])".repeat(100), "actual cost limit exceeded"),
        ("\0\u{1}\u{7f}é".to_owned(), "Syntax error"),
    ] {
        let run = krono_reading(&source, &["cel", "eval", "-"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{}", &source[..20.min(source.len())]);
        assert!(run.stderr.contains(expected) && run.stderr.len() < 4_000, "{run}");
    }
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let mut run = command(&["cel", "eval", "-"]);
    let mut child = run.stdin(Stdio::piped()).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"[1].map(x, 'long' + string(x))").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
