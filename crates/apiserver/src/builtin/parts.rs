//! Parts of built-in objects that have paths of their own, beside `status` and `scale`.

/// A part of an object, as discovery tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The last segment of its path.
    pub name: &'static str,
    /// The kind that is sent or answered.
    pub kind: &'static str,
    /// The API group and version of that kind, where they are not those of the object.
    pub elsewhere: Option<(&'static str, &'static str)>,
    /// What can be done.
    pub verbs: &'static [&'static str],
}

const CREATE: &[&str] = &["create"];
const CONNECT: &[&str] = &["create", "get"];
const PROXY: &[&str] = &["create", "delete", "get", "patch", "update"];
const GET: &[&str] = &["get"];
const UPDATE: &[&str] = &["update"];

const fn part(name: &'static str, kind: &'static str, verbs: &'static [&'static str]) -> Part {
    Part { name, kind, elsewhere: None, verbs }
}

const POD: &[Part] = &[
    part("attach", "PodAttachOptions", CONNECT),
    part("binding", "Binding", CREATE),
    Part { name: "eviction", kind: "Eviction", elsewhere: Some(("policy", "v1")), verbs: CREATE },
    part("exec", "PodExecOptions", CONNECT),
    part("log", "Pod", GET),
    part("portforward", "PodPortForwardOptions", CONNECT),
    part("proxy", "PodProxyOptions", PROXY),
];
const SERVICE: &[Part] = &[part("proxy", "ServiceProxyOptions", PROXY)];
const NODE: &[Part] = &[part("proxy", "NodeProxyOptions", PROXY)];
const NAMESPACE: &[Part] = &[part("finalize", "Namespace", UPDATE)];
const ACCOUNT: &[Part] = &[Part {
    name: "token",
    kind: "TokenRequest",
    elsewhere: Some(("authentication.k8s.io", "v1")),
    verbs: CREATE,
}];

/// The parts of a built-in kind.
pub fn parts(group: &str, kind: &str) -> &'static [Part] {
    match (group, kind) {
        ("", "Pod") => POD,
        ("", "Service") => SERVICE,
        ("", "Node") => NODE,
        ("", "ServiceAccount") => ACCOUNT,
        ("", "Namespace") => NAMESPACE,
        _ => &[],
    }
}
