//! Wrong definitions: every mistake is told, with its path and what to do.
//!
//! `mistakes.txt` has a definition's `spec` in each case, and behind `--` what is found. `KRONO_BLESS=1` writes what is found
//! now; read the difference before you commit it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use krono_graph::{Diagnostic, Options, compile};
use serde_json::Value;

use crate::world::{BuiltIn, definition};

/// Stands before cases that have resources only.
const SCHEMA: &str = "schema:
  kind: App
  apiVersion: v1alpha1
  spec: {name: string, replicas: integer, regions: '[]string', open: boolean, labels: 'map[string]string'}
";

struct Case<'t> {
    title: &'t str,
    spec: &'t str,
    expect: &'t str,
}

impl Case<'_> {
    fn definition(&self) -> Value {
        let schema = if self.spec.starts_with("resources:") { SCHEMA } else { "" };
        definition(&format!("{schema}{}", self.spec))
    }

    fn found(&self) -> Vec<Diagnostic> {
        let compiled = compile(&self.definition(), &BuiltIn, Options::default());
        compiled.map(drop).expect_err(self.title)
    }
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let blocks = text.split("\n== ").skip(1);
    let case = |block| {
        let (title, rest) = str::split_once(block, '\n').expect("a title");
        let (spec, expect) = rest.split_once("\n--\n").expect("what is found behind `--`");
        Case { title, spec, expect: expect.trim_end() }
    };
    blocks.map(case).collect()
}

fn lines(found: &[Diagnostic]) -> String {
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_mistake_is_told() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mistakes.txt");
    let text = fs::read_to_string(&file).unwrap();
    let (head, _) = text.split_once("\n== ").unwrap();
    let cases = cases(&text);
    if std::env::var_os("KRONO_BLESS").is_some_and(|it| it == "1") {
        let mut blessed = head.to_owned();
        for case in &cases {
            write!(blessed, "\n== {}\n{}\n--\n{}\n", case.title, case.spec, lines(&case.found())).unwrap();
        }
        fs::write(&file, blessed).unwrap();
        return;
    }
    for case in &cases {
        assert_eq!(lines(&case.found()), case.expect, "{}\n{}", case.title, case.spec);
    }
    assert!(cases.len() >= 60, "{}", cases.len());
}

/// The path of each leads to a field that is there, or would be in one that is; and each says what to do.
#[test]
fn every_mistake_has_a_place_and_a_cure() {
    for case in cases(include_str!("mistakes.txt")) {
        let definition = case.definition();
        for diagnostic in case.found() {
            assert!(!diagnostic.advice.is_empty(), "{}: {diagnostic}", case.title);
            assert!(reaches(&definition, &diagnostic.path), "{}: {diagnostic}", case.title);
            let text = diagnostic.span.map(|span| (span, text_at(&definition, &diagnostic.path)));
            if let Some((span, text)) = text {
                let range = span.start as usize..span.end as usize;
                let part = text.unwrap_or_default().get(range);
                assert!(part.is_some_and(|it| !it.is_empty()), "{}: {diagnostic} {span:?}", case.title);
            }
        }
    }
}

/// Whether all but the last step of a path is there.
fn reaches(value: &Value, path: &str) -> bool {
    let parent = path.rfind(['.', '[']).map_or("", |at| &path[..at]);
    at(value, path).is_some() || at(value, parent).is_some()
}

fn text_at<'v>(value: &'v Value, path: &str) -> Option<&'v str> {
    at(value, path).and_then(Value::as_str)
}

fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let path = path.trim_start_matches('.');
    if path.is_empty() {
        return Some(value);
    }
    if let Some((key, rest)) = path.strip_prefix('[').and_then(|it| it.split_once(']')) {
        let inner = key.parse::<usize>().map_or_else(|_| value.get(key), |index| value.get(index));
        return at(inner?, rest);
    }
    let fields = value.as_object()?.iter().filter(|(name, _)| {
        path.strip_prefix(name.as_str()).is_some_and(|it| it.is_empty() || it.starts_with(['.', '[']))
    });
    let (name, inner) = fields.max_by_key(|(name, _)| name.len())?;
    at(inner, &path[name.len()..])
}
