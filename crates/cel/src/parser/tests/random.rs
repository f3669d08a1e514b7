//! Random input: never a panic, and what is wrong has a place within the source.

use proptest::prelude::*;

use super::env;

const TOKENS: &[&str] = &[
    "a",
    "b.c",
    "for",
    "true",
    "null",
    "in",
    "1",
    "2u",
    "3.5",
    "-",
    "'x'",
    "b'y'",
    "r'\\'",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    ",",
    "!",
    "?",
    ":",
    "+",
    "*",
    "/",
    "%",
    "==",
    "<",
    ">=",
    "&&",
    "||",
    "`f-g`",
    "$",
    "=",
    "&",
    "has(",
    ".all(i, ",
    ".map(",
    "f(",
    ".?",
    "[?",
    "A{",
    "f: ",
    "\n",
    "0x1F",
    "99999999999999999999",
    "'",
    "\"\"\"",
    "\\",
    "// ",
    "cel.bind(",
    "math.least(",
    ".sortBy(",
    "é",
    "\u{0}",
];

fn parse(source: &str) -> Result<(), TestCaseError> {
    if let Err(issues) = env().parse(source) {
        for issue in issues.iter() {
            prop_assert!(issue.at as usize <= source.len());
            prop_assert!(issue.span.start <= issue.span.end);
            prop_assert!(source.get(issue.span.start as usize..issue.span.end as usize).is_some());
        }
        prop_assert!(!issues.to_string().is_empty());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(source in "\\PC{0,60}") {
        parse(&source)?;
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        parse(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn any_tokens(tokens in proptest::collection::vec(proptest::sample::select(TOKENS), 0..30), spaced: bool) {
        parse(&tokens.join(if spaced { " " } else { "" }))?;
    }
}
