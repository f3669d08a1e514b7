//! Repository chores: checks, deep runs, benchmarks.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a chore speaks to the person who runs it")]

mod bench;
mod bench_apiserver;
mod bench_cel_go;
mod bench_controllers;
mod cel_golden;
mod cli_reference;
mod command;
mod conformance;
mod crds;
mod deep;
mod definition_golden;
mod dist;
mod e2e;
mod generated;
mod go;
mod kube;
mod patch_golden;
mod proto_table;
mod purity;
mod results;
mod schema_golden;
mod tidy;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "xtask", about = "Repository chores", disable_version_flag = true)]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

/// One variant per chore; each is carried out by the module of the same name.
#[derive(Subcommand)]
enum Chore {
    /// Fail when a pure crate reaches the network, a store, a clock or randomness
    CheckPure,
    /// Fail when the sources break a house rule
    Tidy,
    /// Run the generators and fail when a committed file changes
    Generated,
    /// Run suites at their full counts and write results/deep-SUITE.json
    Deep(deep::DeepArguments),
    /// Run the benchmarks and write results/bench-NAME.json
    Bench {
        /// Only this one; `apiserver`, `propagation`, `reconcile` and `revisions` are run only when they are named: they take many minutes, and some need Go
        name: Option<String>,
    },
    /// Compare with cel-go on the corpus expressions and write results/bench-cel-go.json
    BenchCelGo,
    /// Ask cel-go about wrong and right expressions and rewrite the golden file
    CelGolden,
    /// Write the custom resource definitions of krono into crds/
    Crds,
    /// Ask the libraries of the API server about custom resource definitions and rewrite the golden file
    DefinitionGolden,
    /// Build the program that ships and write it to target/dist; needs valgrind
    Dist,
    /// Play kro's own manifests and the rules of revisions on krono's controllers, and let krono and kro take over from each other
    E2e {
        #[command(subcommand)]
        part: Option<e2e::E2eArguments>,
    },
    /// Ask the libraries of the API server about patches and managed fields and rewrite the golden files
    PatchGolden,
    /// Build or run the real Kubernetes control plane on loopback
    #[command(subcommand)]
    Kube(kube::KubeArguments),
    /// Compare krono's API server with the real one
    #[command(subcommand)]
    Conformance(conformance::ConformanceArguments),
    /// Write the table of the protobuf fields of the Kubernetes API types anew
    ProtoTable,
    /// Ask the libraries of the API server about schemas and values and rewrite the golden files
    SchemaGolden,
}

fn main() -> ExitCode {
    match run(Arguments::parse().chore) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(chore: Chore) -> anyhow::Result<()> {
    let root = workspace::root()?;
    match chore {
        Chore::CheckPure => purity::run(&root),
        Chore::Tidy => tidy::run(&root),
        Chore::Generated => generated::run(&root),
        Chore::Deep(wanted) => deep::run(&root, &wanted),
        Chore::Bench { name } if name.as_deref() == Some("apiserver") => bench_apiserver::run(&root),
        Chore::Bench { name } if name.as_deref() == Some("propagation") => bench::propagation(&root),
        Chore::Bench { name } if name.as_deref() == Some("reconcile") => bench_controllers::reconcile(&root),
        Chore::Bench { name } if name.as_deref() == Some("revisions") => bench_controllers::revisions(&root),
        Chore::Bench { name } => bench::run(&root, name.as_deref()),
        Chore::BenchCelGo => bench_cel_go::run(&root),
        Chore::CelGolden => cel_golden::run(&root),
        Chore::Crds => crds::run(&root),
        Chore::DefinitionGolden => definition_golden::run(&root),
        Chore::Dist => dist::run(&root),
        Chore::E2e { part } => e2e::run(&root, part.as_ref()),
        Chore::PatchGolden => patch_golden::run(&root),
        Chore::Kube(wanted) => kube::run(&root, &wanted),
        Chore::Conformance(wanted) => conformance::run(&root, &wanted),
        Chore::ProtoTable => proto_table::run(&root),
        Chore::SchemaGolden => schema_golden::run(&root),
    }
}
