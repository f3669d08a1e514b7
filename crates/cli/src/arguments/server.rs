//! `krono up`, `down`, `status`, `backup` and `restore`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::definition::CollectionLimits;

const UP_EXAMPLES: &str = "\
Examples:
  krono up
  krono up --detach && export KUBECONFIG=~/.local/share/krono/kubeconfig && kubectl get namespaces
  krono up --in-memory --data-dir demo --listen 127.0.0.1:0
  krono up --token-file tokens.csv";

const DOWN_EXAMPLES: &str = "\
Examples:
  krono down
  krono down --data-dir demo";

const STATUS_EXAMPLES: &str = "\
Examples:
  krono status
  krono status || krono up --detach";

const BACKUP_EXAMPLES: &str = "\
Examples:
  krono backup monday.krono
  krono backup \"$(date +%F).krono\" --data-dir /srv/krono";

const RESTORE_EXAMPLES: &str = "\
Examples:
  krono restore monday.krono --data-dir restored && krono up --data-dir restored";

/// Run the embedded Kubernetes API server
///
/// Makes a certificate authority, certificates and a kubeconfig at the first start, and prints how to use kubectl with them. Runs
/// until Ctrl-C or SIGTERM; requests under way are finished, a second signal ends them.
#[derive(Clone, Debug, Args)]
#[command(after_help = UP_EXAMPLES)]
pub(crate) struct UpArguments {
    #[command(flatten)]
    pub(crate) directory: DirectoryArguments,
    /// Where to answer requests; port 0 takes a free one
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "KRONO_LISTEN",
        hide_env = true,
        default_value = "127.0.0.1:6443"
    )]
    pub(crate) listen: SocketAddr,
    /// Where to write the administrator's kubeconfig [default: `kubeconfig` in the data directory]
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// Keep objects in memory: they are gone when the server ends
    #[arg(long)]
    pub(crate) in_memory: bool,
    /// Users with bearer tokens, one per line: token,user,uid,"group1,group2"
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// What becomes of workloads such as Deployments
    #[arg(long, value_enum, default_value_t = Workloads::Simulate)]
    pub(crate) workloads: Workloads,
    /// What becomes of definitions
    #[arg(long, value_enum, default_value_t = ControllersWanted::Run)]
    pub(crate) controllers: ControllersWanted,
    #[command(flatten)]
    pub(crate) limits: CollectionLimits,
    /// How soon the kind of a new definition is served
    #[arg(long, value_enum, default_value_t = Establishing::AtOnce)]
    pub(crate) establishing: Establishing,
    /// Run in the background; `krono down` ends it
    #[arg(long)]
    pub(crate) detach: bool,
    /// This is the process in the background
    #[arg(long, hide = true, conflicts_with = "detach")]
    pub(crate) detached: bool,
}

/// What becomes of definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ControllersWanted {
    /// They become kinds, and their instances resources
    Run,
    /// Their kind is not even known
    None,
}

/// What becomes of workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Workloads {
    /// Pods are scheduled, start and become ready, though nothing really runs
    Simulate,
    /// They are stored, and nothing runs
    None,
}

/// How soon the kind of a new definition is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Establishing {
    /// As soon as the definition is there
    AtOnce,
    /// As by a real server: 404, then 429, then a first creation that takes two seconds
    Slowly,
}

/// Stop the server of a data directory
#[derive(Debug, Args)]
#[command(after_help = DOWN_EXAMPLES)]
pub(crate) struct DownArguments {
    #[command(flatten)]
    pub(crate) directory: DirectoryArguments,
}

/// Tell whether the server of a data directory runs, and where
///
/// Ends with exit code 0 when it runs and answers, otherwise with 1.
#[derive(Debug, Args)]
#[command(after_help = STATUS_EXAMPLES)]
pub(crate) struct StatusArguments {
    #[command(flatten)]
    pub(crate) directory: DirectoryArguments,
}

/// Write a copy of all objects to a file
///
/// Asks the server when it runs, and reads the data directory when it does not. All of the copy is of one moment, whatever is
/// written meanwhile. Certificates are no part of it.
#[derive(Debug, Args)]
#[command(after_help = BACKUP_EXAMPLES)]
pub(crate) struct BackupArguments {
    /// The file to write; it must not be there yet
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) directory: DirectoryArguments,
}

/// Make a data directory from a backup
#[derive(Debug, Args)]
#[command(after_help = RESTORE_EXAMPLES)]
pub(crate) struct RestoreArguments {
    /// What `krono backup` wrote
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) directory: DirectoryArguments,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct DirectoryArguments {
    /// Where the server keeps its objects and certificates [default: `krono` in `$XDG_DATA_HOME`, or in ~/.local/share]
    #[arg(long, value_name = "DIRECTORY", env = "KRONO_DATA_DIR", hide_env = true)]
    pub(crate) data_dir: Option<PathBuf>,
}
