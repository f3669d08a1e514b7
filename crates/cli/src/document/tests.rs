use serde_json::{Value, json};

use super::syntax::Syntax;
use super::{DocumentError, Place, Source};

fn yaml(text: &str, expected: &Value) {
    let parsed = Syntax::Yaml.parse(text).unwrap();
    assert_eq!(&Value::Array(parsed.values), expected, "{text}");
    assert_eq!(parsed.duplicate, None, "{text}");
}

fn refused(syntax: Syntax, text: &str, expected: &str) {
    let (place, message) = syntax.parse(text).unwrap_err();
    assert_eq!(format!("{place}: {message}"), expected, "{text}");
}

#[test]
fn several_documents_without_the_empty_ones() {
    yaml("a: 1\n---\nb: 2\n", &json!([{"a": 1}, {"b": 2}]));
    yaml("---\n---\na: 1\n---\n# nothing\n", &json!([{"a": 1}]));
    yaml("", &json!([]));
}

#[test]
fn scalars_as_kubernetes_reads_them() {
    yaml("mode: 0644\nnew: 0o644\nhex: 0x1f\n", &json!([{"mode": 420, "new": 420, "hex": 31}]));
    yaml("a: yes\nb: off\nc: \"yes\"\n", &json!([{"a": true, "b": false, "c": "yes"}]));
    yaml("date: 2026-01-01\ntime: 12:30\n", &json!([{"date": "2026-01-01", "time": "12:30"}]));
    yaml("8080: a\n", &json!([{"8080": "a"}]));
    yaml("a: &x {b: 1}\nc: {<<: *x, d: 2}\n", &json!([{"a": {"b": 1}, "c": {"b": 1, "d": 2}}]));
    yaml("a: ${schema.spec.name}\n", &json!([{"a": "${schema.spec.name}"}]));
    yaml("{\"a\": [1, 2.5, null]}", &json!([{"a": [1, 2.5, null]}]));
    yaml("\u{feff}{\"a\": 1}\r\n", &json!([{"a": 1}]));
    yaml("{a: [1, b]}\n---\n[c]\n", &json!([{"a": [1, "b"]}, ["c"]]));
    yaml("\u{feff}a: 1\r\nb: c\r\n", &json!([{"a": 1, "b": "c"}]));
}

#[test]
fn a_key_given_twice_is_told() {
    let parsed = Syntax::Yaml.parse("a: 1\nb: 2\na: 3\n").unwrap();
    assert_eq!(parsed.values, [json!({"a": 3, "b": 2})]);
    assert_eq!(parsed.duplicate, Some((Place { line: 3, column: 1 }, "a".to_owned())));
}

#[test]
fn plain_keys_are_booleans_where_kubectl_takes_them_for_some() {
    let text = "on: {n: 1, \"y\": 2, 'off': 3}\nlist:\n- Yes: a\nx: [no, No]\n---\nname: c\n";
    let parsed = Syntax::Yaml.parse(text).unwrap();
    let first = json!({"true": {"false": 1, "y": 2, "off": 3}, "list": [{"true": "a"}], "x": [false, false]});
    assert_eq!(parsed.values, [first, json!({"name": "c"})]);
    let told: Vec<_> =
        parsed.booleans.iter().map(|it| format!("{} {} {}", it.place, it.written, it.read)).collect();
    assert_eq!(told, ["1:1 on true", "1:6 n false", "3:3 Yes true"]);
}

#[test]
fn documents_beside_one_that_makes_no_sense_are_read() {
    let check = |text: &str, kept: &str, wrong: &[&str]| {
        let (read, found) = Syntax::Yaml.readable(text.to_owned());
        let found: Vec<_> = found.iter().map(|(place, message)| format!("{place}: {message}")).collect();
        assert_eq!(read, kept, "{text}");
        assert_eq!(found, wrong, "{text}");
    };
    check("a: 1\n---\nb: 2\n", "a: 1\n---\nb: 2\n", &[]);
    check(
        "a: b: c\n---\nb: 2\n--- # more\nc: d: e\n",
        "\n---\nb: 2\n\n\n",
        &[
            "1:5: mapping values are not allowed in this context",
            "5:5: mapping values are not allowed in this context",
        ],
    );
}

#[test]
fn mistakes_have_a_place() {
    refused(Syntax::Yaml, "a:\n\t- b\n", "2:2: tabs disallowed within this context (block indentation)");
    refused(Syntax::Yaml, "a: b: c\n", "1:5: mapping values are not allowed in this context");
    refused(Syntax::Json, "{\n  \"a\": }\n", "2:8: expected value");
    refused(Syntax::Json, "", "1:0: EOF while parsing a value");
}

#[test]
fn hostile_depth_is_refused() {
    assert!(Syntax::Yaml.parse(&"[".repeat(100_000)).is_err());
    assert!(Syntax::Yaml.parse(&"{a: ".repeat(10_000)).is_err());
    assert!(Syntax::Json.parse(&"[".repeat(100_000)).is_err());
    yaml(&format!("{}{}", "[".repeat(120), "]".repeat(120)), &nested(121));
}

fn nested(depth: usize) -> Value {
    (1..depth).fold(json!([]), |inner, _| json!([inner]))
}

#[test]
fn a_dash_is_stdin() {
    assert_eq!("-".parse(), Ok(Source::Stdin));
    assert_eq!("./-".parse(), Ok(Source::File("./-".into())));
}

#[test]
fn errors_name_the_source() {
    let missing = Source::File("no/such/file.yaml".into()).read_document().unwrap_err();
    assert!(missing.to_string().starts_with("cannot read no/such/file.yaml: "), "{missing}");
    let count = |found| DocumentError::Count { source: Source::Stdin, found }.to_string();
    assert_eq!(count(0), "<stdin> holds no document");
    assert_eq!(count(3), "<stdin> holds 3 documents where one is expected");
}
