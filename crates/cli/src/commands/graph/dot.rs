//! A graph in Graphviz' language.

use krono_graph::{CompiledGraph, Node};

pub(super) fn draw(graph: &CompiledGraph) -> String {
    let mut out = format!("digraph {} {{\n", quoted(&super::title(graph)));
    out.push_str("  rankdir=TB;\n  node [shape=box, style=\"rounded\", fontname=\"sans-serif\"];\n");
    for node in &graph.nodes {
        out.extend([format!("  {} [label={}{}];\n", quoted(&node.id), quoted(&label(node)), style(node))]);
    }
    for (from, to) in super::edges(graph) {
        if let (Some(from), Some(to)) = (graph.nodes.get(from), graph.nodes.get(to)) {
            out.extend([format!("  {} -> {};\n", quoted(&from.id), quoted(&to.id))]);
        }
    }
    out.push_str("}\n");
    out
}

fn label(node: &Node) -> String {
    [vec![node.id.clone(), super::kind(node)], super::marks(node)].concat().join("\n")
}

fn style(node: &Node) -> String {
    let mut styles = vec!["rounded"];
    if !node.include_when.is_empty() {
        styles.push("dashed");
    }
    if super::is_external(node) {
        styles.push("filled");
    }
    let stacked = if node.is_collection() { ", peripheries=2" } else { "" };
    if styles.len() == 1 { stacked.to_owned() } else { format!(", style=\"{}\"{stacked}", styles.join(",")) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
