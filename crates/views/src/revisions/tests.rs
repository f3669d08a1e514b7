//! Revisions as they are shown.

use super::*;
use crate::fixture::{definition, revision, revisions};

fn check(definition: &Value, objects: &[Value], expected: &str) {
    let text = RevisionRows::new(definition, objects).table().to_text();
    assert_eq!(text, expected, "{text}");
}

/// Three revisions, the first of which nobody needs any longer.
fn marked() -> Vec<Value> {
    let mut revisions = revisions();
    revisions[0]["metadata"]["annotations"] = json!({names::UNUSED_SINCE_ANNOTATION: "2025-01-16T00:00:00Z"});
    revisions
}

#[test]
fn revisions_are_listed_as_the_design_prints_them() {
    check(
        &definition(),
        &marked(),
        "\
REVISION  CREATED              INSTANCES  STATUS
3         2025-01-15 10:30:00  47         Current
2         2025-01-14 09:00:00  3          Active
1         2025-01-10 08:00:00  0          Prunable
",
    );
}

#[test]
fn a_revision_that_is_kept_is_unused() {
    let rows = RevisionRows::new(&definition(), &revisions()).rows;
    assert_eq!(
        rows.iter().map(|it| it.standing).collect::<Vec<_>>(),
        [Standing::Current, Standing::Active, Standing::Unused]
    );
}

#[test]
fn v20_a_held_revision_is_marked() {
    let mut held = definition();
    held["metadata"]["annotations"][names::ACTIVE_REVISION_ANNOTATION] = json!("2");
    let rows = RevisionRows::new(&held, &revisions()).rows;
    let standings: Vec<_> = rows.iter().map(|it| it.standing).collect();
    // Of the newest the definition still counts instances: they have not moved yet.
    assert_eq!(standings, [Standing::Active, Standing::Held, Standing::Unused]);
}

#[test]
fn v30_what_is_needed_stays_though_somebody_deletes_it() {
    let mut objects = revisions();
    for object in &mut objects {
        object["metadata"]["deletionTimestamp"] = json!("2025-01-16T00:00:00Z");
    }
    let rows = RevisionRows::new(&definition(), &objects).rows;
    let standings: Vec<_> = rows.iter().map(|it| it.standing).collect();
    assert_eq!(standings, [Standing::Current, Standing::Active, Standing::Prunable]);
}

#[test]
fn what_nobody_counted_is_not_zero() {
    let mut fresh = definition();
    fresh["status"] = Value::Null;
    let mut object = revision(1, "2025-01-10T08:00:00Z");
    object["status"] = Value::Null;
    check(
        &fresh,
        &[object],
        "REVISION  CREATED              INSTANCES  STATUS\n1         2025-01-10 08:00:00  -          Current\n",
    );
}

#[test]
fn who_and_why_are_in_the_wide_table() {
    let mut objects = revisions();
    objects[1]["metadata"]["annotations"] = json!({names::FAILED_ANNOTATION: "3 instances failed"});
    let rows = RevisionRows::new(&definition(), &objects);
    let text = rows.wide_table().to_text();
    let digests: Vec<String> = rows.rows.iter().map(|it| it.digest.to_string()[..12].to_owned()).collect();
    let expected = format!(
        "\
REVISION  CREATED              INSTANCES  STATUS   RESTORED-FROM  AUTHOR             DIGEST        CHANGE-CAUSE
3         2025-01-15 10:30:00  47         Current  -              kubectl            {}  more replicas
2         2025-01-14 09:00:00  3          Active   -              alice@example.com  {}  failed: 3 instances failed
1         2025-01-10 08:00:00  0          Unused   -              -                  {}
",
        digests[0], digests[1], digests[2]
    );
    assert_eq!(text, expected, "{text}");
}

#[test]
fn programs_get_names_and_numbers() {
    let listed = RevisionRows::new(&definition(), &revisions()).to_json();
    let newest = &listed[0];
    assert_eq!(newest["revision"], json!(3));
    assert_eq!(newest["name"], json!("application-rev-3"));
    assert_eq!(newest["createdAt"], json!("2025-01-15T10:30:00Z"));
    assert_eq!(newest["instances"], json!(47));
    assert_eq!(newest["status"], json!("Current"));
    assert_eq!(newest["restoredFrom"], Value::Null);
    assert_eq!(newest["changeCause"], json!("more replicas"));
}

#[test]
fn v13_revisions_of_another_kind_are_not_listed() {
    let mut objects = revisions();
    objects[0]["spec"]["schema"]["kind"] = json!("Other");
    let other = objects[0]["spec"]["revision"].as_u64();
    let rows = RevisionRows::new(&definition(), &objects).rows;
    assert!(rows.len() == 2 && rows.iter().all(|it| Some(it.number.get()) != other), "{other:?}");
}

#[test]
fn v30_what_was_deleted_and_is_needed_can_be_had_back() {
    let mut objects = revisions();
    objects[1]["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let number = RevisionNumber::new(objects[1]["spec"]["revision"].as_u64().unwrap()).unwrap();
    assert!(RevisionRows::new(&definition(), &objects).history.find(number).is_none());
    objects[1]["metadata"]["finalizers"] = json!([names::FINALIZER]);
    assert!(RevisionRows::new(&definition(), &objects).history.find(number).is_some());
}

#[test]
fn objects_that_hold_no_revision_are_told_apart() {
    let stranger = json!({"metadata": {"name": "x"}, "spec": {}});
    let rows = RevisionRows::new(&definition(), &[revisions(), vec![stranger]].concat());
    assert_eq!((rows.rows.len(), rows.unreadable.len()), (3, 1));
}
