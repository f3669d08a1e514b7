//! The servers that are measured.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use krono_e2e_kube::{ADMIN_TOKEN, ControlPlane, Options, Programs};
use tempfile::TempDir;

use crate::client::Target;

/// A server that runs until this is dropped.
pub(crate) struct Side {
    pub(crate) name: &'static str,
    pub(crate) target: Target,
    /// From the start of its first process until it answers.
    pub(crate) start: Duration,
    pub(crate) processes: Vec<u32>,
    _running: Running,
}

/// What must live as long as the server.
#[expect(dead_code, reason = "held, not looked at")]
enum Running {
    Real(Box<ControlPlane>),
    Krono(Krono, TempDir),
}

struct Krono(Child);

impl Drop for Krono {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Side {
    /// etcd and kube-apiserver, flushing to disk.
    pub(crate) fn real() -> anyhow::Result<Self> {
        let programs = Programs::build()?;
        let begin = Instant::now();
        let options =
            Options { controllers: Vec::new(), durable: true, admission_off: vec!["ServiceAccount"] };
        let plane = ControlPlane::start(&programs, &options)?;
        let start = begin.elapsed();
        let target = Target::new(plane.url(), &plane.authority(), ADMIN_TOKEN)?;
        let processes = plane.process_ids().map(|(_, id)| id).collect();
        Ok(Self { name: "real", target, start, processes, _running: Running::Real(Box::new(plane)) })
    }

    /// `krono up` in a directory of its own.
    pub(crate) fn krono(binary: &Path) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let tokens = folder.path().join("tokens.csv");
        std::fs::write(&tokens, format!("{ADMIN_TOKEN},bench,1,system:masters\n"))?;
        let data = folder.path().join("data");
        let begin = Instant::now();
        let mut command = Command::new(binary);
        command.args(["up", "--listen", "127.0.0.1:0", "--workloads", "none", "--controllers", "none"]);
        command.arg("--data-dir").arg(&data).arg("--token-file").arg(&tokens).stdout(Stdio::piped());
        let mut child = Krono(command.spawn().context("krono does not start")?);
        let stdout = child.0.stdout.take().context("krono has no stdout")?;
        let mut first = String::new();
        BufReader::new(stdout).read_line(&mut first)?;
        let start = begin.elapsed();
        let url = first.trim_end().rsplit(' ').next().context("krono does not say where it is")?;
        let target = Target::new(url, &data.join("pki/ca.crt"), ADMIN_TOKEN)?;
        let processes = vec![child.0.id()];
        Ok(Self { name: "krono", target, start, processes, _running: Running::Krono(child, folder) })
    }
}
