use serde_json::{Value, json};

use super::super::Timestamp;
use super::{ManagerId, Managers, Operation, times::keep_times, validate};

fn entry(manager: &str, operation: &str, time: &str, fields: Value) -> Value {
    json!({
        "manager": manager, "operation": operation, "apiVersion": "v1", "time": time,
        "fieldsType": "FieldsV1", "fieldsV1": fields,
    })
}

#[test]
fn entries_are_normalised() {
    let check = |entries: Value, expect: Value| {
        assert_eq!(Managers::read(Some(&entries)).unwrap().write().unwrap_or_default(), expect);
    };
    check(json!(null), json!(null));
    check(json!([]), json!(null));
    check(
        json!([{
            "manager": "a", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
            "time": "2026-01-31T12:00:00+01:00", "fieldsV1": {"f:a": {".": {}}}, "unknown": 1,
        }]),
        json!([entry("a", "Apply", "2026-01-31T11:00:00Z", json!({"f:a": {}}))]),
    );
    check(
        json!([{"operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "subresource": "status"}]),
        json!([{
            "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "subresource": "status", "fieldsV1": {},
        }]),
    );
    let (first, second) = (json!({"f:a": {}}), json!({"f:b": {}}));
    let (early, late) = ("2026-01-31T12:00:00Z", "2026-01-31T12:00:01Z");
    check(
        json!([entry("a", "Update", early, first), entry("a", "Update", late, second.clone())]),
        json!([entry("a", "Update", late, second)]),
    );
}

/// Appliers come before updaters, then time counts, then the name, the version and the subresource.
#[test]
fn entries_are_sorted() {
    let mut entries = Vec::new();
    for (manager, operation, second, version, subresource) in [
        ("b", "Apply", "0", "v1", ""),
        ("a", "Apply", "1", "v1", ""),
        ("b", "Apply", "1", "v1", "scale"),
        ("a", "Update", "0", "v1", ""),
        ("a", "Update", "0", "v1", "status"),
        ("a", "Update", "0", "v2", ""),
        ("0", "Update", "1", "v1", ""),
    ] {
        let mut entry =
            entry(manager, operation, &format!("2026-01-31T12:00:0{second}Z"), json!({"f:a": {}}));
        entry["apiVersion"] = version.into();
        if !subresource.is_empty() {
            entry["subresource"] = subresource.into();
        }
        entries.push(entry);
    }
    let shuffled: Value = [6, 2, 5, 0, 4, 1, 3].map(|at| entries[at].clone()).into_iter().collect();
    assert_eq!(Managers::read(Some(&shuffled)).unwrap().write(), Some(Value::Array(entries)));
}

#[test]
fn wrong_entries_are_refused() {
    let refuse = |entries: Value, expect: &str| {
        assert_eq!(validate(&entries).unwrap_err().to_string(), expect, "{entries}");
    };
    let changed = |field: &str, value: Value| {
        let mut entry = entry("a", "Apply", "2026-01-31T12:00:00Z", json!({}));
        entry[field] = value;
        json!([entry])
    };
    refuse(json!({}), "managedFields must be a list of objects");
    refuse(json!([1]), "managedFields must be a list of objects");
    refuse(json!([{}]), "operation must be `Apply` or `Update`");
    refuse(changed("operation", json!("Patch")), "operation must be `Apply` or `Update`");
    refuse(changed("apiVersion", json!("")), "apiVersion must not be empty");
    refuse(changed("fieldsType", json!(null)), "missing fieldsType in managed fields entry 0");
    refuse(changed("fieldsType", json!("V2")), "invalid fieldsType \"V2\" in managed fields entry 0");
    refuse(changed("manager", json!(1)), "manager must be a string in managed fields entry 0");
    refuse(
        changed("time", json!("noon")),
        "managed fields entry 0: `noon` is not a time; write it like 2026-01-31T12:00:00Z",
    );
    refuse(
        changed("fieldsV1", json!({"a": 1})),
        "error decoding set: managed fields entry 0: key must be 2 characters long: a",
    );
    assert_eq!(validate(&changed("fieldsV1", json!(null))), Ok(()));
}

fn updater(number: usize, version: &str, second: u64) -> Value {
    let time = format!("2026-01-31T12:00:{second:02}Z");
    let field = format!("f:field{number:02}");
    let mut entry = entry(&format!("updater{number:02}"), "Update", &time, json!({field: {}}));
    entry["apiVersion"] = version.into();
    entry
}

fn capped(entries: &[Value]) -> Vec<(String, String, usize, String)> {
    let entries = Value::Array(entries.to_vec());
    let mut managers = Managers::read(Some(&entries)).unwrap();
    managers.cap();
    let written = managers.write().unwrap_or_default();
    let text = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_owned();
    let row = |entry: &Value| {
        let fields = entry["fieldsV1"].as_object().map_or(0, serde_json::Map::len);
        (text(entry, "manager"), text(entry, "apiVersion"), fields, text(entry, "time")[17..19].to_owned())
    };
    written.as_array().unwrap().iter().map(row).collect()
}

#[test]
fn the_oldest_updaters_are_united() {
    let row = |manager: &str, version: &str, fields: usize, second: &str| {
        (manager.to_owned(), version.to_owned(), fields, second.to_owned())
    };
    let ten: Vec<_> = (0..10).map(|it| updater(it, "v1", it as u64)).collect();
    assert_eq!(capped(&ten).len(), 10);

    let twelve: Vec<_> = (0..12).map(|it| updater(it, "v1", it as u64)).collect();
    let result = capped(&twelve);
    assert_eq!(result.len(), 10);
    assert_eq!(result[0], row("ancient-changes", "v1", 3, "02"));
    assert_eq!(result[1], row("updater03", "v1", 1, "03"));

    // Versions are united one by one; the first of each is only renamed when a second one comes.
    let mixed: Vec<_> = (0..12).map(|it| updater(it, if it == 1 { "v2" } else { "v1" }, it as u64)).collect();
    let result = capped(&mixed);
    assert_eq!(result[0], row("updater01", "v2", 1, "01"));
    assert_eq!(result[1], row("ancient-changes", "v1", 3, "03"));

    // A bucket that is there already is filled.
    let mut old = updater(0, "v1", 0);
    old["manager"] = "ancient-changes".into();
    let with_bucket: Vec<_> =
        std::iter::once(old).chain((1..11).map(|it| updater(it, "v1", it as u64))).collect();
    assert_eq!(capped(&with_bucket)[0], row("ancient-changes", "v1", 2, "01"));
}

#[test]
fn appliers_are_not_united() {
    let appliers: Vec<_> = (0..20)
        .map(|it| entry(&format!("applier{it}"), "Apply", "2026-01-31T12:00:00Z", json!({"f:a": {}})))
        .collect();
    assert_eq!(capped(&appliers).len(), 20);
}

#[test]
fn managers_are_told_apart() {
    let id = |name, operation, version, subresource| ManagerId::new(name, operation, version, subresource);
    assert_eq!(id("a", Operation::Apply, "v1", ""), id("a", Operation::Apply, "v2", ""));
    assert_ne!(id("a", Operation::Update, "v1", ""), id("a", Operation::Update, "v2", ""));
    assert_ne!(id("a", Operation::Apply, "v1", ""), id("a", Operation::Apply, "v1", "status"));
    assert_eq!(
        id("", Operation::Update, "v1", "status").sort_key(),
        r#"{"manager":"unknown","operation":"Update","apiVersion":"v1","subresource":"status"}"#
    );
}

#[test]
fn times_alone_do_not_change() {
    let object = |time: &str, value: u64| {
        let entries = json!([entry("a", "Apply", time, json!({"f:spec": {}}))]);
        json!({"metadata": {"name": "n", "managedFields": entries}, "spec": value})
    };
    let (early, late) = ("2026-01-31T12:00:00Z", "2026-01-31T12:00:01Z");
    let check = |old: Value, mut new: Value, expect: Value| {
        keep_times(&old, &mut new);
        assert_eq!(new, expect);
    };
    check(object(early, 1), object(late, 1), object(early, 1));
    check(object(early, 1), object(late, 2), object(late, 2));
    let mut other_owner = object(late, 1);
    other_owner["metadata"]["managedFields"][0]["manager"] = "b".into();
    check(object(early, 1), other_owner.clone(), other_owner);
    check(json!({}), object(late, 1), object(late, 1));
    assert_eq!(Timestamp::from_seconds(0).to_string(), "1970-01-01T00:00:00Z");
}
