//! Files and functions stay small.

const LONGEST_FILE: usize = 600;
const LONGEST_FUNCTION: usize = 80;

/// Findings as `line: message`, for text laid out by rustfmt.
pub(super) fn findings(text: &str) -> Vec<String> {
    let lines: Vec<_> = text.lines().collect();
    let mut findings = Vec::new();
    if lines.len() > LONGEST_FILE {
        findings.push(format!("1: {} lines; split the file at {LONGEST_FILE}", lines.len()));
    }
    for (index, line) in lines.iter().enumerate() {
        let length = if opens_function(line) { function_length(&lines[index..]) } else { 0 };
        if length > LONGEST_FUNCTION {
            findings.push(format!(
                "{}: a function of {length} lines; the limit is {LONGEST_FUNCTION}",
                index + 1
            ));
        }
    }
    findings
}

fn opens_function(line: &str) -> bool {
    let mut words = line.split_whitespace().skip_while(|it| {
        it.starts_with("pub") || matches!(*it, "const" | "async" | "unsafe" | "extern" | "\"C\"" | "default")
    });
    words.next() == Some("fn") && words.next().is_some()
}

/// Lines from `fn` to the closing brace at the same indentation; one line for a declaration without a body.
fn function_length(lines: &[&str]) -> usize {
    let first = lines[0];
    let indentation = &first[..first.len() - first.trim_start().len()];
    let closes = |line: &&str| line.strip_prefix(indentation) == Some("}");
    let declares = |line: &&str| {
        line.strip_prefix(indentation).is_some_and(|it| it.starts_with(')') && it.ends_with(';'))
    };
    if first.ends_with([';', '}']) {
        return 1;
    }
    lines.iter().position(|it| closes(it) || declares(it)).map_or(1, |it| it + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(indentation: &str, body: usize) -> String {
        let statement = format!("{indentation}    step();\n");
        format!("{indentation}pub(crate) fn f() {{\n{}{indentation}}}\n", statement.repeat(body))
    }

    #[test]
    fn the_limit_counts_both_braces() {
        assert!(findings(&function("", 78)).is_empty());
        assert_eq!(findings(&function("", 79)), ["1: a function of 81 lines; the limit is 80"]);
        let method = format!("impl X {{\n{}}}\n", function("    ", 79));
        assert_eq!(findings(&method), ["2: a function of 81 lines; the limit is 80"]);
    }

    #[test]
    fn declarations_and_one_liners_have_no_body() {
        let text = format!("fn a();\nfn b() {{}}\nfn c(\n    x: u8,\n);\n{}}}\n", "x\n".repeat(100));
        assert!(findings(&text).is_empty());
    }

    #[test]
    fn a_signature_over_several_lines_counts() {
        let text =
            format!("fn c(\n    x: u8,\n) -> u8\nwhere\n    u8: Copy,\n{{\n{}}}\n", "    x;\n".repeat(80));
        assert_eq!(findings(&text), ["1: a function of 87 lines; the limit is 80"]);
    }

    #[test]
    fn long_files() {
        assert!(findings(&"\n".repeat(600)).is_empty());
        assert_eq!(findings(&"\n".repeat(601)), ["1: 601 lines; split the file at 600"]);
    }
}
