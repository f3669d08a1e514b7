//! How far the nodes of a graph are, in words.

use krono_graph::{CompiledGraph, Evaluation, Expression, NodeState, Readiness, Target};

/// What there is to tell about a node.
pub(super) enum Told {
    Nothing,
    Note(String),
    Failure(String),
}

pub(super) fn told(graph: &CompiledGraph, evaluation: &Evaluation, index: usize) -> Told {
    let (Some(node), Some(state)) = (graph.nodes.get(index), evaluation.nodes.get(index)) else {
        return Told::Nothing;
    };
    let id = &node.id;
    match state {
        NodeState::Excluded { by } if *by == index => {
            Told::Note(format!("{id} is left out: {} does not hold", sources(&node.include_when)))
        }
        NodeState::Excluded { by } => Told::Note(format!("{id} is left out, as {} is", name(graph, *by))),
        NodeState::Waiting { on } => {
            Told::Note(format!("{id} waits for {}", unready(graph, evaluation, *on)))
        }
        NodeState::Pending(missing) => {
            Told::Note(format!("{id} waits for data: {}: {}", missing.path, missing.error))
        }
        NodeState::Failed(error) => Told::Failure(format!("{id}: {error}")),
        NodeState::Resolved(resolved) => match (&resolved.target, &resolved.readiness) {
            (_, Readiness::Failed { expression, error }) => {
                Told::Failure(format!("{id}: readyWhen {expression}: {error}"))
            }
            (Target::Named { namespace, name }, Readiness::Absent) => {
                let name = if namespace.is_empty() { name.clone() } else { format!("{namespace}/{name}") };
                Told::Note(format!(
                    "{id} refers to {} {name}, which is not observed",
                    node.subject.kind().kind
                ))
            }
            (Target::Objects(objects), _) if objects.is_empty() => {
                Told::Note(format!("{id} is a collection without elements"))
            }
            (Target::Objects(_) | Target::Named { .. } | Target::Selected { .. }, _) => Told::Nothing,
        },
    }
}

/// `deployment, which is not observed yet`
fn unready(graph: &CompiledGraph, evaluation: &Evaluation, index: usize) -> String {
    let id = name(graph, index);
    match evaluation.nodes.get(index) {
        Some(NodeState::Resolved(resolved)) => match &resolved.readiness {
            Readiness::NotReady { expression } => format!("{id} to be ready: {expression}"),
            Readiness::Failed { .. } => format!("{id}, whose readiness cannot be told"),
            Readiness::Absent | Readiness::Ready => format!("{id}, which is not observed"),
        },
        Some(NodeState::Failed(_)) => format!("{id}, which cannot be made"),
        Some(NodeState::Waiting { .. } | NodeState::Pending(_)) => format!("{id}, which waits itself"),
        Some(NodeState::Excluded { .. }) | None => id.to_owned(),
    }
}

fn name(graph: &CompiledGraph, index: usize) -> &str {
    graph.nodes.get(index).map_or("", |it| it.id.as_str())
}

fn sources(conditions: &[Expression]) -> String {
    conditions.iter().map(Expression::source).collect::<Vec<_>>().join(" && ")
}
