//! kro's own manifests on krono's controllers, takeovers between the two, the rules of revisions on the real server, and
//! how fast controllers are.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a chore speaks to the person who runs it")]

mod bench;
mod chainsaw;
mod cluster;
mod corpus;
mod layout;
mod play;
mod programs;
mod propagation;
mod report;
mod rules;
mod snapshot;
mod takeover;
mod world;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Parser, Subcommand, ValueEnum as _};
use serde_json::Value;

use crate::bench::Size;
use crate::propagation::Wanted;
use crate::report::Report;
use crate::world::Server;

/// Where the figures are written, when somebody asks for them.
const JSON_PATH_VARIABLE: &str = "KRONO_E2E_JSON";
const BENCH_JSON_PATH_VARIABLE: &str = "KRONO_BENCH_JSON";

#[derive(Parser)]
struct Arguments {
    /// The krono binary to try [default: the one built beside this program]
    #[arg(long, global = true)]
    krono: Option<PathBuf>,
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Play kro's manifests on both servers
    Corpus {
        /// Only on this server
        #[arg(long)]
        server: Option<Server>,
        /// Only this part: examples, upgrade or chainsaw
        #[arg(default_value = "")]
        only: String,
    },
    /// Let krono take over from kro on the real server, and kro from krono
    Takeover,
    /// Play the tests of the controllers and of the commands that are named after rules on the real server
    Revisions {
        /// Only tests whose names contain this
        #[arg(default_value = "")]
        only: String,
    },
    /// Let changes travel: bad ones on both servers, and a good one through everything that can go wrong
    Propagation {
        /// Only on this server
        #[arg(long)]
        server: Option<Server>,
        /// How many instances the rough one has
        #[arg(long, default_value_t = 1000)]
        instances: usize,
        /// Only this part: `bad image` or `rough`
        #[arg(default_value = "")]
        only: String,
    },
    /// Write down which functions krono's controllers run
    Layout {
        /// The file for their symbols
        symbols: PathBuf,
    },
    /// Measure krono's controllers beside kro's
    Bench {
        /// How many instances are created at once
        #[arg(long, default_value_t = 500)]
        instances: usize,
        /// How long nothing is to happen, in seconds
        #[arg(long, default_value_t = 180)]
        quiet: u64,
        /// Only this contestant, for a quick look: `krono`, `kro_generous` or `kro_default`
        #[arg(long, default_value = "")]
        only: String,
    },
    /// Measure a change over many instances, on the embedded server
    BenchPropagation {
        /// How many
        #[arg(long, default_value_t = 10_000)]
        instances: usize,
    },
    /// Measure what many revisions and many instances cost, on the embedded server
    BenchRevisions {
        /// Only so many instances, for a quick look
        #[arg(long)]
        only: Option<usize>,
    },
}

#[tokio::main]
async fn main() -> ExitCode {
    let outcome = tokio::select! {
        outcome = run(Arguments::parse()) => outcome,
        ended = krono_e2e_kube::terminated() => ended.map(|()| false).map_err(Into::into),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> anyhow::Result<bool> {
    let krono = krono(arguments.krono)?;
    match arguments.chore {
        Chore::Corpus { server, only } => conclude(&corpus(server, &krono, &only).await?),
        Chore::Bench { instances, quiet, only } => {
            let size = Size { instances, quiet: Duration::from_secs(quiet) };
            write(BENCH_JSON_PATH_VARIABLE, &bench::run(&krono, size, &only).await?).map(|()| true)
        }
        Chore::Layout { symbols } => layout::run(&krono, &symbols).await.map(|()| true),
        Chore::BenchRevisions { only } => {
            let figures = bench::revisions::run(&krono, only).await?;
            write(BENCH_JSON_PATH_VARIABLE, &figures).map(|()| true)
        }
        Chore::BenchPropagation { instances } => {
            let figures = bench::propagation::run(&krono, instances).await?;
            write(BENCH_JSON_PATH_VARIABLE, &figures).map(|()| true)
        }
        Chore::Takeover => conclude(&takeover::run(&krono).await?),
        Chore::Propagation { server, instances, only } => {
            let wanted = Wanted { server, only: &only, size: propagation::Size { instances } };
            conclude(&propagation::run(&krono, wanted).await?)
        }
        Chore::Revisions { only } => conclude(&rules::run(&only).await?),
    }
}

/// Servers do not disturb each other: most of the time all of them wait.
async fn corpus(server: Option<Server>, krono: &Path, only: &str) -> anyhow::Result<Report> {
    // What is built while others wait for something keeps them waiting.
    if "chainsaw".contains(only) && corpus::folder()?.is_some() && programs::go_is_present("chainsaw")? {
        programs::chainsaw()?;
    }
    let wanted = Server::value_variants().iter().filter(|it| server.is_none_or(|only| only == **it));
    let played: Vec<_> = wanted
        .map(|it| {
            let (server, krono, only) = (*it, krono.to_owned(), only.to_owned());
            tokio::spawn(async move { play::on(server, &krono, &only).await })
        })
        .collect();
    let mut report = Report::default();
    for played in played {
        report.append(played.await??);
    }
    Ok(report)
}

/// Writes the outcome where it is wanted.
fn conclude(report: &Report) -> anyhow::Result<bool> {
    write(JSON_PATH_VARIABLE, &report.figures())?;
    Ok(report.pass())
}

/// Writes figures where a variable says.
fn write(variable: &str, figures: &Value) -> anyhow::Result<()> {
    let Some(path) = std::env::var_os(variable) else { return Ok(()) };
    std::fs::write(&path, format!("{figures:#}\n")).context("cannot write the figures")
}

fn krono(named: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let beside = || std::env::current_exe().map(|it| it.with_file_name("krono"));
    let krono = named.map_or_else(beside, Ok).context("cannot tell where this program is")?;
    if !krono.is_file() {
        bail!("{} is not there; run `cargo build -p krono-cli` first", krono.display());
    }
    Ok(krono)
}
