//! From a new definition to a served kind, and what is told on the way.

use super::*;

#[test]
fn a_new_definition_is_served_step_by_step() {
    let mut scene = Scene::new(&json!({"name": "string"}));
    scene.definition["metadata"]["finalizers"] = json!(["other"]);
    let patch = json!({"metadata": {"finalizers": ["other", "kro.run/finalizer"], "resourceVersion": "7"}});
    assert_eq!(scene.plan(), Plan::of(Action::AddFinalizer(patch)));
    scene.definition["metadata"]["finalizers"] = json!(["other", "kro.run/finalizer"]);

    let mut crd = scene.created();
    assert_eq!(crd["metadata"]["name"], "webapps.kro.run");
    assert_eq!(crd["metadata"]["labels"]["kro.run/resource-graph-definition-id"], "d-1");
    assert_eq!(crd["metadata"]["labels"]["kro.run/owned"], "true");

    crd["status"] = json!({});
    scene.crd = Some(crd.clone());
    assert_eq!(scene.plan().waiting, Some(Waiting::Established));
    assert_eq!(
        scene.told("KindReady"),
        "Unknown AwaitingReconciliation CRD webapps.kro.run is not established yet"
    );
    assert_eq!(scene.state(), "Inactive");

    scene.crd = Some(established(crd));
    assert_eq!(scene.plan().waiting, Some(Waiting::Served));
    assert!(Waiting::Served.needs_another_look());
    assert!(scene.told("KindReady").ends_with("established and not served yet"));

    scene.served = true;
    assert!(scene.serves());

    scene.serving = Attended::Current;
    assert_eq!(scene.told("KindReady"), "True Ready kind WebApp has been accepted and ready");
    assert_eq!(scene.told("ControllerReady"), "True Running controller is running");
    assert_eq!(scene.told("Ready"), "True Ready ");
    assert_eq!(scene.state(), "Active");
    assert_eq!(scene.plan(), Plan::default(), "a settled world has nothing to do and nothing to tell");
}

#[test]
fn the_crd_of_an_uncompiled_definition_has_a_name() {
    let check = |schema: Value, expected: Option<&str>| {
        assert_eq!(crd_name(&json!({"spec": {"schema": schema}})).as_deref(), expected);
    };
    check(json!({"kind": "WebApp"}), Some("webapps.kro.run"));
    check(json!({"kind": "Policy", "group": "example.com"}), Some("policies.example.com"));
    check(json!({"group": "example.com"}), None);
    check(json!({"kind": "App", "group": "Not A Group"}), None);
    check(json!({"kind": "../apis", "group": "example.com"}), None);
    assert_eq!(crd_name(&json!(7)), None);
}

#[test]
fn order_and_dependencies_are_told() {
    let mut scene = Scene::settled(&json!({"name": "string"}));
    scene.definition["status"]["lastIssuedRevision"] = json!(4);
    let resources = [config_map("last", "${first.data.value}"), config_map("first", "${schema.spec.name}")];
    scene.edit("/spec/resources", json!(resources));
    scene.serving = Attended::Current;
    let status = scene.publish();
    assert_eq!(status["topologicalOrder"], json!(["first", "last"]));
    assert_eq!(status["resources"], json!([{"id": "last", "dependencies": [{"id": "first"}]}]));
    assert_eq!(status["lastIssuedRevision"], 5, "numbers go on from what was there");
    assert_eq!(scene.revisions.borrow()[1]["metadata"]["name"], "web-rev-5");
}

#[test]
fn behaviour_37_an_invalid_update_keeps_serving_the_last_good_graph() {
    let mut scene = Scene::settled(&json!({"name": "string"}));
    scene.edit("/spec/resources", json!([config_map("one", "${nothing.data.value}")]));
    let planned = scene.plan();
    assert_eq!(planned.actions, [], "nothing that is served is touched");
    assert_eq!(planned.waiting, Some(Waiting::ValidGraph));
    let told = scene.told("GraphAccepted");
    assert!(told.starts_with("False InvalidResourceGraph spec.resources[0].template.data.value"), "{told}");
    assert_eq!(scene.told("Ready"), told, "the root copies what is wrong");
    assert!(scene.told("GraphRevisionsResolved").starts_with("True Resolved"));
    assert_eq!(scene.state(), "Inactive");
    assert_eq!(scene.publish()["topologicalOrder"], Value::Null, "cleared");

    scene.edit("/spec/resources", json!([]));
    assert_eq!(scene.plan().actions, [], "what is wanted again is what is served");
    assert_eq!(scene.state(), "Active");

    scene.edit("/spec/resources", json!([config_map("one", "${schema.spec.name}")]));
    assert!(scene.serves());
    scene.serving = Attended::Current;
    assert_eq!(scene.state(), "Active");
}

#[test]
fn behaviours_3_and_4_are_told_as_invalid_graphs() {
    let check = |resource: Value, expected: &str| {
        let mut scene = Scene::new(&json!({}));
        scene.edit("/spec/resources", json!([resource]));
        let told = scene.told("GraphAccepted");
        assert!(told.contains(expected), "{told}");
        assert_eq!(scene.plan().actions, []);
    };
    let external = |metadata: Value| json!({"id": "a", "externalRef": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}});
    check(external(json!({})), "exactly one of name or selector must be provided");
    check(external(json!({"name": "a", "selector": {}})), "exactly one of name or selector must be provided");
    check(config_map("schema", "x"), "\"schema\" is a reserved word");
    check(config_map("Upper", "x"), "\"Upper\" is not a lowerCamelCase word");
}

#[test]
fn many_mistakes_are_counted() {
    let mut scene = Scene::new(&json!({}));
    let resources: Vec<Value> = (0..25).map(|it| config_map(&format!("n{it}"), "${nothing}")).collect();
    scene.edit("/spec/resources", json!(resources));
    let told = scene.told("GraphAccepted");
    assert!(told.ends_with("and 5 more; `krono validate` lists all"), "{told}");
}

#[test]
fn after_a_restart_instances_of_an_invalid_definition_can_still_be_deleted() {
    let mut scene = Scene::settled(&json!({"name": "string"}));
    scene.edit("/spec/resources", json!([config_map("one", "${nothing.data.value}")]));
    scene.serving = Attended::Nothing;
    let planned = scene.plan();
    assert!(matches!(planned.actions.as_slice(), [Action::Serve(it)] if it.name == "web-rev-1"));

    // Unless somebody took the revisions away too.
    scene.revisions.borrow_mut().clear();
    let planned = scene.plan();
    assert!(
        matches!(planned.actions.as_slice(), [Action::ServeWithoutGraph { reason }] if reason.contains("web"))
    );
    scene.serving = Attended::Graphless;
    assert!(
        scene
            .told("ControllerReady")
            .starts_with("Unknown AwaitingReconciliation instances can be deleted only")
    );
    assert!(scene.told("GraphAccepted").starts_with("False InvalidResourceGraph"));

    scene.edit("/spec/resources", json!([]));
    assert!(scene.serves(), "a graph is served as soon as there is one");
}

#[test]
fn failures_are_told_and_tried_again() {
    let mut scene = Scene::new(&json!({}));
    scene.failure = Some(Failure::Crd("forbidden"));
    assert_eq!(scene.plan().actions, [], "what was refused is not asked again in the same breath");
    assert_eq!(scene.plan().waiting, Some(Waiting::Failure));
    assert_eq!(scene.told("KindReady"), "False Failed failed to apply CRD webapps.kro.run: forbidden");

    let mut scene = Scene::settled(&json!({}));
    scene.serving = Attended::Nothing;
    scene.failure = Some(Failure::Controller("no watch"));
    assert_eq!(scene.plan().actions, []);
    assert_eq!(scene.told("ControllerReady"), "False FailedToStart no watch");
    assert_eq!(scene.state(), "Inactive");
    scene.failure = None;
    assert!(scene.serves());
}

#[test]
fn names_that_others_hold_are_told() {
    let mut scene = Scene::settled(&json!({}));
    scene.serving = Attended::Nothing;
    scene.served = false;
    let conditions =
        json!([{"type": "NamesAccepted", "status": "False", "message": "\"wa\" is already in use"}]);
    scene.crd.as_mut().unwrap()["status"]["conditions"] = conditions;
    let told = scene.told("KindReady");
    assert_eq!(
        told,
        "False Failed failed to apply CRD webapps.kro.run: it is not established: \"wa\" is already in use"
    );
}
