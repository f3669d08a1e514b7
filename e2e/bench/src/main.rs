//! Measures krono's API server beside the real one, with one lean client.
#![allow(clippy::print_stdout, reason = "a chore speaks to the person who runs it")]

mod client;
mod load;
mod operations;
mod report;
mod servers;

use std::path::PathBuf;

use anyhow::Context;
use clap::Parser;
use serde_json::Value;

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
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let krono = measured(|| Side::krono(&arguments.krono)).await?;
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
