//! A certificate authority for one run, and what it signs.

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};

/// A certificate with its private key, both as PEM.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

/// The authority that client and server trust.
#[derive(Debug)]
pub(crate) struct Authority {
    certificate: Certificate,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new() -> Result<Self, rcgen::Error> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "krono-e2e-ca");
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate()?;
        let certificate = params.self_signed(&key)?;
        Ok(Self { certificate, issuer: Issuer::new(params, key) })
    }

    pub(crate) fn certificate(&self) -> String {
        self.certificate.pem()
    }

    /// A certificate of the server for connections to this machine.
    pub(crate) fn server(&self) -> Result<Pair, rcgen::Error> {
        let names = ["127.0.0.1", "localhost", "kubernetes.default.svc"].map(str::to_owned);
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name.push(DnType::CommonName, "kube-apiserver");
        self.sign(params, ExtendedKeyUsagePurpose::ServerAuth)
    }

    /// A certificate that names a user and a group.
    pub(crate) fn client(&self, user: &str, group: &str) -> Result<Pair, rcgen::Error> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name.push(DnType::CommonName, user);
        params.distinguished_name.push(DnType::OrganizationName, group);
        self.sign(params, ExtendedKeyUsagePurpose::ClientAuth)
    }

    fn sign(
        &self,
        mut params: CertificateParams,
        purpose: ExtendedKeyUsagePurpose,
    ) -> Result<Pair, rcgen::Error> {
        params.use_authority_key_identifier_extension = true;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![purpose];
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?.pem();
        Ok(Pair { certificate, key: key.serialize_pem() })
    }
}
