//! A tool that puts back what it has a copy of, and takes away what people wrote by hand, as Git tools do.

use serde_json::{Value, json};

use crate::revisions::revisions;
use crate::world::{World, condition, config_map, definition, instance, message};

const TOOL: &str = "argocd-controller";
const APP: &str = "ResourceGraphDefinition /app";

/// The copies that a tool has.
struct Impostor {
    copies: Vec<(&'static str, Value)>,
}

impl Impostor {
    /// The same with another copy of the definition.
    fn with(&self, definition: Value) -> Self {
        Self { copies: vec![(APP, definition), self.copies[1].clone()] }
    }

    /// Strikes again and again while something else goes on.
    async fn strikes_during(&self, world: &World, course: impl Future<Output = ()>) {
        let striking = async {
            loop {
                self.put_back(world).await;
            }
        };
        tokio::select! {
            () = striking => {}
            () = course => {}
        }
    }

    /// Puts all copies back, and takes away the annotations of `kubectl`.
    async fn strike(&self, world: &World) {
        self.put_back(world).await;
        world.quiet().await;
    }

    async fn put_back(&self, world: &World) {
        for (what, copy) in &self.copies {
            let live = world.try_put_as(TOOL, copy).await.expect("an apply");
            for key in annotations_by_hand(&live) {
                world.annotate(what, &key, None).await;
            }
            let left = annotations_by_hand(&world.there(what).await);
            assert!(left.is_empty(), "{what} has what is written by hand: {left:?}");
        }
    }

    /// However often it strikes, nobody has anything to do.
    async fn strikes_in_vain(&self, world: &World) {
        self.strike(world).await;
        world.settled().await;
        let before = world.line.writes().len();
        for _ in 0..5 {
            self.strike(world).await;
        }
        let writes = &world.line.writes()[before..];
        assert!(writes.is_empty(), "a loop: {writes:#?}");
        world.settled().await;
    }
}

fn annotations_by_hand(object: &Value) -> Vec<String> {
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    let by_hand = entries.filter(|it| it["manager"].as_str().is_some_and(|it| it.starts_with("kubectl")));
    let fields = by_hand.filter_map(|it| it["fieldsV1"]["f:metadata"]["f:annotations"].as_object());
    fields.flatten().filter_map(|(key, _)| key.strip_prefix("f:")).map(str::to_owned).collect()
}

/// An annotation that is somebody's own, by server-side apply.
async fn claim(world: &World, manager: &str, copy: &Value, key: &str, text: &str) {
    claim_all(world, manager, copy, json!({key: text})).await;
    world.quiet().await;
}

async fn claim_all(world: &World, manager: &str, copy: &Value, annotations: Value) {
    let mut object =
        json!({"apiVersion": copy["apiVersion"], "kind": copy["kind"], "metadata": copy["metadata"]});
    object["metadata"]["annotations"] = annotations;
    world.try_put_as(manager, &object).await.expect("an apply");
}

fn app(text: &str) -> Value {
    wider("", text)
}

fn wider(fields: &str, text: &str) -> Value {
    let schema = format!("spec: {{name: string{fields}}}");
    definition("App", &schema, &config_map("one", &format!("text: {text}"), ""))
}

async fn kept() -> (World, Impostor) {
    kept_as(World::start().await, app("one")).await
}

async fn kept_as(world: World, definition: Value) -> (World, Impostor) {
    let copies = vec![(APP, definition), ("App a", instance("App a", "name: x"))];
    for (what, copy) in &copies {
        world.try_put_as(TOOL, copy).await.expect("an apply");
        world.active(what).await;
    }
    (world, Impostor { copies })
}

#[tokio::test(flavor = "multi_thread")]
async fn v08_an_edit_that_a_tool_takes_back_is_two_revisions_and_no_more() {
    let (world, impostor) = kept().await;
    world.put_by_hand(&app("two")).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "two").await;
    impostor.strike(&world).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "one").await;
    impostor.strikes_in_vain(&world).await;
    assert_eq!(revisions(&world).await, ["app-rev-1", "app-rev-2", "app-rev-3"]);
    assert_eq!(world.there("ResourceGraphDefinitionRevision /app-rev-3").await["spec"]["restoredFrom"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn v20_a_hold_of_krono_survives_and_is_served() {
    let (world, impostor) = kept().await;
    world.put_by_hand(&app("two")).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "two").await;
    claim(&world, "krono", &impostor.copies[0].1, "krono.dev/active-revision", "2").await;
    impostor.strikes_in_vain(&world).await;
    assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], "two");
    assert_eq!(world.there(APP).await["status"]["currentRevision"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn v26_a_pin_of_krono_survives_and_one_by_hand_is_missed() {
    let (world, impostor) = kept().await;
    claim(&world, "kubectl-annotate", &impostor.copies[1].1, "kro.run/rgd-revision", "1").await;
    world.eventually("App a", |it| it["status"]["assignment"]["because"] == "Pinned").await;
    impostor.strikes_in_vain(&world).await;
    assert_eq!(world.there("App a").await["status"]["assignment"]["because"], "Following");
    let told = world.told().await;
    assert!(
        told.iter().any(|it| it.contains("Warning PinRemoved") && it.contains("krono pin app/a")),
        "{told:#?}"
    );

    claim(&world, "krono", &impostor.copies[1].1, "kro.run/rgd-revision", "1").await;
    impostor.with(app("two")).strikes_in_vain(&world).await;
    assert_eq!(world.there("App a").await["status"]["assignment"]["because"], "Pinned");
    assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], "one");
}

#[tokio::test(flavor = "multi_thread")]
async fn v26_a_pin_of_krono_that_somebody_else_removes_is_missed() {
    let (world, impostor) = kept().await;
    let is = |because: &'static str| move |it: &Value| it["status"]["assignment"]["because"] == because;
    for (trace, times) in [(Some("1"), 0), (None, 1)] {
        world.merge("App a", json!({"metadata": {"annotations": {"krono.dev/unpinned": null}}})).await;
        claim(&world, "krono", &impostor.copies[1].1, "kro.run/rgd-revision", "1").await;
        world.eventually("App a", is("Pinned")).await;
        let gone = json!({"kro.run/rgd-revision": null, "krono.dev/unpinned": trace});
        world.merge("App a", json!({"metadata": {"annotations": gone}})).await;
        world.eventually("App a", is("Following")).await;
        world.quiet().await;
        let told = world.told().await;
        let missed =
            told.iter().filter(|it| it.starts_with("Warning PinRemoved: the pin to revision 1 is gone"));
        assert_eq!(missed.count(), times, "{trace:?} {told:#?}");
        world.settled().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v15_new_defaults_and_a_tool_that_knows_nothing_of_them_are_no_new_input() {
    let (world, impostor) = kept().await;
    claim(&world, "krono", &impostor.copies[1].1, "kro.run/rgd-revision", "1").await;
    let impostor = impostor.with(wider(", size: 'integer | default=3'", "two"));
    impostor.strike(&world).await;
    world.eventually("App a", |it| it["spec"]["size"] == 3).await;
    impostor.strikes_in_vain(&world).await;
    let told = world.there("App a").await;
    assert_eq!(told["status"]["currentInputRevision"], 1);
    assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], "one");
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_an_edit_by_hand_that_a_tool_takes_back_is_two_inputs_and_no_more() {
    let (world, impostor) = kept().await;
    world.put_by_hand(&instance("App a", "name: z")).await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 2).await;
    claim(&world, "krono", &impostor.copies[1].1, "krono.dev/hold-input-revision", "2").await;
    impostor.strikes_in_vain(&world).await;
    let told = world.there("App a").await;
    assert_eq!((&told["spec"]["name"], &told["status"]["currentInputRevision"]), (&json!("x"), &json!(2)));
}

fn text_is(text: &str) -> impl Fn(&Value) -> bool {
    move |it| it["data"]["text"] == text
}

#[tokio::test(flavor = "multi_thread")]
async fn v19_a_rollback_that_a_tool_takes_back_is_two_revisions_and_no_more() {
    let (world, impostor) = kept().await;
    let impostor = impostor.with(app("two"));
    impostor.strikes_in_vain(&world).await;
    claim(&world, "kubectl-annotate", &app(""), "kro.run/rollback-to-revision", "1").await;
    let told = world.eventually(APP, |it| !condition(it, "RollbackRefused").is_null()).await;
    let way = "krono rollback rgd/app --to-revision=1 --hold";
    assert!(message(&told, "RollbackRefused").contains(way), "{told:#}");
    impostor.strikes_in_vain(&world).await;
    assert_eq!(revisions(&world).await.len(), 2);
    let forced = json!({"kro.run/rollback-to-revision": "1", "krono.dev/rollback-force": "true"});
    world.merge(APP, json!({"metadata": {"annotations": forced}})).await;
    world.eventually("ConfigMap a-one", text_is("one")).await;
    impostor.strike(&world).await;
    world.eventually("ConfigMap a-one", text_is("two")).await;
    impostor.strikes_in_vain(&world).await;
    assert_eq!(revisions(&world).await.len(), 4);
    for (number, from) in [(3, 1), (4, 2)] {
        let revision = world.there(&format!("ResourceGraphDefinitionRevision /app-rev-{number}")).await;
        assert_eq!(revision["spec"]["restoredFrom"], from);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_a_rollback_that_a_tool_takes_back_is_two_inputs_and_no_more() {
    let (world, impostor) = kept().await;
    world.put_by_hand(&instance("App a", "name: z")).await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 2).await;
    impostor.strikes_in_vain(&world).await;
    let bare = impostor.copies[1].1.clone();
    claim(&world, "kubectl-annotate", &bare, "kro.run/rollback-to-input-revision", "2").await;
    let told = world.eventually("App a", |it| !condition(it, "RollbackRefused").is_null()).await;
    assert!(message(&told, "RollbackRefused").contains("--to-input-revision=2 --hold"), "{told:#}");
    impostor.strikes_in_vain(&world).await;
    assert_eq!(world.there("App a").await["status"]["currentInputRevision"], 3);
    let forced = json!({"kro.run/rollback-to-input-revision": "2", "krono.dev/rollback-force": "true"});
    world.merge("App a", json!({"metadata": {"annotations": forced}})).await;
    let told = world.eventually("App a", |it| it["status"]["observedInputRevision"] == 4).await;
    assert_eq!(told["spec"]["name"], "z");
    impostor.strike(&world).await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 5).await;
    impostor.strikes_in_vain(&world).await;
    let told = world.there("App a").await;
    assert_eq!((&told["spec"]["name"], &told["status"]["currentInputRevision"]), (&json!("x"), &json!(5)));
    assert_eq!(revisions(&world).await, ["app-rev-1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn v10_an_edit_of_a_tool_is_issued_once_when_somebody_asks_for_it() {
    let (world, impostor) = kept().await;
    for (number, text, manager) in [(2, "two", "krono"), (3, "three", "kubectl-annotate")] {
        let mut copy = app(text);
        copy["spec"]["revisionManagement"] = json!({"updatePolicy": {"type": "Manual"}});
        let impostor = impostor.with(copy);
        impostor.strikes_in_vain(&world).await;
        assert_eq!(condition(&world.there(APP).await, "RevisionPending")["status"], "True");
        assert_eq!(revisions(&world).await.len(), number - 1);
        claim(&world, manager, &app(""), "krono.dev/create-revision", "true").await;
        world.eventually("ConfigMap a-one", text_is(text)).await;
        impostor.strikes_in_vain(&world).await;
        assert_eq!(revisions(&world).await.len(), number);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v30_what_nothing_needs_is_pruned_and_what_krono_pins_stays() {
    let (world, impostor) = kept().await;
    let keeping = |text: &str| {
        let mut copy = app(text);
        copy["spec"]["revisionManagement"] = json!({"historyLimit": 1});
        impostor.with(copy)
    };
    for text in ["two", "three", "four"] {
        keeping(text).strike(&world).await;
        world.eventually("ConfigMap a-one", text_is(text)).await;
    }
    claim(&world, "krono", &impostor.copies[1].1, "kro.run/rgd-revision", "2").await;
    world.eventually("ConfigMap a-one", text_is("two")).await;
    let impostor = keeping("four");
    impostor.strikes_in_vain(&world).await;
    assert_eq!(revisions(&world).await.len(), 4);
    let one = "ResourceGraphDefinitionRevision /app-rev-1";
    let unused = "krono.dev/unused-since";
    assert!(world.there(one).await["metadata"]["annotations"][unused].is_string());
    world.annotate(one, unused, Some("2026-01-01T00:00:00Z")).await;
    world.gone(one).await;
    impostor.strikes_in_vain(&world).await;
    assert_eq!(revisions(&world).await, ["app-rev-2", "app-rev-3", "app-rev-4"]);
    assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], "two");
}

#[tokio::test(flavor = "multi_thread")]
async fn v20_a_hold_by_hand_ends_with_the_next_strike() {
    let (world, impostor) = kept().await;
    let impostor = impostor.with(app("two"));
    impostor.strikes_in_vain(&world).await;
    claim(&world, "kubectl-annotate", &app(""), "krono.dev/active-revision", "1").await;
    world.eventually("ConfigMap a-one", text_is("one")).await;
    impostor.strike(&world).await;
    world.eventually("ConfigMap a-one", text_is("two")).await;
    impostor.strikes_in_vain(&world).await;
    assert!(condition(&world.there(APP).await, "Held").is_null());
    assert_eq!(revisions(&world).await, ["app-rev-1", "app-rev-2"]);
}

/// A kind that is nobody's definition's, with further fields.
fn widgets(more: &str) -> String {
    let names = "{kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}";
    let schema = format!(
        "{{type: object, properties: {{spec: {{type: object, properties: {{text: {{type: string}}{more}}}}}}}}}"
    );
    format!(
        "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: widgets.acme.io}}, \
         spec: {{group: acme.io, scope: Namespaced, names: {names}, versions: [{{name: v1alpha1, served: true, \
         storage: true, schema: {{openAPIV3Schema: {schema}}}}}]}}}}"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn v15_a_default_that_the_kind_of_a_resource_gains_is_no_revision_and_no_write() {
    let world = World::start().await;
    world.apply(&widgets("")).await;
    let resource = "- {id: widget, template: {apiVersion: acme.io/v1alpha1, kind: Widget, \
                    metadata: {name: '${schema.metadata.name}'}, spec: {text: '${schema.spec.name}'}}}";
    let (world, impostor) = kept_as(world, definition("App", "spec: {name: string}", resource)).await;
    impostor.strikes_in_vain(&world).await;
    let before = world.line.writes().len();
    world.apply(&widgets(", size: {type: integer, default: 3}")).await;
    world.answered("Widget.acme.io a", |it| it["spec"]["size"] == 3).await;
    world.settled().await;
    impostor.strikes_in_vain(&world).await;
    let writes = &world.line.writes()[before..];
    assert!(writes.is_empty(), "{writes:#?}");
    assert_eq!(revisions(&world).await, ["app-rev-1"]);
    let told = world.there("App a").await;
    assert_eq!(
        (&told["status"]["currentInputRevision"], &told["status"]["state"]),
        (&json!(1), &json!("ACTIVE"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn v27_a_policy_and_an_approval_of_krono_stand_while_a_tool_strikes_all_the_time() {
    let (world, impostor) = kept().await;
    let instance = impostor.copies[1].1.clone();
    let text_is = |text: &'static str| move |it: &Value| it["data"]["text"] == text;
    let because = |why: &'static str| move |it: &Value| it["status"]["assignment"]["because"] == why;
    impostor
        .strikes_during(&world, async {
            claim_all(&world, "krono", &instance, json!({"kro.run/update-policy": "Manual"})).await;
            world.eventually("App a", because("Manual")).await;
        })
        .await;
    impostor
        .with(app("two"))
        .strikes_during(&world, async {
            world.eventually(APP, |it| it["status"]["currentRevision"] == 2).await;
            world.eventually("App a", because("Manual")).await;
            assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], "one");
            let approved = json!({"kro.run/update-policy": "Manual", "krono.dev/approve-revision": "2"});
            claim_all(&world, "krono", &instance, approved).await;
            world.eventually("ConfigMap a-one", text_is("two")).await;
            world.eventually("App a", |it| it["status"]["observedRGDRevision"] == 2).await;
        })
        .await;
    world.settled().await;
    assert_eq!(revisions(&world).await, ["app-rev-1", "app-rev-2"]);
    let told = world.there("App a").await;
    assert_eq!(
        (&told["status"]["currentInputRevision"], &told["status"]["assignment"]["revision"]),
        (&json!(2), &json!(2))
    );
    let written = world.line.writes().into_iter().filter(|it| it.contains("/configmaps/a-one?")).count();
    assert_eq!(written, 2, "once for each revision");
}
