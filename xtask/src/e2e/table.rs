//! Cases, one per line.

use serde_json::Value;

/// A table of cases: name, verdict, seconds, and what was written after all had settled.
pub(super) fn of(cases: &[Value]) -> String {
    let width = cases.iter().map(|it| name(it).len()).max().unwrap_or_default().max("case".len());
    let mut table = format!(
        "{:width$}  {:7}  {:>7}  {:>22}  children\n",
        "case", "verdict", "seconds", "writes after settling"
    );
    for case in cases {
        let verdict = case["verdict"].as_str().unwrap_or_default();
        let seconds = case["seconds"].as_f64().unwrap_or_default();
        let writes = case["writes_after_settling"].as_u64().map_or("-".to_owned(), |it| it.to_string());
        let line = format!(
            "{:width$}  {verdict:7}  {seconds:>7.1}  {writes:>22}  {}",
            name(case),
            children(&case["children"])
        );
        table += line.trim_end();
        table.push('\n');
    }
    table
}

fn name(case: &Value) -> &str {
    case["name"].as_str().unwrap_or_default()
}

fn children(children: &Value) -> String {
    if children.is_null() {
        return String::new();
    }
    format!("{} changed, {} written of {}", children["changed"], children["written"], children["there"])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_case_is_a_line() {
        let cases = [
            json!({"name": "real/upgrade", "verdict": "ok", "seconds": 12.34, "writes_after_settling": 0}),
            json!({"name": "takeover", "verdict": "FAIL", "seconds": 1,
                "children": {"there": 9, "written": 2, "changed": 1}}),
        ];
        let expected = "\
case          verdict  seconds   writes after settling  children
real/upgrade  ok          12.3                       0
takeover      FAIL         1.0                       -  1 changed, 2 written of 9
";
        assert_eq!(of(&cases), expected);
    }
}
