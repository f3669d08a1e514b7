//! Builds or runs the real control plane by hand.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool speaks to the person who runs it")]

use anyhow::Context;
use clap::Parser;
use krono_e2e_kube::{ControlPlane, Options, Programs, VERSION, terminated};

/// The real Kubernetes control plane on loopback
#[derive(Parser)]
enum Arguments {
    /// Build etcd, kube-apiserver, kube-controller-manager and kubectl into the cache
    Build,
    /// Run a control plane until Ctrl-C and say where its kubeconfig is
    Up {
        /// Leave kube-controller-manager out
        #[arg(long)]
        without_controllers: bool,
        /// Let etcd flush to disk
        #[arg(long)]
        durable: bool,
    },
}

fn main() -> anyhow::Result<()> {
    let programs = Programs::build()?;
    match Arguments::parse() {
        Arguments::Build => println!("{}", programs.folder().display()),
        Arguments::Up { without_controllers, durable } => {
            up(&programs, &options(without_controllers, durable))?;
        }
    }
    Ok(())
}

/// Without controllers no namespace gets a `ServiceAccount`, and Pods would be refused for want of one.
fn options(without_controllers: bool, durable: bool) -> Options {
    let (controllers, admission_off) =
        if without_controllers { (Vec::new(), vec!["ServiceAccount"]) } else { (vec!["*"], Vec::new()) };
    Options { controllers, durable, admission_off }
}

fn up(programs: &Programs, options: &Options) -> anyhow::Result<()> {
    let plane = ControlPlane::start(programs, options)?;
    println!("Kubernetes {VERSION} at {}", plane.url());
    for (name, id) in plane.process_ids() {
        println!("  {name}: process {id}");
    }
    println!("export KUBECONFIG={}", plane.kubeconfig().display());
    println!("export PATH={}:$PATH", programs.folder().display());
    println!("Ctrl-C ends it");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(terminated()).context("cannot wait for Ctrl-C")
}
