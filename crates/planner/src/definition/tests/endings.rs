//! The end of a definition.

use super::*;

fn deleted() -> Scene {
    let mut scene = Scene::settled(&json!({"name": "string"}));
    scene.definition["metadata"]["deletionTimestamp"] = json!(NOW);
    scene
}

fn orphan(scene: &mut Scene) {
    scene.definition["metadata"]["annotations"] = json!({"krono.dev/deletion-policy": "Orphan"});
}

fn end() -> Action {
    Action::RemoveFinalizer(json!({"metadata": {"finalizers": [], "resourceVersion": "7"}}))
}

#[test]
fn behaviour_40_the_crd_stays_when_the_definition_goes() {
    let scene = deleted();
    assert_eq!(scene.plan(), Plan { actions: vec![Action::StopServing, end()], ..Plan::default() });
}

#[test]
fn behaviour_40_only_the_server_itself_tells_that_nobody_is_left() {
    let mut scene = deleted();
    scene.freshness = Freshness::Cached;
    assert!(scene.plan().needs_live_look);
    assert_eq!(scene.plan().actions, []);

    scene.freshness = Freshness::Live;
    scene.served = false;
    assert_eq!(scene.plan().actions, []);
    assert_eq!(scene.plan().waiting, Some(Waiting::Served), "the kind is established, and may have some");
    scene.crd.as_mut().unwrap()["status"]["conditions"] = json!([]);
    assert_eq!(scene.plan().actions, [Action::StopServing, end()]);
}

#[test]
fn a_definition_that_never_served_goes_at_once() {
    let mut scene = Scene::new(&json!({"bad": "nothing"}));
    scene.definition["metadata"]["deletionTimestamp"] = json!(NOW);
    assert_eq!(scene.plan(), Plan::of(end()));
    scene.definition["metadata"]["finalizers"] = json!(["other"]);
    assert_eq!(scene.plan(), Plan::default());
}

#[test]
fn instances_that_are_being_deleted_are_seen_off_first() {
    let mut scene = deleted();
    orphan(&mut scene);
    scene.instances = Instances { total: 3, terminating: 2 };
    assert_eq!(scene.plan().actions, []);
    assert_eq!(scene.plan().waiting, Some(Waiting::InstancesGone));
    assert!(scene.told("ControllerReady").ends_with("waiting for 2 instances that are being deleted"));

    // After a restart somebody has to look after them again.
    scene.serving = Attended::Nothing;
    assert!(scene.serves(), "with the graph that they had");
    scene.failure = Some(Failure::Controller("no watch"));
    assert_eq!(scene.plan().actions, []);
    assert_eq!(scene.plan().waiting, Some(Waiting::Failure));
}

#[test]
fn v13_a_definition_with_instances_stays_until_somebody_says_what_becomes_of_them() {
    let mut scene = deleted();
    scene.instances = Instances { total: 3, terminating: 0 };
    assert_eq!(scene.plan().actions, []);
    let told = scene.told("DeletionBlocked");
    assert!(told.starts_with("True InstancesExist 3 instances are left; delete them, or annotate"), "{told}");
    assert_eq!(scene.plan().waiting, Some(Waiting::InstancesGone));

    // They are served as before, also by whoever comes next.
    scene.serving = Attended::Nothing;
    assert!(scene.serves());

    scene.serving = Attended::Current;
    scene.instances = Instances { total: 3, terminating: 3 };
    assert!(scene.told("ControllerReady").ends_with("waiting for 3 instances that are being deleted"));
    scene.instances = Instances::default();
    assert_eq!(scene.plan().actions, [Action::StopServing, end()]);
}

#[test]
fn v13_and_v19_a_definition_that_goes_is_not_rolled_back_and_says_so() {
    let mut scene = deleted();
    scene.instances = Instances { total: 3, terminating: 0 };
    scene.definition["metadata"]["annotations"] = json!({"kro.run/rollback-to-revision": "1"});
    scene.freshness = Freshness::Cached;
    assert!(scene.plan().needs_live_look, "caches do not know who asked");
    scene.freshness = Freshness::Live;
    let planned = scene.plan();
    let annotations = json!({
        "kro.run/rollback-to-revision": null,
        "krono.dev/answered-rollback": "1",
        "krono.dev/rollback-refused": "1 web is being deleted",
    });
    let patch = json!({"metadata": {"resourceVersion": "7", "annotations": annotations}});
    assert_eq!(planned.actions, [Action::PatchDefinition(patch)]);
    let told: Vec<String> = planned.notices.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["not rolled back: web is being deleted"]);

    scene.definition["metadata"]["annotations"] =
        json!({"krono.dev/rollback-refused": "1 web is being deleted"});
    assert_eq!(scene.plan().actions, []);
    assert_eq!(scene.told("RollbackRefused"), "True RollbackRefused web is being deleted");
}

#[test]
fn instances_that_stay_are_reported() {
    let mut scene = deleted();
    orphan(&mut scene);
    scene.instances = Instances { total: 3, terminating: 0 };
    assert_eq!(scene.plan(), Plan::of(Action::StopServing), "nobody puts finalizers back");
    scene.serving = Attended::Nothing;
    let owned = json!({"metadata": {
        "ownerReferences": null, "annotations": {"krono.dev/orphaned": "true"}, "uid": "web-rev-1", "resourceVersion": null,
    }});
    assert_eq!(
        scene.plan(),
        Plan::of(Action::PatchRevision { name: "web-rev-1".to_owned(), patch: owned }),
        "revisions are not collected with their owner"
    );
    scene.revisions.borrow_mut().clear();
    let planned = scene.plan();
    assert_eq!(planned.actions, [end()]);
    let [notice] = planned.notices.as_slice() else { panic!("{:?}", planned.notices) };
    assert!(notice.to_string().starts_with("3 instances of WebApp stay without a definition"), "{notice}");

    scene.crd.as_mut().unwrap()["metadata"]["labels"]["kro.run/resource-graph-definition-name"] =
        json!("other");
    assert_eq!(scene.plan().notices, [], "those of another definition are its own");
}

#[test]
fn a_crd_that_may_go_goes_before_those_who_look_after_its_instances() {
    let mut scene = deleted();
    scene.allow_crd_deletion = true;
    scene.instances = Instances { total: 1, terminating: 0 };
    assert_eq!(scene.plan(), Plan::of(Action::DeleteCrd { uid: "c-1".to_owned() }));

    scene.crd.as_mut().unwrap()["metadata"]["deletionTimestamp"] = json!(NOW);
    assert_eq!(scene.plan().actions, []);
    assert_eq!(scene.plan().waiting, Some(Waiting::CrdGone));

    scene.crd = None;
    scene.instances = Instances::default();
    assert_eq!(scene.plan().actions, [Action::StopServing, end()]);
}

#[test]
fn v13_a_crd_that_may_go_stays_with_the_instances_that_are_to_stay() {
    let mut scene = deleted();
    orphan(&mut scene);
    scene.allow_crd_deletion = true;
    scene.instances = Instances { total: 1, terminating: 0 };
    assert_eq!(scene.plan(), Plan::of(Action::StopServing));
}

#[test]
fn a_crd_of_another_definition_never_goes() {
    let mut scene = deleted();
    scene.allow_crd_deletion = true;
    scene.serving = Attended::Nothing;
    scene.crd.as_mut().unwrap()["metadata"]["labels"]["kro.run/resource-graph-definition-name"] =
        json!("other");
    assert_eq!(scene.plan(), Plan::of(end()));
}
