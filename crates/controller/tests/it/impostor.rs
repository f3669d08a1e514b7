//! A tool that puts back what it has a copy of, and takes away what people wrote by hand, as Git tools do.

use serde_json::{Value, json};

use crate::revisions::revisions;
use crate::world::{World, config_map, definition, instance};

const TOOL: &str = "argocd-controller";
const APP: &str = "ResourceGraphDefinition /app";

/// The copies that a tool has.
struct Impostor {
    copies: Vec<(&'static str, Value)>,
}

impl Impostor {
    /// Puts all copies back, and takes away the annotations of `kubectl`.
    async fn strike(&self, world: &World) {
        for (what, copy) in &self.copies {
            let live = world.try_put_as(TOOL, copy).await.expect("an apply");
            for key in annotations_by_hand(&live) {
                world.annotate(what, &key, None).await;
            }
        }
        world.quiet().await;
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
    let mut object =
        json!({"apiVersion": copy["apiVersion"], "kind": copy["kind"], "metadata": copy["metadata"]});
    object["metadata"]["annotations"] = json!({key: text});
    world.try_put_as(manager, &object).await.expect("an apply");
    world.quiet().await;
}

fn app(text: &str) -> Value {
    wider("", text)
}

fn wider(fields: &str, text: &str) -> Value {
    let schema = format!("spec: {{name: string{fields}}}");
    definition("App", &schema, &config_map("one", &format!("text: {text}"), ""))
}

async fn kept() -> (World, Impostor) {
    let world = World::start().await;
    let copies = vec![(APP, app("one")), ("App a", instance("App a", "name: x"))];
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
    let edited = Impostor { copies: vec![(APP, app("two")), impostor.copies[1].clone()] };
    edited.strikes_in_vain(&world).await;
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
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v15_new_defaults_and_a_tool_that_knows_nothing_of_them_are_no_new_input() {
    let (world, impostor) = kept().await;
    claim(&world, "krono", &impostor.copies[1].1, "kro.run/rgd-revision", "1").await;
    let copy = wider(", size: 'integer | default=3'", "two");
    let impostor = Impostor { copies: vec![(APP, copy), impostor.copies[1].clone()] };
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
