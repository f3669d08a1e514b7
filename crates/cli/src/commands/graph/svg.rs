//! A graph as a picture.

use krono_graph::{CompiledGraph, Node};

use super::super::svg::{self, escaped};
use super::layout::{Area, Layout};

/// Around the drawing, in pixels.
const MARGIN: i64 = 24;
/// Of a line of text.
const LINE: i64 = 18;
/// Of the widest letter in use: letters are of one width, so that text never leaves its box.
const LETTER: i64 = 8;
/// The title above the boxes.
const TITLE: i64 = 40;
/// How far the boxes of a stack stick out.
const STACK: i64 = 5;

const STYLE: &str = ".id{font-size:13px;font-weight:bold}.kind{font-size:12px}\
.more{font-size:11px;fill:#6b7280}.box{fill:#eff6ff;stroke:#3b82f6;stroke-width:1.5}\
.external{fill:#f3f4f6;stroke:#6b7280}.conditional{stroke-dasharray:5 4}\
.edge{fill:none;stroke:#64748b;stroke-width:1.4}";

pub(super) fn draw(graph: &CompiledGraph) -> String {
    let texts: Vec<Vec<(&str, String)>> = graph.nodes.iter().map(texts).collect();
    let sizes: Vec<(i64, i64)> = texts.iter().map(|it| size(it)).collect();
    let edges: Vec<_> = super::edges(graph).collect();
    let layout = Layout::of(&graph.order.levels, &edges, &sizes);
    let title = super::title(graph);
    let width = layout.width.max(length(&title) * 9) + 2 * MARGIN + STACK;
    let height = layout.height + TITLE + 2 * MARGIN;
    let mut out = svg::begin((width, height), STYLE);
    out.extend([format!(
        "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#64748b\"/></marker></defs>\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"{}\">{}</text>\n\
         <g transform=\"translate({MARGIN} {})\">\n",
        MARGIN + 15,
        escaped(&title),
        MARGIN + TITLE
    )]);
    layout.lines.iter().for_each(|line| out.push_str(&edge(line)));
    for ((node, area), texts) in graph.nodes.iter().zip(&layout.boxes).zip(&texts) {
        out.push_str(&drawn(node, *area, texts));
    }
    out.push_str("</g>\n</svg>\n");
    out
}

/// The lines of a box, each with its class.
fn texts(node: &Node) -> Vec<(&'static str, String)> {
    let kind = node.subject.kind();
    let first = [("id", node.id.clone()), ("kind", kind.kind.clone()), ("more", kind.api_version.clone())];
    first.into_iter().chain(super::marks(node).into_iter().map(|it| ("more", it))).collect()
}

fn size(texts: &[(&str, String)]) -> (i64, i64) {
    let widest = texts.iter().map(|(_, text)| length(text)).max().unwrap_or(0);
    let lines = i64::try_from(texts.len()).unwrap_or(i64::MAX / LINE);
    (widest * LETTER + 28, lines * LINE + 14)
}

fn length(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(0)
}

fn drawn(node: &Node, area: Area, texts: &[(&str, String)]) -> String {
    let mut class = String::from("box");
    if super::is_external(node) {
        class.push_str(" external");
    }
    if !node.include_when.is_empty() {
        class.push_str(" conditional");
    }
    let mut out = String::new();
    if node.is_collection() {
        out.push_str(&rectangle(Area { x: area.x + STACK, y: area.y + STACK, ..area }, &class));
    }
    out.push_str(&rectangle(area, &class));
    for ((class, text), line) in texts.iter().zip(1..) {
        let (x, y) = (area.x + area.width / 2, area.y + line * LINE + 2);
        let text = escaped(text);
        out.extend([format!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{text}</text>\n"
        )]);
    }
    out
}

fn rectangle(area: Area, class: &str) -> String {
    let Area { x, y, width, height } = area;
    format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n")
}

/// A line that goes straight through rows and bends between them.
fn edge(points: &[(i64, i64)]) -> String {
    let Some((first, rest)) = points.split_first() else { return String::new() };
    let mut path = format!("M{} {}", first.0, first.1);
    let mut from = *first;
    for (index, to) in rest.iter().enumerate() {
        if index % 2 == 0 {
            let middle = i64::midpoint(from.1, to.1);
            path.extend([format!("C{} {middle} {} {middle} {} {}", from.0, to.0, to.0, to.1)]);
        } else {
            path.extend([format!("L{} {}", to.0, to.1)]);
        }
        from = *to;
    }
    format!("<path class=\"edge\" d=\"{path}\" marker-end=\"url(#tip)\"/>\n")
}
