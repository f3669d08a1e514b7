//! Random stories: what users do while the controller works.

use krono_graph::KindName;
use krono_model::names;
use krono_planner::instance::ObjectName;
use krono_sim::server::{Request, name_of};
use krono_sim::{Definition, Faults, Simulation};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::graphs::{NodePlan, compiled, graphs};
use crate::kinds::{HOLD, config_map, demo, instance_name, part, server, site};

#[derive(Clone, Debug)]
pub(crate) struct Story {
    /// The definition, and what becomes of it.
    pub(crate) graphs: Vec<Vec<NodePlan>>,
    pub(crate) instances: usize,
    pub(crate) deeds: Vec<Deed>,
    /// Whether somebody else's object is in the way at first.
    pub(crate) obstacle: bool,
    pub(crate) seed: u64,
}

/// What somebody other than the controller does.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Edit(usize, Wish),
    Delete(usize),
    Create(usize, Wish),
    Define(usize),
    Share(&'static str),
    /// Changes some resource behind the controller's back.
    Tamper(usize, Tampering),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Tampering {
    Change,
    Add,
    Delete,
    Unready,
}

/// The spec of an instance.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    texts: [&'static str; 2],
    flags: [bool; 3],
    items: usize,
}

impl Wish {
    fn spec(&self) -> Value {
        let items = ["one", "two", "three", "four", "five", "six", "seven"];
        // The first and the last items change places, so that collections do not only grow at their end.
        let items: Vec<_> = items.iter().skip(self.items % 3).take(self.items).collect();
        let [f0, f1, f2] = self.flags;
        json!({"a": self.texts[0], "b": self.texts[1], "f0": f0, "f1": f1, "f2": f2, "items": items})
    }
}

fn wishes() -> impl Strategy<Value = Wish> {
    let text = || prop::sample::select(vec!["one", "two", "three"]);
    ([text(), text()], any::<[bool; 3]>(), 0..5_usize).prop_map(|(texts, flags, items)| Wish {
        texts,
        flags,
        items,
    })
}

fn deeds() -> impl Strategy<Value = Deed> {
    let tampering =
        prop::sample::select(vec![Tampering::Change, Tampering::Add, Tampering::Delete, Tampering::Unready]);
    prop_oneof![
        4 => (0..3_usize, wishes()).prop_map(|(instance, wish)| Deed::Edit(instance, wish)),
        2 => (0..3_usize).prop_map(Deed::Delete),
        2 => (0..3_usize, wishes()).prop_map(|(instance, wish)| Deed::Create(instance, wish)),
        2 => (0..3_usize).prop_map(Deed::Define),
        1 => prop::sample::select(vec!["one", "two"]).prop_map(Deed::Share),
        3 => (any::<usize>(), tampering).prop_map(|(which, how)| Deed::Tamper(which, how)),
    ]
}

pub(crate) fn stories() -> impl Strategy<Value = Story> {
    let graphs = prop::collection::vec(graphs(), 1..=3);
    let deeds = prop::collection::vec(deeds(), 0..8);
    (graphs, 1..=3_usize, deeds, prop::bool::weighted(0.2), any::<u64>()).prop_map(
        |(graphs, instances, deeds, obstacle, seed)| Story { graphs, instances, deeds, obstacle, seed },
    )
}

/// How a story is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// Nothing goes wrong, and everybody waits until the controller has nothing to do.
    Calm,
    /// Everything goes wrong, and nobody waits.
    Wild,
}

const FIRST: Wish = Wish { texts: ["one", "three"], flags: [true, false, true], items: 2 };

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
        let graph = compiled(&self.story.graphs[index % self.story.graphs.len()]);
        let definition = Definition { name: "demos".to_owned(), uid: "demos-1".to_owned(), graph: Ok(graph) };
        self.simulation.define(demo(), definition);
    }

    /// Objects of others, which nobody may touch; some look much like those of instances.
    fn plant(&mut self) {
        let theirs = json!({"kro.run/owned": "true", "applyset.kubernetes.io/part-of": "applyset-theirs-v1"});
        let of = |kind: KindName, namespace: &str, name: &str, labels: &Value| {
            let metadata = json!({"name": name, "namespace": namespace, "labels": labels});
            (kind, json!({"metadata": metadata}))
        };
        let mut planted = vec![
            of(config_map(), "home", "theirs", &theirs),
            of(part(), "home", "i0-n999", &json!({"kro.run/owned": "true"})),
            of(config_map(), "elsewhere", "i0-n0", &json!({"shared": "yes"})),
            of(site(), "", "theirs", &theirs),
        ];
        if self.story.obstacle {
            planted.push(of(config_map(), "home", "i0-n0", &theirs));
        }
        for (kind, object) in planted {
            self.simulation.guarded.insert(name_of(&kind, &object));
            self.simulation.create(&kind, object).expect("a new object");
        }
        let shared = json!({"metadata": {"name": "shared", "namespace": "home", "labels": {"shared": "yes"}},
            "data": {"own": "three"}});
        self.simulation.create(&config_map(), shared).expect("a new object");
    }

    fn remove_obstacle(&mut self) -> Result<(), String> {
        let name = ObjectName { kind: config_map(), namespace: "home".to_owned(), name: "i0-n0".to_owned() };
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
        instance_name(&format!("i{}", index % self.story.instances))
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
        let values = |values: Value| {
            if name.kind == config_map() {
                json!({"data": values})
            } else {
                json!({"spec": {"values": values}})
            }
        };
        let patch = match how {
            Tampering::Change => values(json!({"own": "tampered"})),
            Tampering::Add => values(json!({"extra": "theirs"})),
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
            if !self.make_parts(usize::MAX) {
                return Ok(());
            }
        }
    }

    fn step(&mut self) {
        self.simulation.step();
        if self.simulation.random.happens(150) {
            self.make_parts(1);
        }
    }

    /// Somebody makes parts ready and lets go of those that are to be deleted; false when there was nothing to do.
    fn make_parts(&mut self, most: usize) -> bool {
        let parts: Vec<_> =
            self.simulation.server.list(&part()).filter_map(|(name, it)| made(name, it)).collect();
        for request in parts.iter().take(most) {
            self.simulation.server.perform(request).expect("parts do not resist");
        }
        !parts.is_empty()
    }
}

/// What the maker of parts does to a part, if anything.
fn made(name: &ObjectName, part: &Value) -> Option<Request> {
    let name = name.clone();
    if !part["metadata"]["deletionTimestamp"].is_null() {
        let is_held =
            part["metadata"]["finalizers"].as_array().is_some_and(|it| it.iter().any(|it| it == HOLD));
        let patch = json!({"metadata": {"finalizers": null}});
        return is_held.then_some(Request::Merge { name, patch, manager: "maker" });
    }
    let echo = part["spec"]["values"]["own"].as_str()?;
    let status = json!({"ready": true, "echo": echo});
    (part["status"] != status).then_some(Request::Status { name, status, uid: None })
}
