//! Output without what is different in every run: times, identities, addresses, generated names, column widths.

use regex::{Captures, Regex};

/// Letters of generated names: no vowels, nothing that looks like something else.
const GENERATED: &str = "[bcdfghjklmnpqrstvwxz2456789]";

/// Masks text.
#[derive(Debug)]
pub(crate) struct Mask {
    rules: Vec<(Regex, &'static str)>,
    address: Regex,
}

impl Mask {
    pub(crate) fn new() -> Result<Self, regex::Error> {
        let generated = |pattern: &str| pattern.replace("GEN", GENERATED);
        let rules = [
            (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)? ?(Z|[+-]\d\d:?\d\d)".to_owned(), "<time>"),
            (r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}".to_owned(), "<time>"),
            (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}".to_owned(), "<uid>"),
            (r#"(?i)(resource ?version"?: *"?)\d+"#.to_owned(), "${1}<version>"),
            (r"(?m)^[EWI]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ (\w+\.go):\d+\]".to_owned(), "<log> $1]"),
            (r"\b(LIVE|MERGED)-\d+".to_owned(), "$1"),
            (generated(r#"((?:pod-template|controller-revision)-hash"?[=:] ?"?)[a-z0-9-]+"#), "${1}<hash>"),
            (generated(r"-GEN{8,10}-GEN{5}\b"), "-<hash>-<id>"),
            (generated(r"-(?:GEN{8,10}|GEN{5})\b"), "-<hash>"),
            (r"(?m)(^|  |\(|over )((?:\d+[smhdy]){1,2})( ago|\)|  |,|$| \()".to_owned(), "$1<age>$3"),
            (r"\b3[0-2]\d{3}\b".to_owned(), "<port>"),
            (r"(?m)[ \t]+$".to_owned(), ""),
            (r"(\S)[ \t]{2,}".to_owned(), "$1  "),
            (r"/\.tmp\w{6}\b".to_owned(), "/<folder>"),
            (r"\b0x[0-9a-f]+".to_owned(), "<pointer>"),
            (r"-{4,}".to_owned(), "---"),
        ];
        let rules = rules.into_iter().map(|(pattern, with)| Ok((Regex::new(&pattern)?, with)));
        let address = Regex::new(r"\b\d{1,3}(?:\.\d{1,3}){3}\b(?::\d{4,5}\b)?")?;
        Ok(Self { rules: rules.collect::<Result<_, regex::Error>>()?, address })
    }

    pub(crate) fn apply(&self, text: &str) -> String {
        // Addresses kept for documentation stand in the stories themselves.
        let address = |found: &Captures<'_>| {
            let kept = found[0].starts_with("192.0.2.");
            if kept { found[0].to_owned() } else { "<ip>".to_owned() }
        };
        let mut masked = self.address.replace_all(text, address).into_owned();
        for (rule, with) in &self.rules {
            masked = rule.replace_all(&masked, *with).into_owned();
        }
        masked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks() {
        let mask = Mask::new().unwrap();
        let check = |text: &str, expect: &str| assert_eq!(mask.apply(text), expect);
        check("web   1/1     Running   0     12s", "web  1/1  Running  0  <age>");
        check(
            "web-5d9c7b6f58-x2x4z  1/1  Running  2 (3m5s ago)  4h",
            "web-<hash>-<id>  1/1  Running  2 (<age> ago)  <age>",
        );
        check("agent-x2x4z", "agent-<hash>");
        check("a-name stays", "a-name stays");
        check(r#"  resourceVersion: "123""#, r#"  resourceVersion: "<version>""#);
        check("uid: 00000000-0000-4000-8000-000000000001", "uid: <uid>");
        check("10.0.0.7 192.0.2.1 127.0.0.1:45678", "<ip> 192.0.2.1 <ip>");
        check("80:30123/TCP", "80:<port>/TCP");
        check(r#""creationTimestamp": "2026-11-15T12:00:00Z""#, r#""creationTimestamp": "<time>""#);
        check(r#"{"cpu":"200m"}"#, r#"{"cpu":"200m"}"#);
        check("Created:  Sun, 15 Nov 2026 12:00:00 +0000", "Created:  <time>");
        check("    deep:      value", "    deep:  value");
        check("2m15s (x3 over 5m)", "<age> (x3 over <age>)");
        check("--- /x/LIVE-123/v1.a	2026-11-15 12:00:00.5 +0000", "--- /x/LIVE/v1.a	<time>");
    }
}
