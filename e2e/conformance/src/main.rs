//! Runs the comparisons; figures go to the file that `KRONO_CONFORMANCE_JSON` names.

use std::process::ExitCode;

use clap::Parser;
use krono_e2e_conformance::{apply, http};
use serde_json::{Map, Value};

const JSON_PATH_VARIABLE: &str = "KRONO_CONFORMANCE_JSON";

/// Compare krono's API server with the real one
#[derive(Parser)]
enum Arguments {
    /// Replay the stories of e2e/conformance/http on both servers
    Http {
        /// Only stories whose names contain this
        story: Option<String>,
    },
    /// Play random sequences of server-side apply on both servers
    Apply,
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let figures = tokio::select! {
        figures = compare(Arguments::parse()) => figures?,
        // Dropping the comparison ends the servers that it has started.
        ended = krono_e2e_kube::terminated() => return ended.map(|()| ExitCode::FAILURE).map_err(Into::into),
    };
    let pass = figures.get("pass") == Some(&Value::Bool(true));
    if let Some(path) = std::env::var_os(JSON_PATH_VARIABLE) {
        std::fs::write(path, Value::Object(figures).to_string())?;
    }
    Ok(if pass { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn compare(arguments: Arguments) -> anyhow::Result<Map<String, Value>> {
    match arguments {
        Arguments::Http { story } => http::run(story.as_deref()).await,
        Arguments::Apply => apply::run().await,
    }
}
