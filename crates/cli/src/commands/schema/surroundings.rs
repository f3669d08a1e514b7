//! What changes of an API besides the schemas of its versions.

use krono_schema::compatibility::Effect;
use serde_json::Value;

/// Compares two `CustomResourceDefinition`s, and the versions that both have.
pub(super) fn compare(old: &Value, new: &Value) -> Vec<(Effect, String)> {
    let mut changes = Vec::new();
    let names = [("short names", "/spec/names/shortNames"), ("categories", "/spec/names/categories")];
    let metadata = [("labels", "/metadata/labels"), ("annotations", "/metadata/annotations")];
    let both_tell = old.get("metadata").is_some() && new.get("metadata").is_some();
    for (what, pointer) in names.into_iter().chain(metadata.into_iter().filter(|_| both_tell)) {
        changes.extend(changed(what, old.pointer(pointer), new.pointer(pointer)));
    }
    for before in versions(old) {
        let after = versions(new).find(|it| it["name"] == before["name"]);
        changes.extend(after.into_iter().flat_map(|after| compare_versions(before, after)));
    }
    changes
}

fn versions(crd: &Value) -> impl Iterator<Item = &Value> {
    crd.pointer("/spec/versions").and_then(Value::as_array).into_iter().flatten()
}

fn compare_versions(old: &Value, new: &Value) -> Vec<(Effect, String)> {
    let name = old["name"].as_str().unwrap_or_default();
    let mut changes = Vec::new();
    let mut switched = |what: &str, before: bool, after: bool| match (before, after) {
        (true, false) => changes.push((Effect::Breaking, format!("version {name} {what} no longer"))),
        (false, true) => changes.push((Effect::Compatible, format!("version {name} {what} now"))),
        (true, true) | (false, false) => {}
    };
    switched("is served", old["served"] == true, new["served"] == true);
    let has_status = |it: &Value| it.pointer("/subresources/status").is_some();
    switched("has a status subresource", has_status(old), has_status(new));
    let columns = "additionalPrinterColumns";
    changes.extend(changed("printer columns", old.get(columns), new.get(columns)));
    changes
}

/// Something that no instance depends on.
fn changed(what: &str, old: Option<&Value>, new: Option<&Value>) -> Option<(Effect, String)> {
    let says_something = |it: &&Value| !matches!(it, Value::Array(items) if items.is_empty());
    let (old, new) = (old.filter(says_something), new.filter(says_something));
    (old != new).then(|| (Effect::Compatible, format!("{what} changed")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(old: &Value, new: &Value, expect: &[(Effect, &str)]) {
        let crd = |version: &Value| json!({"spec": {"versions": [version]}});
        let found = compare(&crd(old), &crd(new));
        let found: Vec<_> = found.iter().map(|(effect, text)| (*effect, text.as_str())).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn versions_may_not_lose_what_clients_use() {
        let whole = json!({"name": "v1", "served": true, "subresources": {"status": {}}});
        let less = json!({"name": "v1", "served": false});
        check(&whole, &whole, &[]);
        let lost = [
            (Effect::Breaking, "version v1 is served no longer"),
            (Effect::Breaking, "version v1 has a status subresource no longer"),
        ];
        check(&whole, &less, &lost);
        let won = [
            (Effect::Compatible, "version v1 is served now"),
            (Effect::Compatible, "version v1 has a status subresource now"),
        ];
        check(&less, &whole, &won);
    }

    #[test]
    fn what_people_see_may_change() {
        let (old, new) = (json!({"name": "v1"}), json!({"name": "v1", "additionalPrinterColumns": [1]}));
        check(&old, &new, &[(Effect::Compatible, "printer columns changed")]);
        check(&old, &json!({"name": "v1", "additionalPrinterColumns": []}), &[]);
        let named = json!({"spec": {"names": {"shortNames": ["a"]}}, "metadata": {"labels": {"a": "b"}}});
        let texts: Vec<_> = compare(&json!({"metadata": {}}), &named).into_iter().map(|it| it.1).collect();
        assert_eq!(texts, ["short names changed", "labels changed"]);
    }
}
