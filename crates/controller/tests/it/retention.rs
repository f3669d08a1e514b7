//! What is kept, and how the rest is given up.

use std::time::Duration;

use krono_controller::Options;
use serde_json::{Value, json};

use crate::propagation;
use crate::revisions::{APP, app, edit, numbers, revision, revisions, started, text_is};
use crate::world::{World, condition, instance, message};

const UNUSED: &str = "krono.dev/unused-since";

/// The same definition with room for so many old revisions.
fn keeping(limit: u64, text: &str) -> Value {
    let mut made = app(text);
    made["spec"]["revisionManagement"] = json!({"historyLimit": limit});
    made
}

fn name(number: u64) -> String {
    format!("ResourceGraphDefinitionRevision app-rev-{number}")
}

fn is_marked(revision: &Value) -> bool {
    revision["metadata"]["annotations"].get(UNUSED).is_some()
}

async fn with_marks() -> World {
    let world = started().await;
    for text in ["two", "three", "four"] {
        edit(&world, &keeping(1, text)).await;
    }
    world.settled().await;
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn v30_what_nothing_needs_is_marked_and_goes_a_minute_later() {
    let world = with_marks().await;
    assert_eq!(revisions(&world).await.len(), 4);
    for (number, expected) in [(1, true), (2, true), (3, false), (4, false)] {
        assert_eq!(is_marked(&revision(&world, number).await), expected, "{number}");
    }
    world.annotate(&name(1), UNUSED, Some("2026-01-01T00:00:00Z")).await;
    world.gone(&name(1)).await;
    world.settled().await;
    assert_eq!(revisions(&world).await, ["app-rev-2", "app-rev-3", "app-rev-4"]);
    let told = world.told().await;
    assert!(
        told.contains(&"Normal RevisionPruned: pruned revision 1, which nothing needs".to_owned()),
        "{told:#?}"
    );
    world.annotate(APP, "kro.run/rollback-to-revision", Some("1")).await;
    let told = world.eventually(APP, |it| !condition(it, "RollbackRefused").is_null()).await;
    assert_eq!(
        message(&told, "RollbackRefused"),
        "revision 1 of app was pruned; the oldest that is kept is 2"
    );
    world.settled().await;
    let told = world.told().await;
    let words = "Warning RollbackRefused: not rolled back: revision 1 of app was pruned; the oldest that is kept is 2";
    assert!(told.iter().any(|it| it == words), "{told:#?}");
    assert_eq!(numbers(&world.there(APP).await), "4 of 4");
}

#[tokio::test(flavor = "multi_thread")]
async fn v30_what_is_needed_stays() {
    let world = with_marks().await;
    // A pin names it, an instance is assigned to its content, or a hold serves it.
    world.annotate("App a", "kro.run/rgd-revision", Some("1")).await;
    edit(&world, &keeping(1, "five")).await;
    world.eventually(&name(1), |it| !is_marked(it)).await;
    world.annotate(APP, "krono.dev/active-revision", Some("2")).await;
    world.eventually(&name(2), |it| !is_marked(it)).await;
    world.eventually(APP, |it| numbers(it) == "2 of 5").await;
    for number in [1, 2] {
        world.annotate(&name(number), UNUSED, Some("2026-01-01T00:00:00Z")).await;
        world.eventually(&name(number), |it| !is_marked(it)).await;
    }
    world.settled().await;
    assert_eq!(revisions(&world).await.len(), 5);
}

/// kro deletes all but so many, whoever needs them, and may leave a single one.
#[tokio::test(flavor = "multi_thread")]
async fn defect_b11_what_is_wanted_is_never_pruned_and_there_is_always_one_to_go_back_to() {
    let world = with_marks().await;
    world.annotate("App a", "kro.run/rgd-revision", Some("1")).await;
    world.eventually(&name(1), |it| !is_marked(it)).await;
    for number in 1..=4 {
        world.annotate(&name(number), UNUSED, Some("2026-01-01T00:00:00Z")).await;
    }
    world.gone(&name(2)).await;
    for number in [1, 3, 4] {
        world.eventually(&name(number), |it| !is_marked(it)).await;
    }
    world.settled().await;
    assert_eq!(revisions(&world).await, ["app-rev-1", "app-rev-3", "app-rev-4"]);
    world.eventually("ConfigMap a-one", text_is("one")).await;
    world.annotate(APP, "kro.run/rollback-to-revision", Some("3")).await;
    world.eventually(APP, |it| numbers(it) == "5 of 5").await;
    world.instance("App b", "text: hello").await;
    world.eventually("ConfigMap b-one", text_is("three")).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v30_a_revision_in_use_that_somebody_deletes_stays_until_it_is_not() {
    let world = with_marks().await;
    world.delete(&name(4)).await;
    let told = world.eventually(APP, |it| !condition(it, "RevisionDeletionBlocked").is_null()).await;
    assert!(message(&told, "RevisionDeletionBlocked").starts_with("revision 4 was deleted and is needed"));
    world.settled().await;
    let events = world.told().await;
    assert!(events.iter().any(|it| it.contains("revision 4 was deleted and is needed")), "{events:#?}");
    assert_eq!(numbers(&world.there(APP).await), "4 of 4");
    world.instance("App b", "text: hello").await;
    world.active("App b").await;
    edit(&world, &keeping(1, "five")).await;
    world.gone(&name(4)).await;
    world.settled().await;
    assert!(condition(&world.there(APP).await, "RevisionDeletionBlocked").is_null());
    // One that nothing needs goes at once.
    world.delete(&name(3)).await;
    world.gone(&name(3)).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v31_instances_are_counted() {
    let world = started().await;
    for name in ["b", "c"] {
        world.instance(&format!("App {name}"), "text: hello").await;
    }
    let count = |number: i64, of: usize| {
        move |it: &Value| it["status"]["revisionHistory"][of]["instanceCount"] == number
    };
    world.eventually(APP, count(3, 0)).await;
    world.eventually(&name(1), |it| it["status"]["instanceCount"] == 3).await;
    world.delete("App b").await;
    world.eventually(APP, count(2, 0)).await;
    edit(&world, &app("two")).await;
    world.eventually(APP, count(2, 0)).await;
    world.eventually(APP, count(0, 1)).await;
    world.eventually(&name(1), |it| it["status"]["instanceCount"] == 0).await;
    world.settled().await;
}

/// The writes to the status of the definition, and of its first revision.
fn told_counts(world: &World) -> (usize, usize) {
    let writes = world.line.writes();
    let count = |of: &str| writes.iter().filter(|it| it.contains(&format!("/{of}/status"))).count();
    (count("resourcegraphdefinitions/app"), count("resourcegraphdefinitionrevisions/app-rev-1"))
}

#[tokio::test(flavor = "multi_thread")]
async fn v31_instances_that_come_and_go_are_counted_once_in_a_while() {
    const HOUR: Duration = Duration::from_hours(1);
    let mut world = World::start_with(Options { counts_every: HOUR, ..Options::default() }).await;
    edit(&world, &app("one")).await;
    world.quiet().await;
    let count = |it: &Value| it["status"]["revisionHistory"][0]["instanceCount"].as_i64();
    assert_eq!(count(&world.there(APP).await), Some(0));
    for expected in [0, 6] {
        let before = told_counts(&world);
        for number in 0..6 {
            world.instance(&format!("App new{expected}{number}"), "text: hello").await;
            world.active(&format!("App new{expected}{number}")).await;
            // Whatever else is looked at meanwhile, nobody counts.
            world.annotate(APP, "example.com/note", Some(&number.to_string())).await;
            world.quiet().await;
        }
        assert_eq!(told_counts(&world), before, "the writes of {:#?}", world.line.writes());
        assert_eq!(count(&world.there(APP).await), Some(expected));
        assert_eq!(world.there(&name(1)).await["status"]["instanceCount"], expected);
        // Others begin by telling what they find.
        world.start_controllers();
        world.eventually(APP, |it| count(it) == Some(expected + 6)).await;
        world.quiet().await;
        assert_eq!(told_counts(&world), (1, 1), "{:#?}", world.line.writes());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v32_an_input_whose_revision_is_gone_cannot_be_restored() {
    let world = World::start().await;
    edit(&world, &keeping(1, "one")).await;
    world.put_by_hand(&instance("App a", "text: hello")).await;
    for (number, text) in [(2, "two"), (3, "three")] {
        world.active("App a").await;
        edit(&world, &keeping(1, text)).await;
        world.eventually("App a", |it| it["status"]["observedRGDRevision"] == number).await;
    }
    let input = |instance: &Value, number: i64| {
        let all = instance["status"]["inputRevisionHistory"].as_array().cloned().unwrap_or_default();
        all.into_iter().find(|it| it["revision"] == number).unwrap_or_default()
    };
    world.eventually(&name(1), is_marked).await;
    assert_eq!(input(&world.there("App a").await, 1).get("restorable"), None);
    world.annotate(&name(1), UNUSED, Some("2026-01-01T00:00:00Z")).await;
    world.gone(&name(1)).await;
    let told = world.eventually("App a", |it| input(it, 1)["restorable"] == false).await;
    for number in [2, 3] {
        assert_eq!(input(&told, number).get("restorable"), None, "{number}");
    }
    world.settled().await;
    world.annotate("App a", "kro.run/rollback-to-input-revision", Some("1")).await;
    let told = world.eventually("App a", |it| !condition(it, "RollbackRefused").is_null()).await;
    assert_eq!(
        message(&told, "RollbackRefused"),
        "input revision 1 of app/a cannot be restored: revision 1 of its definition was pruned; restore the spec \
         alone with --spec-only"
    );
    // The same content again, under another number, brings it back.
    edit(&world, &keeping(1, "one")).await;
    world.eventually("App a", |it| input(it, 1).is_object() && input(it, 1)["restorable"].is_null()).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v30_what_a_change_that_fails_goes_back_to_stays_until_the_change_has_soaked() {
    let soaking = |seconds: u32| json!({"propagation": {"soakSeconds": seconds, "onFailure": "Rollback"}});
    let world = propagation::fleet(1, &soaking(3600)).await;
    propagation::issue(&world, "two", &soaking(3600)).await;
    world.eventually("App i000", |it| it["status"]["observedRGDRevision"] == 2).await;
    world.delete(&name(1)).await;
    let told = world.eventually(APP, |it| !condition(it, "RevisionDeletionBlocked").is_null()).await;
    assert!(message(&told, "RevisionDeletionBlocked").starts_with("revision 1 was deleted and is needed"));
    world.settled().await;
    world.there(&name(1)).await;
    propagation::issue(&world, "two", &soaking(0)).await;
    world.gone(&name(1)).await;
    world.settled().await;
}
