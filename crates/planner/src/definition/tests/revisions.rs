//! Revisions in the plans of their definition.

use super::*;

fn number(text: &str) -> RevisionNumber {
    text.parse().unwrap()
}

fn annotate(scene: &mut Scene, key: &str, value: &str) {
    if scene.definition["metadata"]["annotations"].is_null() {
        scene.definition["metadata"]["annotations"] = json!({});
    }
    scene.definition["metadata"]["annotations"][key] = json!(value);
}

#[test]
fn v7_an_edit_is_numbered_when_its_crd_is_there_and_no_sooner() {
    let mut scene = Scene::settled(&json!({"name": "string"}));
    scene.edit("/spec/schema/spec/more", json!("string"));
    let planned = scene.next();
    assert!(matches!(planned.actions.as_slice(), [Action::PatchCrd(_)]), "{planned:?}");
    scene.crd.as_mut().unwrap()["spec"]["versions"] = scene.patch()["spec"]["versions"].clone();
    let patch = scene.patch();
    scene.crd.as_mut().unwrap()["metadata"]["annotations"] = patch["metadata"]["annotations"].clone();
    let planned = scene.next();
    let [Action::Reserve(patch), Action::CreateRevision(object)] = planned.actions.as_slice() else {
        panic!("{planned:?}");
    };
    let content = Digest::of_definition(&scene.definition["spec"]).to_string();
    let status = json!({"lastIssuedRevision": 2, "reservedRevisionHash": content});
    let reserved = json!({"metadata": {"resourceVersion": "7"}, "status": status});
    assert_eq!(*patch, reserved, "a number is taken before it is used");
    assert_eq!(object["metadata"]["name"], "web-rev-2");
    assert_eq!(planned.notices.iter().map(ToString::to_string).collect::<Vec<_>>(), ["created revision 2"]);
}

#[test]
fn v9_numbers_are_given_out_after_a_look_without_caches() {
    let mut scene = Scene::settled(&json!({"name": "string"}));
    scene.edit("/spec/resources", json!([config_map("one", "x")]));
    scene.freshness = Freshness::Cached;
    assert_eq!(scene.next(), Plan { needs_live_look: true, ..Plan::default() });
}

#[test]
fn v19_a_rollback_is_one_write() {
    let mut scene = Scene::settled(&json!({"name": "string"}));
    scene.edit("/spec/resources", json!([config_map("one", "x")]));
    scene.plan();
    scene.serving = Attended::Current;
    scene.publish();
    annotate(&mut scene, "kro.run/rollback-to-revision", "1");
    let planned = scene.next();
    let [Action::RestoreDefinition(patch)] = planned.actions.as_slice() else { panic!("{planned:?}") };
    let annotations = json!({
        "kro.run/rollback-to-revision": null,
        "krono.dev/answered-rollback": "1",
        "krono.dev/restoring-revision": "1",
    });
    assert_eq!(patch["metadata"], json!({"resourceVersion": "7", "annotations": annotations}));
    assert_eq!(patch["spec"]["resources"], json!([]));
}

#[test]
fn v19_what_the_server_does_not_take_back_answers_the_request() {
    let mut scene = Scene::settled(&json!({"name": "string"}));
    scene.edit("/spec/resources", json!([config_map("one", "x")]));
    scene.plan();
    scene.serving = Attended::Current;
    scene.publish();
    annotate(&mut scene, "kro.run/rollback-to-revision", "1");
    scene.failure = Some(Failure::Rollback("not on Fridays"));
    let planned = scene.next();
    let [Action::PatchDefinition(patch)] = planned.actions.as_slice() else { panic!("{planned:?}") };
    let annotations = &patch["metadata"]["annotations"];
    assert_eq!(annotations["krono.dev/answered-rollback"], "1");
    assert!(
        annotations["krono.dev/rollback-refused"].to_string().contains("not on Fridays"),
        "{annotations}"
    );
    assert!(patch.get("spec").is_none(), "{patch}");
}

#[test]
fn v20_a_hold_is_served_and_told() {
    let mut scene = Scene::settled(&json!({"name": "string"}));
    scene.edit("/spec/resources", json!([config_map("one", "x")]));
    scene.plan();
    scene.serving = Attended::Current;
    scene.publish();
    annotate(&mut scene, "krono.dev/active-revision", "1");
    let planned = scene.plan();
    assert!(
        matches!(planned.actions.as_slice(), [Action::Serve(it)] if it.number == number("1")),
        "{planned:?}"
    );
}

#[test]
fn v31_counts_are_kept_while_it_is_too_early_to_tell_them_again() {
    let mut scene = Scene::settled(&json!({"name": "string"}));
    let check = |scene: &mut Scene, counts: Option<usize>, expected: usize| {
        scene.counts = counts.map(|following| Counts { following, ..Counts::default() });
        scene.plan();
        assert_eq!(scene.publish()["revisionHistory"][0]["instanceCount"], expected);
        assert_eq!(scene.revisions.borrow()[0]["status"]["instanceCount"], expected);
    };
    check(&mut scene, Some(5), 5);
    check(&mut scene, None, 5);
    check(&mut scene, Some(7), 7);
}

#[test]
fn v20_a_hold_without_sense_leaves_instances_where_they_are() {
    let mut scene = Scene::settled(&json!({"name": "string"}));
    let content = Digest::of_definition(&scene.definition["spec"]);
    annotate(&mut scene, "krono.dev/active-revision", "nonsense");
    let lose_status = |scene: &mut Scene| scene.definition["status"] = json!({});
    lose_status(&mut scene);
    scene.serving = Attended::Nothing;
    let served = |scene: &mut Scene| match scene.next().actions.as_slice() {
        [.., Action::Serve(it)] => Some(it.number),
        _ => None,
    };
    assert_eq!(served(&mut scene), None, "nobody knows what was served");
    *scene.served_last.borrow_mut() = Some(Digest::of_definition(&json!({"resources": ["gone"]})));
    scene.serving = Attended::Older;
    let planned = scene.next().actions;
    assert!(matches!(planned.as_slice(), [.., Action::ServeWithoutGraph { .. }]), "a memory: {planned:?}");
    scene.serving = Attended::Nothing;
    scene.uses.contents.insert(content);
    assert_eq!(served(&mut scene), Some(number("1")), "instances do");
}
