//! CEL, the Common Expression Language.
