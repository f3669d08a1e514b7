//! The same kubectl commands against krono and against the real control plane.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a comparison speaks to the person who runs it"
)]

mod accepted;
mod comparison;
mod mask;
mod player;
mod running;
mod servers;
mod story;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use anyhow::{Context, bail};
use clap::Parser;
use serde_json::json;

use crate::accepted::Accepted;
use crate::comparison::Comparison;
use crate::mask::Mask;
use crate::player::{Outcome, Player};
use crate::running::Running;
use crate::story::Story;

/// Where the figures are written, when somebody asks for them.
const JSON_PATH_VARIABLE: &str = "KRONO_CONFORMANCE_JSON";

#[derive(Parser)]
struct Arguments {
    /// Only stories whose names contain this
    #[arg(default_value = "")]
    story: String,
    /// The krono binary to compare [default: the one built beside this program]
    #[arg(long)]
    krono: Option<PathBuf>,
}

impl Arguments {
    fn krono(&self) -> anyhow::Result<PathBuf> {
        if let Some(krono) = &self.krono {
            return Ok(krono.clone());
        }
        let beside =
            std::env::current_exe().context("cannot tell where this program is")?.with_file_name("krono");
        if !beside.is_file() {
            bail!("{} is not there; run `cargo build -p krono-cli` first", beside.display());
        }
        Ok(beside)
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let stories = Story::read_all(&folder.join("stories"), &arguments.story)?;
    let accepted = accepted::read(&folder.join("accepted.txt"))?;
    let mask = Mask::new()?;
    let servers = Running::start(&arguments.krono()?)?;
    let [real, ours] = servers.players(&mask);
    let played = play_on_both(&stories, &real, &ours)?;
    drop(servers);
    let mut comparison = Comparison::default();
    for (story, (real, ours)) in stories.iter().zip(&played) {
        comparison.add(story, real, ours, &accepted);
    }
    report(&comparison, &stories, &accepted)
}

type Outcomes = (Vec<Outcome>, Vec<Outcome>);

/// The servers play side by side, each one story after the other.
fn play_on_both(stories: &[Story], real: &Player<'_>, ours: &Player<'_>) -> anyhow::Result<Vec<Outcomes>> {
    let play = |player: &Player<'_>| {
        stories.iter().map(|story| player.play(story)).collect::<anyhow::Result<Vec<_>>>()
    };
    let (real, ours) = thread::scope(|scope| {
        let real = scope.spawn(|| play(real));
        let ours = play(ours);
        (real.join(), ours)
    });
    let Ok(real) = real else { bail!("the player of the real server broke down") };
    Ok(real?.into_iter().zip(ours?).collect())
}

fn report(comparison: &Comparison, stories: &[Story], accepted: &[Accepted]) -> anyhow::Result<bool> {
    for difference in &comparison.differences {
        println!("{difference}");
    }
    let stale = comparison.stale(stories, accepted);
    for it in &stale {
        println!("accepted.txt: no longer differs, remove it: {} | {}", it.story, it.command);
    }
    let passed = comparison.equal + comparison.accepted;
    let pass = comparison.differences.is_empty() && stale.is_empty();
    println!(
        "conformance-kubectl: {passed}/{} ({} differences accepted)",
        comparison.commands, comparison.accepted
    );
    if let Some(path) = std::env::var_os(JSON_PATH_VARIABLE) {
        let figures = json!({
            "pass": pass, "commands": comparison.commands, "equal": comparison.equal, "accepted": comparison.accepted,
            "different": comparison.differences.len(), "stories": stories.len(),
        });
        fs::write(&path, figures.to_string()).context("cannot write the figures")?;
    }
    Ok(pass)
}
