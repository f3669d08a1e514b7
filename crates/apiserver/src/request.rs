//! What a request asks for, read from its method and path.

use http::Method;

use crate::query::percent_decode;

/// Longest path we read, in bytes.
pub(crate) const MAX_PATH: usize = 8 * 1024;

/// What a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// `/`: all paths.
    Root,
    /// `/version`.
    Version,
    /// `/healthz`, `/livez` or `/readyz`.
    Health(String),
    /// `/api`: versions of the core group.
    CoreVersions,
    /// `/apis`: all groups.
    Groups,
    /// `/apis/{group}`.
    Group(String),
    /// `/api/v1` or `/apis/{group}/{version}`: the resources of a version.
    Resources {
        /// API group; empty for the core group.
        group: String,
        /// API version.
        version: String,
    },
    /// `/openapi/v3`: where the documents are.
    OpenApiIndex,
    /// `/openapi/v2`
    OpenApiV2,
    /// `/openapi/v3/{api/v1 or apis/group/version}`.
    OpenApi(String),
    /// Objects.
    Target(Target),
    /// Nothing we serve.
    Unknown,
}

/// The objects a path names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Target {
    /// API group; empty for the core group.
    pub(crate) group: String,
    /// API version.
    pub(crate) version: String,
    /// The namespace, where the path has one.
    pub(crate) namespace: Option<String>,
    /// The resource, such as `configmaps`.
    pub(crate) plural: String,
    /// The object, where the path names one.
    pub(crate) name: Option<String>,
    /// What comes after the name, such as `status`.
    pub(crate) subresource: Option<String>,
}

/// What is done to objects, in the words of RBAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    List,
    Watch,
    Create,
    Update,
    Patch,
    Delete,
    DeleteCollection,
}

impl Verb {
    /// The verb of a method on a collection or a single object; `None` for methods we do not serve there.
    pub(crate) fn of(method: &Method, named: bool, watch: bool) -> Option<Self> {
        match (method.as_str(), named) {
            ("GET" | "HEAD", true) => Some(Self::Get),
            ("GET" | "HEAD", false) => Some(if watch { Self::Watch } else { Self::List }),
            ("POST", _) => Some(Self::Create),
            ("PUT", true) => Some(Self::Update),
            ("PATCH", true) => Some(Self::Patch),
            ("DELETE", true) => Some(Self::Delete),
            ("DELETE", false) => Some(Self::DeleteCollection),
            _ => None,
        }
    }

    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
        }
    }
}

impl Route {
    /// Reads a path. Total: whatever is not known is [`Route::Unknown`].
    pub(crate) fn parse(path: &str) -> Self {
        if path.len() > MAX_PATH {
            return Self::Unknown;
        }
        let segments: Vec<String> =
            path.split('/').filter(|part| !part.is_empty()).map(|part| percent_decode(part, false)).collect();
        if segments.iter().any(|part| part.contains('/') || part == "." || part == "..") {
            return Self::Unknown;
        }
        let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
        Self::of_segments(&parts)
    }

    fn of_segments(parts: &[&str]) -> Self {
        match parts {
            [] => Self::Root,
            ["version"] => Self::Version,
            [health @ ("healthz" | "livez" | "readyz"), ..] if parts.len() <= 3 => {
                Self::Health((*health).to_owned())
            }
            ["api"] => Self::CoreVersions,
            ["apis"] => Self::Groups,
            ["apis", group] => Self::Group((*group).to_owned()),
            ["openapi", "v2"] => Self::OpenApiV2,
            ["openapi", "v3"] => Self::OpenApiIndex,
            ["openapi", "v3", rest @ ..] => Self::OpenApi(rest.join("/")),
            ["api", version] => Self::resources("", version),
            ["apis", group, version] => Self::resources(group, version),
            ["api", version, rest @ ..] => Self::target("", version, rest),
            ["apis", group, version, rest @ ..] => Self::target(group, version, rest),
            _ => Self::Unknown,
        }
    }

    fn resources(group: &str, version: &str) -> Self {
        Self::Resources { group: group.to_owned(), version: version.to_owned() }
    }

    fn target(group: &str, version: &str, rest: &[&str]) -> Self {
        let target =
            |namespace: Option<&str>, plural: &str, name: Option<&str>, subresource: Option<String>| {
                Self::Target(Target {
                    group: group.to_owned(),
                    version: version.to_owned(),
                    namespace: namespace.map(str::to_owned),
                    plural: plural.to_owned(),
                    name: name.map(str::to_owned),
                    subresource,
                })
            };
        match rest {
            ["namespaces", name, subresource @ ("status" | "finalize")] if group.is_empty() => {
                target(None, "namespaces", Some(name), Some((*subresource).to_owned()))
            }
            ["namespaces", namespace, plural] => target(Some(namespace), plural, None, None),
            ["namespaces", namespace, plural, name] => target(Some(namespace), plural, Some(name), None),
            ["namespaces", namespace, plural, name, subresource @ ..] => {
                target(Some(namespace), plural, Some(name), Some(subresource.join("/")))
            }
            [plural] => target(None, plural, None, None),
            [plural, name] => target(None, plural, Some(name), None),
            [plural, name, subresource @ ..] => target(None, plural, Some(name), Some(subresource.join("/"))),
            [] => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expect: &str) {
        let route = Route::parse(path);
        let Route::Target(target) = route else {
            return assert_eq!(format!("{route:?}"), expect, "{path}");
        };
        let shown = format!(
            "{}/{} ns={} {} name={} sub={}",
            target.group,
            target.version,
            target.namespace.as_deref().unwrap_or("-"),
            target.plural,
            target.name.as_deref().unwrap_or("-"),
            target.subresource.as_deref().unwrap_or("-"),
        );
        assert_eq!(shown, expect, "{path}");
    }

    #[test]
    fn paths() {
        check("/", "Root");
        check("/api", "CoreVersions");
        check("/apis/", "Groups");
        check("/apis/apps", r#"Group("apps")"#);
        check("/api/v1", r#"Resources { group: "", version: "v1" }"#);
        check("/apis/apps/v1/", r#"Resources { group: "apps", version: "v1" }"#);
        check("/readyz/ping", r#"Health("readyz")"#);
        check("/openapi/v3/apis/apps/v1", r#"OpenApi("apis/apps/v1")"#);
        check("/openapi/v2", "OpenApiV2");
        check("/metrics", "Unknown");
    }

    #[test]
    fn targets() {
        check("/api/v1/configmaps", "/v1 ns=- configmaps name=- sub=-");
        check("/api/v1/namespaces", "/v1 ns=- namespaces name=- sub=-");
        check("/api/v1/namespaces/a", "/v1 ns=- namespaces name=a sub=-");
        check("/api/v1/namespaces/a/status", "/v1 ns=- namespaces name=a sub=status");
        check("/api/v1/namespaces/a/finalize", "/v1 ns=- namespaces name=a sub=finalize");
        check("/api/v1/namespaces/a/configmaps/b", "/v1 ns=a configmaps name=b sub=-");
        check("/apis/apps/v1/namespaces/a/deployments/b/scale", "apps/v1 ns=a deployments name=b sub=scale");
        check("/apis/g.io/v1/namespaces/a/status", "g.io/v1 ns=a status name=- sub=-");
        check("/apis/g.io/v1/things/b%20c", "g.io/v1 ns=- things name=b c sub=-");
        check("/api/v1/namespaces/a/configmaps/b%2Fc", "Unknown");
        check("/api/v1/namespaces/../configmaps", "Unknown");
    }

    #[test]
    fn verbs() {
        let check = |method: Method, named: bool, watch: bool, expect: Option<&str>| {
            assert_eq!(Verb::of(&method, named, watch).map(Verb::name), expect);
        };
        check(Method::GET, false, false, Some("list"));
        check(Method::GET, false, true, Some("watch"));
        check(Method::GET, true, false, Some("get"));
        check(Method::PUT, false, false, None);
        check(Method::DELETE, false, false, Some("deletecollection"));
        check(Method::OPTIONS, true, false, None);
    }
}
