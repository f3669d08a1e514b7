//! The two servers, with simulated workloads on both.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use krono_e2e_kube::{ControlPlane, Options, Programs};
use tempfile::TempDir;
use tokio::runtime::Runtime;

const READY_WITHIN: Duration = Duration::from_mins(1);
const ASK_AGAIN_AFTER: Duration = Duration::from_millis(200);

/// Both servers, until dropped.
#[derive(Debug)]
pub(crate) struct Servers {
    /// Ended before the servers they talk to.
    workloads: Option<Runtime>,
    processes: Vec<Child>,
    plane: ControlPlane,
    programs: Programs,
    folder: TempDir,
}

impl Servers {
    /// Starts both and waits until they answer.
    pub(crate) fn start(krono: &Path) -> anyhow::Result<Self> {
        let programs = Programs::build()?;
        let options = Options { controllers: vec!["*"], durable: false, admission_off: Vec::new() };
        let plane = ControlPlane::start(&programs, &options)?;
        let folder = tempfile::tempdir().context("cannot make a folder for krono")?;
        let mut servers = Self { workloads: None, processes: Vec::new(), plane, programs, folder };
        let data = servers.folder.path().join("data");
        let ours = servers.krono();
        let up = [
            "up",
            "--in-memory",
            "--listen",
            "127.0.0.1:0",
            "--workloads",
            "simulate",
            "--controllers",
            "none",
        ]
        .map(str::to_owned);
        let places = [("--data-dir", &data), ("--kubeconfig", &ours)];
        let places =
            places.into_iter().flat_map(|(flag, path)| [flag.to_owned(), path.display().to_string()]);
        servers.run(krono, "krono-up", up.into_iter().chain(places))?;
        servers.await_answer()?;
        servers.workloads = Some(servers.simulate_on_the_real_server()?);
        Ok(servers)
    }

    /// Runs the pods of the real server, through a proxy that knows its certificates.
    fn simulate_on_the_real_server(&mut self) -> anyhow::Result<Runtime> {
        let kubectl = self.programs.kubectl();
        let real = self.real().display().to_string();
        let proxy = ["--kubeconfig".to_owned(), real, "proxy".to_owned(), "--port=0".to_owned()];
        self.run(&kubectl, "proxy", proxy)?;
        let url = format!("http://{}", self.proxy_address()?);
        let config = kube::Config::new(
            url.parse().context("the proxy said where it is, but not so that one can tell")?,
        );
        let runtime = Runtime::new().context("cannot start a runtime for the workloads")?;
        let client = runtime.block_on(async { kube::Client::try_from(config) })?;
        runtime.spawn(krono_workloads::run(
            client,
            krono_workloads::Options::new(krono_workloads::Scope::Pods),
            std::future::pending(),
        ));
        Ok(runtime)
    }

    /// Where the proxy says it serves.
    fn proxy_address(&self) -> anyhow::Result<String> {
        const SAID: &str = "Starting to serve on ";
        let deadline = Instant::now() + READY_WITHIN;
        while Instant::now() < deadline {
            let log = fs::read_to_string(self.log("proxy")).unwrap_or_default();
            if let Some(address) = log.lines().find_map(|line| line.strip_prefix(SAID)) {
                return Ok(address.trim().to_owned());
            }
            thread::sleep(ASK_AGAIN_AFTER);
        }
        bail!("kubectl proxy does not start")
    }

    /// The kubeconfig of the real server.
    pub(crate) fn real(&self) -> PathBuf {
        self.plane.kubeconfig()
    }

    /// The kubeconfig of krono.
    pub(crate) fn krono(&self) -> PathBuf {
        self.folder.path().join("krono.kubeconfig")
    }

    /// The folder with kubectl.
    pub(crate) fn programs(&self) -> PathBuf {
        self.programs.folder().to_owned()
    }

    fn log(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.log"))
    }

    fn run(
        &mut self,
        program: &Path,
        name: &str,
        arguments: impl IntoIterator<Item = String>,
    ) -> anyhow::Result<()> {
        let log = File::create(self.log(name)).with_context(|| format!("cannot write the log of {name}"))?;
        let errors = log.try_clone()?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(log).stderr(errors);
        let child = command.spawn().with_context(|| format!("cannot run {}", program.display()))?;
        self.processes.insert(0, child);
        Ok(())
    }

    fn await_answer(&mut self) -> anyhow::Result<()> {
        let deadline = Instant::now() + READY_WITHIN;
        while !self.answers() {
            let ended = self.processes.iter_mut().any(|child| child.try_wait().ok().flatten().is_some());
            if ended || Instant::now() > deadline {
                bail!(
                    "krono does not answer:\n{}",
                    fs::read_to_string(self.log("krono-up")).unwrap_or_default()
                );
            }
            thread::sleep(ASK_AGAIN_AFTER);
        }
        Ok(())
    }

    fn answers(&self) -> bool {
        let mut kubectl = Command::new(self.programs.kubectl());
        kubectl.arg("--kubeconfig").arg(self.krono()).args(["get", "--raw", "/readyz"]);
        kubectl.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    }
}

impl Drop for Servers {
    /// Everything is kept in memory: nobody has to be asked politely.
    fn drop(&mut self) {
        if let Some(workloads) = self.workloads.take() {
            workloads.shutdown_background();
        }
        for child in &mut self.processes {
            if child.kill().is_ok() {
                child.wait().ok();
            }
        }
    }
}
