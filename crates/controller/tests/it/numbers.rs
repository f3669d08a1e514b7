//! Numbers only grow: through races, restarts, losses and ends.

use serde_json::{Value, json};

use crate::backup::restored;
use crate::line::Fault;
use crate::revisions::{APP, CRD, app, app_with, edit, numbers, revision, revisions, started, text_is};
use crate::world::{condition, config_map, definition, message};

#[tokio::test(flavor = "multi_thread")]
async fn v09_controllers_that_race_issue_each_number_once() {
    let world = started().await;
    let rival = world.rival();
    for number in 2..8 {
        world.put_by_hand(&app(&format!("text {number}"))).await;
        world.eventually("ConfigMap a-one", text_is(&format!("text {number}"))).await;
    }
    world.quiet().await;
    drop(rival);
    let made = revisions(&world).await;
    let digests: Vec<Value> = {
        let mut digests = Vec::new();
        for name in &made {
            digests.push(
                world.there(&format!("ResourceGraphDefinitionRevision {name}")).await["spec"]["digest"]
                    .clone(),
            );
        }
        digests
    };
    assert_eq!(made.len(), 7, "{made:?}");
    assert!(digests.iter().all(|it| digests.iter().filter(|other| *other == it).count() == 1));
    world.settled().await;
}

/// How many writes an edit takes when nobody dies.
async fn writes_of_an_edit() -> usize {
    let world = started().await;
    let before = world.line.writes().len();
    edit(&world, &app("two")).await;
    world.eventually("ConfigMap a-one", text_is("two")).await;
    world.quiet().await;
    world.line.writes().len() - before
}

/// An edit during which the controllers die at a write, unless others leave them none; these others go on, or others come after.
async fn dies(at: usize, last: Fault, has_rival: bool) {
    let context = format!("{last:?} after {at}, with another: {has_rival}");
    let mut world = started().await;
    let rival = has_rival.then(|| world.rival());
    let mut written = 0;
    world.line.break_with(move |request| {
        if request.starts_with("GET") {
            return None;
        }
        written += 1;
        match written - 1 {
            before if before < at => None,
            now if now == at => Some(last),
            _ => Some(Fault::Lost),
        }
    });
    world.put_by_hand(&app("two")).await;
    tokio::select! {
        () = world.line.loses() => {}
        () = world.quiet() => {}
    }
    world.kill_controllers();
    if has_rival {
        world.eventually("ConfigMap a-one", text_is("two")).await;
    }
    world.start_controllers();
    world.eventually("ConfigMap a-one", text_is("two")).await;
    world.settled().await;
    drop(rival);
    let made = revisions(&world).await;
    assert!(made.len() == 2 && made[0] == "app-rev-1", "{context}: {made:?}");
    let told = world.there(APP).await;
    assert_eq!(told["status"]["currentRevision"], told["status"]["latestRevision"], "{context}");
    assert_eq!(told["status"]["lastIssuedRevision"], told["status"]["latestRevision"], "{context}");
}

#[tokio::test(flavor = "multi_thread")]
async fn v09_a_controller_may_die_at_any_write() {
    let all = writes_of_an_edit().await;
    assert!(all >= 5, "a number, a revision, a resource, and what is told of them: {all}");
    for at in 0..all {
        for last in [Fault::Lost, Fault::Unanswered] {
            dies(at, last, false).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v09_a_controller_may_die_at_any_write_beside_another() {
    for at in 0..writes_of_an_edit().await {
        for last in [Fault::Lost, Fault::Unanswered] {
            dies(at, last, true).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v09_numbers_go_on_after_all_revisions_are_gone() {
    let mut world = started().await;
    edit(&world, &app("two")).await;
    world.lose_revisions("app").await;
    world.merge_status(APP, json!({"lastIssuedRevision": null, "currentRevision": null})).await;
    world.start_controllers();
    world.eventually(APP, |it| numbers(it) == "3 of 3").await;
    world.settled().await;
    assert_eq!(revisions(&world).await, ["app-rev-3"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn v03_and_v09_a_backup_without_status_and_owners_is_the_same_state() {
    let mut world = started().await;
    edit(&world, &app_with(", more: string", "two")).await;
    edit(&world, &app_with(", more: string", "three")).await;
    world.annotate(APP, "krono.dev/active-revision", Some("2")).await;
    world.eventually("ConfigMap a-one", text_is("two")).await;
    world.settled().await;
    let before = world.there(APP).await;
    let generations = world.all("ConfigMap").await.len();
    world.kill_controllers();
    let world = restored(&world, &["App", "ConfigMap"]).await;
    world.eventually(APP, |it| numbers(it) == "2 of 3").await;
    world.active("App a").await;
    world.settled().await;
    let after = world.there(APP).await;
    for field in [
        "currentRevision",
        "currentRevisionHash",
        "latestRevision",
        "latestRevisionHash",
        "lastIssuedRevision",
    ] {
        assert_eq!(after["status"][field], before["status"][field], "{field}");
    }
    assert_eq!(revisions(&world).await, ["app-rev-1", "app-rev-2", "app-rev-3"]);
    assert_eq!(revision(&world, 1).await["metadata"]["ownerReferences"][0]["uid"], after["metadata"]["uid"]);
    assert_eq!(world.all("ConfigMap").await.len(), generations);
    assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], "two");
    world.delete(APP).await;
    world.eventually(APP, |it| condition(it, "DeletionBlocked")["status"] == "True").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v13_a_definition_with_instances_stays_until_they_are_gone() {
    let mut world = started().await;
    world.delete(APP).await;
    let told = world.eventually(APP, |it| condition(it, "DeletionBlocked")["status"] == "True").await;
    assert!(
        message(&told, "DeletionBlocked").starts_with("1 instance is left; delete it, or annotate"),
        "{told:#}"
    );
    world.annotate(APP, "krono.dev/deletion-policy", Some("Leave")).await;
    let is_told = |it: &Value| {
        message(it, "DeletionBlocked").starts_with("\"Leave\" is no deletion policy; 1 instance is left; ")
    };
    world.eventually(APP, is_told).await;
    world.annotate(APP, "krono.dev/deletion-policy", None).await;
    // Edits issue nothing, and instances are served as before, also after a restart.
    world.put_by_hand(&app("two")).await;
    world.start_controllers();
    world.instance("App b", "text: hello").await;
    world.eventually("ConfigMap b-one", text_is("one")).await;
    world.eventually(APP, |it| message(it, "DeletionBlocked").starts_with("2 instances are left")).await;
    assert_eq!(revisions(&world).await, ["app-rev-1"]);
    world.delete("App a").await;
    world.delete("App b").await;
    world.gone(APP).await;
    world.quiet().await;
    assert!(revisions(&world).await.is_empty());
    // The numbers go on.
    let told = edit(&world, &app("three")).await;
    assert_eq!(numbers(&told), "2 of 2");
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v13_instances_go_first_where_that_is_wished() {
    let world = started().await;
    world.instance("App b", "text: hello").await;
    world.active("App b").await;
    world.annotate(APP, "krono.dev/deletion-policy", Some("Cascade")).await;
    world.delete(APP).await;
    world.gone(APP).await;
    assert!(world.names("App", "").await.is_empty());
    assert!(world.names("ConfigMap", "kro.run/owned=true").await.is_empty());
    assert!(world.get(CRD).await.is_some());
    world.quiet().await;
    assert!(revisions(&world).await.is_empty());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v13_revisions_that_were_left_go_with_the_last_instance() {
    let mut world = started().await;
    world.annotate(APP, "krono.dev/deletion-policy", Some("Orphan")).await;
    world.delete(APP).await;
    world.gone(APP).await;
    assert_eq!(revisions(&world).await, ["app-rev-1"]);
    world.delete("App a").await;
    world.gone("App a").await;
    world.start_controllers();
    world.gone("ResourceGraphDefinitionRevision app-rev-1").await;
    assert!(world.get("ConfigMap a-one").await.is_some());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v13_a_definition_made_again_adopts_what_was_left() {
    let world = started().await;
    edit(&world, &app("two")).await;
    world.annotate(APP, "krono.dev/deletion-policy", Some("Orphan")).await;
    world.delete(APP).await;
    world.gone(APP).await;
    world.quiet().await;
    assert!(world.there("App a").await["metadata"].get("finalizers").is_none());
    assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], "two");
    assert_eq!(revisions(&world).await, ["app-rev-1", "app-rev-2"]);
    let told = edit(&world, &app("three")).await;
    assert_eq!(numbers(&told), "3 of 3");
    world.eventually("ConfigMap a-one", text_is("three")).await;
    world.quiet().await;
    let notes = revision(&world, 1).await["metadata"]["annotations"].clone();
    let notes: Vec<&String> = notes.as_object().into_iter().flat_map(|it| it.keys()).collect();
    assert_eq!(notes, ["krono.dev/replaced"]);
    assert_eq!(revision(&world, 1).await["metadata"]["ownerReferences"][0]["uid"], told["metadata"]["uid"]);
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v13_instances_of_another_version_hold_a_definition_too() {
    hold_what_is_made_again_with("apiVersion", "v2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v13_instances_of_a_kind_in_other_letters_hold_a_definition_too() {
    hold_what_is_made_again_with("kind", "APP").await;
}

/// A definition that cannot become what it was before ends as others do.
async fn hold_what_is_made_again_with(field: &str, value: &str) {
    let world = started().await;
    world.annotate(APP, "krono.dev/deletion-policy", Some("Orphan")).await;
    world.delete(APP).await;
    world.gone(APP).await;
    let mut other = app("two");
    other["spec"]["schema"][field] = json!(value);
    world.put(&other).await;
    world.eventually(APP, |it| condition(it, "KindReady")["status"] == "False").await;
    world.delete(APP).await;
    world.eventually(APP, |it| condition(it, "DeletionBlocked")["status"] == "True").await;
    assert_eq!(revisions(&world).await, ["app-rev-1"]);
    world.delete("App a").await;
    world.gone(APP).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_38_each_change_of_meaning_is_one_revision_with_a_number_that_never_returns() {
    let mut world = started().await;
    let resources = config_map("one", "text: one", "") + &config_map("two", "text: two", "");
    let mut made = definition("App", "spec: {text: string}", &resources);
    assert_eq!(numbers(&edit(&world, &made).await), "2 of 2");
    // Neither the order of resources, nor empty lists in place of none, nor a restart.
    made["spec"]["resources"].as_array_mut().expect("a list").reverse();
    made["spec"]["resources"][0]["readyWhen"] = json!([]);
    made["spec"]["resources"][1]["includeWhen"] = json!([]);
    assert_eq!(numbers(&edit(&world, &made).await), "2 of 2");
    world.start_controllers();
    world.quiet().await;
    assert_eq!(revisions(&world).await, ["app-rev-1", "app-rev-2"]);
    let name = |number: u64| format!("ResourceGraphDefinitionRevision app-rev-{number}");
    let patch = json!({"spec": {"digest": "other"}});
    assert!(world.try_merge(&name(1), patch).await.is_err(), "a revision was edited");
    // Not even when the last that was issued is gone: content that returns is a new revision.
    assert_eq!(numbers(&edit(&world, &app("three")).await), "3 of 3");
    assert_eq!(numbers(&edit(&world, &app("one")).await), "4 of 4");
    world.delete(&name(3)).await;
    world.gone(&name(3)).await;
    // A definition made again finds what was left by its name.
    world.annotate(APP, "krono.dev/deletion-policy", Some("Orphan")).await;
    world.delete(APP).await;
    world.gone(APP).await;
    world.quiet().await;
    let told = edit(&world, &app("five")).await;
    assert_eq!(numbers(&told), "5 of 5");
    assert_eq!(revisions(&world).await, ["app-rev-1", "app-rev-2", "app-rev-4", "app-rev-5"]);
    assert_eq!(revision(&world, 4).await["metadata"]["ownerReferences"][0]["uid"], told["metadata"]["uid"]);
    world.settled().await;
}
