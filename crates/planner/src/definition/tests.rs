//! Tables of worlds and what is planned for them; rules are cited by the names of the tests.

mod changes;
mod endings;
mod narrowing;
mod revisions;
mod servers;
mod states;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use krono_graph::{CompiledGraph, Diagnostic, Kinds, KnownKind, Options, compile};
use krono_history::retention::{Freshness, Uses};
use krono_history::revision::{History, known_definition_revision};
use krono_history::witness::Notes;
use krono_schema::Schema;
use serde_json::{Value, json};

use super::*;

const NOW: &str = "2026-02-01T00:00:00Z";

/// Who looks after instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attended {
    Nothing,
    Graphless,
    /// By the revision that was served when this was last [`Attended::Current`].
    Older,
    /// By the newest revision, once it is issued.
    Current,
}

/// A world that can be changed and planned for.
struct Scene {
    definition: Value,
    crd: Option<Value>,
    served: bool,
    serving: Attended,
    instances: Instances,
    failure: Option<Failure<'static>>,
    allow_crd_deletion: bool,
    /// Revisions are issued as soon as that is planned, so that other steps can be told apart.
    revisions: RefCell<Vec<Value>>,
    served_last: RefCell<Option<Digest>>,
    /// The number that is written on the CRD as soon as that is planned.
    numbered: RefCell<Option<Value>>,
    uses: Uses,
    staying: BTreeSet<Digest>,
    following: BTreeSet<Digest>,
    /// Nothing while it is too early to tell them again.
    counts: Option<Counts>,
    freshness: Freshness,
}

impl Scene {
    /// A definition that nobody has looked at yet, with these fields in its instances.
    fn new(spec: &Value) -> Self {
        let definition = json!({
            "apiVersion": "kro.run/v1alpha1",
            "kind": "ResourceGraphDefinition",
            "metadata": {
                "name": "web", "uid": "d-1", "generation": 1, "resourceVersion": "7",
                "creationTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["kro.run/finalizer"],
            },
            "spec": {"schema": {"kind": "WebApp", "apiVersion": "v1alpha1", "spec": spec}, "resources": []},
        });
        Self {
            definition,
            crd: None,
            served: false,
            serving: Attended::Nothing,
            instances: Instances::default(),
            failure: None,
            allow_crd_deletion: false,
            revisions: RefCell::default(),
            served_last: RefCell::default(),
            numbered: RefCell::default(),
            uses: Uses::default(),
            staying: BTreeSet::new(),
            following: BTreeSet::new(),
            counts: Some(Counts::default()),
            freshness: Freshness::Live,
        }
    }

    /// A definition that is served.
    fn settled(spec: &Value) -> Self {
        let mut scene = Self::new(spec);
        scene.crd = Some(scene.created());
        scene.served = true;
        scene.serving = Attended::Current;
        scene.publish();
        scene
    }

    /// The CRD that is planned, as a server would hold it.
    fn created(&self) -> Value {
        match self.plan().actions.as_slice() {
            [Action::CreateCrd(crd)] => established(crd.clone()),
            other => panic!("expected one CRD to create, not {other:?}"),
        }
    }

    /// What is planned beside what revisions need, which is done at once.
    fn plan(&self) -> Plan {
        for _ in 0..10 {
            let plan = self.next();
            if plan.actions.is_empty() || !plan.actions.iter().all(|it| self.obey(it)) {
                return plan;
            }
        }
        panic!("the revisions do not come to rest: {:?}", self.next());
    }

    /// What is planned first.
    fn next(&self) -> Plan {
        let compiled = self.compiled();
        let revisions = self.revisions.borrow().clone();
        let digest = |it: &Value| Digest::of_definition(&it["spec"]);
        let history: Vec<_> =
            revisions.iter().filter_map(|it| known_definition_revision(it, "d-1", digest(it))).collect();
        let objects = history.iter().zip(&revisions).map(|(it, object)| (it.number, object)).collect();
        let graphs = Compiled(revisions.iter().map(|it| (digest(it), compiled_content(it))).collect());
        let serving = self.serving(&revisions);
        let mut crd = self.crd.clone();
        if let (Some(crd), Some(number)) = (&mut crd, &*self.numbered.borrow()) {
            crd["metadata"]["annotations"]["kro.run/rgd-revision"] = number.clone();
        }
        plan(&World {
            definition: &self.definition,
            compiled: compiled.as_ref().map_err(Vec::as_slice),
            crd: crd.as_ref(),
            served: self.served,
            serving,
            past: Past {
                history: &History::new(history),
                objects: &objects,
                deleted: &BTreeSet::new(),
                graphs: &graphs,
                uses: &self.uses,
                staying: &self.staying,
                following: &self.following,
                instances: &[],
                statuses: None,
                claims: None,
                counts: self.counts.as_ref(),
                interface: None,
                left_by_kro: &[],
                freshness: self.freshness,
            },
            instances: self.instances,
            failure: self.failure,
            allow_crd_deletion: self.allow_crd_deletion,
            notes: Notes::Doubted,
            now: NOW,
        })
    }

    fn serving(&self, revisions: &[Value]) -> Serving {
        match self.serving {
            Attended::Nothing => Serving::Nothing,
            Attended::Graphless => Serving::Graphless,
            Attended::Older => Serving::Revision(self.served_last.borrow().unwrap()),
            Attended::Current => {
                let newest = revisions.last().unwrap_or(&self.definition);
                let digest = Digest::of_definition(&newest["spec"]);
                *self.served_last.borrow_mut() = Some(digest);
                Serving::Revision(digest)
            }
        }
    }

    /// Does what revisions need; other steps are left to the tests.
    fn obey(&self, action: &Action) -> bool {
        let mut revisions = self.revisions.borrow_mut();
        match action {
            Action::Reserve(_) => true,
            Action::CreateRevision(object) => {
                let mut object = object.clone();
                object["metadata"]["uid"] = object["metadata"]["name"].clone();
                revisions.push(object);
                true
            }
            Action::PatchRevisionStatus { name, patch } => {
                let revision = revisions.iter_mut().find(|it| it["metadata"]["name"] == **name).unwrap();
                for (field, value) in patch["status"].as_object().unwrap() {
                    revision["status"][field] = value.clone();
                }
                true
            }
            Action::PatchCrd(patch) => {
                let number = patch["metadata"]["annotations"].get("kro.run/rgd-revision").cloned();
                let is_number = number.is_some();
                if is_number {
                    *self.numbered.borrow_mut() = number;
                }
                is_number
            }
            Action::PatchRevision { name, patch } => {
                let Some(note) = patch["metadata"]["annotations"].get("krono.dev/replaced") else {
                    return false;
                };
                let revision = revisions.iter_mut().find(|it| it["metadata"]["name"] == **name).unwrap();
                revision["metadata"]["annotations"]["krono.dev/replaced"] = note.clone();
                true
            }
            Action::DeleteRevision { name, .. } => {
                revisions.retain(|it| it["metadata"]["name"] != **name);
                true
            }
            Action::AddFinalizer(_)
            | Action::CreateCrd(_)
            | Action::DeleteCrd { .. }
            | Action::PatchDefinition(_)
            | Action::RestoreDefinition(_)
            | Action::DeleteInstance { .. }
            | Action::PatchInstance { .. }
            | Action::Serve(_)
            | Action::ServeWithoutGraph { .. }
            | Action::StopServing
            | Action::RemoveFinalizer(_) => false,
        }
    }

    /// Whether the next step is to look after instances with the definition as it is.
    fn serves(&self) -> bool {
        let digest = Digest::of_definition(&self.definition["spec"]);
        matches!(self.plan().actions.as_slice(), [Action::Serve(it)] if it.digest == digest)
    }

    fn compiled(&self) -> Result<CompiledGraph, Vec<Diagnostic>> {
        compile(&self.definition, &Anything, Options::default())
    }

    /// Publishes the status that is planned, and gives it back.
    fn publish(&mut self) -> Value {
        if let Some(status) = self.plan().status {
            self.definition["status"] = status;
        }
        self.definition["status"].clone()
    }

    /// The author writes something else.
    fn edit(&mut self, pointer: &str, value: Value) {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        self.definition.pointer_mut(parent).unwrap()[key] = value;
        let generation = self.definition["metadata"]["generation"].as_i64().unwrap();
        self.definition["metadata"]["generation"] = json!(generation + 1);
        if self.serving == Attended::Current {
            self.serving = Attended::Older;
        }
    }

    /// `status reason message` of a condition after publishing.
    fn told(&mut self, condition_type: &str) -> String {
        let status = self.publish();
        let conditions = status["conditions"].as_array().unwrap();
        let found = conditions.iter().find(|it| it["type"] == condition_type).unwrap();
        let text = |key: &str| found[key].as_str().unwrap().to_owned();
        format!("{} {} {}", text("status"), text("reason"), text("message"))
    }

    fn state(&mut self) -> Value {
        self.publish()["state"].clone()
    }

    /// The patch of the CRD that is planned.
    fn patch(&self) -> Value {
        match self.plan().actions.as_slice() {
            [Action::PatchCrd(patch)] => patch.clone(),
            other => panic!("expected one patch of the CRD, not {other:?}; {:?}", self.plan()),
        }
    }
}

fn established(mut crd: Value) -> Value {
    crd["metadata"]["uid"] = json!("c-1");
    crd["metadata"]["resourceVersion"] = json!("9");
    crd["spec"]["conversion"] = json!({"strategy": "None"});
    crd["status"] = json!({"conditions": [
        {"type": "NamesAccepted", "status": "True"},
        {"type": "Established", "status": "True"},
    ]});
    crd
}

/// The graph of what a revision holds.
fn compiled_content(revision: &Value) -> CompiledGraph {
    let spec = &revision["spec"];
    let content = json!({"schema": spec["schema"], "resources": spec["resources"]});
    compile(&json!({"metadata": {"name": "web"}, "spec": content}), &Anything, Options::default()).unwrap()
}

/// The graphs of revisions.
struct Compiled(BTreeMap<Digest, CompiledGraph>);

impl Graphs for Compiled {
    fn graph_of(&self, digest: Digest) -> Option<Result<&CompiledGraph, &str>> {
        self.0.get(&digest).map(Ok)
    }
}

/// A cluster of config maps that hold anything.
struct Anything;

impl Kinds for Anything {
    fn find(&self, _: &str, kind: &str) -> Option<KnownKind> {
        let any = json!({
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": true,
            "properties": {"data": {"type": "object", "additionalProperties": {"type": "string"}}},
        });
        let schema = Arc::new(Schema::from_value(&any).unwrap());
        (kind == "ConfigMap").then_some(KnownKind { schema, namespaced: true, is_defined: false })
    }
}

fn config_map(id: &str, value: &str) -> Value {
    let name = format!("${{schema.metadata.name}}-{id}");
    json!({"id": id, "template": {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name.to_lowercase()}, "data": {"value": value},
    }})
}
