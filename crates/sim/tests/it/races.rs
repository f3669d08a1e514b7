//! Single stories that chance seldom tells.

use std::sync::Arc;

use krono_graph::{Options, compile};
use krono_model::names;
use krono_planner::instance::Action;
use krono_sim::server::Request;
use krono_sim::{Definition, Simulation};
use serde_json::{Value, json};

use crate::kinds::{Known, config_map, demo, instance_name, server};

/// A definition of one `ConfigMap` of this name.
fn world(name: &str, seed: u64) -> Simulation {
    let mut simulation = Simulation::new(server(), seed);
    simulation.deliveries = 0;
    let map =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"own": "x"}});
    define(&mut simulation, &json!([{"id": "map", "template": map}]));
    simulation
}

fn define(simulation: &mut Simulation, resources: &Value) {
    let schema = json!({"kind": "Demo", "apiVersion": "v1alpha1", "spec": {}});
    let definition = json!({"spec": {"schema": schema, "resources": resources}});
    let graph = compile(&definition, &Known, Options::default()).expect("a sound definition");
    let graph = Ok(Arc::new(graph));
    simulation.define(demo(), Definition { name: "demos".to_owned(), uid: "demos-1".to_owned(), graph });
}

fn create(simulation: &mut Simulation, name: &str) {
    let object = json!({"metadata": {"name": name, "namespace": "home"}, "spec": {}});
    simulation.create(&demo(), object).expect("a new instance");
    while simulation.deliver() {}
}

fn maps(simulation: &Simulation) -> usize {
    simulation.server.list(&config_map()).count()
}

/// The watch tells of an instance as it was before its deletion, after the controller has finished that.
#[test]
fn what_is_gone_does_not_come_back_by_late_news() {
    let mut simulation = world("${schema.metadata.name}", 1);
    create(&mut simulation, "one");
    while maps(&simulation) == 0 {
        simulation.step();
    }
    // The controller learns of the deletion from the answer to its status.
    let delete = Request::Delete { name: instance_name("one"), uid: None };
    simulation.server.perform(&delete).expect("an instance");
    let has_state = |it: &Simulation| {
        it.server.get(&instance_name("one")).is_some_and(|it| it["status"]["state"].is_string())
    };
    while !has_state(&simulation) {
        simulation.step();
    }
    while simulation.server.get(&instance_name("one")).is_some() {
        simulation.deliver_from(&demo());
        simulation.step();
        simulation.step();
        simulation.step();
        simulation.step();
    }
    for _ in 0..100 {
        simulation.deliver_from(&demo());
        simulation.step();
        simulation.step();
        simulation.step();
    }
    simulation.settle().expect("rest");
    assert_eq!((maps(&simulation), simulation.server.get(&instance_name("one"))), (0, None));
    assert_eq!(simulation.broken, Vec::<String>::new());
}

#[test]
fn one_of_two_who_want_the_same_object_gets_it() {
    for seed in 0..40 {
        let mut simulation = world("same", seed);
        create(&mut simulation, "one");
        create(&mut simulation, "two");
        simulation.settle().expect("rest");
        assert_eq!(simulation.broken, Vec::<String>::new(), "seed {seed}");
        let state = |name: &str| {
            let instance = simulation.server.get(&instance_name(name));
            instance.map_or(Value::Null, |it| it["status"]["state"].clone())
        };
        let mut states = [state("one"), state("two")];
        states.sort_by_key(ToString::to_string);
        assert_eq!(states, [json!("ACTIVE"), json!("ERROR")], "seed {seed}");
    }
}

/// An apply is performed, but its answer is lost, and the watch is late; then the definition has no such kind any more.
#[test]
fn what_was_made_without_an_answer_is_not_forgotten() {
    let mut simulation = world("${schema.metadata.name}", 1);
    create(&mut simulation, "one");
    let apply = loop {
        let plan = simulation.plan(&instance_name("one")).unwrap_or_default();
        let apply = plan.actions.into_iter().find(|it| matches!(it, Action::Apply { .. }));
        match apply {
            Some(Action::Apply { name, object, force, .. }) => {
                break Request::Apply { name, object, manager: names::MANAGER_RESOURCES, force };
            }
            _ => simulation.step(),
        }
    };
    simulation.server.perform(&apply).expect("a new object");
    define(&mut simulation, &json!([]));
    for _ in 0..50 {
        simulation.step();
    }
    simulation.settle().expect("rest");
    assert_eq!(maps(&simulation), 0);
}
