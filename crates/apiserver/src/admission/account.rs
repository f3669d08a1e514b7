//! The service account of a pod.

use serde_json::{Value, json};

use super::{list, list_mut, text};

const TOKEN_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
const VOLUME_PREFIX: &str = "kube-api-access-";
/// How long tokens last, in seconds: an hour, and a little to tell those who do not read them again.
const TOKEN_SECONDS: u32 = 60 * 60 + 7;

/// Gives a pod what its account has: a token where it is wanted, and the secrets to pull images with. Changes the spec.
pub(crate) fn mount_account(spec: &mut Value, account: &Value, suffix: &str) {
    if wants_token(spec, account) {
        mount_token(spec, suffix);
    }
    let secrets = list(account, "imagePullSecrets");
    if list(spec, "imagePullSecrets").is_empty() && !secrets.is_empty() {
        spec["imagePullSecrets"] = secrets.iter().map(|it| json!({"name": text(it, "name")})).collect();
    }
}

/// The pod decides, then its account; silence means yes.
fn wants_token(spec: &Value, account: &Value) -> bool {
    let said = |object: &Value| object.get("automountServiceAccountToken").and_then(Value::as_bool);
    said(spec).or_else(|| said(account)).unwrap_or(true)
}

fn mount_token(spec: &mut Value, suffix: &str) {
    let names = list(spec, "volumes").iter().map(|it| text(it, "name"));
    let present = names.into_iter().find(|name| name.starts_with(VOLUME_PREFIX)).map(str::to_owned);
    let volume = present.clone().unwrap_or_else(|| format!("{VOLUME_PREFIX}{suffix}"));
    let mut is_needed = false;
    for containers in ["initContainers", "containers"] {
        for container in spec.get_mut(containers).and_then(Value::as_array_mut).into_iter().flatten() {
            is_needed |= mount_into(container, &volume);
        }
    }
    if is_needed
        && present.is_none()
        && let Some(volumes) = list_mut(spec, "volumes")
    {
        volumes.push(token_volume(&volume));
    }
}

/// Mounts the volume unless something else is mounted there; says whether it did.
fn mount_into(container: &mut Value, volume: &str) -> bool {
    if list(container, "volumeMounts").iter().any(|it| text(it, "mountPath") == TOKEN_PATH) {
        return false;
    }
    let mount = json!({"name": volume, "readOnly": true, "mountPath": TOKEN_PATH});
    list_mut(container, "volumeMounts").map(|mounts| mounts.push(mount)).is_some()
}

fn token_volume(name: &str) -> Value {
    let authority = json!({"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]});
    let namespace =
        json!({"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}});
    json!({
        "name": name,
        "projected": {
            "defaultMode": 0o644,
            "sources": [
                {"serviceAccountToken": {"expirationSeconds": TOKEN_SECONDS, "path": "token"}},
                {"configMap": authority},
                {"downwardAPI": {"items": [namespace]}},
            ],
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mut spec: Value, account: &Value, mounts: &[&str], volumes: &[&str]) {
        mount_account(&mut spec, account, "abcde");
        let names = |list: &[Value]| list.iter().map(|it| text(it, "name").to_owned()).collect::<Vec<_>>();
        assert_eq!(names(list(&spec["containers"][0], "volumeMounts")), mounts, "{spec}");
        assert_eq!(names(list(&spec, "volumes")), volumes, "{spec}");
    }

    #[test]
    fn tokens_are_mounted_where_they_are_wanted() {
        let spec = json!({"containers": [{"name": "a"}]});
        check(spec.clone(), &json!({}), &["kube-api-access-abcde"], &["kube-api-access-abcde"]);
        check(spec, &json!({"automountServiceAccountToken": false}), &[], &[]);
        let insists = json!({"automountServiceAccountToken": true, "containers": [{"name": "a"}]});
        let refuses = json!({"automountServiceAccountToken": false});
        check(insists, &refuses, &["kube-api-access-abcde"], &["kube-api-access-abcde"]);
        let own = json!({
            "containers": [{"name": "a", "volumeMounts": [{"name": "mine", "mountPath": TOKEN_PATH}]}],
        });
        check(own, &json!({}), &["mine"], &[]);
        let named = json!({"containers": [{"name": "a"}], "volumes": [{"name": "kube-api-access-x"}]});
        check(named, &json!({}), &["kube-api-access-x"], &["kube-api-access-x"]);
    }

    #[test]
    fn accounts_bring_their_secrets() {
        let account = json!({"imagePullSecrets": [{"name": "s"}]});
        let mut spec = json!({"containers": []});
        mount_account(&mut spec, &account, "x");
        assert_eq!(spec, json!({"containers": [], "imagePullSecrets": [{"name": "s"}]}));
        let mut own = json!({"imagePullSecrets": [{"name": "own"}]});
        mount_account(&mut own, &account, "x");
        assert_eq!(own, json!({"imagePullSecrets": [{"name": "own"}]}));
    }
}
