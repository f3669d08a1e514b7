//! A running control plane.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::credentials::{Credentials, CredentialsError};
use crate::process::Process;
use crate::programs::Programs;

/// How long the programs may take until they answer.
const READY_WITHIN: Duration = Duration::from_mins(2);
const ASK_AGAIN_AFTER: Duration = Duration::from_millis(100);

/// What to start, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The controllers that kube-controller-manager runs; `*` stands for all, and without any it is not started.
    pub controllers: Vec<&'static str>,
    /// Let etcd flush to disk; needed to measure, not to compare.
    pub durable: bool,
    /// Admission plugins to leave out, such as `ServiceAccount`, which refuses Pods where no controllers run.
    pub admission_off: Vec<&'static str>,
}

/// etcd, kube-apiserver and perhaps kube-controller-manager on loopback, until dropped.
#[derive(Debug)]
pub struct ControlPlane {
    /// Dropped first to last: whoever asks ends before who answers.
    processes: Vec<(&'static str, Process)>,
    programs: Programs,
    credentials: Credentials,
    url: String,
    folder: TempDir,
}

/// Why the control plane did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No folder, port or process could be had.
    #[error("cannot start {what}: {source}")]
    System {
        /// What was wanted.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Certificates and tokens could not be made.
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
    /// A program ended by itself.
    #[error("{program} ended with {status}; its last words:\n{last_words}")]
    Ended {
        /// Which one.
        program: &'static str,
        /// How.
        status: ExitStatus,
        /// What it wrote last.
        last_words: String,
    },
    /// Nothing was ready in time.
    #[error("not ready after {} s; the last words of {program}:\n{last_words}", READY_WITHIN.as_secs())]
    Late {
        /// The program started last.
        program: &'static str,
        /// What it wrote last.
        last_words: String,
    },
}

impl ControlPlane {
    /// Starts the programs and waits until they are ready.
    pub fn start(programs: &Programs, options: &Options) -> Result<Self, StartError> {
        let folder = tempfile::Builder::new()
            .prefix("krono-kube-")
            .tempdir()
            .map_err(|source| StartError::System { what: "a temporary folder", source })?;
        let [client, peer, secure, controllers] = free_ports()?;
        let url = format!("https://127.0.0.1:{secure}");
        let credentials = Credentials::write(folder.path(), &url)?;
        let programs = programs.clone();
        let mut plane = Self { processes: Vec::new(), programs, credentials, url, folder };
        plane.run("etcd", &plane.etcd(options, client, peer))?;
        plane.run("kube-apiserver", &plane.apiserver(options, client, secure))?;
        plane.await_answer(&["get", "--raw", "/readyz"])?;
        if !options.controllers.is_empty() {
            plane.run("kube-controller-manager", &plane.controllers(options, controllers))?;
        }
        if options.controllers.contains(&"*") {
            plane.await_answer(&["get", "serviceaccount", "default", "--namespace", "default"])?;
        }
        Ok(plane)
    }

    /// Where the API is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The certificate of the authority that signed the server's, a PEM file.
    pub fn authority(&self) -> PathBuf {
        self.credentials.path("ca.crt")
    }

    /// The administrator's kubeconfig.
    pub fn kubeconfig(&self) -> PathBuf {
        self.credentials.path("admin.kubeconfig")
    }

    /// The name and process id of each program.
    pub fn process_ids(&self) -> impl Iterator<Item = (&'static str, u32)> {
        self.processes.iter().map(|(name, process)| (*name, process.id()))
    }

    fn run(&mut self, name: &'static str, arguments: &[String]) -> Result<(), StartError> {
        let log = self.folder.path().join(format!("{name}.log"));
        let process = Process::start(&self.programs.path(name), arguments, &log)
            .map_err(|source| StartError::System { what: name, source })?;
        self.processes.insert(0, (name, process));
        Ok(())
    }

    fn etcd(&self, options: &Options, client: u16, peer: u16) -> Vec<String> {
        let [client, peer] = [client, peer].map(|port| format!("http://127.0.0.1:{port}"));
        let mut flags = vec![
            flag("data-dir", self.folder.path().join("etcd").display()),
            flag("listen-client-urls", &client),
            flag("advertise-client-urls", &client),
            flag("listen-peer-urls", &peer),
            flag("initial-advertise-peer-urls", &peer),
            flag("initial-cluster", format!("default={peer}")),
        ];
        if !options.durable {
            flags.push(flag("unsafe-no-fsync", true));
        }
        flags
    }

    fn apiserver(&self, options: &Options, etcd: u16, secure: u16) -> Vec<String> {
        let file = |name: &str| self.credentials.path(name).display().to_string();
        let mut flags = vec![
            flag("etcd-servers", format!("http://127.0.0.1:{etcd}")),
            flag("bind-address", "127.0.0.1"),
            flag("advertise-address", "127.0.0.1"),
            flag("secure-port", secure),
            flag("endpoint-reconciler-type", "none"),
            flag("tls-cert-file", file("server.crt")),
            flag("tls-private-key-file", file("server.key")),
            flag("client-ca-file", file("ca.crt")),
            flag("token-auth-file", file("tokens.csv")),
            flag("service-account-issuer", "https://kubernetes.default.svc"),
            flag("service-account-key-file", file("accounts.pub")),
            flag("service-account-signing-key-file", file("accounts.key")),
            flag("authorization-mode", "RBAC"),
            flag("service-cluster-ip-range", "10.96.0.0/12"),
        ];
        if !options.admission_off.is_empty() {
            flags.push(flag("disable-admission-plugins", options.admission_off.join(",")));
        }
        flags
    }

    fn controllers(&self, options: &Options, secure: u16) -> Vec<String> {
        let file = |name: &str| self.credentials.path(name).display().to_string();
        let kubeconfig = file("controllers.kubeconfig");
        vec![
            flag("controllers", options.controllers.join(",")),
            flag("kubeconfig", &kubeconfig),
            flag("authentication-kubeconfig", &kubeconfig),
            flag("authorization-kubeconfig", &kubeconfig),
            flag("bind-address", "127.0.0.1"),
            flag("secure-port", secure),
            flag("cert-dir", self.folder.path().join("controllers").display()),
            flag("leader-elect", false),
            // Comparisons wait for autoscalers; every 15 s is too seldom.
            flag("horizontal-pod-autoscaler-sync-period", "1s"),
            // At the usual 20 requests a second, a large fleet takes minutes to start.
            flag("kube-api-qps", 500),
            flag("kube-api-burst", 1000),
            flag("use-service-account-credentials", true),
            flag("service-account-private-key-file", file("accounts.key")),
            flag("root-ca-file", file("ca.crt")),
        ]
    }

    /// Asks with kubectl until it succeeds.
    fn await_answer(&mut self, question: &[&str]) -> Result<(), StartError> {
        let deadline = Instant::now() + READY_WITHIN;
        while !succeeds(&self.programs.kubectl(), &self.kubeconfig(), question) {
            for (program, process) in &mut self.processes {
                if let Some(status) = process.ended() {
                    return Err(StartError::Ended { program, status, last_words: process.last_words() });
                }
            }
            if let Some((program, process)) = self.processes.first().filter(|_| Instant::now() > deadline) {
                return Err(StartError::Late { program, last_words: process.last_words() });
            }
            std::thread::sleep(ASK_AGAIN_AFTER);
        }
        Ok(())
    }
}

fn flag(name: &str, value: impl std::fmt::Display) -> String {
    format!("--{name}={value}")
}

fn succeeds(kubectl: &Path, kubeconfig: &Path, question: &[&str]) -> bool {
    let mut command = Command::new(kubectl);
    command.arg("--kubeconfig").arg(kubeconfig).args(question).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|it| it.success())
}

/// Ports nobody listens on; all are held until all are chosen.
fn free_ports<const N: usize>() -> Result<[u16; N], StartError> {
    let bound: io::Result<Vec<_>> = (0..N).map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).collect();
    let ports = bound.and_then(|listeners| {
        let ports: io::Result<Vec<u16>> = listeners.iter().map(|it| Ok(it.local_addr()?.port())).collect();
        Ok(<[u16; N]>::try_from(ports?).unwrap_or([0; N]))
    });
    ports.map_err(|source| StartError::System { what: "a listener on a free port", source })
}
