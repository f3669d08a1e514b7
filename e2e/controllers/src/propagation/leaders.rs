//! Controllers of which one leads, and is killed.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use krono_e2e_kube::{Process, resident};
use serde_json::json;

use crate::cluster::{Cluster, PATIENCE};

const ASK_AGAIN_AFTER: Duration = Duration::from_millis(100);
/// Where the lease is, and what it is called.
const LEASE: [&str; 2] = ["default", "controller.kro.run"];

/// Processes that serve one cluster, one at a time.
pub(super) struct Leaders {
    processes: BTreeMap<String, Process>,
}

impl Leaders {
    /// So many processes; they keep their words in a folder.
    pub(super) fn start(
        krono: &Path,
        kubeconfig: &Path,
        folder: &Path,
        count: usize,
    ) -> anyhow::Result<Self> {
        let mut processes = BTreeMap::new();
        for number in 1..=count {
            let name = format!("controller-{number}");
            let words = [
                // A leader calls itself after its host.
                format!("HOSTNAME={name}"),
                krono.display().to_string(),
                "controller".to_owned(),
                format!("--kubeconfig={}", kubeconfig.display()),
                "--leader-elect".to_owned(),
                format!("--leader-election-namespace={}", LEASE[0]),
                "--metrics-bind-address=127.0.0.1:0".to_owned(),
                "--health-probe-bind-address=127.0.0.1:0".to_owned(),
            ];
            let process = Process::start(Path::new("env"), &words, &folder.join(format!("{name}.log")))?;
            processes.insert(name, process);
        }
        Ok(Self { processes })
    }

    /// Kills whoever leads now, in the middle of whatever it does.
    pub(super) async fn kill_leader(&mut self, cluster: &Cluster) -> anyhow::Result<()> {
        let name = self.leader(cluster).await?;
        println!("      {name} leads, and is killed");
        drop(self.processes.remove(&name));
        Ok(())
    }

    /// Waits until one of those that are left leads; its name.
    async fn leader(&self, cluster: &Cluster) -> anyhow::Result<String> {
        let [namespace, name] = LEASE;
        let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": {"name": name, "namespace": namespace}});
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            let found = cluster.get(&lease).await?.unwrap_or_default();
            let holder = found["spec"]["holderIdentity"].as_str().unwrap_or_default();
            let leader = holder.split_once('_').map_or(holder, |(host, _)| host);
            if self.processes.contains_key(leader) {
                return Ok(leader.to_owned());
            }
            tokio::time::sleep(ASK_AGAIN_AFTER).await;
        }
        bail!("nobody leads: {}", self.last_words())
    }

    /// Megabytes that the one who leads has in memory.
    pub(super) async fn resident(&self, cluster: &Cluster) -> anyhow::Result<u64> {
        let name = self.leader(cluster).await?;
        let process = self.processes.get(&name).context("the leader has ended")?;
        Ok(resident(&[process.id()])? / 1_000_000)
    }

    /// What they wrote last.
    fn last_words(&self) -> String {
        let words = self.processes.iter().map(|(name, it)| format!("{name}:\n{}", it.last_words()));
        words.collect::<Vec<_>>().join("\n")
    }
}
