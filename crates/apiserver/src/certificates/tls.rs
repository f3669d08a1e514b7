//! What a listener needs to speak TLS.

use std::sync::{Arc, PoisonError, RwLock};

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::client::danger::HandshakeSignatureValid;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use tokio_rustls::rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use tokio_rustls::rustls::server::{VerifierBuilderError, WebPkiClientVerifier};
use tokio_rustls::rustls::{
    DigitallySignedStruct, DistinguishedName, Error, RootCertStore, ServerConfig, SignatureScheme,
};

use super::Certificates;
use crate::authentication::Identity;

/// The server's certificate and the authority of its clients; can be replaced while connections come in.
#[derive(Clone, Debug)]
pub struct Tls(Arc<RwLock<Arc<Current>>>);

/// Why TLS cannot be spoken with these certificates.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The text is not PEM.
    #[error("a certificate cannot be read: {0}")]
    Pem(#[from] tokio_rustls::rustls::pki_types::pem::Error),
    /// The certificates do not go together.
    #[error("the certificates cannot be used: {0}")]
    Config(#[from] Error),
    /// The authority is none.
    #[error("the authority of clients cannot be used: {0}")]
    Authority(#[from] VerifierBuilderError),
}

pub(crate) struct Current {
    pub(crate) acceptor: TlsAcceptor,
    verifier: Arc<dyn ClientCertVerifier>,
}

impl std::fmt::Debug for Current {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Current").finish_non_exhaustive()
    }
}

impl Tls {
    /// TLS with these certificates.
    pub fn new(certificates: &Certificates) -> Result<Self, TlsError> {
        Ok(Self(Arc::new(RwLock::new(Arc::new(Current::new(certificates)?)))))
    }

    /// Uses other certificates for connections from now on.
    pub fn replace(&self, certificates: &Certificates) -> Result<(), TlsError> {
        let current = Arc::new(Current::new(certificates)?);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = current;
        Ok(())
    }

    pub(crate) fn current(&self) -> Arc<Current> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Current {
    fn new(certificates: &Certificates) -> Result<Self, TlsError> {
        let provider = Arc::new(ring::default_provider());
        let verifier = verifier(certificates, &provider)?;
        let lenient = Arc::new(Lenient(Arc::clone(&verifier)));
        let chain = CertificateDer::pem_slice_iter(certificates.server.certificate.as_bytes());
        let chain = chain.collect::<Result<Vec<_>, _>>()?;
        let key = PrivateKeyDer::from_pem_slice(certificates.server.key.as_bytes())?;
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        let mut config = config.with_client_cert_verifier(lenient).with_single_cert(chain, key)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), verifier })
    }

    /// What the certificates that a client showed in its handshake say.
    pub(crate) fn identity(&self, shown: Option<&[CertificateDer<'_>]>) -> Identity {
        let Some([first, others @ ..]) = shown else { return Identity::Absent };
        match self.verifier.verify_client_cert(first, others, UnixTime::now()) {
            Ok(_) => Identity::of_verified(first),
            Err(_) => Identity::Bad,
        }
    }
}

fn verifier(
    certificates: &Certificates,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>, TlsError> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(certificates.authority.as_bytes())?)?;
    let builder = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
    Ok(builder.allow_unauthenticated().build()?)
}

/// Lets every certificate through the handshake whose key the client has: whether we know the client is told by HTTP, as the real
/// server does, and a client with a wrong certificate reads 401 instead of a broken connection.
#[derive(Debug)]
struct Lenient(Arc<dyn ClientCertVerifier>);

impl ClientCertVerifier for Lenient {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.0.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
