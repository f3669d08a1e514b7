//! What a client certificate says.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};
use x509_parser::oid_registry::Oid;
use x509_parser::prelude::{FromDer, X509Certificate};

use super::with_authenticated_group;
use crate::rbac::User;

/// The attribute of a name that holds the user's uid: 1.3.6.1.4.1.57683.2.
const UID: &[u64] = &[1, 3, 6, 1, 4, 1, 57683, 2];
const CREDENTIAL: &str = "authentication.kubernetes.io/credential-id";

/// What the certificate of a connection says about whoever is at its other end.
#[derive(Clone, Debug)]
pub enum Identity {
    /// No certificate was shown, or one that names nobody.
    Absent,
    /// A certificate was shown that our authority does not vouch for.
    Bad,
    /// A certificate of our authority.
    Certified {
        /// Whom it names.
        user: Arc<User>,
        /// When it ends.
        until: SystemTime,
    },
}

impl Identity {
    /// Reads a certificate that has been verified.
    pub(crate) fn of_verified(der: &[u8]) -> Self {
        let Ok((_, certificate)) = X509Certificate::from_der(der) else { return Self::Bad };
        let subject = certificate.subject();
        let text =
            |it: &x509_parser::x509::AttributeTypeAndValue<'_>| it.as_str().unwrap_or_default().to_owned();
        let name = subject.iter_common_name().last().map(text).unwrap_or_default();
        if name.is_empty() {
            return Self::Absent;
        }
        let groups = subject.iter_organization().map(text).collect();
        let uid = Oid::from(UID).ok().and_then(|oid| subject.iter_by_oid(&oid).next().map(text));
        let extra =
            [(CREDENTIAL.to_owned(), vec![format!("X509SHA256={}", lower_hex(&Sha256::digest(der)))])];
        let user = User { name, uid: uid.unwrap_or_default(), groups, extra: extra.into() };
        Self::Certified { user: Arc::new(with_authenticated_group(user)), until: ends(&certificate) }
    }

    pub(super) fn user(&self, now: SystemTime) -> Option<&Arc<User>> {
        match self {
            Self::Certified { user, until } if now <= *until => Some(user),
            Self::Certified { .. } | Self::Absent | Self::Bad => None,
        }
    }

    pub(super) fn is_good_or_absent(&self, now: SystemTime) -> bool {
        matches!(self, Self::Absent) || self.user(now).is_some()
    }
}

fn ends(certificate: &X509Certificate<'_>) -> SystemTime {
    let seconds = u64::try_from(certificate.validity().not_after.timestamp()).unwrap_or(0);
    UNIX_EPOCH + Duration::from_secs(seconds)
}

fn lower_hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
