//! Clusters with controllers that can be ended and started again.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::ValueEnum;
use krono_e2e_kube::{ControlPlane, Options, Process, Programs};
use tempfile::TempDir;

use crate::cluster::{Cluster, PATIENCE};

const ASK_AGAIN_AFTER: Duration = Duration::from_millis(100);

/// Which API server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Server {
    /// `krono up`
    Embedded,
    /// etcd, kube-apiserver and kube-controller-manager, with `krono workloads` as their only node
    Real,
}

impl Server {
    /// As it is written.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Real => "real",
        }
    }
}

/// Who looks after definitions.
#[derive(Clone, Debug)]
pub(crate) enum Controller {
    Krono(PathBuf),
    /// krono's, and the file where valgrind tells which functions it ran.
    Traced(PathBuf, PathBuf),
    /// kro's program, and flags beside those it always gets.
    Kro(PathBuf, Vec<String>),
}

/// A cluster of one's own, until dropped.
pub(crate) struct World {
    pub(crate) cluster: Cluster,
    /// Ended before the server they talk to.
    controller: Option<Process>,
    /// Where krono's controllers show their counters; those of `krono up` show none.
    counters: Option<u16>,
    _beside: Option<Process>,
    place: Place,
    folder: TempDir,
}

enum Place {
    /// The controllers are part of the server: they end and start with it.
    Embedded {
        krono: PathBuf,
        port: u16,
    },
    /// The server is a process of its own.
    Unattended {
        _server: Box<Process>,
    },
    Real {
        _plane: Box<ControlPlane>,
    },
}

impl Controller {
    /// The program to start, and all its flags.
    fn command(&self, flags: Vec<String>) -> (PathBuf, Vec<String>) {
        let (program, before, after): (_, Vec<String>, &[String]) = match self {
            Self::Krono(krono) => (krono.clone(), vec!["controller".to_owned()], &[]),
            Self::Traced(krono, calls) => {
                let out = format!("--callgrind-out-file={}", calls.display());
                let krono = krono.display().to_string();
                let words = ["--tool=callgrind", "--demangle=no", &out, &krono, "controller"];
                ("valgrind".into(), words.map(str::to_owned).to_vec(), &[])
            }
            Self::Kro(kro, more) => (kro.clone(), Vec::new(), more),
        };
        (program, before.into_iter().chain(flags).chain(after.iter().cloned()).collect())
    }
}

impl World {
    /// `krono up`, which serves definitions.
    pub(crate) async fn embedded(krono: &Path) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let kubeconfig = folder.path().join("kubeconfig");
        let place = Place::Embedded { krono: krono.to_owned(), port: free_port()? };
        let process = start_embedded(&place, folder.path())?;
        let cluster = first_answer(&kubeconfig).await.with_context(|| process.last_words())?;
        Ok(Self { cluster, controller: Some(process), counters: None, _beside: None, place, folder })
    }

    /// `krono up` with nobody to look after definitions or workloads.
    pub(crate) async fn unattended(krono: &Path) -> anyhow::Result<Self> {
        Self::without_controllers(krono, &["--workloads=none"]).await
    }

    /// `krono up` with nobody to look after definitions.
    pub(crate) async fn with_workloads(krono: &Path) -> anyhow::Result<Self> {
        Self::without_controllers(krono, &[]).await
    }

    async fn without_controllers(krono: &Path, more: &[&str]) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let port = free_port()?;
        let flags = [&["--controllers=none", "--in-memory"], more].concat();
        let process = start_up(krono, port, folder.path(), &flags)?;
        let cluster =
            first_answer(&folder.path().join("kubeconfig")).await.with_context(|| process.last_words())?;
        let place = Place::Unattended { _server: Box::new(process) };
        Ok(Self { cluster, controller: None, counters: None, _beside: None, place, folder })
    }

    /// The real control plane with nobody to look after definitions, and pods that run when `workloads` are there.
    pub(crate) async fn real(options: &Options, workloads: Option<&Path>) -> anyhow::Result<Self> {
        let programs = Programs::build()?;
        let plane = tokio::task::block_in_place(|| ControlPlane::start(&programs, options))?;
        let folder = tempfile::tempdir()?;
        let kubeconfig = plane.kubeconfig();
        let flags = ["workloads".to_owned(), "--kubeconfig".to_owned(), kubeconfig.display().to_string()];
        let log = folder.path().join("workloads.log");
        let workloads = workloads.map(|krono| Process::start(krono, &flags, &log)).transpose()?;
        let cluster = first_answer(&kubeconfig).await?;
        let real = Place::Real { _plane: Box::new(plane) };
        Ok(Self { cluster, controller: None, counters: None, _beside: workloads, place: real, folder })
    }

    /// The process id of the controller, while there is one.
    pub(crate) fn controller_process(&self) -> Option<u32> {
        self.controller.as_ref().map(Process::id)
    }

    /// Ends the controller without warning.
    pub(crate) fn stop_controller(&mut self) {
        self.controller = None;
    }

    /// Lets another controller look after the definitions of the real server; it has begun when this returns.
    pub(crate) async fn start_controller(&mut self, controller: &Controller) -> anyhow::Result<()> {
        self.stop_controller();
        let (metrics, probes) = (free_port()?, free_port()?);
        let flags = [
            ("--kubeconfig", self.cluster.kubeconfig.display().to_string()),
            ("--metrics-bind-address", format!("127.0.0.1:{metrics}")),
            ("--health-probe-bind-address", format!("127.0.0.1:{probes}")),
        ]
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
        let (program, flags) = controller.command(flags);
        let mut process = Process::start(&program, &flags, &self.folder.path().join("controller.log"))?;
        until_ready(&mut process, probes).await?;
        self.controller = Some(process);
        self.counters = matches!(controller, Controller::Krono(_)).then_some(metrics);
        Ok(())
    }

    /// Asks the controller to end, and waits until it has.
    pub(crate) async fn end_controller(&mut self) -> anyhow::Result<()> {
        let Some(mut controller) = self.controller.take() else { return Ok(()) };
        let asked = std::process::Command::new("kill").arg(controller.id().to_string()).status()?;
        let deadline = Instant::now() + PATIENCE;
        while controller.ended().is_none() {
            if !asked.success() || Instant::now() > deadline {
                bail!("the controller does not end:\n{}", controller.last_words());
            }
            tokio::time::sleep(ASK_AGAIN_AFTER).await;
        }
        Ok(())
    }

    /// Waits until krono's controllers have looked at so many instances and nothing waits for them, as far as they show.
    pub(crate) async fn until_looked_at(&self, instances: usize) -> anyhow::Result<()> {
        let Some(port) = self.counters else { return Ok(()) };
        let deadline = Instant::now() + PATIENCE;
        loop {
            let text = ask(port, "/metrics").await.unwrap_or_default();
            let (looks, waiting) = (
                counted(&text, "instance_reconcile_total"),
                counted(&text, "dynamic_controller_queue_length"),
            );
            if looks >= instances && waiting == 0 {
                return Ok(());
            }
            if Instant::now() > deadline {
                bail!(
                    "{looks} looks at {instances} instances after {} s, {waiting} wait",
                    PATIENCE.as_secs()
                );
            }
            tokio::time::sleep(ASK_AGAIN_AFTER).await;
        }
    }

    /// How many requests krono's controllers have sent that were more than questions.
    pub(crate) async fn writes(&self) -> anyhow::Result<usize> {
        let text = self.counters().await?;
        let of = |verb: &str| format!("rest_client_request_duration_seconds_count{{verb=\"{verb}\"}}");
        Ok(["POST", "PUT", "PATCH", "DELETE"].into_iter().map(|verb| counted(&text, &of(verb))).sum())
    }

    /// All that krono's controllers count.
    pub(crate) async fn counters(&self) -> anyhow::Result<String> {
        let port = self.counters.context("the controllers show no counters")?;
        Ok(ask(port, "/metrics").await?)
    }

    /// Ends the controllers of krono and starts them again; of `krono up`, with the whole server.
    pub(crate) async fn restart(&mut self, krono: &Path) -> anyhow::Result<()> {
        self.stop_controller();
        if !matches!(self.place, Place::Embedded { .. }) {
            return self.start_controller(&Controller::Krono(krono.to_owned())).await;
        }
        self.controller = Some(start_embedded(&self.place, self.folder.path())?);
        self.cluster = first_answer(&self.cluster.kubeconfig).await?;
        Ok(())
    }
}

fn start_embedded(place: &Place, folder: &Path) -> anyhow::Result<Process> {
    let Place::Embedded { krono, port } = place else {
        bail!("these controllers are not part of the server")
    };
    start_up(krono, *port, folder, &[])
}

fn start_up(krono: &Path, port: u16, folder: &Path, more: &[&str]) -> anyhow::Result<Process> {
    let mut flags = vec![
        "up".to_owned(),
        format!("--listen=127.0.0.1:{port}"),
        format!("--data-dir={}", folder.join("data").display()),
        format!("--kubeconfig={}", folder.join("kubeconfig").display()),
    ];
    flags.extend(more.iter().map(|it| (*it).to_owned()));
    Ok(Process::start(krono, &flags, &folder.join("up.log"))?)
}

/// Waits until the server of a kubeconfig answers.
async fn first_answer(kubeconfig: &Path) -> anyhow::Result<Cluster> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = async {
            let cluster = Cluster::connect(kubeconfig).await?;
            cluster.client.apiserver_version().await?;
            anyhow::Ok(cluster)
        };
        match answer.await {
            Ok(cluster) => return Ok(cluster),
            Err(error) if Instant::now() > deadline => {
                return Err(error.context("the server does not answer"));
            }
            Err(_) => tokio::time::sleep(ASK_AGAIN_AFTER).await,
        }
    }
}

/// Waits until a controller says that it is ready.
async fn until_ready(process: &mut Process, port: u16) -> anyhow::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    while !is_ready(port).await {
        if process.ended().is_some() || Instant::now() > deadline {
            bail!("the controller does not start:\n{}", process.last_words());
        }
        tokio::time::sleep(ASK_AGAIN_AFTER).await;
    }
    Ok(())
}

async fn is_ready(port: u16) -> bool {
    let answer = ask(port, "/readyz").await;
    answer.is_ok_and(|answer| answer.lines().next().is_some_and(|it| it.contains(" 200 ")))
}

/// What a server on loopback answers, head and body.
async fn ask(port: u16, path: &str) -> std::io::Result<String> {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let mut stream = tokio::net::TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n").as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

/// The sum of a counter over all its labels.
fn counted(text: &str, name: &str) -> usize {
    let of_it = |line: &&str| line.strip_prefix(name).is_some_and(|it| it.starts_with(['{', ' ']));
    let values = text.lines().filter(of_it).filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok());
    values.sum()
}

fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_summed_over_their_labels() {
        let text =
            "# TYPE a counter\na_total{gvr=\"x, Resource=y\"} 3\na_total{gvr=\"z\"} 4\na_total_more 9\nb 2\n";
        assert_eq!(["a_total", "b", "c"].map(|it| counted(text, it)), [7, 2, 0]);
    }
}
