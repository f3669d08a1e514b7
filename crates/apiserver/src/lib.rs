//! An embedded Kubernetes API server over a store.

pub mod kind;
pub mod protobuf;
pub mod rbac;
