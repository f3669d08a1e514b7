//! Workloads simulated on the embedded server, in process.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod deployments;
mod harness;
mod pods;
mod quiet;
mod sets;
mod surroundings;
mod work;
