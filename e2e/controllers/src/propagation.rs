//! How a change travels: a bad one stops, and a good one arrives whatever happens on its way.

mod fleet;
mod leaders;
mod rough;
mod tally;
mod tracker;
mod wire;

use std::path::Path;

use clap::ValueEnum as _;

use crate::programs;
use crate::report::{Case, Report};
use crate::rules;
use crate::world::Server;

pub(crate) use rough::Size;

/// The tests of the controllers that a bad image is played by.
const BAD_IMAGE: &str = "bad_image::";

/// What is played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'w> {
    pub(crate) server: Option<Server>,
    /// Only parts whose names contain this.
    pub(crate) only: &'w str,
    pub(crate) size: Size,
}

/// Plays everything that is wanted, on one server after the other.
pub(crate) async fn run(krono: &Path, wanted: Wanted<'_>) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let servers = Server::value_variants().iter().filter(|it| wanted.server.is_none_or(|only| only == **it));
    for server in servers {
        if *server == Server::Real && !programs::go_is_present("the real kube-apiserver")? {
            continue;
        }
        if "bad image".contains(wanted.only) {
            report.append(rules::named(BAD_IMAGE, *server).await?);
        }
        if "rough".contains(wanted.only) {
            let mut case =
                Case::begin(&format!("{}/rough, {} instances", server.name(), wanted.size.instances));
            let played = rough::play(*server, krono, wanted.size, &mut case).await;
            report.add(&case, played);
        }
    }
    Ok(report)
}
