//! The server's own authority, its certificate and the administrator's: made at the first start, kept, renewed in time.

mod files;
mod issue;
mod kubeconfig;
mod tls;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use self::files::{read_private, write_private};
use self::issue::{Authority, Holder};
use crate::rbac::MASTERS;

pub use tls::{Tls, TlsError};

/// How long the authority lasts.
const AUTHORITY_LASTS: Duration = Duration::from_hours(10 * 365 * 24);
/// How long the certificates it gives out last.
const CERTIFICATE_LASTS: Duration = Duration::from_hours(365 * 24);
/// The authority is made anew when it ends within this time: all certificates it gives out must end before it does.
const AUTHORITY_MARGIN: Duration = Duration::from_hours(400 * 24);
/// A certificate is made anew when it ends within this time.
const CERTIFICATE_MARGIN: Duration = Duration::from_hours(60 * 24);

/// The administrator's name, in certificates and in process.
pub(crate) const ADMINISTRATOR: &str = "kubernetes-admin";

/// A certificate and its key, as PEM.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl std::fmt::Debug for Pair {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Pair").finish_non_exhaustive()
    }
}

/// Everything a server needs to prove who it is and to tell who its clients are.
#[derive(Clone, Debug)]
pub struct Certificates {
    authority: String,
    server: Pair,
    administrator: Pair,
}

/// Why there are no certificates.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificatesError {
    /// A file cannot be read or written.
    #[error("{} cannot be used: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file holds something else.
    #[error("{} is damaged: {reason}; remove the directory it is in to have new certificates made", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A certificate cannot be made.
    #[error("a certificate cannot be made: {0}")]
    Issue(#[from] rcgen::Error),
}

impl Certificates {
    /// Reads the certificates in a directory; makes those that are missing, about to end, or without one of the names under
    /// which the server is reached (host names and IP addresses).
    pub fn open(directory: &Path, names: &[String]) -> Result<Self, CertificatesError> {
        Self::open_at(directory, names, SystemTime::now())
    }

    fn open_at(directory: &Path, names: &[String], now: SystemTime) -> Result<Self, CertificatesError> {
        files::create_private_directory(directory)?;
        let authority = kept_authority(directory, now)?.map_or_else(|| new_authority(directory, now), Ok)?;
        let server = Holder::Server { names };
        let administrator = Holder::Client { name: ADMINISTRATOR, group: MASTERS };
        Ok(Self {
            server: kept_or_new(&authority, directory, "server", &server, now)?,
            administrator: kept_or_new(&authority, directory, "admin", &administrator, now)?,
            authority: authority.certificate().to_owned(),
        })
    }

    /// Certificates that are kept nowhere.
    pub fn temporary(names: &[String]) -> Result<Self, CertificatesError> {
        let now = SystemTime::now();
        let authority = Authority::new(now, AUTHORITY_LASTS)?;
        let administrator = Holder::Client { name: ADMINISTRATOR, group: MASTERS };
        Ok(Self {
            server: authority.issue(&Holder::Server { names }, now, CERTIFICATE_LASTS)?,
            administrator: authority.issue(&administrator, now, CERTIFICATE_LASTS)?,
            authority: authority.certificate().to_owned(),
        })
    }

    /// The authority's certificate, as PEM: what a client needs to know the server by.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The administrator's certificate and key, as PEM.
    pub fn administrator(&self) -> (&str, &str) {
        (&self.administrator.certificate, &self.administrator.key)
    }

    /// A kubeconfig with which the administrator reaches the server at this address.
    pub fn kubeconfig(&self, url: &str) -> String {
        kubeconfig::render(self, url)
    }
}

fn kept_authority(directory: &Path, now: SystemTime) -> Result<Option<Authority>, CertificatesError> {
    let Some(pair) = read_pair(directory, "ca")? else { return Ok(None) };
    let damaged = |reason: String| CertificatesError::Damaged { path: directory.join("ca.crt"), reason };
    let authority = Authority::read(pair).map_err(damaged)?;
    Ok(authority.outlasts(now + AUTHORITY_MARGIN).then_some(authority))
}

fn new_authority(directory: &Path, now: SystemTime) -> Result<Authority, CertificatesError> {
    let authority = Authority::new(now, AUTHORITY_LASTS)?;
    write_pair(directory, "ca", authority.pair())?;
    Ok(authority)
}

fn kept_or_new(
    authority: &Authority,
    directory: &Path,
    file: &str,
    holder: &Holder<'_>,
    now: SystemTime,
) -> Result<Pair, CertificatesError> {
    if let Some(pair) = read_pair(directory, file)?
        && authority.vouches(&pair, holder, now + CERTIFICATE_MARGIN)
    {
        return Ok(pair);
    }
    let pair = authority.issue(holder, now, CERTIFICATE_LASTS)?;
    write_pair(directory, file, &pair)?;
    Ok(pair)
}

fn read_pair(directory: &Path, name: &str) -> Result<Option<Pair>, CertificatesError> {
    let certificate = read_private(&directory.join(format!("{name}.crt")))?;
    let key = read_private(&directory.join(format!("{name}.key")))?;
    Ok(certificate.zip(key).map(|(certificate, key)| Pair { certificate, key }))
}

/// The key first: a certificate without its key would look whole.
fn write_pair(directory: &Path, name: &str, pair: &Pair) -> Result<(), CertificatesError> {
    write_private(&directory.join(format!("{name}.key")), &pair.key)?;
    write_private(&directory.join(format!("{name}.crt")), &pair.certificate)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_hours(24);

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|it| (*it).to_owned()).collect()
    }

    fn open(directory: &Path, list: &[&str], now: SystemTime) -> Certificates {
        Certificates::open_at(directory, &names(list), now).unwrap()
    }

    #[test]
    fn kept_until_close_to_the_end() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path().join("pki");
        let now = SystemTime::now();
        let first = open(&directory, &["localhost", "127.0.0.1"], now);
        let later = open(&directory, &["127.0.0.1"], now + 300 * DAY);
        assert_eq!((&first.server, &first.administrator), (&later.server, &later.administrator));
        let renewed = open(&directory, &["localhost"], now + 310 * DAY);
        assert_eq!(first.authority, renewed.authority);
        assert!(first.server != renewed.server && first.administrator != renewed.administrator);
        let new = open(&directory, &["localhost"], now + 9 * 365 * DAY);
        assert!(first.authority != new.authority && renewed.server != new.server);
    }

    #[test]
    fn a_new_name_needs_a_new_certificate() {
        let directory = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let first = open(directory.path(), &["localhost"], now);
        let second = open(directory.path(), &["localhost", "10.1.2.3"], now);
        assert_eq!((&first.authority, &first.administrator), (&second.authority, &second.administrator));
        assert_ne!(first.server, second.server);
    }

    #[test]
    fn another_authority_vouches_for_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let first = open(directory.path(), &["localhost"], now);
        std::fs::remove_file(directory.path().join("ca.crt")).unwrap();
        let second = open(directory.path(), &["localhost"], now);
        assert!(first.server != second.server && first.administrator != second.administrator);
    }

    #[test]
    fn damage_is_told() {
        let directory = tempfile::tempdir().unwrap();
        open(directory.path(), &["localhost"], SystemTime::now());
        std::fs::write(directory.path().join("ca.crt"), "nonsense").unwrap();
        let error = Certificates::open(directory.path(), &names(&["localhost"])).unwrap_err().to_string();
        assert!(error.contains("ca.crt is damaged: "), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_read_them() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path().join("pki");
        open(&directory, &["localhost"], SystemTime::now());
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&directory), 0o700);
        for entry in std::fs::read_dir(&directory).unwrap() {
            assert_eq!(mode(&entry.unwrap().path()), 0o600);
        }
    }
}
