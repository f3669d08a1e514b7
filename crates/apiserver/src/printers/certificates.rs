//! Kinds of the group `certificates.k8s.io`.

use super::duration::human_duration;
use super::selector::NONE;
use super::{Heading, Sheet, Shown};

const REQUEST: &[Heading] = &[
    Heading::NAME,
    Heading::AGE,
    Heading::text_or("SignerName", "/spec/signerName", NONE).said("Requested signer for the request. It is a qualified name in the form: `scope-hostname.io/name`. If \
         empty, it will be defaulted:\n 1. If it's a kubelet client certificate, it is assigned\n    \"kubernetes.io/kube-apiserver-client-kubelet\".\n \
         2. If it's a kubelet serving certificate, it is assigned\n    \"kubernetes.io/kubelet-serving\".\n \
         3. Otherwise, it is assigned \"kubernetes.io/legacy-unknown\".\nDistribution of trust for signers \
         happens out of band. You can select on this field using `spec.signerName`."),
    Heading::text("Requestor", "/spec/username").said("Base64-encoded PKCS#10 CSR data"),
    Heading::told("RequestedDuration", duration).field("/spec/expirationSeconds"),
    Heading::told("Condition", condition).said("Conditions applied to the request, such as approval or denial."),
];

/// The sheet of a kind.
pub(super) fn sheet(kind: &str) -> Option<Sheet> {
    (kind == "CertificateSigningRequest").then_some(Sheet::of(REQUEST))
}

fn duration(request: &Shown<'_>) -> String {
    let seconds = request.at("/spec/expirationSeconds").map(|_| request.number("/spec/expirationSeconds"));
    seconds.map_or_else(|| NONE.to_owned(), human_duration)
}

fn condition(request: &Shown<'_>) -> String {
    let has = |condition: &str| request.condition(condition).is_some();
    let decision = ["Denied", "Approved"].into_iter().find(|it| has(it)).unwrap_or("Pending");
    let failed = if has("Failed") { ",Failed" } else { "" };
    let issued = if request.text("/status/certificate").is_empty() { "" } else { ",Issued" };
    format!("{decision}{failed}{issued}")
}

#[cfg(test)]
mod tests {
    use crate::printers::testing::check;
    use serde_json::json;

    #[test]
    fn requests() {
        check(
            ("certificates.k8s.io", "CertificateSigningRequest"),
            json!({
                "metadata": {"name": "r"}, "spec": {"username": "ann", "expirationSeconds": 3600},
                "status": {"conditions": [{"type": "Approved", "status": "True"}], "certificate": "AA=="},
            }),
            json!(["r", "<unknown>", "<none>", "ann", "60m", "Approved,Issued"]),
        );
        check(
            ("certificates.k8s.io", "CertificateSigningRequest"),
            json!({"metadata": {"name": "r"}, "spec": {"signerName": "a/b"}}),
            json!(["r", "<unknown>", "a/b", "", "<none>", "Pending"]),
        );
    }
}
