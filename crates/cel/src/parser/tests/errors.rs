//! What is said about expressions that do not parse.

use super::env;

/// How a message lists what an expression may begin with.
const EXPR: &str = "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', \
                    NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";

/// A line that is a source, and indented below it what is wrong with it.
const TABLE: &str = include_str!("errors.txt");

#[test]
fn messages_are_those_of_cel_go() {
    let table = TABLE.lines().filter(|it| !it.is_empty() && !it.starts_with("# "));
    let lines: Vec<&str> = table.collect();
    let blocks = lines.chunk_by(|_, next| next.starts_with("    "));
    let mut count = 0;
    for block in blocks {
        check(&unescaped(block[0]), &block[1..]);
        count += 1;
    }
    assert!(count > 150, "only {count} cases");
}

#[track_caller]
fn check(source: &str, expect: &[&str]) {
    let expect: Vec<String> = expect.iter().map(|it| unescaped(it.trim_start())).collect();
    assert_eq!(found(source), expect, "{source}");
}

fn found(source: &str) -> Vec<String> {
    let Err(issues) = env().parse(source) else { return Vec::new() };
    let show = |it| {
        let position = issues.position(it);
        format!("{}:{} {}", position.line, position.column, it.message.replace(EXPR, "EXPR"))
    };
    issues.iter().map(show).collect()
}

fn unescaped(text: &str) -> String {
    text.replace("\\\\", "\0").replace("\\n", "\n").replace('\0', "\\")
}
