//! A definition with its revisions and instances, being played.

use std::sync::{Arc, LazyLock};

use krono_model::names;
use krono_planner::instance::ObjectName;
use krono_planner::replacing;
use krono_sim::lineage::{Governance, Library, Sabotage, When, definition_kind, revision_kind};
use krono_sim::server::Request;
use krono_sim::{Faults, Refusal, Simulation};
use serde_json::{Value, json};

use crate::deeds::{Deed, History, bad_content, content};
use crate::kinds::{Known, config_map, demo, instance_name, server};
use crate::maker::make_parts;

/// What was compiled once is compiled for all.
static LIBRARY: LazyLock<Arc<Library>> = LazyLock::new(|| Arc::new(Library::new(Known)));

/// How a history is played.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manner {
    pub(crate) faults: Faults,
    pub(crate) kill_at: Option<(usize, When)>,
    pub(crate) sabotage: Option<Sabotage>,
}

/// A history being played.
pub(crate) struct Lineage {
    pub(crate) simulation: Simulation,
    /// How many steps at most pass between two deeds.
    patience: usize,
}

impl Lineage {
    pub(crate) fn new(seed: u64, manner: Manner) -> Self {
        Self::with(Arc::clone(&LIBRARY), seed, manner)
    }

    pub(crate) fn with(library: Arc<Library>, seed: u64, manner: Manner) -> Self {
        let mut simulation = Simulation::new(server(), seed);
        simulation.faults = manner.faults;
        simulation.kill_at = manner.kill_at;
        simulation.deliveries = [60, 300, 900][simulation.random.below(3)];
        simulation.retries = [20, 100, 500][simulation.random.below(3)];
        let patience = [20, 80, 200][simulation.random.below(3)];
        let governance = governance(library, manner.sabotage);
        simulation.watch_whole(config_map());
        simulation.govern(governance, 2);
        Self { simulation, patience }
    }

    /// The whole history, up to the moment when all is quiet.
    pub(crate) fn play(&mut self, history: &History) -> Result<(), String> {
        self.define(&content(0))?;
        for index in 0..2 {
            self.create(index, &json!({"a": "one"}))?;
        }
        self.some_steps();
        for deed in &history.deeds {
            self.perform(deed)?;
            self.some_steps();
        }
        self.simulation.faults = Faults::default();
        self.settle()
    }

    /// The same, with some time after every deed and no end.
    pub(crate) fn play_on(&mut self, history: &History) {
        self.define(&content(0)).expect("a definition");
        self.create(0, &json!({"a": "one"})).expect("an instance");
        for deed in &history.deeds {
            for _ in 0..300 {
                self.simulation.step();
            }
            self.perform(deed).expect("a deed");
        }
        for _ in 0..300 {
            self.simulation.step();
        }
    }

    fn some_steps(&mut self) {
        for _ in 0..self.simulation.random.below(self.patience) {
            self.simulation.step();
            if self.simulation.random.happens(100) {
                make_parts(&mut self.simulation.server, 1);
            }
        }
    }

    pub(crate) fn settle(&mut self) -> Result<(), String> {
        loop {
            self.simulation.settle_governed().map_err(|it| it.to_string())?;
            if !make_parts(&mut self.simulation.server, usize::MAX) {
                return Ok(());
            }
        }
    }

    /// The definition gets some content, and is there if it was not.
    pub(crate) fn define(&mut self, content: &Value) -> Result<(), String> {
        let name = definition_name();
        let Some(before) = self.simulation.server.get(&name) else {
            let object = json!({"metadata": {"name": name.name}, "spec": content});
            return self.ask(&Request::Create { name, object });
        };
        let schema = replacing(&content["schema"], &before["spec"]["schema"]);
        self.patch(name, json!({"spec": {"schema": schema, "resources": content["resources"]}}))
    }

    /// An instance comes, unless it is there.
    pub(crate) fn create(&mut self, index: usize, spec: &Value) -> Result<(), String> {
        let name = instance(index);
        if self.simulation.server.get(&name).is_some() {
            return Ok(());
        }
        let object = json!({"metadata": {"name": name.name, "namespace": "home"}, "spec": spec});
        self.ask(&Request::Create { name, object })
    }

    /// Changes an object if it is there to stay.
    fn patch(&mut self, name: ObjectName, patch: Value) -> Result<(), String> {
        let is_there = |it: &Value| it["metadata"]["deletionTimestamp"].is_null();
        if !self.simulation.server.get(&name).is_some_and(is_there) {
            return Ok(());
        }
        self.ask(&Request::Merge { name, patch, manager: "user" })
    }

    fn delete(&mut self, name: ObjectName) -> Result<(), String> {
        if self.simulation.server.get(&name).is_none() {
            return Ok(());
        }
        self.ask(&Request::Delete { name, uid: None })
    }

    fn ask(&mut self, request: &Request) -> Result<(), String> {
        let answer = self.simulation.server.perform(request);
        answer.map(drop).map_err(|it| format!("{request:?}: {it}"))
    }

    /// Writes an annotation, or takes it away.
    pub(crate) fn annotate(
        &mut self,
        name: ObjectName,
        key: &str,
        value: Option<&str>,
    ) -> Result<(), String> {
        self.patch(name, json!({"metadata": {"annotations": {key: value}}}))
    }

    fn perform(&mut self, deed: &Deed) -> Result<(), String> {
        let number = |it: usize| (it % (self.simulation.chronicle.issued() + 2)).to_string();
        let input = |it: usize| (it % 6).to_string();
        let definition = definition_name();
        match *deed {
            Deed::Define(index) => self.define(&content(index)),
            Deed::DefineBadly => self.define(&bad_content()),
            Deed::Manual(manual) => {
                let policy = if manual { "Manual" } else { "Automatic" };
                let management = json!({"updatePolicy": {"type": policy}});
                self.patch(definition, json!({"spec": {"revisionManagement": management}}))
            }
            Deed::CreateRevision => {
                self.annotate(definition, names::CREATE_REVISION_ANNOTATION, Some("true"))
            }
            Deed::Rollback(to) => {
                let to = number(to);
                self.annotate(definition, names::ROLLBACK_ANNOTATION, Some(&to))
            }
            Deed::Hold(at) => {
                let at = at.map(number);
                self.annotate(definition, names::ACTIVE_REVISION_ANNOTATION, at.as_deref())
            }
            Deed::Limit(limit) => {
                self.patch(definition, json!({"spec": {"revisionManagement": {"historyLimit": limit}}}))
            }
            Deed::Keep(keeping, limit) => {
                let management = json!({"inputRevisions": keeping, "inputHistoryLimit": limit});
                self.patch(definition, json!({"spec": {"revisionManagement": management}}))
            }
            Deed::Complete(which) => {
                let at = self.simulation.server.now().to_string();
                self.annotate(revision(&number(which)), names::COMPLETED_ANNOTATION, Some(&at))
            }
            Deed::DeleteRevision(which) => self.delete(revision(&number(which))),
            Deed::Pin(of, to) => {
                let to = to.map(number);
                self.annotate(instance(of), names::RGD_REVISION, to.as_deref())
            }
            Deed::Approve(of, it) => {
                let it = number(it);
                self.annotate(instance(of), names::APPROVE_REVISION_ANNOTATION, Some(&it))
            }
            Deed::Follow(of, policy) => self.annotate(instance(of), names::UPDATE_POLICY_ANNOTATION, policy),
            Deed::Edit(of, text) => self.patch(instance(of), json!({"spec": {"a": text}})),
            Deed::RollbackInput(of, to) => {
                self.annotate(instance(of), names::INPUT_ROLLBACK_ANNOTATION, Some(&input(to)))
            }
            Deed::HoldInput(of, at) => {
                self.annotate(instance(of), names::HOLD_INPUT_ANNOTATION, at.map(input).as_deref())
            }
            Deed::Delete(of) => self.delete(instance(of)),
            Deed::Create(of, text) => self.create(of, &json!({"a": text})),
            Deed::Restart => {
                self.simulation.turn();
                self.simulation.restart();
                Ok(())
            }
            Deed::Wait(seconds) => {
                self.simulation.deliver_all();
                self.simulation.wait(seconds);
                Ok(())
            }
            Deed::Import => self.simulation.restore_backup().map_err(|it: Refusal| it.to_string()),
        }
    }
}

pub(crate) fn governance(library: Arc<Library>, sabotage: Option<Sabotage>) -> Governance {
    Governance { definition: definition_name(), instances: demo(), library, sabotage }
}

pub(crate) fn definition_name() -> ObjectName {
    ObjectName { kind: definition_kind(), namespace: String::new(), name: "demos".to_owned() }
}

fn revision(number: &str) -> ObjectName {
    ObjectName { kind: revision_kind(), namespace: String::new(), name: format!("demos-rev-{number}") }
}

pub(crate) fn instance(index: usize) -> ObjectName {
    instance_name(&format!("i{index}"))
}
