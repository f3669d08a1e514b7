//! One definition, one instance of it, and a simulated cluster in which nothing goes wrong by itself.

use std::sync::Arc;

use krono_graph::{KindName, Kinds, KnownKind, Options, compile};
use krono_model::names;
use krono_planner::instance::{ObjectName, Plan};
use krono_schema::Schema;
use krono_sim::server::{Habits, Request, name_of};
use krono_sim::{Definition, Server, Simulation};
use serde_json::{Value, json};

const SCHEMA: &str = "
  kind: App
  apiVersion: v1alpha1
  spec: {text: 'string | default=x', on: 'boolean | default=true', by: 'integer | default=1', words: '[]string | default=[]'}";

pub(crate) struct Scene {
    pub(crate) simulation: Simulation,
}

/// What a condition says.
#[derive(Debug, PartialEq)]
pub(crate) struct Said<'s> {
    pub(crate) status: &'s str,
    pub(crate) reason: &'s str,
}

pub(crate) fn said<'s>(status: &'s str, reason: &'s str) -> Said<'s> {
    Said { status, reason }
}

impl Scene {
    /// A definition with these resources.
    pub(crate) fn new(resources: &str) -> Self {
        Self::with_status("{}", resources)
    }

    /// A definition with these status fields and resources.
    pub(crate) fn with_status(status: &str, resources: &str) -> Self {
        let mut server = Server::default();
        for kind in kinds() {
            let schema = Schema::from_value(&schema(&kind)).expect("a schema");
            server.serve(kind, &schema, Habits::default()).expect("a sound schema");
        }
        let mut simulation = Simulation::new(server, 1);
        simulation.watch_whole(kind("Widget"));
        let mut scene = Self { simulation };
        scene.redefine(status, resources);
        scene
    }

    pub(crate) fn redefine(&mut self, status: &str, resources: &str) {
        self.define(Ok(Arc::new(Self::graph(status, resources))));
    }

    /// The graph of a definition with these status fields and resources.
    pub(crate) fn graph(status: &str, resources: &str) -> krono_graph::CompiledGraph {
        let indented: Vec<String> = resources.lines().map(|line| format!("  {line}")).collect();
        let text = format!(
            "spec:\n schema:{}\n   status: {status}\n resources:\n{}",
            SCHEMA.replace('\n', "\n "),
            indented.join("\n")
        );
        let definition: Value = serde_saphyr::from_str(&text).unwrap_or_else(|it| panic!("{it}\n{text}"));
        let graph = compile(&definition, &Known, Options::default());
        graph.unwrap_or_else(|found| panic!("{found:#?}"))
    }

    pub(crate) fn define(&mut self, graph: Result<Arc<krono_graph::CompiledGraph>, String>) {
        let definition = Definition { name: "apps".to_owned(), uid: "apps-1".to_owned(), graph };
        self.simulation.define(kind("App"), definition);
    }

    /// Makes the instance `home/demo` and lets the controller do all it can.
    pub(crate) fn start(&mut self, spec: Value) {
        let mut full = json!({"text": "x", "on": true, "words": []});
        for (field, value) in spec.as_object().into_iter().flatten() {
            full[field] = value.clone();
        }
        self.put("App", json!({"metadata": {"name": "demo", "namespace": "home"}, "spec": full}));
        self.settle();
    }

    pub(crate) fn settle(&mut self) {
        self.simulation.settle().expect("rest");
        assert_eq!(self.simulation.broken, Vec::<String>::new());
    }

    pub(crate) fn put(&mut self, of: &str, object: Value) {
        self.simulation.create(&kind(of), object).expect("a new object");
    }

    pub(crate) fn patch(&mut self, of: &str, name: &str, patch: Value) {
        let request = Request::Merge { name: named(of, name), patch, manager: "user" };
        self.simulation.server.perform(&request).expect("an object to patch");
    }

    pub(crate) fn edit(&mut self, spec: Value) {
        self.patch("App", "demo", json!({"spec": spec}));
        self.settle();
    }

    pub(crate) fn annotate(&mut self, name: &str, value: Option<&str>) {
        self.patch("App", "demo", json!({"metadata": {"annotations": {name: value}}}));
        self.settle();
    }

    pub(crate) fn set_status(&mut self, of: &str, name: &str, status: Value) {
        let request = Request::Status { name: named(of, name), status, uid: None };
        self.simulation.server.perform(&request).expect("an object with a status");
        self.settle();
    }

    pub(crate) fn delete(&mut self, of: &str, name: &str) {
        let request = Request::Delete { name: named(of, name), uid: None };
        self.simulation.server.perform(&request).expect("an object to delete");
        self.settle();
    }

    /// Gives an object a finalizer, or takes it away.
    pub(crate) fn hold(&mut self, of: &str, name: &str, hold: bool) {
        let finalizers = if hold { json!(["test/hold"]) } else { Value::Null };
        self.patch(of, name, json!({"metadata": {"finalizers": finalizers}}));
        self.settle();
    }

    /// An object, in the namespace `home` unless the name says another.
    pub(crate) fn find(&self, of: &str, name: &str) -> Option<&Value> {
        self.simulation.server.get(&named(of, name))
    }

    pub(crate) fn get(&self, of: &str, name: &str) -> &Value {
        self.find(of, name).unwrap_or_else(|| panic!("no {of} {name} among {:?}", self.made()))
    }

    pub(crate) fn version(&self, of: &str, name: &str) -> &str {
        self.get(of, name)["metadata"]["resourceVersion"].as_str().unwrap_or_default()
    }

    /// The names of all resources that were made for the instance, sorted.
    pub(crate) fn made(&self) -> Vec<&str> {
        let made = self.simulation.server.objects();
        let made = made.filter(|(_, it)| it["metadata"]["labels"][names::NODE_ID_LABEL].is_string());
        let mut made: Vec<&str> = made.map(|(name, _)| name.name.as_str()).collect();
        made.sort_unstable();
        made
    }

    pub(crate) fn instance(&self) -> &Value {
        self.get("App", "demo")
    }

    pub(crate) fn state(&self) -> &str {
        self.instance()["status"]["state"].as_str().unwrap_or_default()
    }

    pub(crate) fn condition(&self, condition_type: &str) -> &Value {
        let conditions = self.instance()["status"]["conditions"].as_array().map(Vec::as_slice);
        let found = conditions.unwrap_or_default().iter().find(|it| it["type"] == condition_type);
        found.unwrap_or(&Value::Null)
    }

    pub(crate) fn says(&self, condition_type: &str) -> Said<'_> {
        let condition = self.condition(condition_type);
        let text = |field: &str| condition[field].as_str().unwrap_or_default();
        Said { status: text("status"), reason: text("reason") }
    }

    pub(crate) fn message(&self, condition_type: &str) -> &str {
        self.condition(condition_type)["message"].as_str().unwrap_or_default()
    }

    /// What the planner would do next.
    pub(crate) fn plan(&mut self) -> Plan {
        self.simulation.plan(&named("App", "demo")).expect("an instance")
    }

    /// Nothing is left to do or to say.
    pub(crate) fn assert_at_rest(&mut self) {
        let plan = self.plan();
        assert_eq!((plan.actions, plan.status), (Vec::new(), None));
    }

    /// The last versions of the instance, oldest first.
    pub(crate) fn history(&self) -> Vec<&Value> {
        self.simulation.server.events(&kind("App")).iter().map(|it| &it.object).collect()
    }
}

pub(crate) fn named(of: &str, name: &str) -> ObjectName {
    let (namespace, name) = name.split_once('/').unwrap_or(("home", name));
    name_of(&kind(of), &json!({"metadata": {"namespace": namespace, "name": name}}))
}

pub(crate) fn kind(name: &str) -> KindName {
    let found = kinds().into_iter().find(|it| it.kind == name);
    found.unwrap_or_else(|| panic!("there is no kind {name}"))
}

fn kinds() -> Vec<KindName> {
    let kind = |api_version: &str, kind: &str| KindName {
        api_version: api_version.to_owned(),
        kind: kind.to_owned(),
        namespaced: true,
    };
    vec![
        kind("v1", "ConfigMap"),
        kind("v1", "Secret"),
        kind("test.krono.dev/v1", "Widget"),
        kind("test.krono.dev/v2", "Widget"),
        kind("kro.run/v1alpha1", "App"),
    ]
}

pub(crate) fn schema(kind: &KindName) -> Value {
    let map = |format: &str| json!({"type": "object", "additionalProperties": {"type": "string", "format": format}});
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let properties = match kind.kind.as_str() {
        "ConfigMap" => json!({"data": map("")}),
        "Secret" => json!({"data": map("byte")}),
        "Widget" => json!({
            "spec": {"type": "object", "properties": {"text": {"type": "string"}}},
            "status": {"type": "object", "properties": {"ready": {"type": "boolean"}, "text": {"type": "string"}}},
        }),
        _ => json!({"spec": open, "status": open}),
    };
    json!({"type": "object", "properties": properties})
}

struct Known;

impl Kinds for Known {
    fn find(&self, api_version: &str, kind: &str) -> Option<KnownKind> {
        let found = kinds().into_iter().find(|it| it.api_version == api_version && it.kind == kind)?;
        let schema = Schema::from_value(&schema(&found)).ok()?;
        Some(KnownKind { schema: Arc::new(schema), namespaced: found.namespaced, is_defined: false })
    }
}

/// A resource of the definition: a `ConfigMap` with this name and text.
pub(crate) fn map(id: &str, name: &str, text: &str) -> String {
    resource(id, "v1", "ConfigMap", name, &format!("data: {{text: '{text}'}}"))
}

/// A resource of the definition: a `Widget` with this name.
pub(crate) fn widget(id: &str, name: &str) -> String {
    resource(id, "test.krono.dev/v1", "Widget", name, "spec: {text: hello}")
}

pub(crate) fn resource(id: &str, api_version: &str, kind: &str, name: &str, content: &str) -> String {
    let template =
        format!("{{apiVersion: {api_version}, kind: {kind}, metadata: {{name: '{name}'}}, {content}}}");
    format!("- id: {id}\n  template: {template}\n")
}
