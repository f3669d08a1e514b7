//! `krono simulate`.

mod label;
mod share;
mod span;

use clap::{ArgGroup, Args, ValueEnum, value_parser};
use jiff::Timestamp;

pub(crate) use self::label::LabelShare;
use self::share::Share;
use self::span::{Seconds, SecondsRange};
use super::cluster::ClusterArguments;
use crate::document::Source;

const EXAMPLES: &str = "\
Examples:
  krono simulate -f webapp.yaml --instances 1000 --failure-rate 2%
  krono simulate --instances 1000000 --propagate-when 'exponentiallyUpdated(instances, each)'
  krono simulate -f webapp.yaml --instances 500 --label ring=canary:2% --ready-after 30s..5m
  krono simulate rgd/web-app --failure-rate 100%            # the instances of a cluster
  krono simulate rgd/web-app -f webapp.yaml --max-in-flight 10%
  krono simulate -f webapp.yaml --instances 1000 -o svg > course.svg";

/// Play a propagation before it happens: its waves, its time, and how many instances a bad revision reaches
///
/// Decisions are made by the rules of the controller, on instances that are made up (`--instances`) or on those of a
/// definition in a cluster (TYPE/NAME), of which nothing is changed. What happens to instances is drawn by chance: the same
/// seed plays the same course. Stages count as approved of, and the way back after a rollback is not played.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("fleet").args(["object", "instances"]).required(true))]
pub(crate) struct SimulateArguments {
    /// A definition in the cluster whose instances are to be played, with their pins and policies: rgd/NAME
    #[arg(value_name = "TYPE/NAME", num_args = 0..=2)]
    pub(crate) object: Vec<String>,
    /// How many instances to make up, a million at most
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    #[arg(value_parser = value_parser!(u32).range(1..=1_000_000))]
    pub(crate) instances: Option<u32>,
    /// The definition whose `propagateWhen` and `propagation` are to be played; `-` reads stdin [default: the cluster's]
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    pub(crate) file: Option<Source>,
    /// When the new revision is issued, which matters for windows [default: Monday, 2024-01-01T00:00:00Z; now for a cluster]
    #[arg(long, value_name = "TIME", value_parser = instant)]
    pub(crate) start: Option<Timestamp>,
    /// How much time passes between two decisions at least [default: 5s; more for fleets of more than 100000]
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub(crate) decide_every: Option<Seconds>,
    /// How to show the course
    #[arg(short, long, value_enum, default_value_t = CourseFormat::Table)]
    pub(crate) output: CourseFormat,
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
    #[command(flatten)]
    pub(crate) policy: PolicyArguments,
    #[command(flatten)]
    pub(crate) luck: LuckArguments,
}

/// What takes the place of what the definition says.
#[derive(Debug, Args)]
#[command(next_help_heading = "In place of what the definition says")]
pub(crate) struct PolicyArguments {
    /// An expression that lets instances through, in place of all of `propagateWhen`; may be repeated
    #[arg(long, value_name = "EXPRESSION")]
    pub(crate) propagate_when: Vec<String>,
    /// How many may be on their way at once: 10, or 5%
    #[arg(long, value_name = "COUNT|SHARE", allow_hyphen_values = true)]
    pub(crate) max_in_flight: Option<String>,
    /// How many may fail: 10, or 5%
    #[arg(long, value_name = "COUNT|SHARE", allow_hyphen_values = true)]
    pub(crate) max_failures: Option<String>,
    /// How long an instance must stay ready before it counts: 60s
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub(crate) soak: Option<Seconds>,
    /// How long an instance may take: 10m
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub(crate) deadline: Option<Seconds>,
    /// What happens when more fail than may: Halt, Rollback or Continue
    #[arg(long, value_name = "WORD")]
    pub(crate) on_failure: Option<String>,
}

/// What happens to instances by chance.
#[derive(Debug, Args)]
#[command(next_help_heading = "What happens to instances")]
pub(crate) struct LuckArguments {
    /// How many fail at the new revision: 2%, or 0.02
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true, default_value = "0%")]
    pub(crate) failure_rate: Share,
    /// How long an instance takes to be ready, or to fail: 30s, or 20s..2m for any time between
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, default_value = "20s..60s")]
    pub(crate) ready_after: SecondsRange,
    /// How many made-up instances are not ready even before
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true, default_value = "0%")]
    pub(crate) broken: Share,
    /// How many made-up instances are pinned
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true, default_value = "0%")]
    pub(crate) pinned: Share,
    /// A label of made-up instances, and how many have it; may be repeated: ring=canary:2%
    #[arg(long = "label", value_name = "KEY=VALUE:SHARE")]
    pub(crate) labels: Vec<LabelShare>,
    /// What chance follows
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// How a course is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CourseFormat {
    /// The waves, and how it ended
    Table,
    /// One JSON object with every wave and every decision
    Json,
    /// A picture
    Svg,
}

fn instant(written: &str) -> Result<Timestamp, String> {
    written.parse().map_err(|_| "expected a time, such as 2026-01-09T15:30:00Z".to_owned())
}
