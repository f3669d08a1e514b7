//! What a change of revision deletes or replaces in every instance.

use krono_graph::{CompiledGraph, DeletionPolicy, Node};
use krono_history::RevisionNumber;
use krono_history::hold::{Hold, Place};
use krono_model::metadata::is_retained_by_default;
use krono_model::names;
use serde_json::Value;

use super::facts::hold_of;
use crate::definition::Past;

/// Whether a graph no longer makes something that another makes, or may not make it in some instance: as another kind, under
/// another name, or on further conditions. What is to stay anyway does not count.
pub(super) fn deletes(from: &CompiledGraph, to: &CompiledGraph) -> bool {
    let stays = |node: &Node| match (from.identity(&node.id), to.identity(&node.id)) {
        (Some(before), Some(after)) => after.includes(&before),
        (None, _) => true,
        (Some(_), None) => false,
    };
    from.nodes.iter().any(|node| !stays(node) && !is_retained(node))
}

fn is_retained(node: &Node) -> bool {
    let kind = node.subject.kind();
    match node.deletion {
        Some(DeletionPolicy::Retain) => true,
        Some(DeletionPolicy::Delete) => false,
        None => is_retained_by_default(&kind.api_version, &kind.kind),
    }
}

/// Whether what instances no longer want is left in place: the way back from what was given up deletes nothing by itself.
pub(super) fn leaves_surplus(definition: &Value, hold: &Hold) -> bool {
    match hold {
        Hold::Held { number, by: Place::Mark { .. } } => {
            definition["spec"]["propagation"]["deletes"] != "Allow"
                && !are_approved(definition, hold, *number)
        }
        Hold::Held { .. } | Hold::Released | Hold::Invalid(_) => false,
    }
}

/// Whether something waits for somebody to approve of its deletion.
pub(crate) fn are_pending(definition: &Value, past: &Past<'_>) -> bool {
    let hold = hold_of(definition, past.history);
    let Hold::Held { number, by: Place::Mark { given_up, .. } } = hold else { return false };
    let graph = |number| past.graphs.graph_of(past.history.find(number)?.digest)?.ok();
    let both = graph(given_up).zip(graph(number));
    leaves_surplus(definition, &hold) && both.is_some_and(|(from, to)| deletes(from, to))
}

/// Whether somebody approved of what moving to a revision deletes. What was given up is named where that is the way back from it:
/// others that lead to the same revision delete other things.
pub(super) fn are_approved(definition: &Value, hold: &Hold, number: RevisionNumber) -> bool {
    let approved = definition["metadata"]["annotations"][names::ALLOW_DELETES_ANNOTATION].as_str();
    let approved: Option<RevisionNumber> = approved.and_then(|it| it.trim().parse().ok());
    approved.is_some_and(|it| match hold {
        Hold::Held { by: Place::Mark { given_up, tried, .. }, .. } => it == *given_up || it == *tried,
        Hold::Held { .. } | Hold::Released | Hold::Invalid(_) => it == number,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use krono_graph::{Kinds, KnownKind, Options, compile};
    use krono_schema::Schema;
    use serde_json::json;

    use super::*;

    /// Kinds of anything.
    struct Anything;

    impl Kinds for Anything {
        fn find(&self, _: &str, _: &str) -> Option<KnownKind> {
            let any = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
            let schema = Arc::new(Schema::from_value(&any).ok()?);
            Some(KnownKind { schema, namespaced: true, is_defined: false })
        }
    }

    /// `one` has this text, and `two` is of this kind and has further fields.
    fn graph(text: &str, kind: &str, name: &str, more: &Value) -> CompiledGraph {
        let object =
            |kind: &str, name: &str| json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}});
        let mut one = json!({"id": "one", "template": object("ConfigMap", "one")});
        one["template"]["data"] = json!({"text": text, "same": "same"});
        let mut two = json!({"id": "two", "template": object(kind, name)});
        two.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let schema = json!({"apiVersion": "v1alpha1", "kind": "App", "spec": {}});
        let definition =
            json!({"metadata": {"name": "app"}, "spec": {"schema": schema, "resources": [one, two]}});
        compile(&definition, &Anything, Options::default()).unwrap()
    }

    #[test]
    fn v25_what_another_resource_says_may_delete() {
        let check = |kind: &str, name: &str, more: Value, expected: bool| {
            let [from, to] = ["a,b", "a"].map(|text| graph(text, kind, name, &more));
            assert_eq!(deletes(&from, &to), expected, "{kind} {name} {more}");
            assert!(!deletes(&from, &from), "{kind} {name} {more}");
        };
        check("Secret", "x-${one.data.text}", json!({}), true);
        check("Secret", "x-${i}", json!({"forEach": [{"i": "${one.data.text.split(',')}"}]}), true);
        check("Secret", "x", json!({"includeWhen": ["${one.data.text == 'a,b'}"]}), true);
        check("Secret", "x-${one.data.same}", json!({}), false);
        check("Secret", "x-${one.metadata.name}", json!({}), false);
        // What is to stay stays.
        check("PersistentVolumeClaim", "x-${one.data.text}", json!({}), false);
        check("Secret", "x-${one.data.text}", json!({"deletionPolicy": "Retain"}), false);
    }

    fn number(number: u64) -> RevisionNumber {
        RevisionNumber::new(number).unwrap_or(RevisionNumber::FIRST)
    }

    #[test]
    fn v25_an_approval_is_for_the_way_back_from_one_revision() {
        let check = |approved: &str, given_up: u64, tried: u64, expected: bool| {
            let definition = json!({"metadata": {"annotations": {"krono.dev/allow-deletes": approved}}});
            let (given_up, tried, failure) = (number(given_up), number(tried), String::new());
            let hold = Hold::Held { number: number(5), by: Place::Mark { given_up, tried, failure } };
            assert_eq!(leaves_surplus(&definition, &hold), !expected, "{approved} {hold:?}");
        };
        check("6", 6, 6, true);
        check("6", 7, 7, false);
        check("5", 6, 6, false);
        // The same content again.
        check("6", 8, 6, true);
        check("8", 8, 6, true);
    }
}
