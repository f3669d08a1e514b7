//! Tables of worlds and what is planned for them; rules are cited by the names of the tests.

mod changes;
mod endings;
mod servers;
mod states;

use std::sync::Arc;

use krono_graph::{CompiledGraph, Diagnostic, Kinds, KnownKind, Options, compile};
use krono_schema::Schema;
use serde_json::{Value, json};

use super::*;

const NOW: &str = "2026-02-01T00:00:00Z";

/// A world that can be changed and planned for.
struct Scene {
    definition: Value,
    crd: Option<Value>,
    served: bool,
    serving: Serving,
    instances: Instances,
    failure: Option<Failure<'static>>,
    allow_crd_deletion: bool,
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
            serving: Serving::Nothing,
            instances: Instances::default(),
            failure: None,
            allow_crd_deletion: false,
        }
    }

    /// A definition that is served.
    fn settled(spec: &Value) -> Self {
        let mut scene = Self::new(spec);
        scene.crd = Some(scene.created());
        scene.served = true;
        scene.serving = Serving::Current;
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

    fn plan(&self) -> Plan {
        let compiled = self.compiled();
        plan(&World {
            definition: &self.definition,
            compiled: compiled.as_ref().map_err(Vec::as_slice),
            crd: self.crd.as_ref(),
            served: self.served,
            serving: self.serving,
            instances: self.instances,
            failure: self.failure,
            allow_crd_deletion: self.allow_crd_deletion,
            now: NOW,
        })
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
        if self.serving == Serving::Current {
            self.serving = Serving::Older;
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
        (kind == "ConfigMap").then_some(KnownKind { schema, namespaced: true })
    }
}

fn config_map(id: &str, value: &str) -> Value {
    let name = format!("${{schema.metadata.name}}-{id}");
    json!({"id": id, "template": {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name.to_lowercase()}, "data": {"value": value},
    }})
}
