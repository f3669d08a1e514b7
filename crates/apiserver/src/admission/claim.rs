//! Claims that grow.

use krono_cel::library::kubernetes::Quantity;
use serde_json::Value;

use super::CLASS_ANNOTATION;

/// Whether a claim asks for more than before.
pub(crate) fn grows(new: &Value, old: &Value) -> bool {
    match (size(new), size(old)) {
        (Some(now), Some(before)) => now > before,
        (Some(_), None) => true,
        (None, _) => false,
    }
}

fn size(claim: &Value) -> Option<Quantity> {
    Quantity::parse(claim.pointer("/spec/resources/requests/storage")?.as_str()?).ok()
}

/// The class of both, where it is one.
pub(crate) fn common_class<'v>(new: &'v Value, old: &Value) -> Option<&'v str> {
    class(new).filter(|name| class(old) == Some(name))
}

/// The annotation is older and wins.
fn class(claim: &Value) -> Option<&str> {
    let annotations = claim.pointer("/metadata/annotations");
    let annotation = annotations.and_then(|it| it.get(CLASS_ANNOTATION));
    annotation
        .or_else(|| claim.pointer("/spec/storageClassName"))
        .and_then(Value::as_str)
        .filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn claim(size: &str, class: &str) -> Value {
        json!({"spec": {"resources": {"requests": {"storage": size}}, "storageClassName": class}})
    }

    #[test]
    fn growth_and_class() {
        assert!(grows(&claim("2Gi", "a"), &claim("1Gi", "a")));
        assert!(!grows(&claim("1024Mi", "a"), &claim("1Gi", "a")));
        assert!(!grows(&claim("1Gi", "a"), &claim("2Gi", "a")));
        assert_eq!(common_class(&claim("1", "a"), &claim("1", "a")), Some("a"));
        assert_eq!(common_class(&claim("1", "a"), &claim("1", "b")), None);
        assert_eq!(common_class(&claim("1", ""), &claim("1", "")), None);
    }
}
