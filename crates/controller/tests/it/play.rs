//! Stories played on the embedded server, by the real controllers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use krono_apiserver::Server;
use krono_controller::Controllers;
use krono_model::names;
use krono_schema::crd::pluralize;
use krono_sim::Random;
use krono_testkit::{
    Deed, FIRST, Making, OBSTACLE, SIM_VERSION, Story, Tampering, Wish, comparable, crds, definition, making,
    shared, tampered,
};
use kube::api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams};
use kube::{Api, Client};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::storm::{Severity, Storm};
use crate::world::value;

/// How long to wait for what should come, in a time that passes when there is nothing to do.
const PATIENCE: Duration = Duration::from_mins(20);
/// Longer than the longest pause before something is tried again.
const PAUSE: Duration = Duration::from_secs(61);

/// How a story is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// Nothing goes wrong, and everybody waits until the controllers have nothing to do.
    Calm,
    /// Everything goes wrong, and nobody waits.
    Wild,
}

/// An object of somebody, and what it is like since that somebody touched it last.
struct Guarded {
    identity: [String; 4],
    version: String,
}

/// A story being played.
pub(crate) struct Play<'s> {
    story: &'s Story,
    pace: Pace,
    random: Random,
    client: Client,
    storm: Storm,
    guarded: Vec<Guarded>,
}

type Played<T> = Result<T, String>;

impl<'s> Play<'s> {
    /// A world with objects of others, and the first controllers.
    pub(crate) async fn begin(story: &'s Story, pace: Pace) -> Played<Self> {
        let server = Server::in_memory().await.map_err(|it| it.to_string())?;
        let (client, mut random) = (server.client(), Random::new(story.seed));
        let severity = match pace {
            Pace::Calm => Severity::default(),
            Pace::Wild => severity(&mut random),
        };
        let seed = random.number();
        let processes = Storm::begin(server, severity, seed);
        let mut play = Self { story, pace, random, client, storm: processes, guarded: Vec::new() };
        play.plant().await?;
        Ok(play)
    }

    /// The whole story, up to the moment when all is quiet.
    pub(crate) async fn run(&mut self) -> Played<()> {
        self.define(0).await?;
        for index in 0..self.story.instances {
            self.create(index, &FIRST).await?;
        }
        self.wait().await?;
        for deed in &self.story.deeds {
            self.perform(deed).await?;
            self.wait().await?;
        }
        self.storm.end();
        self.pace = Pace::Calm;
        self.remove_obstacle().await?;
        self.settle().await?;
        match self.quiet().await?.due_again() {
            0 => Ok(()),
            more => Err(format!("{more} are still not well")),
        }
    }

    /// Another look changes nothing, and neither do other controllers.
    pub(crate) async fn check_rest(&self) -> Played<()> {
        let controllers = self.quiet().await?;
        let (version, writes) = (self.version().await?, self.storm.writes());
        controllers.look_at_everything();
        self.quiet().await?;
        if (self.version().await?, self.storm.writes()) != (version.clone(), writes) {
            return Err("another look at a settled world writes".to_owned());
        }
        self.storm.kill();
        self.quiet().await?;
        if self.version().await? != version {
            return Err("other controllers change a settled world".to_owned());
        }
        for Guarded { identity, version } in &self.guarded {
            let found = self.get(identity).await?;
            if found["metadata"]["resourceVersion"] != **version {
                return Err(format!("touched what is not theirs: {identity:?} is {found:#}"));
            }
        }
        Ok(())
    }

    /// What the controllers are answerable for: the definition, instances and their resources.
    pub(crate) async fn state(&self) -> Played<BTreeMap<String, Value>> {
        let (mut objects, mut uids) = (Vec::new(), Vec::new());
        for (api_version, kind) in KINDS {
            for object in self.list(api_version, kind).await? {
                let is_resource = object["metadata"]["labels"][names::NODE_ID_LABEL].is_string();
                if is_resource || kind == "Demo" || kind == "ResourceGraphDefinition" {
                    let name = shown(&identity(&object));
                    uids.push((text(&object, "uid").to_owned(), format!("UID of {name}")));
                    objects.push((name, object));
                }
            }
        }
        let named = |object: &Value| {
            let named = uids.iter().fold(object.to_string(), |text, (uid, name)| text.replace(uid, name));
            serde_json::from_str(&named).map_err(|it| it.to_string())
        };
        objects.into_iter().map(|(name, object)| Ok((name, named(&comparable(&object))?))).collect()
    }

    async fn plant(&mut self) -> Played<()> {
        for name in ["home", "away", "elsewhere"] {
            self.put(&json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})).await?;
        }
        for crd in crds() {
            self.put(&crd).await?;
        }
        for object in self.story.foreign().into_iter().chain([shared()]) {
            let made = self.put(&object).await?;
            self.guard(&made);
        }
        Ok(())
    }

    /// Notes what an object is like.
    fn guard(&mut self, object: &Value) {
        let (identity, version) = (identity(object), text(object, "resourceVersion").to_owned());
        self.guarded.retain(|it| it.identity != identity);
        self.guarded.push(Guarded { identity, version });
    }

    async fn remove_obstacle(&mut self) -> Played<()> {
        let identity = ["v1", "ConfigMap", "home", OBSTACLE].map(str::to_owned);
        if self.story.obstacle {
            self.guarded.retain(|it| it.identity != identity);
            self.delete(&identity).await?;
        }
        Ok(())
    }

    async fn perform(&mut self, deed: &Deed) -> Played<()> {
        match deed {
            Deed::Edit(index, wish) => {
                let identity = self.instance(*index);
                let found = self.get(&identity).await?;
                if found.is_null() || is_terminating(&found) {
                    return Ok(());
                }
                self.merge(&identity, json!({"spec": wish.spec()}), "").await.map(drop)
            }
            Deed::Delete(index) => self.delete(&self.instance(*index)).await,
            Deed::Create(index, wish) => self.create(*index, wish).await,
            Deed::Define(index) => self.define(*index).await,
            Deed::Share(text) => {
                let patch = json!({"data": {"own": text}});
                let changed = self.merge(&identity(&shared()), patch, "").await?;
                self.guard(&changed);
                Ok(())
            }
            Deed::Tamper(which, how) => self.tamper(*which, *how).await,
        }
    }

    async fn define(&self, index: usize) -> Played<()> {
        let mut definition = definition(self.story.graph(index));
        // Random definitions do not care what the status of the one before looked like.
        definition["metadata"]["annotations"] = json!({"kro.run/allow-breaking-changes": "true"});
        timeout(PATIENCE, async {
            while self.put(&definition).await.is_err() {
                sleep(Duration::from_millis(10)).await;
            }
        })
        .await
        .map_err(|_| "the kind of definitions does not come".to_owned())
    }

    fn instance(&self, index: usize) -> [String; 4] {
        ["kro.run/v1alpha1", "Demo", "home", &self.story.instance(index)].map(str::to_owned)
    }

    /// Makes an instance, as soon as its kind is served; one that is on its way out goes first.
    async fn create(&mut self, index: usize, wish: &Wish) -> Played<()> {
        let identity = self.instance(index);
        let [api_version, kind, namespace, name] = &identity;
        let metadata = json!({"name": name, "namespace": namespace});
        let object =
            json!({"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": wish.spec()});
        let mut complaint = String::new();
        for _ in 0..2000 {
            let found = self.get(&identity).await?;
            match is_terminating(&found) {
                true => complaint = format!("it does not go away: {found:#}"),
                false if found.is_null() => match self.put(&object).await {
                    Ok(_) => return Ok(()),
                    Err(words) => complaint = words,
                },
                false => return Ok(()),
            }
            self.step().await?;
        }
        let definitions = self.list("kro.run/v1alpha1", "ResourceGraphDefinition").await?;
        let status = definitions.first().map(|it| it["status"].clone()).unwrap_or_default();
        Err(format!("{} cannot be made: {complaint}\nthe definition says {status:#}", shown(&identity)))
    }

    async fn tamper(&mut self, which: usize, how: Tampering) -> Played<()> {
        let mut made = Vec::new();
        for (api_version, kind) in RESOURCES {
            let objects = self.list(api_version, kind).await?.into_iter();
            made.extend(objects.filter(|it| it["metadata"]["labels"][names::NODE_ID_LABEL].is_string()));
        }
        let Some(object) = made.get(which % made.len().max(1)) else { return Ok(()) };
        let identity = identity(object);
        let kind = identity[1].as_str();
        match how {
            Tampering::Change => self.merge(&identity, tampered(kind, &json!({"own": "tampered"})), "").await,
            Tampering::Add => self.merge(&identity, tampered(kind, &json!({"extra": "theirs"})), "").await,
            Tampering::Delete => return self.delete(&identity).await,
            Tampering::Unready if kind == "Part" => {
                let status = json!({"status": {"ready": false, "echo": "tampered"}});
                self.merge(&identity, status, "status").await
            }
            Tampering::Unready => return Ok(()),
        }
        .map(drop)
    }

    /// Waits until all is quiet, or not long enough.
    async fn wait(&mut self) -> Played<()> {
        if self.pace == Pace::Calm {
            return self.settle().await;
        }
        for _ in 0..self.random.below(6) {
            self.step().await?;
        }
        Ok(())
    }

    /// Waits until nothing is left to do; what fails all the time is tried some times more.
    async fn settle(&mut self) -> Played<()> {
        let mut fruitless = 0;
        loop {
            let controllers = self.quiet().await?;
            if self.make_parts(usize::MAX).await? {
                fruitless = 0;
                continue;
            }
            let version = self.version().await?;
            if controllers.due_again() == 0 || fruitless > 2 {
                return Ok(());
            }
            sleep(PAUSE).await;
            self.quiet().await?;
            fruitless = if self.version().await? == version { fruitless + 1 } else { 0 };
        }
    }

    /// Waits until the controllers have dealt with all that has happened; these are they.
    async fn quiet(&self) -> Played<Arc<Controllers>> {
        let quiet = timeout(PATIENCE, self.storm.quiet()).await;
        quiet.map_err(|_| "the controllers do not come to rest".to_owned())
    }

    /// Lets something happen.
    async fn step(&mut self) -> Played<()> {
        let (writes, pause) = (self.random.below(12), Duration::from_millis(self.random.below(3000) as u64));
        tokio::select! {
            () = self.storm.more_writes(writes) => {}
            () = sleep(pause) => {}
        }
        if self.random.happens(50) && self.pace == Pace::Wild {
            self.storm.interrupt_watches();
        }
        let most = self.random.below(5);
        self.make_parts(most).await.map(drop)
    }

    /// Somebody makes parts ready and lets go of those that are to be deleted; false when there was nothing to do.
    async fn make_parts(&self, most: usize) -> Played<bool> {
        let parts = self.list(SIM_VERSION, "Part").await?;
        let makings: Vec<_> = parts.iter().filter_map(|it| Some((identity(it), making(it)?))).collect();
        for (identity, making) in makings.iter().take(most).cloned() {
            match making {
                Making::Hold(patch) | Making::Release(patch) => self.merge(&identity, patch, "").await?,
                Making::Report(status) => self.merge(&identity, json!({"status": status}), "status").await?,
            };
        }
        Ok(!makings.is_empty())
    }
}

fn severity(random: &mut Random) -> Severity {
    let mut one_of = |choices: [usize; 3]| choices[random.below(3)];
    Severity {
        request: one_of([30, 100, 250]),
        watch: one_of([0, 10, 50]),
        kill: one_of([0, 10, 40]),
        delay: one_of([0, 200, 700]),
    }
}

const RESOURCES: [(&str, &str); 3] = [("v1", "ConfigMap"), (SIM_VERSION, "Part"), (SIM_VERSION, "Site")];
const KINDS: [(&str, &str); 5] = [
    RESOURCES[0],
    RESOURCES[1],
    RESOURCES[2],
    ("kro.run/v1alpha1", "Demo"),
    ("kro.run/v1alpha1", "ResourceGraphDefinition"),
];

fn text<'o>(object: &'o Value, field: &str) -> &'o str {
    object["metadata"][field].as_str().unwrap_or_default()
}

fn is_terminating(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}

/// Version, kind, namespace and name.
fn identity(object: &Value) -> [String; 4] {
    let field = |name: &str| object[name].as_str().unwrap_or_default().to_owned();
    let metadata = |name: &str| text(object, name).to_owned();
    [field("apiVersion"), field("kind"), metadata("namespace"), metadata("name")]
}

fn shown([_, kind, namespace, name]: &[String; 4]) -> String {
    format!("{kind} {namespace}/{name}")
}

/// The objects of a kind in a namespace, or in all; the plural of every kind here is what kro makes of it.
fn api(client: &Client, api_version: &str, kind: &str, namespace: &str) -> Api<DynamicObject> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let plural = pluralize(&kind.to_lowercase());
    let kind = GroupVersionKind::gvk(group, version, kind);
    let resource = ApiResource::from_gvk_with_plural(&kind, &plural);
    match namespace {
        "" => Api::all_with(client.clone(), &resource),
        _ => Api::namespaced_with(client.clone(), namespace, &resource),
    }
}

/// Requests of users, with which nothing goes wrong.
impl Play<'_> {
    async fn put(&self, object: &Value) -> Played<Value> {
        let [api_version, kind, namespace, name] = identity(object);
        let api = api(&self.client, &api_version, &kind, &namespace);
        let applied = api.patch(&name, &PatchParams::apply("user").force(), &Patch::Apply(object)).await;
        applied.map(|it| value(&it)).map_err(|it| format!("{}: {it}", shown(&identity(object))))
    }

    /// A merge patch; of an object that is gone, nothing.
    async fn merge(&self, identity: &[String; 4], patch: Value, subresource: &str) -> Played<Value> {
        let [api_version, kind, namespace, name] = identity;
        let api = api(&self.client, api_version, kind, namespace);
        let parameters = PatchParams { field_manager: Some("user".to_owned()), ..PatchParams::default() };
        let patched = match subresource {
            "" => api.patch(name, &parameters, &Patch::Merge(patch)).await,
            _ => api.patch_status(name, &parameters, &Patch::Merge(patch)).await,
        };
        match patched {
            Ok(object) => Ok(value(&object)),
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(Value::Null),
            Err(error) => Err(format!("{}: {error}", shown(identity))),
        }
    }

    async fn delete(&self, identity: &[String; 4]) -> Played<()> {
        let [api_version, kind, namespace, name] = identity;
        let deleted =
            api(&self.client, api_version, kind, namespace).delete(name, &DeleteParams::default()).await;
        match deleted {
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            deleted => deleted.map(drop).map_err(|it| format!("{}: {it}", shown(identity))),
        }
    }

    /// The object; nothing when there is none, or no such kind.
    async fn get(&self, identity: &[String; 4]) -> Played<Value> {
        let [api_version, kind, namespace, name] = identity;
        match api(&self.client, api_version, kind, namespace).get(name).await {
            Ok(object) => Ok(value(&object)),
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(Value::Null),
            Err(error) => Err(format!("{}: {error}", shown(identity))),
        }
    }

    /// The objects of a kind, in all namespaces; none of a kind that is not served.
    async fn list(&self, api_version: &str, kind: &str) -> Played<Vec<Value>> {
        let listed = match api(&self.client, api_version, kind, "").list(&ListParams::default()).await {
            Err(kube::Error::Api(status)) if status.code == 404 => return Ok(Vec::new()),
            listed => listed.map_err(|it| it.to_string())?,
        };
        let complete = |mut object: Value| {
            (object["apiVersion"], object["kind"]) = (api_version.into(), kind.into());
            object
        };
        Ok(listed.items.iter().map(|it| complete(value(it))).collect())
    }

    /// The version of the whole cluster, which every change changes.
    async fn version(&self) -> Played<String> {
        let listed = api(&self.client, "v1", "Namespace", "").list(&ListParams::default()).await;
        listed.map(|it| it.metadata.resource_version.unwrap_or_default()).map_err(|it| it.to_string())
    }
}
