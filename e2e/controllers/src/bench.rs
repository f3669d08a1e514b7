//! krono's controllers beside kro's, on the same real server.

mod compile;
mod contest;
mod median;
pub(crate) mod propagation;
mod report;
mod requests;
pub(crate) mod revisions;
mod work;

use std::path::Path;
use std::time::Duration;

use krono_e2e_kube::Options;
use serde_json::{Value, json};

use crate::corpus::documents;
use crate::programs;
use crate::world::{Controller, World};

pub(crate) use work::{chain, fan, instance};

/// How often contestants take turns: a machine that is slower for a while is so for all of them.
const ROUNDS: usize = 3;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) instances: usize,
    pub(crate) quiet: Duration,
}

/// What kro can be told to work harder.
const GENEROUS: [&str; 8] = [
    "--dynamic-controller-concurrent-reconciles=64",
    "--resource-graph-definition-concurrent-reconciles=64",
    "--graph-revision-concurrent-reconciles=64",
    "--dynamic-controller-rate-limiter-rate-limit=1000",
    "--dynamic-controller-rate-limiter-burst-limit=1000",
    "--client-qps=1000",
    "--client-burst=1000",
    // Its log of every step is a burden of its own.
    "--zap-log-level=error",
];

/// All figures, compared; prints them.
pub(crate) async fn run(krono: &Path, size: Size, only: &str) -> anyhow::Result<Value> {
    let options = Options { controllers: Vec::new(), durable: true, admission_off: vec!["ServiceAccount"] };
    let mut world = World::real(&options, None).await?;
    for file in programs::kro_kinds()? {
        for kind in documents(&file)? {
            world.cluster.apply(&kind).await?;
        }
    }
    let compiled = json!({
        "krono": compile::krono()?,
        "kro": tokio::task::block_in_place(|| compile::kro(&world.cluster.kubeconfig))?,
    });
    let kro = programs::kro()?;
    let generous = GENEROUS.map(str::to_owned).to_vec();
    let contestants = [
        ("krono", Controller::Krono(krono.to_owned())),
        ("kro_generous", Controller::Kro(kro.clone(), generous)),
        ("kro_default", Controller::Kro(kro, Vec::new())),
    ];
    let contestants: Vec<_> =
        contestants.into_iter().filter(|(name, _)| only.is_empty() || *name == only).collect();
    let mut rounds = vec![json!({}); ROUNDS];
    for (number, round) in rounds.iter_mut().enumerate() {
        for (name, controller) in &contestants {
            let quiet = if number == 0 { size.quiet } else { Duration::ZERO };
            round[*name] = contest::measure(&mut world, name, controller, Size { quiet, ..size }).await?;
        }
    }
    let mut figures = json!({"compile_ns": compiled, "instances": size.instances, "rounds": rounds});
    for (name, _) in &contestants {
        figures[*name] = median::of(&figures["rounds"], name);
        println!("{name}: {:#}", figures[*name]);
    }
    Ok(report::compare(figures))
}
