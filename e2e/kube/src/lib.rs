//! The real Kubernetes control plane on loopback, built from Go modules, to compare with.
//!
//! [`Programs::build`] compiles etcd, kube-apiserver, kube-controller-manager and kubectl once per version into
//! a cache outside the checkout; [`ControlPlane::start`] runs them until it is dropped.

mod certificates;
mod control_plane;
mod credentials;
mod go_program;
mod process;
mod programs;
mod termination;
mod usage;

pub use control_plane::{ControlPlane, Options, StartError};
pub use credentials::{ADMIN, ADMIN_TOKEN};
pub use go_program::{BuildError, GoProgram};
pub use process::Process;
pub use programs::{Programs, VERSION};
pub use termination::terminated;
pub use usage::{children_time, processor_time, resident};
