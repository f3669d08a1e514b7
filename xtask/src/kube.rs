//! `xtask kube`: the real control plane, by hand.

use std::path::Path;

use clap::Subcommand;

use crate::command;

#[derive(Subcommand)]
pub(crate) enum KubeArguments {
    /// Build etcd, kube-apiserver, kube-controller-manager and kubectl into the cache and print where they are
    Build,
    /// Run them on loopback until Ctrl-C and print where the kubeconfig is
    Up {
        /// Leave kube-controller-manager out
        #[arg(long)]
        without_controllers: bool,
        /// Let etcd flush to disk
        #[arg(long)]
        durable: bool,
    },
}

/// A program of its own does it, so that chores which need no control plane build quickly.
pub(crate) fn run(root: &Path, wanted: &KubeArguments) -> anyhow::Result<()> {
    let mut cargo = command::cargo(root, &["run", "--quiet", "-p", "krono-e2e-kube", "--"]);
    match wanted {
        KubeArguments::Build => cargo.arg("build"),
        KubeArguments::Up { without_controllers, durable } => {
            let flags = [("--without-controllers", without_controllers), ("--durable", durable)];
            cargo.arg("up").args(flags.iter().filter(|(_, on)| **on).map(|(flag, _)| flag))
        }
    };
    command::run(&mut cargo)
}
