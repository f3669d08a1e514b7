//! Servers that end with the comparison, also when somebody terminates it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};

use crate::mask::Mask;
use crate::player::Player;
use crate::servers::Servers;

/// What a shell reports of a program that was terminated.
const TERMINATED: i32 = 143;

/// Both servers, until dropped or until the process is told to end.
#[derive(Debug)]
pub(crate) struct Running {
    servers: Arc<Mutex<Option<Servers>>>,
    /// For each server: the folder of programs and the kubeconfig.
    places: [(PathBuf, PathBuf); 2],
}

impl Running {
    /// Starts both; whoever terminates meanwhile waits until they can be ended.
    pub(crate) fn start(krono: &Path) -> anyhow::Result<Self> {
        let servers = Arc::new(Mutex::new(None));
        let mut started = servers.lock().unwrap_or_else(PoisonError::into_inner);
        end_when_terminated(Arc::clone(&servers))?;
        let both = Servers::start(krono)?;
        let places = [both.real(), both.krono()].map(|kubeconfig| (both.programs(), kubeconfig));
        *started = Some(both);
        drop(started);
        Ok(Self { servers, places })
    }

    /// Who types commands at the real server, and who at krono.
    pub(crate) fn players<'m>(&self, mask: &'m Mask) -> [Player<'m>; 2] {
        self.places.clone().map(|(programs, kubeconfig)| Player { programs, kubeconfig, mask })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        end(&self.servers);
    }
}

fn end(servers: &Mutex<Option<Servers>>) {
    drop(servers.lock().unwrap_or_else(PoisonError::into_inner).take());
}

fn end_when_terminated(servers: Arc<Mutex<Option<Servers>>>) -> anyhow::Result<()> {
    let runtime: Runtime =
        Builder::new_current_thread().enable_all().build().context("cannot wait for signals")?;
    thread::spawn(move || {
        if runtime.block_on(krono_e2e_kube::terminated()).is_ok() {
            end(&servers);
            std::process::exit(TERMINATED);
        }
    });
    Ok(())
}
