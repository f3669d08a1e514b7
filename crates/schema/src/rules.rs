//! `x-kubernetes-validations`: rules in CEL.

mod check;
mod environment;
mod field_path;
mod node;
mod rewrite;

pub(crate) use check::{Change, check};
pub(crate) use field_path::{normalize, resolve};
pub(crate) use node::{CompiledRule, RuleNode, Rules, compile_rules};
