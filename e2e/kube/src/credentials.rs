//! Files that say who is who: certificates, tokens, kubeconfigs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::certificates::Authority;

/// The user who may do everything.
pub const ADMIN: &str = "kubernetes-admin";
/// The bearer token of [`ADMIN`].
pub const ADMIN_TOKEN: &str = "admin-of-a-loopback-server";
const MASTERS: &str = "system:masters";
const CONTROLLERS: &str = "system:kube-controller-manager";
const CONTROLLERS_TOKEN: &str = "controllers-of-a-loopback-server";

/// Why the files could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CredentialsError {
    /// A certificate could not be signed.
    #[error("cannot make certificates: {0}")]
    Certificate(#[from] rcgen::Error),
    /// A file could not be written.
    #[error("cannot write credentials: {0}")]
    Write(#[from] io::Error),
}

/// The files of one run.
#[derive(Clone, Debug)]
pub(crate) struct Credentials {
    folder: PathBuf,
}

impl Credentials {
    /// Makes all files in a folder; clients will find the server at the URL.
    pub(crate) fn write(folder: &Path, url: &str) -> Result<Self, CredentialsError> {
        let made = Self { folder: folder.to_owned() };
        let authority = Authority::new()?;
        let put = |name: &str, text: String| fs::write(made.path(name), text);
        put("ca.crt", authority.certificate())?;
        let server = authority.server()?;
        put("server.crt", server.certificate)?;
        put("server.key", server.key)?;
        let admin = authority.client(ADMIN, MASTERS)?;
        put("admin.crt", admin.certificate)?;
        put("admin.key", admin.key)?;
        let accounts = rcgen::KeyPair::generate()?;
        put("accounts.key", accounts.serialize_pem())?;
        put("accounts.pub", accounts.public_key_pem())?;
        put("tokens.csv", tokens())?;
        let with_certificate =
            json!({"client-certificate": made.path("admin.crt"), "client-key": made.path("admin.key")});
        put("admin.kubeconfig", made.kubeconfig(url, ADMIN, &with_certificate))?;
        put(
            "controllers.kubeconfig",
            made.kubeconfig(url, CONTROLLERS, &json!({"token": CONTROLLERS_TOKEN})),
        )?;
        Ok(made)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// JSON is YAML.
    fn kubeconfig(&self, url: &str, user: &str, credentials: &Value) -> String {
        let config = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "kube",
            "clusters": [{"name": "kube", "cluster": {"server": url, "certificate-authority": self.path("ca.crt")}}],
            "users": [{"name": user, "user": credentials}],
            "contexts": [{"name": "kube", "context": {"cluster": "kube", "user": user}}],
        });
        format!("{config:#}\n")
    }
}

fn tokens() -> String {
    format!("{ADMIN_TOKEN},{ADMIN},,\"{MASTERS}\"\n{CONTROLLERS_TOKEN},{CONTROLLERS},{CONTROLLERS}\n")
}
