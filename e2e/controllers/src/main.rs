//! kro's own manifests on krono's controllers, takeovers between the two, and how fast each is.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a chore speaks to the person who runs it")]

mod bench;
mod chainsaw;
mod cluster;
mod corpus;
mod play;
mod programs;
mod snapshot;
mod takeover;
mod world;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Parser, Subcommand, ValueEnum as _};
use serde_json::{Value, json};

use crate::bench::Size;
use crate::play::Report;
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
    let mut report = Report::default();
    match arguments.chore {
        Chore::Corpus { server, only } => {
            for it in Server::value_variants().iter().filter(|it| server.is_none_or(|only| only == **it)) {
                play::on(*it, &krono, &only, &mut report).await?;
            }
        }
        Chore::Bench { instances, quiet, only } => {
            let size = Size { instances, quiet: Duration::from_secs(quiet) };
            return write(BENCH_JSON_PATH_VARIABLE, &bench::run(&krono, size, &only).await?).map(|()| true);
        }
        Chore::Takeover => takeover::run(&krono, &mut report).await?,
    }
    conclude("e2e", &report)
}

/// Prints the outcome, and writes it where it is wanted.
fn conclude(name: &str, report: &Report) -> anyhow::Result<bool> {
    let pass = report.failures.is_empty();
    println!("{name}: {}/{}", report.played - report.failures.len(), report.played);
    let figures = json!({"pass": pass, "played": report.played, "failures": report.failures});
    write(JSON_PATH_VARIABLE, &figures)?;
    Ok(pass)
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
