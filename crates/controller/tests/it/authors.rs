//! Who made a revision, where somebody sees users.

use std::sync::Arc;

use krono_apiserver::rbac::{MASTERS, User};
use krono_apiserver::{Server, Witness};
use krono_controller::Options;
use krono_history::witness::{By, Notes, note};
use kube::Api;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams};
use serde_json::{Value, json};

use crate::place::Lease;
use crate::revisions::{APP, app, revision};
use crate::world::{World, instance, prompt};

/// Who the controllers are.
const CONTROLLERS: &str = "system:krono";

/// Sees all custom resources.
#[derive(Debug)]
struct Everybody;

impl Witness for Everybody {
    fn looks_at(&self, _: &str, _: &Value) -> bool {
        true
    }

    fn note(&self, user: &str, object: &mut Value, old: Option<&Value>) {
        let by = if user == CONTROLLERS { By::Controllers(user) } else { By::User(user) };
        note(by, object, old);
    }
}

fn user(name: &str) -> User {
    User { name: name.to_owned(), groups: vec![MASTERS.to_owned()], ..User::default() }
}

/// A patch by a user with kubectl.
async fn patch(server: &Server, name: &str, object: &Value, patch: Patch<Value>) {
    let kind = object["kind"].as_str().unwrap_or_default();
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("kro.run", "v1alpha1", kind));
    let client = server.acting_as(user(name)).client();
    let api: Api<DynamicObject> = match kind {
        "App" => Api::namespaced_with(client, "default", &resource),
        _ => Api::all_with(client, &resource),
    };
    let of = object["metadata"]["name"].as_str().unwrap_or_default();
    let annotates =
        PatchParams { field_manager: Some("kubectl-annotate".to_owned()), ..PatchParams::default() };
    let is_apply = matches!(patch, Patch::Apply(_));
    let params = if is_apply { PatchParams::apply("kubectl").force() } else { annotates };
    api.patch(of, &params, &patch).await.expect("a patch");
}

async fn author(world: &World, number: u64) -> Value {
    world.eventually(APP, |it| it["status"]["currentRevision"] == number).await;
    let author = revision(world, number).await["spec"]["author"].clone();
    json!([author["manager"], author["user"]])
}

/// The user who made an input, once it is there.
async fn author_of_input(world: &World, number: u64) -> Value {
    let told = world.eventually("App a", |it| it["status"]["observedInputRevision"] == number).await;
    told["status"]["inputRevisionHistory"][0]["author"]["user"].clone()
}

/// A server that sees users, and controllers that know so.
async fn witnessed() -> (Server, World) {
    let server = Server::builder().witness(Arc::new(Everybody)).start().await.expect("a server");
    let place = server.acting_as(user(CONTROLLERS));
    let options = Options { notes: Notes::Believed, ..prompt() };
    (server, World::start_on(place, Lease::of_ones_own(), options).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn v11_a_revision_names_the_user_where_somebody_sees_it() {
    let (server, world) = witnessed().await;
    patch(&server, "alice", &app("one"), Patch::Apply(app("one"))).await;
    assert_eq!(author(&world, 1).await, json!(["kubectl", "alice"]));
    patch(&server, "bob", &app("two"), Patch::Apply(app("two"))).await;
    assert_eq!(author(&world, 2).await, json!(["kubectl", "bob"]));
    let rollback = json!({"metadata": {"annotations": {"kro.run/rollback-to-revision": "1"}}});
    patch(&server, "carol", &app("two"), Patch::Merge(rollback)).await;
    assert_eq!(author(&world, 3).await, json!(["kubectl-annotate", "carol"]));
    world.quiet().await;
    let annotations = world.there(APP).await["metadata"]["annotations"].clone();
    assert!(annotations.get("krono.dev/requested-by").is_none(), "{annotations}");
    let made = instance("App a", "");
    patch(&server, "dave", &made, Patch::Apply(made.clone())).await;
    assert_eq!(author_of_input(&world, 1).await, "dave");
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v11_and_v22_an_instance_goes_back_for_whoever_asked() {
    let (server, world) = witnessed().await;
    world.define(&app("one")).await;
    for (number, name, spec) in [(1, "dave", "text: one"), (2, "erin", "text: two")] {
        let made = instance("App a", spec);
        patch(&server, name, &made, Patch::Apply(made.clone())).await;
        assert_eq!(author_of_input(&world, number).await, name);
    }
    let rollback = json!({"metadata": {"annotations": {"kro.run/rollback-to-input-revision": "1"}}});
    patch(&server, "frank", &instance("App a", ""), Patch::Merge(rollback)).await;
    assert_eq!(author_of_input(&world, 3).await, "frank");
    assert_eq!(world.there("App a").await["spec"]["text"], "one");
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v11_nobody_is_believed_who_writes_a_name_where_nobody_sees_users() {
    let world = World::start().await;
    let claim = json!({
        "krono.dev/changed-by": "1 alice",
        "krono.dev/requested-by": "alice",
        "krono.dev/restoring-revision": "1",
        "krono.dev/restoring-for": r#"{"manager": "kubectl", "user": "alice"}"#,
    });
    let mut claimed = app("one");
    claimed["metadata"]["annotations"] = claim.clone();
    world.put_by_hand(&claimed).await;
    assert_eq!(author(&world, 1).await, json!(["kubectl", null]));
    let mut claimed = app("two");
    claimed["metadata"]["annotations"] = claim.clone();
    claimed["metadata"]["annotations"]["krono.dev/changed-by"] = json!("2 alice");
    world.put_by_hand(&claimed).await;
    assert_eq!(author(&world, 2).await, json!(["kubectl", null]));
    let mut claimed = app("one");
    claimed["metadata"]["annotations"] = claim.clone();
    world.put_by_hand(&claimed).await;
    assert_eq!(author(&world, 3).await, json!(["kubectl", null]));
    let mut claimed = instance("App a", "");
    claimed["metadata"]["annotations"] = claim;
    world.put_by_hand(&claimed).await;
    assert_eq!(author_of_input(&world, 1).await, Value::Null);
    world.settled().await;
}
