//! A bound on nesting, so that walking a value never exhausts the stack.

use serde_json::Value;

/// The deepest nesting of an object or a patch that is accepted.
///
/// Requests are parsed with a bound of 128; what is made of them may nest a little deeper.
pub const MAX_DEPTH: usize = 256;

/// A value is nested too deeply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nested more than {MAX_DEPTH} levels deep")]
pub struct TooDeep;

/// Refuses a value nested more than [`MAX_DEPTH`] levels deep.
pub(crate) fn check(value: &Value) -> Result<(), TooDeep> {
    check_below(value, 0)
}

/// Refuses a value that would be nested too deeply when put `above` levels below the root.
pub(crate) fn check_below(value: &Value, above: usize) -> Result<(), TooDeep> {
    let too_deep = above >= MAX_DEPTH;
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        Value::Array(_) | Value::Object(_) if too_deep => Err(TooDeep),
        Value::Array(items) => items.iter().try_for_each(|child| check_below(child, above + 1)),
        Value::Object(fields) => fields.values().try_for_each(|child| check_below(child, above + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_bounded() {
        let nested = |levels| (0..levels).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
        assert_eq!(check(&nested(MAX_DEPTH)), Ok(()));
        assert_eq!(check(&nested(MAX_DEPTH + 1)), Err(TooDeep));
        assert_eq!(check_below(&nested(2), MAX_DEPTH - 1), Err(TooDeep));
    }
}
