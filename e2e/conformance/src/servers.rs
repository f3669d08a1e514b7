//! Both servers, ready for requests.

use anyhow::Context;
use krono_e2e_kube::{ADMIN_TOKEN, ControlPlane, Options, Programs};
use kube::config::AuthInfo;

/// One server and the administrator's connection to it.
#[derive(Clone)]
pub struct Side {
    /// What it is called in reports.
    pub name: &'static str,
    /// The administrator's client.
    pub client: kube::Client,
}

/// The real server and krono's, both fresh.
pub struct Servers {
    /// What is right.
    pub real: Side,
    /// What is tested.
    pub krono: Side,
    /// The programs of the real server, with kubectl among them.
    pub programs: Programs,
    /// The running real server; it ends when this is dropped.
    pub plane: ControlPlane,
}

impl Servers {
    /// Builds what is not built, and starts both.
    pub async fn start(options: &Options) -> anyhow::Result<Self> {
        let (programs, plane) = start_real(options.clone()).await?;
        let real = Side { name: "real", client: client_of(&plane)? };
        let server = krono_apiserver::Server::in_memory().await.context("krono did not start")?;
        let krono = Side { name: "krono", client: server.client() };
        Ok(Self { real, krono, programs, plane })
    }

    /// Both, the real one first.
    pub fn sides(&self) -> [&Side; 2] {
        [&self.real, &self.krono]
    }
}

/// Options for comparing requests: of all controllers only those whose work is part of krono's server, so that nothing
/// else changes by itself.
pub fn quiet() -> Options {
    Options {
        controllers: vec![
            "clusterrole-aggregation-controller",
            "root-ca-certificate-publisher-controller",
            "serviceaccount-controller",
        ],
        durable: false,
        admission_off: Vec::new(),
    }
}

async fn start_real(options: Options) -> anyhow::Result<(Programs, ControlPlane)> {
    let start = move || {
        let programs = Programs::build()?;
        let plane = ControlPlane::start(&programs, &options)?;
        anyhow::Ok((programs, plane))
    };
    tokio::task::spawn_blocking(start).await.context("the thread that starts the real server ended")?
}

fn client_of(plane: &ControlPlane) -> anyhow::Result<kube::Client> {
    let mut config = kube::Config::new(plane.url().parse()?);
    config.root_cert_file = Some(plane.authority());
    config.auth_info = AuthInfo { token: Some(ADMIN_TOKEN.to_owned().into()), ..AuthInfo::default() };
    config.default_retry = false;
    kube::Client::try_from(config).context("no client for the real server")
}
