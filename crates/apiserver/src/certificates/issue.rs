//! Making certificates, and telling whether one is still good.

use std::net::IpAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use x509_parser::pem::parse_x509_pem;
use x509_parser::prelude::{GeneralName, X509Certificate};

use super::Pair;

/// Clocks of other machines may be behind by this much.
const CLOCK_SKEW: Duration = Duration::from_hours(1);

/// Whom a certificate is for.
pub(super) enum Holder<'a> {
    /// The server, under these names.
    Server { names: &'a [String] },
    /// A user.
    Client { name: &'a str, group: &'a str },
}

/// Whoever holds its key can vouch for others.
pub(super) struct Authority {
    pair: Pair,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub(super) fn new(now: SystemTime, lasts: Duration) -> Result<Self, rcgen::Error> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyCertSign];
        set_time(&mut params, now, lasts);
        // A name of its own, so that certificates of an earlier authority can be told by their issuer.
        let name = format!("krono-ca@{:x}", uuid::Uuid::new_v4().as_u128());
        params.distinguished_name.remove(DnType::CommonName);
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate()?;
        let pair = Pair { certificate: params.self_signed(&key)?.pem(), key: key.serialize_pem() };
        Ok(Self { pair, issuer: Issuer::new(params, key) })
    }

    /// The authority of earlier, or what is wrong with it.
    pub(super) fn read(pair: Pair) -> Result<Self, String> {
        let key = KeyPair::from_pem(&pair.key).map_err(|error| format!("its key: {error}"))?;
        let name = with_certificate(&pair, |it| {
            let own = it.public_key().subject_public_key.data == key.public_key_raw();
            (own, it.subject().iter_common_name().next().and_then(|it| it.as_str().ok()).map(str::to_owned))
        });
        match name {
            Some((true, Some(name))) => {
                let mut params = CertificateParams::default();
                params.distinguished_name.remove(DnType::CommonName);
                params.distinguished_name.push(DnType::CommonName, name);
                params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
                Ok(Self { pair, issuer: Issuer::new(params, key) })
            }
            Some((false, _)) => Err("its key is that of another certificate".to_owned()),
            Some((true, None)) | None => Err("it holds no certificate of an authority".to_owned()),
        }
    }

    pub(super) fn pair(&self) -> &Pair {
        &self.pair
    }

    pub(super) fn certificate(&self) -> &str {
        &self.pair.certificate
    }

    pub(super) fn outlasts(&self, moment: SystemTime) -> bool {
        with_certificate(&self.pair, |it| is_valid_at(it, moment)).unwrap_or(false)
    }

    pub(super) fn issue(
        &self,
        holder: &Holder<'_>,
        now: SystemTime,
        lasts: Duration,
    ) -> Result<Pair, rcgen::Error> {
        let mut params = holder.params()?;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.use_authority_key_identifier_extension = true;
        set_time(&mut params, now, lasts);
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?.pem();
        Ok(Pair { certificate, key: key.serialize_pem() })
    }

    /// Whether the certificate is of this authority, for this holder, and lasts beyond the moment.
    pub(super) fn vouches(&self, pair: &Pair, holder: &Holder<'_>, moment: SystemTime) -> bool {
        let ours = with_certificate(&self.pair, |it| it.subject().as_raw().to_vec());
        let Ok(key) = KeyPair::from_pem(&pair.key) else { return false };
        let good = with_certificate(pair, |it| {
            ours.as_deref() == Some(it.issuer().as_raw())
                && it.public_key().subject_public_key.data == key.public_key_raw()
                && is_valid_at(it, moment)
                && holder.is_named(it)
        });
        good.unwrap_or(false)
    }
}

impl Holder<'_> {
    fn params(&self) -> Result<CertificateParams, rcgen::Error> {
        match self {
            Self::Server { names } => {
                let mut params = CertificateParams::new(*names)?;
                params.distinguished_name.push(DnType::CommonName, "krono");
                params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
                Ok(params)
            }
            Self::Client { name, group } => {
                let mut params = CertificateParams::default();
                params.distinguished_name.push(DnType::OrganizationName, *group);
                params.distinguished_name.push(DnType::CommonName, *name);
                params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
                Ok(params)
            }
        }
    }

    /// Clients are known by the file they are in.
    fn is_named(&self, certificate: &X509Certificate<'_>) -> bool {
        let Self::Server { names } = self else { return true };
        let Ok(Some(found)) = certificate.subject_alternative_name() else { return false };
        let general = &found.value.general_names;
        names.iter().all(|name| general.iter().any(|it| is_same_name(it, name)))
    }
}

fn is_same_name(found: &GeneralName<'_>, name: &str) -> bool {
    match (found, name.parse::<IpAddr>()) {
        (GeneralName::IPAddress(bytes), Ok(IpAddr::V4(address))) => *bytes == address.octets(),
        (GeneralName::IPAddress(bytes), Ok(IpAddr::V6(address))) => *bytes == address.octets(),
        (GeneralName::DNSName(text), Err(_)) => *text == name,
        _ => false,
    }
}

fn with_certificate<T>(pair: &Pair, ask: impl FnOnce(&X509Certificate<'_>) -> T) -> Option<T> {
    let (_, pem) = parse_x509_pem(pair.certificate.as_bytes()).ok()?;
    let certificate = pem.parse_x509().ok()?;
    Some(ask(&certificate))
}

fn is_valid_at(certificate: &X509Certificate<'_>, moment: SystemTime) -> bool {
    let seconds = moment.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    u64::try_from(certificate.validity().not_after.timestamp()).is_ok_and(|end| seconds < end)
}

fn set_time(params: &mut CertificateParams, now: SystemTime, lasts: Duration) {
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let epoch = rcgen::date_time_ymd(1970, 1, 1);
    params.not_before = epoch + now.saturating_sub(CLOCK_SKEW);
    params.not_after = epoch + now + lasts;
}
