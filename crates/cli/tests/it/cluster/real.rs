//! A real server that was started beforehand, in place of `krono up`.

#[path = "../../../../controller/tests/it/real.rs"]
#[expect(dead_code, reason = "tests of controllers compare versions too")]
mod leftovers;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use kube::Client;

use crate::krono::command;

/// Names the kubeconfigs of real servers, separated by a colon; the second is for tests that have two.
///
/// Tests that take the same server wait for each other, whatever process they are in.
const KUBECONFIGS: &str = "KRONO_TEST_KUBECONFIGS";
/// How many were taken in this process, which plays one test.
static TAKEN: AtomicUsize = AtomicUsize::new(0);
/// Flags of controllers that nobody asks for counters.
const ANY_PORTS: [&str; 2] =
    ["--metrics-bind-address=127.0.0.1:0", "--health-probe-bind-address=127.0.0.1:0"];

/// A real server for oneself, with what runs beside it, until dropped.
pub(crate) struct Real {
    kubeconfig: PathBuf,
    beside: Vec<Child>,
    _lease: File,
}

impl Real {
    /// Nothing unless the environment names servers; the folder gets the kubeconfig.
    pub(crate) fn take(folder: &Path) -> Option<Self> {
        let kubeconfigs = std::env::var_os(KUBECONFIGS)?;
        let index = TAKEN.fetch_add(1, Ordering::Relaxed);
        let given = std::env::split_paths(&kubeconfigs).nth(index);
        let given = given.expect("KRONO_TEST_KUBECONFIGS names enough servers");
        let lease = File::open(&given).unwrap();
        lease.lock().unwrap();
        let kubeconfig = folder.join("kubeconfig");
        fs::copy(&given, &kubeconfig).unwrap();
        Some(Self { kubeconfig, beside: Vec::new(), _lease: lease })
    }

    /// Takes away what an earlier test left.
    pub(crate) async fn clear(client: &Client) {
        leftovers::clear(client).await;
    }

    /// Lets krono's controllers look after the definitions.
    pub(crate) fn control(&mut self) {
        self.run(&[&["controller"][..], &ANY_PORTS].concat());
    }

    /// Lets pods run that need no node.
    pub(crate) fn run_workloads(&mut self) {
        self.run(&["workloads"]);
    }

    fn run(&mut self, arguments: &[&str]) {
        let mut command = command(arguments);
        command.env("KUBECONFIG", &self.kubeconfig).stdout(Stdio::null()).stderr(Stdio::inherit());
        self.beside.push(command.spawn().unwrap());
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        for process in &mut self.beside {
            drop(process.kill());
            drop(process.wait());
        }
    }
}
