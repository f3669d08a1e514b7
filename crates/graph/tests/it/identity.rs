//! Which objects a node makes, told without an instance.

use krono_graph::{CompiledGraph, Identity};

use crate::world::compiled;

const SCHEMA: &str = "schema:
  kind: App
  apiVersion: v1alpha1
  spec: {name: string, tiers: '[]string', open: boolean, wide: boolean}
";
const HOME: &str = "name: '${schema.spec.name}-home'";

/// `node` is a `ConfigMap` of this metadata and further fields; it needs `other`, which has further fields of its own.
fn graph(metadata: &str, more: &str, others: &str) -> CompiledGraph {
    let needs = "data: {other: '${other.metadata.name}'}";
    compiled(&format!(
        "{SCHEMA}resources:
- {{id: node, template: {{apiVersion: v1, kind: ConfigMap, metadata: {{{metadata}}}, {needs}}}{more}}}
- {{id: other, template: {{apiVersion: v1, kind: Secret, metadata: {{name: other}}}}{others}}}
- {{id: seen, externalRef: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: seen}}}}}}
"
    ))
}

fn identity(graph: &CompiledGraph) -> Identity {
    graph.identity("node").expect("a node that makes something")
}

#[test]
fn who_makes_an_object_under_another_name_or_on_further_conditions_may_not_make_it() {
    let before = graph(HOME, "", "");
    let check = |metadata: &str, more: &str, others: &str, expected: bool| {
        let after = graph(metadata, more, others);
        assert_eq!(identity(&after).includes(&identity(&before)), expected, "{metadata} {more} {others}");
    };
    check(HOME, "", "", true);
    check("name: '${schema.spec.name}-home', labels: {a: b}", "", "", true);
    check(HOME, ", readyWhen: ['${node.data.other == \"a\"}']", "", true);
    check("name: '${schema.spec.name}-house'", "", "", false);
    check("name: home", "", "", false);
    check("name: '${schema.spec.name}-home', namespace: there", "", "", false);
    check(HOME, ", includeWhen: ['${schema.spec.open}']", "", false);
    check(HOME, "", ", includeWhen: ['${schema.spec.open}']", false);
    check("name: '${schema.spec.name}-${tier}'", ", forEach: [{tier: '${schema.spec.tiers}'}]", "", false);
}

#[test]
fn fewer_conditions_make_all_that_was_made() {
    let open = ", includeWhen: ['${schema.spec.open}']";
    let both = ", includeWhen: ['${schema.spec.open}', '${schema.spec.wide}']";
    let [none, one, two] = ["", open, both].map(|it| identity(&graph(HOME, it, "")));
    assert!(none.includes(&one) && one.includes(&two));
    assert!(!one.includes(&none) && !two.includes(&one));
    assert!(identity(&graph(HOME, "", open)).includes(&one), "it is left out with what it needs");
}

#[test]
fn what_others_make_is_nobody_s() {
    let graph = graph(HOME, "", "");
    assert_eq!(graph.identity("seen"), None);
    assert_eq!(graph.identity("nobody"), None);
    assert_ne!(graph.identity("other"), graph.identity("node"));
}
