//! Edits that take something off a CRD, and who needs it nevertheless.

use super::changes::{allow, patched_size, resize, settled_with};
use super::*;

/// A definition whose only instance follows it, with a second revision that nothing but this is different in.
fn followed(annotations: &Value) -> (Scene, Digest) {
    let mut scene = settled_with("string");
    let first = Digest::of_definition(&scene.definition["spec"]);
    scene.edit("/spec/resources", json!([config_map("one", "x")]));
    scene.plan();
    scene.serving = Attended::Current;
    scene.publish();
    let second = Digest::of_definition(&scene.definition["spec"]);
    scene.following.insert(second);
    resize(&mut scene, "integer");
    scene.definition["metadata"]["annotations"] = annotations.clone();
    allow_also(&mut scene);
    (scene, first)
}

fn allow_also(scene: &mut Scene) {
    let annotations = &mut scene.definition["metadata"]["annotations"];
    if annotations.is_null() {
        *annotations = json!({});
    }
    annotations["kro.run/allow-breaking-changes"] = json!("true");
}

/// Leave for a breaking edit is not enough: it would take something from instances at this revision, and this is the cure.
fn check_loss(scene: &mut Scene, number: u64, cure: &str) {
    let told = scene.told("KindReady");
    let expected = format!("cannot update CRD webapps.kro.run: instances stay at revision {number}, ");
    assert!(told.contains(&expected) && told.contains(cure), "{told}");
    let digest = Digest::of_definition(&scene.definition["spec"]).to_string();
    scene.definition["metadata"]["annotations"]["krono.dev/allow-data-loss"] = json!(digest[..12]);
    assert_eq!(patched_size(&scene.patch())["type"], "integer");
}

#[test]
fn v29_who_follows_at_once_loses_nothing_by_a_narrower_crd() {
    let (scene, _) = followed(&json!({}));
    assert_eq!(patched_size(&scene.patch())["type"], "integer");
}

#[test]
fn v29_who_waits_for_a_turn_is_not_broken_while_it_does() {
    let waves = "let all of them move at once";
    for (pointer, value) in [
        ("/spec/propagation", json!({"maxInFlight": 1})),
        ("/spec/propagateWhen", json!(["${exponentiallyUpdated(instances, each)}"])),
    ] {
        let (mut scene, _) = followed(&json!({}));
        scene.edit(pointer, value);
        check_loss(&mut scene, 2, waves);
    }
    let (mut scene, _) = followed(&json!({"krono.dev/propagation": "paused"}));
    check_loss(&mut scene, 2, waves);
}

#[test]
fn v29_what_is_held_is_not_broken_though_nobody_is_at_it_yet() {
    let (mut scene, first) = followed(&json!({"krono.dev/active-revision": "1"}));
    *scene.served_last.borrow_mut() = Some(first);
    scene.following.clear();
    check_loss(&mut scene, 1, "release the hold");
    let (mut scene, _) = followed(&json!({"krono.dev/active-revision": "nonsense"}));
    check_loss(&mut scene, 2, "release the hold");
}

#[test]
fn v29_who_has_not_come_to_the_current_revision_is_not_broken() {
    let (mut scene, first) = followed(&json!({}));
    scene.following.insert(first);
    check_loss(&mut scene, 1, "krono why");
}

/// A CRD that an edit took a field from, and the content before that.
fn narrowed() -> (Scene, Digest) {
    let mut scene = settled_with("string");
    let first = Digest::of_definition(&scene.definition["spec"]);
    scene.edit("/spec/schema/spec", json!({"name": "string"}));
    allow(&mut scene);
    apply_patch(&mut scene);
    assert_eq!(size_of(&scene), &Value::Null);
    scene.plan();
    scene.serving = Attended::Current;
    scene.publish();
    (scene, first)
}

fn apply_patch(scene: &mut Scene) {
    let mut patch = scene.patch();
    let crd = scene.crd.take().unwrap();
    patch["metadata"].as_object_mut().unwrap().remove("resourceVersion");
    scene.crd = Some(krono_patch::merge::apply(crd, patch).unwrap());
}

fn size_of(scene: &Scene) -> &Value {
    patched_size(scene.crd.as_ref().unwrap())
}

#[test]
fn v6_a_hold_widens_a_crd_that_was_narrowed_before_anybody_moves() {
    let (mut scene, _) = narrowed();
    assert!(scene.plan().actions.is_empty(), "{:?}", scene.plan());
    scene.definition["metadata"]["annotations"] = json!({"krono.dev/active-revision": "1"});
    apply_patch(&mut scene);
    assert_eq!(size_of(&scene)["type"], "string");
    assert!(matches!(scene.plan().actions.as_slice(), [Action::Serve(it)] if it.number.get() == 1));
    scene.definition["metadata"]["annotations"] = json!({});
    assert!(scene.plan().actions.is_empty(), "the end of a hold takes nothing away: {:?}", scene.plan());
}

#[test]
fn v6_a_pin_widens_a_crd_that_was_narrowed_before() {
    let (mut scene, first) = narrowed();
    scene.staying.insert(first);
    apply_patch(&mut scene);
    assert_eq!(size_of(&scene)["type"], "string");
    assert!(scene.plan().actions.is_empty(), "{:?}", scene.plan());
}

#[test]
fn v6_who_is_still_on_its_way_does_not_widen_what_an_edit_narrowed() {
    let (mut scene, first) = narrowed();
    scene.following.insert(first);
    assert!(scene.plan().actions.is_empty(), "{:?}", scene.plan());
}
