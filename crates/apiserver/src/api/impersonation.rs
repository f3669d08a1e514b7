//! Speaking for another user: what the `Impersonate-*` headers ask for, part by part.

use std::collections::BTreeMap;

use http::{HeaderMap, HeaderValue};

use crate::authentication::{ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED};
use crate::query::percent_decode;
use crate::rbac::{Resource, Target, User};
use crate::status::Status;

const USER: &str = "impersonate-user";
const GROUP: &str = "impersonate-group";
const UID: &str = "impersonate-uid";
const EXTRA_PREFIX: &str = "impersonate-extra-";
const SERVICE_ACCOUNT_PREFIX: &str = "system:serviceaccount:";
const AUTHENTICATION: &str = "authentication.k8s.io";

/// Whom a request wants to speak for.
#[derive(Debug)]
pub(super) struct Impersonation(Vec<Part>);

/// One thing that must be allowed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    User(String),
    ServiceAccount { namespace: String, name: String },
    Group(String),
    Extra { key: String, value: String },
    Uid(String),
}

impl Impersonation {
    /// Reads the headers; `None` when they ask for nothing.
    pub(super) fn of(headers: &HeaderMap) -> Result<Option<Self>, Status> {
        let user = headers.get(USER).map(text).filter(|it| !it.is_empty());
        let mut parts: Vec<Part> = user.as_deref().map(account_or_user).into_iter().collect();
        parts.extend(headers.get_all(GROUP).iter().map(|it| Part::Group(text(it))));
        for (name, value) in headers {
            if let Some(key) = name.as_str().strip_prefix(EXTRA_PREFIX) {
                parts.push(Part::Extra { key: percent_decode(key, false), value: text(value) });
            }
        }
        let uid = headers.get(UID).map(text).filter(|it| !it.is_empty());
        parts.extend(uid.map(Part::Uid));
        if user.is_none() && !parts.is_empty() {
            let shown: Vec<String> = parts.iter().map(Part::shown).collect();
            let message = format!("requested [{}] without impersonating a user", shown.join(" "));
            return Err(Status::bad_request(message));
        }
        Ok((!parts.is_empty()).then_some(Self(parts)))
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.0
    }

    /// The user, once every part is allowed.
    pub(super) fn user(self) -> User {
        let mut user = User::default();
        let mut extra: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut account = None;
        for part in self.0 {
            match part {
                Part::User(name) => user.name = name,
                Part::ServiceAccount { namespace, name } => {
                    user.name = format!("{SERVICE_ACCOUNT_PREFIX}{namespace}:{name}");
                    account = Some(namespace);
                }
                Part::Group(group) => user.groups.push(group),
                Part::Extra { key, value } => extra.entry(key).or_default().push(value),
                Part::Uid(uid) => user.uid = uid,
            }
        }
        if let Some(namespace) = account.filter(|_| user.groups.is_empty()) {
            let of_namespace = format!("system:serviceaccounts:{namespace}");
            user.groups.extend(["system:serviceaccounts".to_owned(), of_namespace]);
        }
        user.groups.extend(group_to_add(&user).map(str::to_owned));
        User { extra, ..user }
    }
}

/// Whether the user counts as known, where the groups do not say.
fn group_to_add(user: &User) -> Option<&'static str> {
    let has = |group: &str| user.groups.iter().any(|it| it == group);
    if user.name == ANONYMOUS {
        return (!has(UNAUTHENTICATED)).then_some(UNAUTHENTICATED);
    }
    (!has(AUTHENTICATED) && !has(UNAUTHENTICATED)).then_some(AUTHENTICATED)
}

impl Part {
    /// What the verb `impersonate` is asked about.
    pub(super) fn target(&self) -> Target<'_> {
        Target::Resource(match self {
            Self::User(name) => Resource { resource: "users", name, ..Resource::default() },
            Self::ServiceAccount { namespace, name } => {
                Resource { resource: "serviceaccounts", namespace, name, ..Resource::default() }
            }
            Self::Group(name) => Resource { resource: "groups", name, ..Resource::default() },
            Self::Extra { key, value } => Resource {
                group: AUTHENTICATION,
                resource: "userextras",
                subresource: key,
                name: value,
                ..Resource::default()
            },
            Self::Uid(name) => {
                Resource { group: AUTHENTICATION, resource: "uids", name, ..Resource::default() }
            }
        })
    }

    /// As the real server prints an object reference.
    fn shown(&self) -> String {
        match self {
            Self::User(name) => format!("{{User  {name}    }}"),
            Self::ServiceAccount { namespace, name } => format!("{{ServiceAccount {namespace} {name}    }}"),
            Self::Group(name) => format!("{{Group  {name}    }}"),
            Self::Extra { key, value } => format!("{{UserExtra  {value}  {AUTHENTICATION}/v1  {key}}}"),
            Self::Uid(name) => format!("{{UID  {name}  {AUTHENTICATION}/v1  }}"),
        }
    }
}

fn account_or_user(name: &str) -> Part {
    let account = name.strip_prefix(SERVICE_ACCOUNT_PREFIX).and_then(|it| it.split_once(':'));
    match account {
        Some((namespace, name)) if is_label(namespace) && is_subdomain(name) => {
            Part::ServiceAccount { namespace: namespace.to_owned(), name: name.to_owned() }
        }
        Some(_) | None => Part::User(name.to_owned()),
    }
}

fn is_label(text: &str) -> bool {
    text.len() <= 63 && !text.contains('.') && is_subdomain(text)
}

fn is_subdomain(text: &str) -> bool {
    let ordinary = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit();
    let label = |it: &str| {
        let bytes = it.as_bytes();
        bytes.first().copied().is_some_and(ordinary)
            && bytes.last().copied().is_some_and(ordinary)
            && bytes.iter().all(|it| ordinary(*it) || *it == b'-')
    };
    text.len() <= 253 && text.split('.').all(label)
}

/// Header values are bytes; what is not text stays different from all that is.
fn text(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
        list.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    fn check(list: &[(&'static str, &str)], expect: &str) {
        let shown = match Impersonation::of(&headers(list)) {
            Err(status) => status.message,
            Ok(None) => "nothing".to_owned(),
            Ok(Some(it)) => {
                let asked: Vec<String> = it.parts().iter().map(Part::shown).collect();
                let user = it.user();
                format!("{} -> {} {}", asked.join(" "), user.name, user.groups.join(","))
            }
        };
        assert_eq!(shown, expect);
    }

    #[test]
    fn users_and_groups() {
        check(&[], "nothing");
        check(&[(USER, "ann")], "{User  ann    } -> ann system:authenticated");
        check(
            &[(USER, "ann"), (GROUP, "dev"), (GROUP, "ops")],
            "{User  ann    } {Group  dev    } {Group  ops    } -> ann dev,ops,system:authenticated",
        );
        check(
            &[(USER, ANONYMOUS)],
            "{User  system:anonymous    } -> system:anonymous system:unauthenticated",
        );
        check(
            &[(USER, "x"), (GROUP, UNAUTHENTICATED)],
            "{User  x    } {Group  system:unauthenticated    } -> x system:unauthenticated",
        );
        check(&[(GROUP, "dev")], "requested [{Group  dev    }] without impersonating a user");
        check(&[(UID, "7")], "requested [{UID  7  authentication.k8s.io/v1  }] without impersonating a user");
    }

    #[test]
    fn service_accounts_have_groups_of_their_own() {
        check(
            &[(USER, "system:serviceaccount:shop:web")],
            "{ServiceAccount shop web    } -> system:serviceaccount:shop:web \
             system:serviceaccounts,system:serviceaccounts:shop,system:authenticated",
        );
        check(
            &[(USER, "system:serviceaccount:shop:web"), (GROUP, "dev")],
            "{ServiceAccount shop web    } {Group  dev    } -> system:serviceaccount:shop:web dev,system:authenticated",
        );
        check(
            &[(USER, "system:serviceaccount:UP:web")],
            "{User  system:serviceaccount:UP:web    } -> system:serviceaccount:UP:web system:authenticated",
        );
    }

    #[test]
    fn extras_and_uid() {
        let list = [(USER, "ann"), (UID, "7"), ("impersonate-extra-acme.com%2fproject", "a b")];
        let impersonation = Impersonation::of(&headers(&list)).unwrap().unwrap();
        let extra = Part::Extra { key: "acme.com/project".to_owned(), value: "a b".to_owned() };
        assert!(impersonation.parts().contains(&extra));
        let user = impersonation.user();
        assert_eq!(
            (user.uid.as_str(), user.extra["acme.com/project"].as_slice()),
            ("7", &["a b".to_owned()][..])
        );
    }
}
