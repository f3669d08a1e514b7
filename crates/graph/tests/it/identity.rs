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

/// `node` is named, counted and included by what it reads; `other` is written so, and so is the default of a field.
fn reader(node: &str, other: &str, default: &str) -> CompiledGraph {
    compiled(&format!(
        "schema:
  kind: App
  apiVersion: v1alpha1
  spec: {{name: string, size: 'string | default=\"{default}\"', depth: 'string | default=\"1\"'}}
resources:
- {{id: node, {node}}}
- {{id: other, {other}}}
- {{id: third, template: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: third}}, data: {{k: '${{schema.spec.size}}'}}}}}}
- {{id: seen, externalRef: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: seen}}}}}}
"
    ))
}

fn secret(name: &str, more: &str) -> String {
    format!("template: {{apiVersion: v1, kind: Secret, metadata: {{name: {name}}}}}{more}")
}

fn map(data: &str) -> String {
    format!("template: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: other}}, data: {{{data}}}}}")
}

#[test]
fn v25_what_depends_on_another_node_is_other_when_what_it_reads_there_is() {
    let check = |node: &str, [before, after]: [&str; 2], expected: bool| {
        let [before, after] = [before, after].map(|it| identity(&reader(node, it, "1")));
        assert_eq!(after.includes(&before), expected, "{node}");
    };
    let [one, two, more] = ["k: one", "k: two", "k: one, l: '1'"].map(map);
    let reading = [
        secret("'x-${other.data.k}'", ""),
        secret("'x-${other.data[\"k\"]}'", ""),
        secret("'x-${i}'", ", forEach: [{i: '${other.data.k.split(\",\")}'}]"),
        secret("x", ", includeWhen: ['${other.data.k == \"one\"}']"),
    ];
    for node in &reading {
        check(node, [&one, &one], true);
        check(node, [&one, &two], false);
        check(node, [&one, &more], true);
    }
    check(&secret("'x-${other.metadata.name}'", ""), [&one, &two], true);
    check(&secret("x, namespace: '${other.metadata.namespace}'", ""), [&one, &two], true);
    // What others fill in may be about anything.
    check(&secret("'x-${other.metadata.uid}'", ""), [&one, &two], false);
    check(&secret("'x-${other.data.map(key, key).join(\"\")}'", ""), [&one, &more], false);
    // What only the content reads makes no other object.
    let content =
        "template: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {k: '${other.data.k}'}}";
    check(content, [&one, &two], true);
}

#[test]
fn v25_what_is_read_is_followed_to_where_it_comes_from() {
    let check = |other: &str, [before, after]: [&str; 2], expected: bool| {
        let node = secret("'x-${other.data.k}'", "");
        let [before, after] = [before, after].map(|it| identity(&reader(&node, other, it)));
        assert_eq!(after.includes(&before), expected, "{other}");
    };
    check(&map("k: '${schema.spec.size}'"), ["1", "2"], false);
    check(&map("k: '${third.data.k}'"), ["1", "2"], false);
    check(&map("k: '${third.metadata.uid}'"), ["1", "1"], true);
    check(&map("k: '${third.metadata.uid}'"), ["1", "2"], false);
    check(&map("k: '${schema.spec.depth}'"), ["1", "2"], true);
    check(&map("k: one, l: '${schema.spec.size}'"), ["1", "2"], true);
}

#[test]
fn v25_an_external_reference_to_another_object_makes_another_object() {
    let external = |metadata: &str| {
        format!("externalRef: {{apiVersion: v1, kind: ConfigMap, metadata: {{{metadata}}}}}")
    };
    let of = |it: &str| identity(&reader(&secret("'x-${other.data.k}'", ""), &external(it), "1"));
    assert!(of("name: one").includes(&of("name: one")));
    assert!(!of("name: two").includes(&of("name: one")));
}

#[test]
fn v15_the_default_of_a_field_decides_for_who_leaves_it_out() {
    let check = |name: &str, expected: bool| {
        let [before, after] = ["1", "2"].map(|it| identity(&reader(&secret(name, ""), &map("k: one"), it)));
        assert_eq!(after.includes(&before), expected, "{name}");
    };
    check("'x-${schema.spec.size}'", false);
    check("'x-${schema.spec.depth}'", true);
    check("'x-${schema.metadata.name}'", true);
    check("x", true);
}

#[test]
fn what_others_make_is_nobody_s() {
    let graph = graph(HOME, "", "");
    assert_eq!(graph.identity("seen"), None);
    assert_eq!(graph.identity("nobody"), None);
    assert_ne!(graph.identity("other"), graph.identity("node"));
}
