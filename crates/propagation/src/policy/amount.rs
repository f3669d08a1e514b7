//! A number of instances, or a share of them.

use serde_json::Value;

const TOO_MANY: &str = "is more than there can be";

/// A number of instances, or a share of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// So many.
    Count(usize),
    /// So many of a hundred.
    Percent(u8),
}

impl Amount {
    /// From a number, which may stand in quotes, or a text such as `20%`.
    pub(super) fn read(value: &Value) -> Result<Self, &'static str> {
        if let Some(count) = value.as_u64() {
            return usize::try_from(count).map(Self::Count).map_err(|_| TOO_MANY);
        }
        let text = value.as_str().unwrap_or_default();
        let (digits, is_share) = text.strip_suffix('%').map_or((text, false), |it| (it, true));
        if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
            return Err("is neither a number nor a share");
        }
        if !is_share {
            return digits.parse().map(Self::Count).map_err(|_| TOO_MANY);
        }
        let percent = digits.parse().ok().filter(|it| *it <= 100);
        percent.map(Self::Percent).ok_or("is more than all")
    }

    /// How many that is of a fleet, rounded down.
    pub fn of(self, fleet: usize) -> usize {
        match self {
            Self::Count(count) => count,
            Self::Percent(percent) => {
                let (hundreds, rest) = (fleet / 100, fleet % 100);
                hundreds * usize::from(percent) + rest * usize::from(percent) / 100
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn amounts_are_read_and_rounded_down() {
        let check = |value: Value, expected: Result<usize, &str>| {
            assert_eq!(Amount::read(&value).map(|it| it.of(250)), expected, "{value}");
        };
        check(json!(0), Ok(0));
        check(json!(7), Ok(7));
        check(json!("5"), Ok(5));
        check(json!("99999999999999999999"), Err("is more than there can be"));
        check(json!("20%"), Ok(50));
        check(json!("1%"), Ok(2));
        check(json!("100%"), Ok(250));
        check(json!("101%"), Err("is more than all"));
        check(json!("999%"), Err("is more than all"));
        for wrong in [json!(""), json!("%"), json!("-1%"), json!("+5%"), json!(-1), json!(1.5), json!(true)] {
            check(wrong, Err("is neither a number nor a share"));
        }
        assert_eq!(Amount::Percent(100).of(usize::MAX), usize::MAX);
    }
}
