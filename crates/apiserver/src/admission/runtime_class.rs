//! What a runtime class brings to a pod.

use serde_json::{Map, Value};

use super::{list, list_mut};

/// Gives a pod the overhead and the nodes of its runtime class; says what clashes. Changes the spec.
pub(crate) fn use_runtime_class(spec: &mut Value, class: &Value) -> Result<(), String> {
    if let Some(overhead) = fixed_overhead(class) {
        let said = spec.get("overhead").and_then(Value::as_object).filter(|it| !it.is_empty());
        if said.is_some_and(|said| said != overhead) {
            return Err(
                "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead".to_owned()
            );
        }
        spec["overhead"] = overhead.clone().into();
    }
    let Some(scheduling) = class.get("scheduling").filter(|it| it.is_object()) else { return Ok(()) };
    select_nodes(spec, scheduling)?;
    let known = list(spec, "tolerations").to_vec();
    let new = list(scheduling, "tolerations").iter().filter(|it| !known.contains(it)).cloned();
    let new: Vec<Value> = new.collect();
    if !new.is_empty()
        && let Some(tolerations) = list_mut(spec, "tolerations")
    {
        tolerations.extend(new);
    }
    Ok(())
}

fn fixed_overhead(class: &Value) -> Option<&Map<String, Value>> {
    class.pointer("/overhead/podFixed").and_then(Value::as_object)
}

fn select_nodes(spec: &mut Value, scheduling: &Value) -> Result<(), String> {
    let Some(wanted) = scheduling.get("nodeSelector").and_then(Value::as_object) else { return Ok(()) };
    let mut selector = spec.get("nodeSelector").and_then(Value::as_object).cloned().unwrap_or_default();
    for (key, value) in wanted {
        let said = selector.get(key).filter(|said| *said != value);
        if let Some(said) = said {
            let plain = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            return Err(format!(
                "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {}; pod.spec.nodeSelector[{key}] = {}",
                plain(value),
                plain(said)
            ));
        }
        selector.insert(key.clone(), value.clone());
    }
    spec["nodeSelector"] = selector.into();
    Ok(())
}

/// A pod may not make up its overhead.
pub(crate) fn check_overhead(spec: &Value, class: Option<&Value>) -> Result<(), String> {
    let says = spec.get("overhead").is_some_and(Value::is_object);
    if says && class.and_then(fixed_overhead).is_none() {
        return Err(
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead".to_owned()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pods_follow_their_runtime_class() {
        let class = json!({
            "overhead": {"podFixed": {"cpu": "250m"}},
            "scheduling": {"nodeSelector": {"a": "b"}, "tolerations": [{"key": "k"}]},
        });
        let mut spec = json!({"nodeSelector": {"c": "d"}, "tolerations": [{"key": "k"}]});
        use_runtime_class(&mut spec, &class).unwrap();
        let selector = json!({"a": "b", "c": "d"});
        let expect = json!({
            "overhead": {"cpu": "250m"}, "nodeSelector": selector, "tolerations": [{"key": "k"}],
        });
        assert_eq!(spec, expect);
        let refused = use_runtime_class(&mut json!({"nodeSelector": {"a": "x"}}), &class).unwrap_err();
        assert_eq!(
            refused,
            "conflict: runtimeClass.scheduling.nodeSelector[a] = b; pod.spec.nodeSelector[a] = x"
        );
        assert!(use_runtime_class(&mut json!({"overhead": {"cpu": "1"}}), &class).is_err());
        assert!(check_overhead(&json!({"overhead": {}}), None).is_err());
        assert!(check_overhead(&json!({}), None).is_ok());
    }
}
