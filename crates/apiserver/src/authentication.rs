//! Who sends a request: client certificates and bearer tokens.

mod certificate;
mod csv;
mod tokens;

use std::sync::Arc;
use std::time::SystemTime;

use http::HeaderMap;
use http::header::AUTHORIZATION;

use crate::rbac::User;
use crate::status::Status;

pub use certificate::Identity;
pub use tokens::{Tokens, TokensError};

/// Every user whose name is known is in this group.
pub(crate) const AUTHENTICATED: &str = "system:authenticated";
/// Everybody else is in this one.
pub(crate) const UNAUTHENTICATED: &str = "system:unauthenticated";
/// The name of whoever shows no credential.
pub(crate) const ANONYMOUS: &str = "system:anonymous";

/// The user of a request, from the certificate of its connection or the token in its headers.
///
/// A certificate that is good is enough; a credential that is not good is worse than none.
pub(crate) fn authenticate(
    identity: &Identity,
    tokens: &Tokens,
    headers: &HeaderMap,
    now: SystemTime,
) -> Result<Arc<User>, Status> {
    if let Some(user) = identity.user(now) {
        return Ok(Arc::clone(user));
    }
    match bearer_token(headers) {
        Some(token) => tokens.user(token).cloned().ok_or_else(Status::unauthorized),
        None if identity.is_good_or_absent(now) => Ok(Arc::clone(tokens.anonymous())),
        None => Err(Status::unauthorized()),
    }
}

/// What stands behind `Bearer`; other schemes are as good as none.
fn bearer_token(headers: &HeaderMap) -> Option<&[u8]> {
    let value = headers.get(AUTHORIZATION)?.as_bytes().trim_ascii();
    let end = value.iter().position(|byte| *byte == b' ')?;
    let (scheme, rest) = value.split_at(end);
    let token = rest.get(1..)?.split(|byte| *byte == b' ').next()?;
    (scheme.eq_ignore_ascii_case(b"bearer") && !token.is_empty()).then_some(token)
}

/// Adds the group of users whose name is known, unless the groups say already which one it is.
pub(crate) fn with_authenticated_group(mut user: User) -> User {
    let said = |group: &String| group == AUTHENTICATED || group == UNAUTHENTICATED;
    if user.name != ANONYMOUS && !user.groups.iter().any(said) {
        user.groups.push(AUTHENTICATED.to_owned());
    }
    user
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(header: &str, expect: Result<&str, u16>) {
        let tokens = Tokens::parse("secret,ann,7,\"dev,ops\"\n").unwrap();
        let mut headers = HeaderMap::new();
        if !header.is_empty() {
            headers.insert(AUTHORIZATION, header.parse().unwrap());
        }
        let user = authenticate(&Identity::Absent, &tokens, &headers, SystemTime::now());
        let shown =
            user.as_ref().map(|it| format!("{} {}", it.name, it.groups.join(","))).map_err(|it| it.code);
        assert_eq!(shown.as_deref().map_err(|it| *it), expect, "{header}");
    }

    #[test]
    fn tokens_and_their_absence() {
        let (ann, nobody) = ("ann dev,ops,system:authenticated", "system:anonymous system:unauthenticated");
        check("Bearer secret", Ok(ann));
        check("bearer secret", Ok(ann));
        check("  BEARER secret trailing", Ok(ann));
        check("Bearer wrong", Err(401));
        check("Bearer secret2", Err(401));
        check("Bearer secre", Err(401));
        check("", Ok(nobody));
        check("Bearer", Ok(nobody));
        check("Bearer  secret", Ok(nobody));
        check("Basic YTpi", Ok(nobody));
    }

    #[test]
    fn a_bad_certificate_is_worse_than_none() {
        let tokens = Tokens::default();
        let user = authenticate(&Identity::Bad, &tokens, &HeaderMap::new(), SystemTime::now());
        assert_eq!(user.unwrap_err().code, 401);
    }

    #[test]
    fn a_certificate_counts_until_it_ends() {
        let user = Arc::new(User { name: "ann".to_owned(), ..User::default() });
        let now = SystemTime::now();
        let until = now + std::time::Duration::from_secs(1);
        let identity = Identity::Certified { user, until };
        let tokens = Tokens::default();
        let ask = |at| authenticate(&identity, &tokens, &HeaderMap::new(), at);
        assert_eq!(ask(now).unwrap().name, "ann");
        assert_eq!(ask(until + std::time::Duration::from_secs(1)).unwrap_err().code, 401);
    }
}
