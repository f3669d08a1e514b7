//! Users who speak for others.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::{HeaderMap, HeaderValue};

use super::Api;
use crate::authentication::{ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED};
use crate::builtin::name_complaints;
use crate::query::percent_decode;
use crate::rbac::{Attributes, Resource, Target, User};
use crate::status::Status;

const ACCOUNT_PREFIX: &str = "system:serviceaccount:";
const ACCOUNT_GROUP: &str = "system:serviceaccounts";
const AUTHENTICATION: &str = "authentication.k8s.io";
const EXTRA_PREFIX: &str = "impersonate-extra-";

/// One thing somebody wants to be taken for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Claim {
    User(String),
    Account { namespace: String, name: String },
    Group(String),
    Extra { key: String, value: String },
    Uid(String),
}

impl Api {
    /// Whom a user speaks for: somebody else where headers say so and every part of it is allowed.
    pub(super) fn user(&self, user: Arc<User>, headers: &HeaderMap) -> Result<Arc<User>, Status> {
        let claims = claims(headers)?;
        if claims.is_empty() {
            return Ok(user);
        }
        for claim in &claims {
            let attributes = Attributes { verb: "impersonate", target: Target::Resource(claim.resource()) };
            self.authorize(&user, &attributes)?;
        }
        Ok(Arc::new(impersonated(&claims)))
    }
}

/// What the headers ask for.
fn claims(headers: &HeaderMap) -> Result<Vec<Claim>, Status> {
    let mut claims = Vec::new();
    if let Some(name) = headers.get("impersonate-user").filter(|it| !it.is_empty()) {
        claims.push(user_claim(text(name)?));
    }
    for group in headers.get_all("impersonate-group") {
        claims.push(Claim::Group(text(group)?.to_owned()));
    }
    for (name, value) in headers {
        if let Some(key) = name.as_str().strip_prefix(EXTRA_PREFIX) {
            claims.push(Claim::Extra { key: percent_decode(key, false), value: text(value)?.to_owned() });
        }
    }
    if let Some(uid) = headers.get("impersonate-uid").filter(|it| !it.is_empty()) {
        claims.push(Claim::Uid(text(uid)?.to_owned()));
    }
    let names_user = matches!(claims.first(), None | Some(Claim::User(_) | Claim::Account { .. }));
    if names_user {
        return Ok(claims);
    }
    let said: Vec<String> = claims.iter().map(Claim::said).collect();
    Err(Status::bad_request(format!("requested [{}] without impersonating a user", said.join(" "))))
}

fn text(value: &HeaderValue) -> Result<&str, Status> {
    std::str::from_utf8(value.as_bytes())
        .map_err(|_| Status::bad_request("a header that names whom to impersonate is not UTF-8"))
}

fn user_claim(name: &str) -> Claim {
    let account = name.strip_prefix(ACCOUNT_PREFIX).and_then(|rest| rest.split_once(':'));
    let is_sound = |(namespace, name): &(&str, &str)| {
        name_complaints("", "Namespace", namespace).is_empty()
            && name_complaints("", "ServiceAccount", name).is_empty()
    };
    match account.filter(is_sound) {
        Some((namespace, name)) => Claim::Account { namespace: namespace.to_owned(), name: name.to_owned() },
        None => Claim::User(name.to_owned()),
    }
}

impl Claim {
    /// What RBAC calls it.
    fn resource(&self) -> Resource<'_> {
        let blank = Resource::default();
        match self {
            Self::User(name) => Resource { resource: "users", name, ..blank },
            Self::Account { namespace, name } => {
                Resource { resource: "serviceaccounts", namespace, name, ..blank }
            }
            Self::Group(name) => Resource { resource: "groups", name, ..blank },
            Self::Extra { key, value } => Resource {
                group: AUTHENTICATION,
                resource: "userextras",
                subresource: key,
                name: value,
                ..blank
            },
            Self::Uid(uid) => Resource { group: AUTHENTICATION, resource: "uids", name: uid, ..blank },
        }
    }

    /// As the real server prints it: kind, namespace, name, uid, API version, version and field.
    fn said(&self) -> String {
        let (kind, name, version, field) = match self {
            Self::User(name) => ("User", name, "", ""),
            Self::Account { name, .. } => ("ServiceAccount", name, "", ""),
            Self::Group(name) => ("Group", name, "", ""),
            Self::Extra { key, value } => ("UserExtra", value, "authentication.k8s.io/v1", key.as_str()),
            Self::Uid(uid) => ("UID", uid, "authentication.k8s.io/v1", ""),
        };
        format!("{{{kind}  {name}  {version}  {field}}}")
    }
}

/// The user that the claims make.
fn impersonated(claims: &[Claim]) -> User {
    let mut user = User::default();
    let mut account = None;
    let mut extra: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for claim in claims {
        match claim {
            Claim::User(name) => user.name.clone_from(name),
            Claim::Account { namespace, name } => {
                user.name = format!("{ACCOUNT_PREFIX}{namespace}:{name}");
                account = Some(namespace);
            }
            Claim::Group(name) => user.groups.push(name.clone()),
            Claim::Extra { key, value } => extra.entry(key.clone()).or_default().push(value.clone()),
            Claim::Uid(uid) => user.uid.clone_from(uid),
        }
    }
    if let Some(namespace) = account.filter(|_| user.groups.is_empty()) {
        user.groups = vec![ACCOUNT_GROUP.to_owned(), format!("{ACCOUNT_GROUP}:{namespace}")];
    }
    add_standard_group(&mut user);
    User { extra, ..user }
}

/// Everybody is authenticated or not; who says so already is believed.
fn add_standard_group(user: &mut User) {
    let has = |wanted: &str| user.groups.iter().any(|group| group == wanted);
    if user.name == ANONYMOUS {
        if !has(UNAUTHENTICATED) {
            user.groups.push(UNAUTHENTICATED.to_owned());
        }
    } else if !has(AUTHENTICATED) && !has(UNAUTHENTICATED) {
        user.groups.push(AUTHENTICATED.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(headers: &[(&str, &str)], expect: Result<(&str, &[&str]), &str>) {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| {
                (
                    name.parse::<http::HeaderName>().unwrap(),
                    HeaderValue::from_bytes(value.as_bytes()).unwrap(),
                )
            })
            .collect();
        let user = claims(&headers).map(|claims| impersonated(&claims)).map_err(|status| status.message);
        let expect = expect.map(|(name, groups)| {
            (name.to_owned(), groups.iter().map(|group| (*group).to_owned()).collect::<Vec<_>>())
        });
        assert_eq!(user.map(|user| (user.name, user.groups)), expect.map_err(str::to_owned));
    }

    #[test]
    fn whom_headers_name() {
        let user = "impersonate-user";
        check(&[(user, "jane")], Ok(("jane", &["system:authenticated"])));
        check(
            &[(user, "jane"), ("impersonate-group", "a"), ("impersonate-group", "b")],
            Ok(("jane", &["a", "b", "system:authenticated"])),
        );
        check(
            &[(user, "jane"), ("impersonate-group", "system:unauthenticated")],
            Ok(("jane", &["system:unauthenticated"])),
        );
        check(&[(user, "system:anonymous")], Ok(("system:anonymous", &["system:unauthenticated"])));
        check(
            &[(user, "system:serviceaccount:ns:robot")],
            Ok((
                "system:serviceaccount:ns:robot",
                &["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"],
            )),
        );
        check(
            &[(user, "system:serviceaccount:ns:a:b")],
            Ok(("system:serviceaccount:ns:a:b", &["system:authenticated"])),
        );
        check(&[(user, "jürgen \"<x>")], Ok(("jürgen \"<x>", &["system:authenticated"])));
        let alone = "requested [{Group  devs    }] without impersonating a user";
        check(&[("impersonate-group", "devs")], Err(alone));
        let alone = "requested [{UID  7  authentication.k8s.io/v1  }] without impersonating a user";
        check(&[(user, ""), ("impersonate-uid", "7")], Err(alone));
        let alone = "requested [{UserExtra  v  authentication.k8s.io/v1  a/b}] without impersonating a user";
        check(&[("impersonate-extra-a%2fb", "v")], Err(alone));
    }

    #[test]
    fn names_that_are_no_text_are_refused() {
        let mut headers = HeaderMap::new();
        headers.insert("impersonate-user", HeaderValue::from_bytes(b"jane\xff").unwrap());
        assert_eq!(claims(&headers).unwrap_err().code, 400);
    }
}
