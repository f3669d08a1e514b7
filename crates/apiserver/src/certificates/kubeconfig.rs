//! What kubectl reads to find the server and to prove who its user is.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::Certificates;

/// Cluster, context and user have one name, so that files can be joined with others without a clash.
const NAME: &str = "krono";

pub(super) fn render(certificates: &Certificates, url: &str) -> String {
    let authority = STANDARD.encode(certificates.authority());
    let (certificate, key) = certificates.administrator();
    let (certificate, key) = (STANDARD.encode(certificate), STANDARD.encode(key));
    format!(
        "\
apiVersion: v1
kind: Config
clusters:
- name: {NAME}
  cluster:
    server: {url}
    certificate-authority-data: {authority}
users:
- name: {NAME}
  user:
    client-certificate-data: {certificate}
    client-key-data: {key}
contexts:
- name: {NAME}
  context:
    cluster: {NAME}
    user: {NAME}
    namespace: default
current-context: {NAME}
"
    )
}
