//! Tables of defaults and rules.
