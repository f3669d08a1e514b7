//! A graph as lines of text.

use krono_graph::{CompiledGraph, Expression, Node};

/// The nodes by level, each with what it needs.
pub(super) fn draw(graph: &CompiledGraph) -> String {
    let mut out = format!("{}\n", super::title(graph));
    let width = |text: &dyn Fn(&Node) -> String| {
        graph.nodes.iter().map(|it| text(it).chars().count()).max().unwrap_or(0)
    };
    let (ids, kinds) = (width(&|it| it.id.clone()), width(&super::kind));
    for (level, nodes) in graph.order.levels.iter().enumerate() {
        out.extend([format!("\nlevel {}\n", level + 1)]);
        for node in nodes.iter().filter_map(|it| graph.nodes.get(*it)) {
            let line = format!("  {:ids$}  {:kinds$}  {}", node.id, super::kind(node), words(graph, node));
            out.push_str(line.trim_end());
            out.push('\n');
            conditions(node, ids, &mut out);
        }
    }
    out
}

fn words(graph: &CompiledGraph, node: &Node) -> String {
    let needed: Vec<&str> =
        node.dependencies.iter().filter_map(|it| graph.nodes.get(*it)).map(|it| it.id.as_str()).collect();
    let needs = (!needed.is_empty()).then(|| format!("needs {}", needed.join(", ")));
    let marks = super::marks(node).into_iter().filter(|it| it != "conditional");
    marks.chain(needs).collect::<Vec<_>>().join("; ")
}

fn conditions(node: &Node, ids: usize, out: &mut String) {
    let mut line = |label: &str, condition: &Expression| {
        let source = condition.source().split_whitespace().collect::<Vec<_>>().join(" ");
        out.extend([format!("  {:ids$}    {label} {source}\n", "")]);
    };
    node.include_when.iter().for_each(|it| line("included when", it));
    node.ready_when.iter().for_each(|it| line("ready when", it));
}
