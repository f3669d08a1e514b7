//! Stories played in the simulated world.

use std::sync::Arc;

use krono_graph::{CompiledGraph, Options, compile};
use krono_model::names;
use krono_planner::instance::ObjectName;
use krono_sim::server::{Request, name_of};
use krono_sim::{Definition, Faults, Simulation};
use krono_testkit::{Deed, FIRST, NodePlan, OBSTACLE, Story, Tampering, Wish, definition, shared, tampered};
use serde_json::{Value, json};

use crate::kinds::{Known, config_map, demo, instance_name, part, server, site};
use crate::maker::make_parts;

/// How a story is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// Nothing goes wrong, and everybody waits until the controller has nothing to do.
    Calm,
    /// Everything goes wrong, and nobody waits.
    Wild,
}

/// A story being played.
pub(crate) struct Play<'s> {
    story: &'s Story,
    pace: Pace,
    pub(crate) simulation: Simulation,
}

impl<'s> Play<'s> {
    pub(crate) fn new(story: &'s Story, pace: Pace) -> Self {
        let mut simulation = Simulation::new(server(), story.seed);
        if pace == Pace::Wild {
            simulation.faults = Faults { request: 150, watch: 10, kill: 5, kill_in_request: 10 };
            simulation.deliveries = [30, 300, 900][simulation.random.below(3)];
            simulation.retries = [10, 100, 500][simulation.random.below(3)];
        }
        let mut play = Self { story, pace, simulation };
        play.simulation.watch_whole(config_map());
        play.define(0);
        play.plant();
        play
    }

    /// The whole story, up to the moment when all is quiet.
    pub(crate) fn run(&mut self) -> Result<(), String> {
        for index in 0..self.story.instances {
            self.create(index, &FIRST)?;
        }
        self.wait()?;
        for deed in &self.story.deeds {
            self.perform(deed)?;
            self.wait()?;
        }
        self.simulation.faults = Faults::default();
        self.pace = Pace::Calm;
        self.remove_obstacle()?;
        self.wait()
    }

    fn define(&mut self, index: usize) {
        let graph = compiled(self.story.graph(index));
        let definition = Definition { name: "demos".to_owned(), uid: "demos-1".to_owned(), graph: Ok(graph) };
        self.simulation.define(demo(), definition);
    }

    fn plant(&mut self) {
        for object in self.story.foreign() {
            let kind = kind_of(&object);
            self.simulation.guarded.insert(name_of(&kind, &object));
            self.simulation.create(&kind, object).expect("a new object");
        }
        self.simulation.create(&config_map(), shared()).expect("a new object");
    }

    fn remove_obstacle(&mut self) -> Result<(), String> {
        let name = ObjectName { kind: config_map(), namespace: "home".to_owned(), name: OBSTACLE.to_owned() };
        if self.simulation.guarded.remove(&name) {
            self.ask(&Request::Delete { name, uid: None })?;
        }
        Ok(())
    }

    fn ask(&mut self, request: &Request) -> Result<(), String> {
        let answer = self.simulation.server.perform(request);
        answer.map(drop).map_err(|it| format!("{request:?}: {it}"))
    }

    fn perform(&mut self, deed: &Deed) -> Result<(), String> {
        match deed {
            Deed::Edit(index, wish) => {
                let name = self.instance(*index);
                let exists = self.simulation.server.get(&name);
                if exists.is_none_or(|it| !it["metadata"]["deletionTimestamp"].is_null()) {
                    return Ok(());
                }
                self.ask(&Request::Merge { name, patch: json!({"spec": wish.spec()}), manager: "user" })
            }
            Deed::Delete(index) => {
                let name = self.instance(*index);
                if self.simulation.server.get(&name).is_none() {
                    return Ok(());
                }
                self.ask(&Request::Delete { name, uid: None })
            }
            Deed::Create(index, wish) => self.create(*index, wish),
            Deed::Define(index) => {
                self.define(*index);
                Ok(())
            }
            Deed::Share(text) => {
                let name = ObjectName {
                    kind: config_map(),
                    namespace: "home".to_owned(),
                    name: "shared".to_owned(),
                };
                self.ask(&Request::Merge { name, patch: json!({"data": {"own": text}}), manager: "user" })
            }
            Deed::Tamper(which, how) => self.tamper(*which, *how),
        }
    }

    fn instance(&self, index: usize) -> ObjectName {
        instance_name(&self.story.instance(index))
    }

    /// Makes an instance; one that is on its way out goes first.
    fn create(&mut self, index: usize, wish: &Wish) -> Result<(), String> {
        let name = self.instance(index);
        for _ in 0..100_000 {
            match self.simulation.server.get(&name) {
                None => {
                    let metadata = json!({"name": name.name, "namespace": name.namespace});
                    let object = json!({"metadata": metadata, "spec": wish.spec()});
                    return self.ask(&Request::Create { name, object });
                }
                Some(object) if object["metadata"]["deletionTimestamp"].is_null() => return Ok(()),
                Some(_) => {}
            }
            self.step();
        }
        Err(format!("{name:?} does not go away"))
    }

    fn tamper(&mut self, which: usize, how: Tampering) -> Result<(), String> {
        let made = self.simulation.server.objects().filter(|(name, object)| {
            object["metadata"]["labels"][names::NODE_ID_LABEL].is_string()
                && !self.simulation.guarded.contains(*name)
        });
        let made: Vec<_> = made.map(|(name, _)| name.clone()).collect();
        let Some(name) = made.get(which % made.len().max(1)).cloned() else { return Ok(()) };
        let patch = match how {
            Tampering::Change => tampered(&name.kind.kind, &json!({"own": "tampered"})),
            Tampering::Add => tampered(&name.kind.kind, &json!({"extra": "theirs"})),
            Tampering::Delete => return self.ask(&Request::Delete { name, uid: None }),
            Tampering::Unready if name.kind == part() => {
                let status = json!({"ready": false, "echo": "tampered"});
                return self.ask(&Request::Status { name, status, uid: None });
            }
            Tampering::Unready => return Ok(()),
        };
        self.ask(&Request::Merge { name, patch, manager: "user" })
    }

    /// Waits until all is quiet, or not long enough.
    fn wait(&mut self) -> Result<(), String> {
        if self.pace == Pace::Wild {
            for _ in 0..self.simulation.random.below(120) {
                self.step();
            }
            return Ok(());
        }
        loop {
            self.simulation.settle().map_err(|it| it.to_string())?;
            if !make_parts(&mut self.simulation.server, usize::MAX) {
                return Ok(());
            }
        }
    }

    fn step(&mut self) {
        self.simulation.step();
        if self.simulation.random.happens(150) {
            make_parts(&mut self.simulation.server, 1);
        }
    }
}

fn compiled(nodes: &[NodePlan]) -> Arc<CompiledGraph> {
    let definition = definition(nodes);
    let graph = compile(&definition, &Known, Options::default());
    Arc::new(graph.unwrap_or_else(|found| panic!("{found:#?}\n{definition:#}")))
}

fn kind_of(object: &Value) -> krono_graph::KindName {
    let kind = object["kind"].as_str().expect("a kind");
    [config_map(), part(), site()].into_iter().find(|it| it.kind == kind).expect("a kind of the server")
}
