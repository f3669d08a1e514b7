//! Measures krono's API server beside the real one, with one lean client.
#![allow(clippy::print_stdout, reason = "a chore speaks to the person who runs it")]

mod client;
mod idle;
mod load;
mod operations;
mod report;
mod servers;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use clap::Parser;
use krono_apiserver::Server;
use serde_json::Value;

use crate::load::milliseconds;
use crate::servers::Side;

/// Where the figures are wanted.
const JSON_PATH_VARIABLE: &str = "KRONO_BENCH_JSON";

#[derive(Parser)]
struct Arguments {
    /// The krono binary to measure
    #[arg(long)]
    krono: PathBuf,
    /// Only krono, for a quick look
    #[arg(long)]
    only_krono: bool,
    /// Only so many watches of krono that idle, each over an HTTP/1.1 connection of its own
    #[arg(long, value_name = "COUNT")]
    idle_watches: Option<usize>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if let Some(count) = arguments.idle_watches {
        let side = tokio::task::block_in_place(|| Side::krono(&arguments.krono))?;
        return idle::measure(&side, count).await;
    }
    // First, before anything is warm.
    let in_memory = in_memory_client().await?;
    let mut krono = measured(|| Side::krono(&arguments.krono)).await?;
    krono["in_memory_client_ms"] = in_memory.into();
    if arguments.only_krono {
        println!("{krono:#}");
        return Ok(());
    }
    let real = measured(Side::real).await?;
    let figures = report::compare(&krono, &real);
    if let Some(path) = std::env::var_os(JSON_PATH_VARIABLE) {
        std::fs::write(&path, format!("{figures:#}\n")).context("cannot write the figures")?;
    }
    Ok(())
}

/// Starts a server, measures it and stops it.
async fn measured(start: impl FnOnce() -> anyhow::Result<Side>) -> anyhow::Result<Value> {
    let side = tokio::task::block_in_place(start)?;
    println!("{}: ready after {:.0} ms", side.name, side.start.as_secs_f64() * 1000.0);
    operations::measure(&side).await.with_context(|| format!("measuring {} failed", side.name))
}

/// How long a test waits for a client of a server in its own process, in milliseconds.
async fn in_memory_client() -> anyhow::Result<f64> {
    let begin = Instant::now();
    let client = Server::in_memory().await?.client();
    let time = begin.elapsed();
    drop(client);
    let time = milliseconds(&[time], 0.5);
    println!("in memory: a client after {time} ms");
    Ok(time)
}
