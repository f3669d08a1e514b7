//! Classes that are used where none is named.

use serde_json::Value;

/// Where claims named their class before there was a field for it.
pub(crate) const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

/// Whether a storage class is used by claims that name none.
pub(crate) fn is_default_storage_class(class: &Value) -> bool {
    is_marked(class, "storageclass.kubernetes.io/is-default-class")
        || is_marked(class, "storageclass.beta.kubernetes.io/is-default-class")
}

/// Whether an ingress class is used by ingresses that name none.
pub(crate) fn is_default_ingress_class(class: &Value) -> bool {
    is_marked(class, "ingressclass.kubernetes.io/is-default-class")
}

fn is_marked(class: &Value, annotation: &str) -> bool {
    let annotations = class.pointer("/metadata/annotations");
    annotations.and_then(|it| it.get(annotation)).is_some_and(|it| it == "true")
}

/// The name of the newest class that is marked; of several as new the first by name.
pub(crate) fn default_class<'c>(
    classes: impl IntoIterator<Item = &'c Value>,
    is_default: impl Fn(&Value) -> bool,
) -> Option<String> {
    let text = |class: &Value, field: &str| class["metadata"][field].as_str().unwrap_or_default().to_owned();
    let marked = classes.into_iter().filter(|class| is_default(class));
    let ranked =
        marked.map(|class| (std::cmp::Reverse(text(class, "creationTimestamp")), text(class, "name")));
    ranked.min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_newest_marked_class_is_used() {
        let class = |name: &str, time: &str, mark: &str| {
            let annotations = json!({"storageclass.kubernetes.io/is-default-class": mark});
            json!({"metadata": {"name": name, "creationTimestamp": time, "annotations": annotations}})
        };
        let (old, new) = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
        let classes = [
            class("a", old, "true"),
            class("c", new, "true"),
            class("b", new, "true"),
            class("d", "2027-01-01T00:00:00Z", "false"),
        ];
        assert_eq!(default_class(&classes, is_default_storage_class).as_deref(), Some("b"));
        assert_eq!(default_class(&classes, is_default_ingress_class), None);
    }
}
