//! What a graph wants for one instance, level by level.

use krono_graph::{
    CompiledGraph, Evaluation, Kinds, KnownKind, NodeState, Options, Readiness, Target, compile,
};
use serde_json::{Value, json};

use crate::world::{BuiltIn, Objects, compiled, definition, yaml};

const SCHEMA: &str = "schema:
  kind: App
  apiVersion: v1alpha1
  spec: {name: string, count: integer, regions: '[]string', tiers: '[]string', open: boolean}
";

fn graph(resources: &str) -> CompiledGraph {
    compiled(&format!("{SCHEMA}resources:\n{resources}"))
}

fn with_status(status: &str, resources: &str) -> CompiledGraph {
    let schema = SCHEMA.replace("kind: App", &format!("kind: App\n  status: {status}"));
    compiled(&format!("{schema}resources:\n{resources}"))
}

fn instance(spec: &str) -> Value {
    yaml(&format!("metadata: {{name: demo, namespace: here}}\nspec: {spec}"))
}

/// One word or two for each node.
pub(crate) fn states(evaluation: &Evaluation) -> Vec<String> {
    let ready = |readiness: &Readiness| match readiness {
        Readiness::Ready => "ready".to_owned(),
        Readiness::Absent => "absent".to_owned(),
        Readiness::NotReady { expression } => format!("not ready: {expression}"),
        Readiness::Failed { expression, error } => format!("failed: {expression}: {error}"),
    };
    let show = |state: &NodeState| match state {
        NodeState::Excluded { by } => format!("excluded by {by}"),
        NodeState::Waiting { on } => format!("waiting on {on}"),
        NodeState::Pending(missing) => format!("pending {}", missing.path),
        NodeState::Failed(error) => format!("failed {error}"),
        NodeState::Resolved(resolved) => ready(&resolved.readiness),
    };
    evaluation.nodes.iter().map(show).collect()
}

fn objects(evaluation: &Evaluation, node: usize) -> &[Value] {
    match &evaluation.nodes[node] {
        NodeState::Resolved(resolved) => match &resolved.target {
            Target::Objects(objects) => objects,
            Target::Named { .. } | Target::Selected { .. } => &[],
        },
        NodeState::Excluded { .. }
        | NodeState::Waiting { .. }
        | NodeState::Pending(_)
        | NodeState::Failed(_) => &[],
    }
}

fn names(evaluation: &Evaluation, node: usize) -> Vec<&str> {
    objects(evaluation, node).iter().filter_map(|it| it["metadata"]["name"].as_str()).collect()
}

#[test]
fn values_keep_their_types_and_objects_get_the_instances_namespace() {
    let graph = graph(
        "- id: web
  template:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: '${schema.spec.name}-web', labels: {app: '${schema.metadata.name}'}}
    spec: {replicas: '${schema.spec.count}', paused: '${!schema.spec.open}'}
",
    );
    let evaluation = graph.evaluate(&instance("{name: x, count: 3, open: true}"), &Objects::default());
    assert_eq!(states(&evaluation), ["absent"]);
    assert_eq!(
        objects(&evaluation, 0),
        [json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "x-web", "namespace": "here", "labels": {"app": "demo"}},
            "spec": {"replicas": 3, "paused": false},
        })]
    );
}

const CHAIN: &str = "- id: last
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: last}, data: {ip: '${middle.spec.clusterIP}'}}
- id: first
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: first}}
- id: middle
  template: {apiVersion: v1, kind: Service, metadata: {name: '${first.metadata.name}-x'}}
  readyWhen: ['${has(middle.spec.clusterIP)}']
";

/// Behaviours 14, 19, 23: order, readiness, data that is not there yet.
#[test]
fn levels_follow_the_data() {
    let graph = graph(CHAIN);
    assert_eq!(graph.order.sequence, [1, 2, 0]);
    let mut world = Objects::default();
    let expect = |world: &Objects, expect: &[&str]| {
        assert_eq!(states(&graph.evaluate(&instance("{}"), world)), expect);
    };
    expect(&world, &["waiting on 2", "absent", "waiting on 1"]);
    world.add(yaml("{kind: ConfigMap, metadata: {name: first, namespace: here}}"));
    expect(&world, &["waiting on 2", "ready", "absent"]);
    world.add(yaml("{kind: Service, metadata: {name: first-x, namespace: here}, spec: {}}"));
    expect(&world, &["waiting on 2", "ready", "not ready: has(middle.spec.clusterIP)"]);
    world.add(yaml(
        "{kind: Service, metadata: {name: first-x, namespace: here}, spec: {clusterIP: 10.0.0.1}}",
    ));
    expect(&world, &["absent", "ready", "ready"]);
    let evaluation = graph.evaluate(&instance("{}"), &world);
    assert_eq!(objects(&evaluation, 0)[0]["data"]["ip"], "10.0.0.1");
}

/// Behaviour 22: what needs something that is left out is left out.
#[test]
fn exclusion_is_contagious() {
    let graph = graph(
        "- id: a
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
  includeWhen: ['${schema.spec.open}']
- id: b
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: '${a.metadata.name}-b'}}
- id: c
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: '${b.metadata.name}-c'}}
- id: d
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: d}}
",
    );
    let evaluation = graph.evaluate(&instance("{open: false}"), &Objects::default());
    assert_eq!(states(&evaluation), ["excluded by 0", "excluded by 0", "excluded by 0", "absent"]);
    let missing = graph.evaluate(&instance("{}"), &Objects::default());
    assert_eq!(states(&missing)[0], "failed failed to evaluate \"schema.spec.open\": no such key: open");
}

/// Behaviour 20: the last dimension varies fastest, an empty list makes an empty collection, limits hold.
#[test]
fn collections() {
    let graph = graph(
        "- id: parts
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: '${region}-${tier}'}}
  forEach: [{region: '${schema.spec.regions}'}, {tier: '${schema.spec.tiers}'}]
  readyWhen: ['${each.data.ok == \"yes\"}']
- id: sum
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: sum}, data: {n: '${string(size(parts))}'}}
",
    );
    let evaluate = |spec: &str, world: &Objects| graph.evaluate(&instance(spec), world);
    let mut world = Objects::default();
    let four = "{regions: [a, b], tiers: [p, q]}";
    let evaluation = evaluate(four, &world);
    assert_eq!(states(&evaluation), ["absent", "waiting on 0"]);
    assert_eq!(names(&evaluation, 0), ["a-p", "a-q", "b-p", "b-q"]);
    for name in ["a-p", "a-q", "b-p", "b-q"] {
        let ok = if name == "b-q" { "no" } else { "yes" };
        world.add(
            json!({"kind": "ConfigMap", "metadata": {"name": name, "namespace": "here"}, "data": {"ok": ok}}),
        );
    }
    assert_eq!(states(&evaluate(four, &world)), ["not ready: each.data.ok == \"yes\"", "waiting on 0"]);
    let three = evaluate("{regions: [a], tiers: [p, q]}", &world);
    assert_eq!(states(&three), ["ready", "absent"]);
    assert_eq!(objects(&three, 1)[0]["data"]["n"], "2");
    assert_eq!(states(&evaluate("{regions: [], tiers: [p]}", &world)), ["ready", "absent"]);
    let twice = evaluate("{regions: [a, a], tiers: [p]}", &world);
    assert_eq!(states(&twice)[0], "failed identity collision: here/a-p is made twice");
    let many: Vec<String> = (0..40).map(|it| it.to_string()).collect();
    let many = format!("{{regions: ['{0}'], tiers: ['{0}']}}", many.join("', '"));
    let expect = "failed collection of 1600 objects exceeds the maximum of 1000";
    assert_eq!(states(&evaluate(&many, &world))[0], expect);
}

/// Behaviours 24 and 25, and kro's defect B4: readiness of a selection.
#[test]
fn references() {
    let graph = graph(
        "- id: config
  externalRef: {apiVersion: v1, kind: ConfigMap, metadata: {name: '${schema.spec.name}'}}
- id: others
  externalRef:
    apiVersion: v1
    kind: ConfigMap
    metadata: {namespace: there, selector: {matchLabels: {app: '${schema.spec.name}'}}}
  readyWhen: ['${each.data.ok == \"yes\"}', '${size(others) > 1}']
",
    );
    let mut world = Objects::default();
    let evaluate = |world: &Objects| states(&graph.evaluate(&instance("{name: x}"), world));
    assert_eq!(evaluate(&world), ["absent", "not ready: size(others) > 1"]);
    world.add(yaml("{kind: ConfigMap, metadata: {name: x, namespace: here}}"));
    let other = |name: &str| json!({"kind": "ConfigMap", "metadata": {"name": name, "namespace": "there", "labels": {"app": "x"}}, "data": {"ok": "yes"}});
    world.add(other("one"));
    assert_eq!(evaluate(&world), ["ready", "not ready: size(others) > 1"]);
    world.add(other("two"));
    assert_eq!(evaluate(&world), ["ready", "ready"]);
}

/// Behaviours 23 and 25, and kro's defect B4: an empty selection is asked as a whole, and has no element to ask.
#[test]
fn an_empty_selection() {
    let check = |condition: &str, expected: &str| {
        let selection = format!(
            "- id: others\n  readyWhen: ['${{{condition}}}']\n  externalRef:\n    \
             {{apiVersion: v1, kind: ConfigMap, metadata: {{selector: {{matchLabels: {{app: x}}}}}}}}\n"
        );
        let evaluation = graph(&selection).evaluate(&instance("{}"), &Objects::default());
        assert_eq!(states(&evaluation), [expected], "{condition}");
    };
    check("others.size() >= 3", "not ready: others.size() >= 3");
    check("others.size() == 0", "ready");
    check("others.all(it, it.data.ok == \"yes\")", "ready");
    check("others[0].data.ok == \"yes\"", "not ready: others[0].data.ok == \"yes\"");
    check("each.data.ok == \"yes\"", "ready");
    check("each.data.ok == \"yes\" && others.size() > 1", "ready");
    check("1 / others.size() > 0", "failed: 1 / others.size() > 0: division by zero");
}

/// Behaviours 13 and 17: empty optionals are null, and instance data is never evaluated.
#[test]
fn optionals_and_data() {
    let graph = graph(
        "- id: a
  template:
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: a}
    data: {name: '${schema.spec.name}', none: '${schema.spec.?name.or(optional.none())}', left: '${omit()}'}
",
    );
    let evaluation = graph.evaluate(&instance("{name: '${schema.spec.count}'}"), &Objects::default());
    let text = "${schema.spec.count}";
    assert_eq!(objects(&evaluation, 0)[0]["data"], json!({"name": text, "none": text}));
    let evaluation = graph.evaluate(&instance("{}"), &Objects::default());
    assert_eq!(states(&evaluation), ["pending data.name"]);
}

/// Status fields are written as far as they have values.
#[test]
fn status() {
    let graph = with_status(
        "{ip: '${service.spec.clusterIP}', name: '${schema.spec.name}', deep: {a: '${service.metadata.name}'}, bad: '${1 / schema.spec.count}'}",
        "- id: service\n  template: {apiVersion: v1, kind: Service, metadata: {name: s}}\n",
    );
    let mut world = Objects::default();
    let instance = instance("{name: x, count: 0}");
    let evaluation = graph.evaluate(&instance, &world);
    assert_eq!(Value::Object(evaluation.status), json!({"name": "x"}));
    assert_eq!(evaluation.status_errors.len(), 1);
    assert_eq!(evaluation.status_errors[0].path, "bad");
    world.add(yaml("{kind: Service, metadata: {name: s, namespace: here}, spec: {}}"));
    let evaluation = graph.evaluate(&instance, &world);
    assert_eq!(Value::Object(evaluation.status), json!({"name": "x", "deep": {"a": "s"}}));
    let properties = &graph.crd.spec.versions[0].schema().unwrap().properties["status"].properties;
    assert_eq!(properties["ip"].to_value(), json!({"type": "string"}));
}

/// Behaviour 35: the author's conditions see the usual ones.
#[test]
fn author_conditions() {
    let graph = with_status(
        "{conditions: ['${runtime.newCondition({type: \"Up\", status: runtime.condition(schema, \"Ready\").status})}']}",
        "  []",
    );
    let mut instance = instance("{}");
    instance["status"] = json!({"conditions": [{"type": "Ready", "status": "True"}]});
    let evaluation = graph.evaluate(&instance, &Objects::default());
    let conditions = graph.conditions(&instance, &evaluation, &Objects::default()).conditions;
    assert_eq!(conditions.len(), 1);
    assert_eq!((&conditions[0]["type"], &conditions[0]["status"]), (&json!("Up"), &json!("True")));
}

/// Behaviour 35: every mistake in a condition is told with its place, and the other conditions still speak.
#[test]
fn author_conditions_that_cannot_be_made() {
    let graph = with_status(
        r#"{conditions: [
          '${runtime.newCondition({type: "Up", status: "True", message: string(1 / schema.spec.count)})}',
          '${[runtime.newCondition({type: schema.spec.name, status: "True"}), runtime.newCondition({type: "B", status: "True"})]}',
          '${runtime.newCondition({type: schema.spec.name, status: "False"})}',
          '${runtime.condition(schema, "Ready")}',
          '${kro.run.Condition{type: "Odd"}}']}"#,
        "  []",
    );
    let instance = instance("{name: A, count: 0}");
    let evaluation = graph.evaluate(&instance, &Objects::default());
    let authored = graph.conditions(&instance, &evaluation, &Objects::default());
    let types: Vec<_> = authored.conditions.iter().map(|it| &it["type"]).collect();
    assert_eq!((types, authored.is_complete), (vec![&json!("A"), &json!("B")], false));
    let errors: Vec<_> = authored.errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "conditions[0]: division by zero",
            "conditions[2]: condition \"A\" is made twice, and the first one stays; make each in one entry",
            "conditions[4]: a condition of type \"Odd\" and status \"\": it needs a type, and True, False or Unknown",
        ]
    );
}

#[test]
fn collections_have_a_limit() {
    let text = format!(
        "{SCHEMA}resources:\n- id: maps\n  forEach: [{{region: '${{schema.spec.regions}}'}}]\n  \
         template: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: '${{region}}'}}}}\n"
    );
    let options = Options { objects: 2, ..Options::default() };
    let graph = compile(&definition(&text), &BuiltIn, options).unwrap();
    let check = |regions: &str, expect: &str| {
        let evaluation = graph.evaluate(&instance(&format!("{{regions: {regions}}}")), &Objects::default());
        assert_eq!(states(&evaluation), [expect]);
    };
    check("[a, b]", "absent");
    check("[a, b, c]", "failed collection of 3 objects exceeds the maximum of 2");
}

/// Behaviour 20: what is made is told apart by its identity, and is not the instance.
#[test]
fn an_instance_is_no_resource_of_its_own() {
    struct Own;
    impl Kinds for Own {
        fn find(&self, api_version: &str, kind: &str) -> Option<KnownKind> {
            let known = BuiltIn.find("v1", "ConfigMap").filter(|_| kind == "App");
            known.filter(|_| ["kro.run/v1", "kro.run/v1alpha1", "acme.io/v1"].contains(&api_version))
        }
    }
    let check = |api_version: &str, spec: &str, expect: &str| {
        let text = format!(
            "{SCHEMA}resources:\n- id: own\n  template: {{apiVersion: {api_version}, kind: App, \
             metadata: {{name: '${{schema.spec.name}}', namespace: '${{schema.spec.regions[0]}}'}}}}\n"
        );
        let graph = compile(&definition(&text), &Own, Options::default()).unwrap();
        let evaluation = graph.evaluate(&instance(spec), &Objects::default());
        assert_eq!(states(&evaluation), [expect], "{api_version} {spec}");
    };
    let itself = "failed identity collision: here/demo is the instance itself";
    check("kro.run/v1alpha1", "{name: demo, regions: [here]}", itself);
    check("kro.run/v1", "{name: demo, regions: ['']}", itself);
    check("acme.io/v1", "{name: demo, regions: [here]}", "absent");
    check("kro.run/v1alpha1", "{name: other, regions: [here]}", "absent");
    check("kro.run/v1alpha1", "{name: demo, regions: [there]}", "absent");
}

/// Names, namespaces and selectors that come from an instance are judged before anybody asks for such objects.
#[test]
fn references_to_what_cannot_be() {
    let graph = graph(
        "- id: config
  externalRef: {apiVersion: v1, kind: ConfigMap, metadata: {name: '${schema.spec.name}', namespace: '${schema.spec.regions[0]}'}}
- id: others
  externalRef:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      namespace: '${schema.spec.regions[0]}'
      selector: {matchExpressions: [{key: app, operator: In, values: '${schema.spec.tiers}'}]}
",
    );
    let check = |spec: &str, expect: [&str; 2]| {
        let found = states(&graph.evaluate(&instance(spec), &Objects::default()));
        assert!(found.iter().zip(expect).all(|(it, begin)| it.starts_with(begin)), "{spec}: {found:#?}");
    };
    check("{name: x, regions: [there], tiers: [a]}", ["absent", "ready"]);
    check("{name: a/b, regions: [''], tiers: [a]}", ["failed metadata.name: \"a/b\": may not", "ready"]);
    let nowhere = "failed metadata.namespace: \"Team A\": ";
    check("{name: x, regions: [Team A], tiers: [a]}", [nowhere, nowhere]);
    let empty = "failed selector.matchExpressions[0].values: expected";
    check("{name: x, regions: [there], tiers: []}", ["absent", empty]);
    let wrong = "failed selector.matchExpressions[0].values[0]: \"a b\" is no value";
    check("{name: x, regions: [there], tiers: [a b]}", ["absent", wrong]);
}
