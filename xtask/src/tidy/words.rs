//! Text that may not be committed. Needles are written in two parts so that this file may be.

const UNFINISHED: &[&str] = &[
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
    concat!("#[", "ignore"),
    concat!("#[", "should_panic"),
];

const MACHINE_PATHS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("/Us", "ers/"),
    concat!("/tm", "p/"),
];

/// Work that was put off and tests that do not run.
pub(super) fn unfinished(text: &str) -> Vec<String> {
    occurrences(text, UNFINISHED, |_| true, "finish it or take it out")
}

/// Paths that exist on one machine only.
pub(super) fn machine_paths(text: &str) -> Vec<String> {
    occurrences(text, MACHINE_PATHS, starts_a_path, "a path of one machine")
}

fn occurrences(text: &str, needles: &[&str], accept: fn(&str) -> bool, advice: &str) -> Vec<String> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for needle in needles {
            if line.match_indices(needle).any(|(at, _)| accept(&line[..at])) {
                findings.push(format!("{}: `{needle}`: {advice}", index + 1));
            }
        }
    }
    findings
}

/// An absolute path begins after anything but a path or URL segment.
fn starts_a_path(before: &str) -> bool {
    !before
        .ends_with(|it: char| it.is_alphanumeric() || matches!(it, '.' | '_' | '-' | '}' | ']' | '*' | ')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_work() {
        let text = format!("fn a() {{\n    {}\n}}\n{}]\n", UNFINISHED[0], UNFINISHED[2]);
        let found = unfinished(&text);
        assert!(found[0].starts_with("2: ") && found[1].starts_with("4: "), "{found:?}");
        assert_eq!(found.len(), 2);
        assert!(unfinished("// a todo list; ignore it").is_empty());
    }

    #[test]
    fn absolute_paths_but_not_segments() {
        let home = MACHINE_PATHS[2];
        assert_eq!(machine_paths(&format!("see {home}someone/x")).len(), 1);
        assert_eq!(machine_paths(&format!("\"{home}someone/x\"")).len(), 1);
        assert!(machine_paths(&format!("https://example.com{home}x, ..{home}y")).is_empty());
        assert!(machine_paths(&format!("${{DIR}}{home}x")).is_empty());
    }
}
