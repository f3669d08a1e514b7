//! What is allowed at a place in a schema.

/// What the nodes around a node mean for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    /// Why there may be no default, if so.
    pub(super) no_default: Option<String>,
    /// Whether the node is about the type or metadata of an object.
    pub(super) in_metadata: bool,
    /// The outermost list whose elements have no identity, so that `oldSelf` means nothing inside.
    pub(super) uncorrelated: Option<String>,
    /// Whether rules are compiled here: not in branches, and not in schemas with other problems.
    pub(super) compile_rules: bool,
}
