//! The real Kubernetes control plane on loopback, built from Go modules, to compare with.
//!
//! [`Programs::build`] compiles etcd, kube-apiserver, kube-controller-manager and kubectl once per version into
//! a cache outside the checkout; [`ControlPlane::start`] runs them until it is dropped.

mod certificates;
mod control_plane;
mod credentials;
mod process;
mod programs;
mod termination;

pub use control_plane::{ControlPlane, Options, StartError};
pub use credentials::{ADMIN, ADMIN_TOKEN};
pub use programs::{BuildError, Programs, VERSION};
pub use termination::terminated;
