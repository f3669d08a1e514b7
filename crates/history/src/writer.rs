//! Who writes an object beside krono.

use krono_model::names;
use krono_model::wire::Author;
use serde_json::Value;

use crate::witness::{Notes, user_of_request, user_of_wish};

/// One field manager, as an object's managed fields name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writer {
    /// Its name.
    pub manager: String,
    /// How it writes.
    pub operation: Operation,
}

/// How a field manager writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// By server-side apply: it keeps the whole of what it wants somewhere.
    Apply,
    /// In any other way.
    Update,
}

/// Tools that keep a copy of what they write and put it back, by the beginnings of their names.
const KEEPERS: [&str; 9] = [
    "argocd",
    "argo-cd",
    "kustomize-controller",
    "helm",
    "flux",
    "gotk",
    "terraform",
    "pulumi",
    "fleet-agent",
];
/// What people write with, by the beginnings of the names.
const HANDS: [&str; 3] = ["kubectl", "krono", "kro.run"];

impl Writer {
    /// Whether it is a tool that puts back what it has a copy of, so that a change of its fields does not last.
    pub fn is_keeper(&self) -> bool {
        let manager = self.manager.to_ascii_lowercase();
        let begins = |names: &[&str]| names.iter().any(|it| manager.starts_with(it));
        begins(&KEEPERS) || (self.operation == Operation::Apply && !begins(&HANDS))
    }

    /// Whether it writes from a manifest, so that what it has written once may come again without anybody's wish.
    ///
    /// krono's commands apply too, but only when somebody types them.
    pub fn is_declarative(&self) -> bool {
        let applies = self.operation == Operation::Apply && self.manager != names::MANAGER_KRONO;
        self.is_keeper() || applies || self.manager == "kubectl-client-side-apply"
    }
}

/// Marks that tools leave on what they look after: labels or annotations, with the tool.
const MARKS: [(&str, &str); 6] = [
    ("argocd.argoproj.io/tracking-id", "Argo CD"),
    ("argocd.argoproj.io/instance", "Argo CD"),
    ("kustomize.toolkit.fluxcd.io/name", "Flux"),
    ("helm.toolkit.fluxcd.io/name", "Flux"),
    ("meta.helm.sh/release-name", "Helm"),
    ("fleet.cattle.io/bundle-id", "Fleet"),
];

/// The tool that would put the spec of an object back, if there is one.
pub fn keeper_of_spec(object: &Value) -> Option<String> {
    let metadata = &object["metadata"];
    let is_marked = |key: &str| ["labels", "annotations"].iter().any(|it| metadata[it].get(key).is_some());
    let marked = MARKS.iter().find(|(key, _)| is_marked(key)).map(|(_, tool)| (*tool).to_owned());
    let managed_by = || metadata["labels"]["app.kubernetes.io/managed-by"].as_str();
    let helm = || managed_by().filter(|it| *it == "Helm").map(str::to_owned);
    marked.or_else(helm).or_else(|| {
        let mut keepers = writers_of(object, &["spec"]).into_iter().filter(Writer::is_keeper);
        keepers.next().map(|it| it.manager)
    })
}

/// Whoever wrote an annotation that is there; nothing when nobody says so.
///
/// Where a tool has in its manifests what somebody has written too, it is that person's wish.
pub fn writer_of_annotation(object: &Value, key: &str) -> Option<Writer> {
    writers_of(object, &["metadata", "annotations", key]).into_iter().min_by_key(Writer::is_declarative)
}

/// Whoever asks for a rollback by an annotation.
///
/// Who wrote the note that it was answered as well has restored a backup, which puts back what it holds as tools do that apply.
pub fn writer_of_request(object: &Value, key: &str) -> Option<Writer> {
    let writer = writer_of_annotation(object, key)?;
    let wrote = |key: &str| writers_of(object, &["metadata", "annotations", key]);
    let noted = wrote(names::ANSWERED_ROLLBACK_ANNOTATION);
    let is_restored = |it: &Writer| it.manager != names::MANAGER_KRONO && noted.contains(it);
    Some(if wrote(key).iter().all(is_restored) {
        Writer { operation: Operation::Apply, ..writer }
    } else {
        writer
    })
}

/// The tool that has an annotation in its manifests and will put it back as it was.
pub fn keeper_of_annotation(object: &Value, key: &str) -> Option<String> {
    let mut writers = writers_of(object, &["metadata", "annotations", key]).into_iter();
    writers.find(Writer::is_declarative).map(|it| it.manager)
}

/// Whether a request to roll back is meant whoever keeps the spec: whoever asked says so beside it.
pub fn is_forced(object: &Value, request: &str) -> bool {
    let force = names::ROLLBACK_FORCE_ANNOTATION;
    let names = |key: &str| -> Vec<String> {
        writers_of(object, &["metadata", "annotations", key]).into_iter().map(|it| it.manager).collect()
    };
    let (asked, forced) = (names(request), names(force));
    let is_by_the_same = asked.is_empty() || forced.is_empty() || asked.iter().any(|it| forced.contains(it));
    object["metadata"]["annotations"][force] == "true" && is_by_the_same
}

/// The same, as the author of what comes of it; managed fields tell of no users.
pub fn author_of_annotation(object: &Value, key: &str) -> Option<Author> {
    let entry = entries_of(object, &["metadata", "annotations", key]).next()?;
    let text = |field: &str| entry[field].as_str().map(str::to_owned);
    Some(Author { manager: text("manager"), user: None, time: text("time") })
}

/// The same where somebody is answerable for it, with the user whom a witness saw.
pub fn author_of_request(object: &Value, key: &str, notes: Notes) -> Option<Author> {
    let author = author_of_annotation(object, key)?;
    Some(Author { user: user_of_request(object, notes), ..author })
}

/// Whoever wrote an annotation that says what somebody wishes; where it is gone, the user who took it away.
pub fn author_of_wish(object: &Value, key: &str, notes: Notes) -> Option<Author> {
    let author = author_of_annotation(object, key);
    let user = user_of_wish(object, key, notes);
    (author.is_some() || user.is_some()).then(|| Author { user, ..author.unwrap_or_default() })
}

/// Those that own something of a field.
fn writers_of(object: &Value, path: &[&str]) -> Vec<Writer> {
    entries_of(object, path).filter_map(writer).collect()
}

/// The managed fields of those.
fn entries_of<'v>(object: &'v Value, path: &[&str]) -> impl Iterator<Item = &'v Value> {
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    entries.filter(move |entry| {
        let fields = path.iter().try_fold(&entry["fieldsV1"], |fields, name| fields.get(format!("f:{name}")));
        fields.is_some() && entry.get("subresource").is_none_or(|it| it == "")
    })
}

fn writer(entry: &Value) -> Option<Writer> {
    let operation = if entry["operation"] == "Apply" { Operation::Apply } else { Operation::Update };
    Some(Writer { manager: entry["manager"].as_str()?.to_owned(), operation })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(manager: &str, operation: &str, fields: &Value) -> Value {
        json!({"metadata": {"managedFields": [
            {"manager": "status-writer", "operation": "Apply", "subresource": "status", "fieldsV1": {"f:spec": {}}},
            {"manager": manager, "operation": operation, "fieldsV1": fields},
        ]}})
    }

    #[test]
    fn v19_a_restored_backup_asks_for_nothing_again() {
        let request = format!("f:{}", names::ROLLBACK_ANNOTATION);
        let answered = format!("f:{}", names::ANSWERED_ROLLBACK_ANNOTATION);
        let check = |manager: &str, fields: Value, expected: bool| {
            let object = object(manager, "Update", &json!({"f:metadata": {"f:annotations": fields}}));
            let writer = writer_of_request(&object, names::ROLLBACK_ANNOTATION);
            assert_eq!(writer.is_some_and(|it| it.is_declarative()), expected, "{manager}");
        };
        check("velero-server", json!({&request: {}, &answered: {}}), true);
        check("kubectl-create", json!({&request: {}, &answered: {}}), true);
        check("kubectl-annotate", json!({&request: {}}), false);
        check("krono", json!({&request: {}, &answered: {}}), false);
    }

    #[test]
    fn v19_tools_that_put_specs_back_are_known() {
        let check = |manager: &str, operation: &str, expected: bool| {
            let object = object(manager, operation, &json!({"f:spec": {"f:schema": {}}}));
            assert_eq!(keeper_of_spec(&object).is_some(), expected, "{manager} {operation}");
        };
        check("argocd-controller", "Apply", true);
        check("argocd-application-controller", "Update", true);
        check("kustomize-controller", "Apply", true);
        check("helm-controller", "Update", true);
        check("Helm", "Update", true);
        check("Terraform", "Apply", true);
        check("some-pipeline", "Apply", true);
        check("kubectl", "Apply", false);
        check("kubectl-client-side-apply", "Update", false);
        check("kubectl-edit", "Update", false);
        check("krono", "Apply", false);
        check("Mozilla", "Update", false);
        let elsewhere = object("argocd-controller", "Apply", &json!({"f:metadata": {"f:labels": {}}}));
        assert_eq!(keeper_of_spec(&elsewhere), None);
    }

    #[test]
    fn v19_marks_of_tools_are_known() {
        let check = |place: &str, key: &str, value: &str, expected: Option<&str>| {
            let object = json!({"metadata": {place: {key: value}}});
            assert_eq!(keeper_of_spec(&object).as_deref(), expected, "{key}");
        };
        check("annotations", "argocd.argoproj.io/tracking-id", "a:b", Some("Argo CD"));
        check("labels", "argocd.argoproj.io/instance", "a", Some("Argo CD"));
        check("labels", "kustomize.toolkit.fluxcd.io/name", "a", Some("Flux"));
        check("annotations", "meta.helm.sh/release-name", "a", Some("Helm"));
        check("labels", "app.kubernetes.io/managed-by", "Helm", Some("Helm"));
        check("labels", "app.kubernetes.io/managed-by", "kro", None);
    }

    #[test]
    fn the_writer_of_an_annotation_is_found() {
        let fields = json!({"f:metadata": {"f:annotations": {"f:kro.run/rollback-to-revision": {}}}});
        let written = object("kubectl-annotate", "Update", &fields);
        let writer = writer_of_annotation(&written, "kro.run/rollback-to-revision").unwrap();
        assert_eq!(writer, Writer { manager: "kubectl-annotate".to_owned(), operation: Operation::Update });
        assert!(!writer.is_declarative());
        assert_eq!(writer_of_annotation(&written, "kro.run/other"), None);
        let manifest =
            Writer { manager: "kubectl-client-side-apply".to_owned(), operation: Operation::Update };
        assert!(manifest.is_declarative() && !manifest.is_keeper());
        let typed = Writer { manager: "krono".to_owned(), operation: Operation::Apply };
        assert!(!typed.is_declarative(), "who types `krono rollback` a second time means it");
    }

    fn annotated(annotations: &[(&str, &[&str])]) -> Value {
        let mut object = json!({"metadata": {"annotations": {}, "managedFields": []}});
        for (key, managers) in annotations {
            object["metadata"]["annotations"][key] = json!("true");
            for manager in *managers {
                let fields = json!({"f:metadata": {"f:annotations": {format!("f:{key}"): {}}}});
                let entry = json!({"manager": manager, "operation": "Apply", "fieldsV1": fields});
                object["metadata"]["managedFields"].as_array_mut().expect("a list").push(entry);
            }
        }
        object
    }

    #[test]
    fn v19_what_somebody_types_counts_though_a_tool_has_it_too() {
        let both = annotated(&[("request", &["argocd-controller", "krono"])]);
        assert_eq!(writer_of_annotation(&both, "request").map(|it| it.manager).as_deref(), Some("krono"));
        assert_eq!(keeper_of_annotation(&both, "request").as_deref(), Some("argocd-controller"));
        let typed = annotated(&[("request", &["krono"])]);
        assert_eq!(keeper_of_annotation(&typed, "request"), None);
    }

    #[test]
    fn v19_force_is_the_word_of_whoever_asks() {
        let force = names::ROLLBACK_FORCE_ANNOTATION;
        let check = |asked: &[&str], forced: &[&str], expected: bool| {
            let object = annotated(&[("request", asked), (force, forced)]);
            assert_eq!(is_forced(&object, "request"), expected, "{asked:?} {forced:?}");
        };
        check(&["krono"], &["krono"], true);
        check(&["argocd-controller", "krono"], &["krono"], true);
        check(&["argocd-controller"], &["krono"], false);
        check(&[], &[], true);
        assert!(!is_forced(&annotated(&[("request", &["krono"])]), "request"));
    }
}
