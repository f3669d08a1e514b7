//! Configuration, secrets and quotas.

use serde_json::Value;

use crate::printers::{Heading, Shown};

pub(super) const CONFIG_MAP: &[Heading] =
    &[Heading::NAME, Heading::computed("Data", entries).field("/data"), Heading::AGE];

pub(super) const SECRET: &[Heading] = &[
    Heading::NAME,
    Heading::text("Type", "/type"),
    Heading::count("Data", "/data").typed("string"),
    Heading::AGE,
];

pub(super) const QUOTA: &[Heading] = &[
    Heading::NAME,
    Heading::told("Request", requests)
        .said("Request represents a minimum amount of cpu/memory that a container may consume."),
    Heading::told("Limit", limits).said(
        "Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.",
    ),
    Heading::AGE,
];

fn entries(shown: &Shown<'_>) -> Value {
    (shown.count("/data") + shown.count("/binaryData")).into()
}

fn requests(shown: &Shown<'_>) -> String {
    used(shown, false)
}

fn limits(shown: &Shown<'_>) -> String {
    used(shown, true)
}

/// What is used of every resource, such as `pods: 1/5`.
fn used(shown: &Shown<'_>, limits: bool) -> String {
    let amount = |value: Option<&Value>| value.map_or_else(|| "0".to_owned(), crate::jsonpath::text);
    let used = shown.map("/status/used");
    let mut hard: Vec<_> = shown.map("/status/hard").into_iter().flatten().collect();
    hard.sort_unstable_by_key(|(name, _)| *name);
    let wanted = hard.into_iter().filter(|(name, _)| name.starts_with("limits.") == limits);
    let texts = wanted.map(|(name, hard)| {
        let used = used.and_then(|used| used.get(name));
        format!("{name}: {}/{}", amount(used), amount(Some(hard)))
    });
    texts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use crate::printers::testing::check;
    use serde_json::json;

    #[test]
    fn rows() {
        check(
            ("", "ConfigMap"),
            json!({"metadata": {"name": "c"}, "data": {"a": "1"}, "binaryData": {"b": ""}}),
            json!(["c", 2, "<unknown>"]),
        );
        check(
            ("", "Secret"),
            json!({"metadata": {"name": "s"}, "type": "Opaque", "data": {"a": "MQ=="}}),
            json!(["s", "Opaque", 1, "<unknown>"]),
        );
        check(
            ("", "ResourceQuota"),
            json!({"metadata": {"name": "q"}, "status": {
                "hard": {"pods": "5", "limits.cpu": "2", "cpu": "1"}, "used": {"pods": "1", "cpu": "500m"},
            }}),
            json!(["q", "cpu: 500m/1, pods: 1/5", "limits.cpu: 0/2", "<unknown>"]),
        );
    }
}
