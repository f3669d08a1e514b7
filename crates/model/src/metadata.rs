//! What krono writes on the objects it manages.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{applyset, label, names, object};

/// The definition that an object belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner<'a> {
    /// Its name.
    pub definition_name: &'a str,
    /// Its UID.
    pub definition_uid: &'a str,
}

/// The labels of an instance and of the CRD that serves it.
pub fn instance_labels(owner: &Owner<'_>) -> BTreeMap<String, String> {
    labels([
        (names::OWNED_LABEL, "true"),
        (names::KRO_VERSION_LABEL, names::KRO_VERSION),
        (names::DEFINITION_ID_LABEL, owner.definition_uid),
        (names::DEFINITION_NAME_LABEL, owner.definition_name),
    ])
}

/// Whether an object is the CRD or an instance of a definition; what instances make is owned too, and names none.
pub fn is_of_definition(object: &Value) -> bool {
    let labels = &object["metadata"]["labels"];
    labels[names::OWNED_LABEL] == "true" && labels[names::DEFINITION_NAME_LABEL].is_string()
}

/// Kinds that hold data, or that others live in: their objects stay unless the author says otherwise (V25).
const RETAINED: [(&str, &str); 4] = [
    ("v1", "PersistentVolumeClaim"),
    ("v1", "PersistentVolume"),
    ("v1", "Namespace"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
];

/// Whether objects of a kind stay when they are no longer wanted and nobody said what becomes of them.
pub fn is_retained_by_default(api_version: &str, kind: &str) -> bool {
    RETAINED.contains(&(api_version, kind))
}

/// Which instance a resource belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceRef {
    /// The API group.
    pub group: String,
    /// The API version, without the group.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The namespace; empty for an instance that has none.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The UID.
    pub uid: String,
}

impl InstanceRef {
    /// Reads it off an instance; what is absent stays empty.
    pub fn from_object(instance: &Value) -> Self {
        let (group, version) = object::group_version(instance);
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: instance["kind"].as_str().unwrap_or_default().to_owned(),
            namespace: object::metadata(instance, "namespace").to_owned(),
            name: object::metadata(instance, "name").to_owned(),
            uid: object::metadata(instance, "uid").to_owned(),
        }
    }

    /// The id of the set of its resources.
    pub fn applyset_id(&self) -> String {
        applyset::id(&self.name, &self.namespace, &self.kind, &self.group)
    }
}

/// The labels of a resource; `item` is its index in a collection and the size of that.
pub fn resource_labels(
    instance: &InstanceRef,
    node_id: &str,
    item: Option<(usize, usize)>,
) -> BTreeMap<String, String> {
    let mut all = labels([
        (names::OWNED_LABEL, "true"),
        (names::KRO_VERSION_LABEL, names::KRO_VERSION),
        (names::MANAGED_BY_LABEL, names::MANAGED_BY_VALUE),
        (names::INSTANCE_ID_LABEL, &instance.uid),
        (names::INSTANCE_NAME_LABEL, &instance.name),
        (names::INSTANCE_GROUP_LABEL, &instance.group),
        (names::INSTANCE_VERSION_LABEL, &instance.version),
        (names::INSTANCE_KIND_LABEL, &instance.kind),
        (names::NODE_ID_LABEL, node_id),
        (names::APPLYSET_PART_OF_LABEL, &instance.applyset_id()),
    ]);
    if !instance.namespace.is_empty() {
        all.extend(labels([(names::INSTANCE_NAMESPACE_LABEL, &instance.namespace)]));
    }
    if let Some((index, size)) = item {
        let (index, size) = (index.to_string(), size.to_string());
        all.extend(labels([(names::COLLECTION_INDEX_LABEL, &index), (names::COLLECTION_SIZE_LABEL, &size)]));
    }
    all
}

/// The keys of all labels that a resource can have; see [`resource_labels`].
pub const RESOURCE_LABELS: [&str; 13] = [
    names::MANAGED_BY_LABEL,
    names::APPLYSET_PART_OF_LABEL,
    names::COLLECTION_INDEX_LABEL,
    names::COLLECTION_SIZE_LABEL,
    names::INSTANCE_GROUP_LABEL,
    names::INSTANCE_ID_LABEL,
    names::INSTANCE_KIND_LABEL,
    names::INSTANCE_NAME_LABEL,
    names::INSTANCE_NAMESPACE_LABEL,
    names::INSTANCE_VERSION_LABEL,
    names::KRO_VERSION_LABEL,
    names::NODE_ID_LABEL,
    names::OWNED_LABEL,
];

/// Whether its user wants the instance left alone for now.
pub fn is_suspended(instance: &Value) -> bool {
    let wish = object::annotation(instance, names::RECONCILE_ANNOTATION).unwrap_or_default();
    ["suspended", "disabled"].iter().any(|it| wish.eq_ignore_ascii_case(it))
}

fn labels<const N: usize>(pairs: [(&str, &str); N]) -> BTreeMap<String, String> {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), label::value(value).into_owned())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn instance(namespace: &str) -> InstanceRef {
        InstanceRef::from_object(&json!({
            "apiVersion": "kro.run/v1alpha1",
            "kind": "WebApp",
            "metadata": {"name": "my-app", "namespace": namespace, "uid": "u-1"},
        }))
    }

    #[test]
    fn v25_what_holds_data_or_others_stays_by_default() {
        let check = |api_version: &str, kind: &str, expected: bool| {
            assert_eq!(is_retained_by_default(api_version, kind), expected, "{api_version} {kind}");
        };
        check("v1", "PersistentVolumeClaim", true);
        check("v1", "PersistentVolume", true);
        check("v1", "Namespace", true);
        check("apiextensions.k8s.io/v1", "CustomResourceDefinition", true);
        check("v1", "Secret", false);
        check("apps/v1", "StatefulSet", false);
        check("acme.io/v1", "Namespace", false);
    }

    /// Two controllers of other names would work at once, and neither could take fields or resources from the other.
    #[test]
    fn v45_lease_field_managers_finalizer_and_sets_are_called_as_by_kro() {
        let managers = [names::MANAGER_RESOURCES, names::MANAGER_PARENT, names::MANAGER_LABELLER];
        assert_eq!(managers, ["kro.run/applyset", "kro.run/applyset-parent", "kro.run/labeller"]);
        assert_eq!((names::LEASE, names::FINALIZER), ("controller.kro.run", "kro.run/finalizer"));
        let of_kro = "applyset-9sHw3-6HBl2VO07VeDzfkQhwSs1_MRB3IBzTC1N-yt8-v1";
        assert_eq!(instance("default").applyset_id(), of_kro);
        assert!(names::TOOLING.starts_with("kro/"), "kro would not let go of it");
    }

    #[test]
    fn behaviour_26_children_carry_every_label_of_kro() {
        let written = resource_labels(&instance("default"), "web", Some((1, 3)));
        let expected = json!({
            "app.kubernetes.io/managed-by": "kro",
            "applyset.kubernetes.io/part-of": "applyset-9sHw3-6HBl2VO07VeDzfkQhwSs1_MRB3IBzTC1N-yt8-v1",
            "kro.run/collection-index": "1",
            "kro.run/collection-size": "3",
            "kro.run/instance-group": "kro.run",
            "kro.run/instance-id": "u-1",
            "kro.run/instance-kind": "WebApp",
            "kro.run/instance-name": "my-app",
            "kro.run/instance-namespace": "default",
            "kro.run/instance-version": "v1alpha1",
            "kro.run/kro-version": "v0.9.4",
            "kro.run/node-id": "web",
            "kro.run/owned": "true",
        });
        assert_eq!(json!(written), expected);
        assert!(written.keys().eq(RESOURCE_LABELS.iter()), "{written:?}");
        assert!(!is_of_definition(&json!({"metadata": {"labels": written}})));
    }

    #[test]
    fn labels_are_never_too_long() {
        let long = "a".repeat(200);
        let instance = InstanceRef { name: long.clone(), group: long.clone(), ..instance("default") };
        let written = resource_labels(&instance, &long, None);
        let definition = instance_labels(&Owner { definition_name: &long, definition_uid: "u-2" });
        assert!(written.values().chain(definition.values()).all(|it| it.len() <= 63), "{written:?}");
    }

    #[test]
    fn without_a_namespace_there_is_no_label_for_it() {
        let written = resource_labels(&instance(""), "web", None);
        assert!(!written.contains_key(names::INSTANCE_NAMESPACE_LABEL));
        assert!(!written.contains_key(names::COLLECTION_INDEX_LABEL));
    }

    #[test]
    fn instances_name_their_definition() {
        let written = instance_labels(&Owner { definition_name: "web", definition_uid: "u-2" });
        let expected = json!({
            "kro.run/kro-version": "v0.9.4",
            "kro.run/owned": "true",
            "kro.run/resource-graph-definition-id": "u-2",
            "kro.run/resource-graph-definition-name": "web",
        });
        assert_eq!(json!(written), expected);
        assert!(is_of_definition(&json!({"metadata": {"labels": written}})));
    }

    #[test]
    fn behaviour_36_suspension_is_read_in_any_case() {
        let check = |value: Value, expected: bool| {
            let instance = json!({"metadata": {"annotations": {"kro.run/reconcile": value}}});
            assert_eq!(is_suspended(&instance), expected, "{instance}");
        };
        check(json!("suspended"), true);
        check(json!("Suspended"), true);
        check(json!("DISABLED"), true);
        check(json!("enabled"), false);
        check(json!(""), false);
        check(json!(true), false);
        assert!(!is_suspended(&json!({})));
    }

    #[test]
    fn the_core_group_is_empty() {
        let read = InstanceRef::from_object(&json!({"apiVersion": "v1", "kind": "Pod"}));
        assert_eq!((read.group.as_str(), read.version.as_str(), read.name.as_str()), ("", "v1", ""));
    }
}
