//! How long pods stay on nodes that are lost.

use serde_json::{Value, json};

use super::{list, list_mut, text};

const LOST: [&str; 2] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/// Pods stay five minutes on nodes that are not ready or not reachable, unless they say otherwise. Changes the spec.
pub(crate) fn tolerate_lost_nodes(spec: &mut Value) {
    let tolerated = |key: &&str| {
        list(spec, "tolerations").iter().any(|toleration| {
            let (wanted, effect) = (text(toleration, "key"), text(toleration, "effect"));
            (wanted == *key || wanted.is_empty()) && (effect == "NoExecute" || effect.is_empty())
        })
    };
    let missing: Vec<&str> = LOST.into_iter().filter(|key| !tolerated(key)).collect();
    if missing.is_empty() {
        return;
    }
    let toleration = |key: &str| json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300});
    if let Some(tolerations) = list_mut(spec, "tolerations") {
        tolerations.extend(missing.into_iter().map(toleration));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mut spec: Value, expect: &[&str]) {
        tolerate_lost_nodes(&mut spec);
        let keys: Vec<_> = list(&spec, "tolerations").iter().map(|it| text(it, "key")).collect();
        assert_eq!(keys, expect);
    }

    #[test]
    fn both_are_tolerated_once() {
        check(json!({}), &LOST);
        check(json!({"tolerations": [{"operator": "Exists"}]}), &[""]);
        let ready = json!({"tolerations": [{"key": LOST[0], "effect": "NoExecute"}]});
        check(ready, &LOST);
        let other = json!({"tolerations": [{"key": LOST[0], "effect": "NoSchedule"}]});
        check(other, &[LOST[0], LOST[0], LOST[1]]);
    }
}
