//! A graph in Mermaid's language.

use krono_graph::{CompiledGraph, Node};

pub(super) fn draw(graph: &CompiledGraph) -> String {
    let mut out = String::from("flowchart TD\n");
    for (index, node) in graph.nodes.iter().enumerate() {
        out.extend([format!("  {}\n", shape(index, node))]);
    }
    for (from, to) in super::edges(graph) {
        out.extend([format!("  n{from} --> n{to}\n")]);
    }
    for (index, node) in graph.nodes.iter().enumerate().filter(|(_, it)| !it.include_when.is_empty()) {
        out.extend([format!("  style n{index} stroke-dasharray: 4 3 %% {} is conditional\n", node.id)]);
    }
    out
}

/// Ids may be words of Mermaid, so nodes are numbered; what others make is round, a collection is a stack.
fn shape(index: usize, node: &Node) -> String {
    let label =
        [vec![format!("<b>{}</b>", node.id), super::kind(node)], super::marks(node)].concat().join("<br>");
    match (super::is_external(node), node.is_collection()) {
        (true, _) => format!("n{index}([\"{label}\"])"),
        (false, true) => format!("n{index}[[\"{label}\"]]"),
        (false, false) => format!("n{index}[\"{label}\"]"),
    }
}
