//! `krono handback`.

use clap::Args;

use super::cluster::ClusterArguments;

const EXAMPLES: &str = "\
Examples:
  krono handback --dry-run
  krono handback --yes
  krono handback --yes --controllers-stopped
  krono handback --yes --delete-revisions";

/// Take off a cluster what kro would not understand, so that kro can look after it again
///
/// Labels and annotations of krono come off definitions, CRDs, instances and resources, its finalizer comes off revisions, and
/// the schema of a CRD becomes what kro would make of the definition. No resource changes otherwise. The controllers of krono
/// have to be stopped before. A lease tells whether they are; where they run without `--leader-elect`, as those of `krono up` do,
/// there is none, and it has to be said.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that somebody may type")]
pub(crate) struct HandbackArguments {
    /// Only show what would come off
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do it
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,
    /// Say that no controllers of krono run, where no lease tells
    #[arg(long)]
    pub(crate) controllers_stopped: bool,
    /// Delete the revisions of definitions and instances too; without it they stay, and krono finds them again
    #[arg(long)]
    pub(crate) delete_revisions: bool,
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
}
