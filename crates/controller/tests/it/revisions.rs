//! Revisions of definitions: what they are, and what makes one.

use serde_json::{Value, json};

use crate::world::{World, condition, config_map, definition, instance, message};

pub(crate) const APP: &str = "ResourceGraphDefinition /app";
pub(crate) const CRD: &str = "CustomResourceDefinition /apps.kro.run";

/// Instances of `App` become one `ConfigMap` that holds this text.
pub(crate) fn app(text: &str) -> Value {
    definition("App", "spec: {text: string}", &config_map("one", &format!("text: '{text}'"), ""))
}

/// The same with further fields in the spec of instances.
pub(crate) fn app_with(fields: &str, text: &str) -> Value {
    let spec = format!("spec: {{text: string{fields}}}");
    definition("App", &spec, &config_map("one", &format!("text: '{text}'"), ""))
}

/// A world with an instance of a definition that nobody puts back.
pub(crate) async fn started() -> World {
    let world = World::start().await;
    edit(&world, &app("one")).await;
    world.instance("App a", "text: hello").await;
    world.active("App a").await;
    world.settled().await;
    world
}

/// Writes a definition and waits until it is dealt with.
pub(crate) async fn edit(world: &World, definition: &Value) -> Value {
    world.put_by_hand(definition).await;
    world.active(APP).await;
    world.quiet().await;
    world.there(APP).await
}

/// The revisions that are there, by name.
pub(crate) async fn revisions(world: &World) -> Vec<String> {
    world.names("ResourceGraphDefinitionRevision", "kro.run/rgd-name=app").await
}

pub(crate) async fn revision(world: &World, number: u64) -> Value {
    world.there(&format!("ResourceGraphDefinitionRevision app-rev-{number}")).await
}

pub(crate) fn text_is(text: &str) -> impl Fn(&Value) -> bool {
    move |object| object["data"]["text"] == text
}

/// `{current} of {latest}` as the definition tells.
pub(crate) fn numbers(definition: &Value) -> String {
    let status = &definition["status"];
    format!("{} of {}", status["currentRevision"], status["latestRevision"])
}

#[tokio::test(flavor = "multi_thread")]
async fn v01_policy_is_no_content() {
    let world = started().await;
    let mut changed = app("one");
    changed["spec"]["revisionManagement"] = json!({"historyLimit": 3, "inputRevisions": "Inline"});
    changed["spec"]["propagateWhen"] = json!(["${true}"]);
    changed["spec"]["propagation"] = json!({"maxInFlight": 1});
    changed["spec"]["resources"][0]["deletionPolicy"] = json!("Retain");
    changed["spec"]["resources"][0]["propagateWhen"] = json!(["${true}"]);
    edit(&world, &changed).await;
    assert_eq!(revisions(&world).await, ["app-rev-1"]);
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v02_a_revision_is_named_after_its_definition() {
    let world = started().await;
    let told = world.there(APP).await;
    let one = revision(&world, 1).await;
    let metadata = &one["metadata"];
    assert_eq!(metadata["labels"], json!({"kro.run/rgd-name": "app", "kro.run/revision-number": "1"}));
    assert_eq!(metadata["ownerReferences"][0]["uid"], told["metadata"]["uid"]);
    assert_eq!((&one["spec"]["revision"], &one["spec"]["schema"]["kind"]), (&json!(1), &json!("App")));
    let status = &told["status"];
    assert_eq!(numbers(&told), "1 of 1");
    assert_eq!(
        (&status["currentRevisionName"], &status["lastIssuedRevision"]),
        (&json!("app-rev-1"), &json!(1))
    );
    assert_eq!(status["currentRevisionHash"], one["spec"]["digest"]);
    let summary =
        json!([{"revision": 1, "createdAt": one["spec"]["createdAt"], "current": true, "instanceCount": 1}]);
    assert_eq!(status["revisionHistory"], summary);
    let of_revision = json!({"specHash": one["spec"]["digest"], "createdAt": one["spec"]["createdAt"],
        "superseded": false, "instanceCount": 1});
    assert_eq!(one["status"], of_revision);
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v03_what_a_revision_says_never_changes() {
    let world = started().await;
    let patch = json!({"spec": {"schema": {"spec": {"text": "integer"}}}});
    let refusal =
        world.try_merge("ResourceGraphDefinitionRevision app-rev-1", patch).await.expect_err("a refusal");
    assert!(refusal.contains("a revision is immutable; edit the definition"), "{refusal}");
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v06_the_crd_is_never_narrowed_by_returning() {
    let world = started().await;
    let fields = |crd: &Value| -> Vec<String> {
        let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
        crd.pointer(spec)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect()
    };
    edit(&world, &app_with(", more: string", "two")).await;
    let crd = world.there(CRD).await;
    assert_eq!(
        (fields(&crd), &crd["metadata"]["annotations"]["kro.run/rgd-revision"]),
        (vec!["more".to_owned(), "text".to_owned()], &json!("2"))
    );
    // An edit back is no breaking change, and what instances may say stays.
    let told = edit(&world, &app("one")).await;
    assert_eq!(numbers(&told), "3 of 3");
    let crd = world.there(CRD).await;
    assert_eq!(
        (fields(&crd), &crd["metadata"]["annotations"]["kro.run/rgd-revision"]),
        (vec!["more".to_owned(), "text".to_owned()], &json!("3"))
    );
    // Nor is an edit that keeps what the current revision promises.
    let told = edit(&world, &app_with(", other: string", "two")).await;
    assert_eq!(numbers(&told), "4 of 4");
    assert_eq!(fields(&world.there(CRD).await), ["more", "other", "text"]);
    // What somebody else wrote goes, and only that.
    let mut versions = world.there(CRD).await["spec"]["versions"].clone();
    versions[0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["foreign"] =
        json!({"type": "string"});
    world.merge(CRD, json!({"spec": {"versions": versions}})).await;
    world.eventually(CRD, |it| !fields(it).contains(&"foreign".to_owned())).await;
    // Leave lets an edit through that narrows it.
    let mut narrow = app("four");
    narrow["metadata"]["annotations"] = json!({"kro.run/allow-breaking-changes": "true"});
    edit(&world, &narrow).await;
    assert_eq!(fields(&world.there(CRD).await), ["text"]);
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v07_what_does_not_compile_or_breaks_instances_gets_no_number() {
    let world = started().await;
    world.put_by_hand(&app("${nobody.x}")).await;
    let told = world.eventually(APP, |it| condition(it, "GraphAccepted")["status"] == "False").await;
    assert!(message(&told, "GraphAccepted").contains("spec.resources[0].template.data.text"));
    world.put_by_hand(&definition("App", "spec: {text: integer}", "[]")).await;
    let told = world.eventually(APP, |it| condition(it, "KindReady")["status"] == "False").await;
    assert!(message(&told, "KindReady").contains("breaking changes detected"));
    world.settled().await;
    assert_eq!(revisions(&world).await, ["app-rev-1"]);
    assert_eq!(numbers(&world.there(APP).await), "1 of 1");
    world.instance("App b", "text: hello").await;
    world.eventually("ConfigMap b-one", text_is("one")).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v07_the_last_revision_is_served_after_a_restart_too() {
    let mut world = started().await;
    world.put_by_hand(&app("${nobody.x}")).await;
    world.eventually(APP, |it| condition(it, "GraphAccepted")["status"] == "False").await;
    world.start_controllers();
    world.delete("ConfigMap a-one").await;
    world.eventually("ConfigMap a-one", text_is("one")).await;
    world.instance("App b", "text: hello").await;
    world.eventually("ConfigMap b-one", text_is("one")).await;
    world.active("App b").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v08_only_other_content_is_a_revision() {
    let world = started().await;
    let two = config_map("one", "text: one", "readyWhen: ['${true}', '${1 == 1}']")
        + &config_map("two", "text: two", "");
    let mut made = definition("App", "spec: {text: string}", &two);
    edit(&world, &made).await;
    assert_eq!(revisions(&world).await.len(), 2);
    // Order means nothing.
    made["spec"]["resources"].as_array_mut().expect("a list").reverse();
    made["spec"]["resources"][1]["readyWhen"] = json!(["${1 == 1}", "${true}"]);
    made["spec"]["resources"][0]["includeWhen"] = json!([]);
    edit(&world, &made).await;
    assert_eq!(revisions(&world).await.len(), 2);
    // Content that returns is a new revision, and says so.
    let told = edit(&world, &app("one")).await;
    assert_eq!(numbers(&told), "3 of 3");
    let three = revision(&world, 3).await;
    assert_eq!(
        (&three["spec"]["restoredFrom"], &three["spec"]["digest"]),
        (&json!(1), &revision(&world, 1).await["spec"]["digest"])
    );
    assert_eq!(revision(&world, 2).await["status"]["superseded"], true);
    assert_eq!(three["status"]["superseded"], false);
    assert!(
        world
            .told()
            .await
            .contains(&"Normal RevisionIssued: created revision 3 (content from revision 1)".to_owned())
    );
    assert!(
        world
            .told()
            .await
            .contains(&"Normal RevisionSuperseded: revision 2 is superseded by revision 3".to_owned())
    );
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v08_an_edit_that_nobody_read_before_the_next_is_no_revision() {
    let mut world = started().await;
    world.kill_controllers();
    for text in ["two", "three"] {
        world.put_by_hand(&app(text)).await;
    }
    world.start_controllers();
    world.eventually("ConfigMap a-one", text_is("three")).await;
    world.settled().await;
    assert_eq!(revisions(&world).await, ["app-rev-1", "app-rev-2"]);
    assert_eq!(numbers(&world.there(APP).await), "2 of 2");
}

#[tokio::test(flavor = "multi_thread")]
async fn v10_an_edit_may_wait_for_somebody_to_ask_for_it() {
    let world = World::start().await;
    let manual = |text: &str| {
        let mut made = app(text);
        made["spec"]["revisionManagement"] = json!({"updatePolicy": {"type": "Manual"}});
        made
    };
    world.put_by_hand(&manual("one")).await;
    let told = world.eventually(APP, |it| condition(it, "RevisionPending")["status"] == "True").await;
    assert!(message(&told, "RevisionPending").contains("krono revisions create rgd/app"), "{told:#}");
    assert!(revisions(&world).await.is_empty());
    assert!(world.get(CRD).await.is_none());
    world.annotate(APP, "krono.dev/create-revision", Some("true")).await;
    world.eventually(APP, |it| numbers(it) == "1 of 1" && condition(it, "RevisionPending").is_null()).await;
    world.instance("App a", "text: hello").await;
    world.active("App a").await;
    world.settled().await;
    assert!(world.there(APP).await["metadata"]["annotations"].get("krono.dev/create-revision").is_none());

    world.put_by_hand(&manual("two")).await;
    let told = world.eventually(APP, |it| condition(it, "RevisionPending")["status"] == "True").await;
    assert_eq!(numbers(&told), "1 of 1");
    world.settled().await;
    assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], "one");
    // Somebody means another edit.
    world.annotate(APP, "krono.dev/create-revision", Some("0000000")).await;
    world
        .eventually(APP, |it| it["metadata"]["annotations"].get("krono.dev/create-revision").is_none())
        .await;
    world.settled().await;
    assert_eq!(revisions(&world).await.len(), 1);
    assert!(
        world
            .told()
            .await
            .iter()
            .any(|it| it.starts_with("Warning RevisionRefused: \"0000000\" does not name"))
    );
    let words = message(&told, "RevisionPending").to_owned();
    let digits = words.rsplit('"').nth(1).expect("digits");
    world.annotate(APP, "krono.dev/create-revision", Some(digits)).await;
    world.eventually("ConfigMap a-one", text_is("two")).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v11_a_revision_tells_who_made_it_and_why() {
    let world = started().await;
    let mut changed = app("two");
    changed["metadata"]["annotations"] = json!({"krono.dev/change-cause": "more of it"});
    edit(&world, &changed).await;
    let two = revision(&world, 2).await;
    assert_eq!(
        (&two["spec"]["author"]["manager"], &two["spec"]["changeCause"]),
        (&json!("kubectl"), &json!("more of it"))
    );
    assert!(two["spec"]["author"]["time"].is_string());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v11_a_rollback_is_the_change_of_whoever_asked_for_it() {
    let world = started().await;
    let mut changed = app("two");
    changed["metadata"]["annotations"] = json!({"krono.dev/change-cause": "more of it"});
    edit(&world, &changed).await;
    let rolled_back = async |to: &str, number: u64| {
        world.annotate(APP, "kro.run/rollback-to-revision", Some(to)).await;
        world.eventually(APP, |it| it["status"]["currentRevision"] == number).await;
        world.settled().await;
        revision(&world, number).await["spec"].clone()
    };
    // The spec is written by krono, and its last author before was somebody else.
    let three = rolled_back("1", 3).await;
    assert_eq!((&three["author"]["manager"], &three["restoredFrom"]), (&json!("user"), &json!(1)));
    assert!(three["author"]["time"].is_string());
    assert_eq!(three.get("changeCause"), None, "that was the cause of revision 2");
    assert_eq!(rolled_back("2", 4).await.get("changeCause"), None);
    // Unless there is a new one.
    world.annotate(APP, "krono.dev/change-cause", Some("too much of it")).await;
    assert_eq!(rolled_back("1", 5).await["changeCause"], "too much of it");
    let left = &world.there(APP).await["metadata"]["annotations"];
    assert_eq!(left.get("krono.dev/restoring-for"), None);
    // An edit is its author's again.
    edit(&world, &app("six")).await;
    assert_eq!(revision(&world, 6).await["spec"]["author"]["manager"], "kubectl");
    world.settled().await;
}

const WIDGETS: &str = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.acme.io},
  spec: {group: acme.io, scope: Namespaced, names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList},
    versions: [{name: v1alpha1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {
      spec: {type: object, properties: {FIELD: {type: string}}}}}}}]}}";

#[tokio::test(flavor = "multi_thread")]
async fn v12_a_revision_compiles_after_the_kinds_have_moved_on() {
    let mut world = World::start().await;
    world.apply(&WIDGETS.replace("FIELD", "old")).await;
    let widget = |field: &str| {
        let template = "{apiVersion: acme.io/v1alpha1, kind: Widget, metadata: {name: '${schema.metadata.name}'}, spec: {FIELD: x}}";
        let resources = format!("- {{id: widget, template: {}}}", template.replace("FIELD", field));
        definition(
            "App",
            "spec: {}, status: {is: '${widget.spec.FIELD}'}".replace("FIELD", field).as_str(),
            &resources,
        )
    };
    edit(&world, &widget("old")).await;
    assert!(revision(&world, 1).await["spec"]["interface"]["kinds"]["acme.io/v1alpha1/Widget"].is_object());
    world.apply(&WIDGETS.replace("FIELD", "new")).await;
    let told = world.eventually(APP, |it| condition(it, "GraphAccepted")["status"] == "False").await;
    assert!(message(&told, "GraphAccepted").contains("old"));
    world
        .put_by_hand(&{
            let mut made = widget("new");
            made["spec"]["schema"]["status"] = json!({"is": "${widget.spec.new}"});
            made
        })
        .await;
    world.eventually(APP, |it| numbers(it) == "2 of 2").await;
    // What was compiled against the old kind is served as it was.
    world.start_controllers();
    world.annotate(APP, "krono.dev/active-revision", Some("1")).await;
    world.eventually(APP, |it| numbers(it) == "1 of 2").await;
    world.instance("App a", "").await;
    world.eventually("App a", |it| !it["status"]["conditions"].is_null()).await;
    world.quiet().await;
    let told = world.there("App a").await;
    assert_eq!(condition(&told, "GraphResolved")["status"], "True", "{told:#}");
    // That the kind has no such field any more is told by who needs it, and by nobody else.
    let told = world.eventually("App a", |it| it["status"]["state"] == "ERROR").await;
    assert!(message(&told, "ResourcesReady").contains("old"), "{told:#}");
    let mut well = instance("App b", "");
    well["metadata"]["annotations"] = json!({"kro.run/rgd-revision": "2"});
    world.put(&well).await;
    let told = world.active("App b").await;
    assert_eq!((&told["status"]["is"], &told["status"]["observedRGDRevision"]), (&json!("x"), &json!(2)));
    world.active(APP).await;
    // A field that the kind no longer has is refused, and tried again.
    world.settled_in_vain().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v12_a_definition_that_is_too_large_is_refused() {
    let world = started().await;
    let mut large = app("one");
    large["spec"]["resources"][0]["template"]["data"]["much"] = json!("x".repeat((1 << 20) - 1000));
    world.put_by_hand(&large).await;
    let told = world.eventually(APP, |it| condition(it, "GraphRevisionsResolved")["status"] == "False").await;
    let words = message(&told, "GraphRevisionsResolved");
    assert!(
        words.contains("no revision is issued: it would have") && words.contains("make two definitions"),
        "{words}"
    );
    assert_eq!(revisions(&world).await.len(), 1);
    world.settled().await;
}
