//! Numbers of replicas.

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

/// A number as a status holds it: zero is left out.
pub(crate) fn count(number: usize) -> Option<i32> {
    nonzero(i32::try_from(number).unwrap_or(i32::MAX))
}

/// A number as a status holds it: zero is left out.
pub(crate) fn nonzero(number: i32) -> Option<i32> {
    (number != 0).then_some(number)
}

/// A number or a percentage of a total; what is neither is zero.
pub(crate) fn scaled(value: Option<&IntOrString>, total: i32, round_up: bool) -> i32 {
    match value {
        None => 0,
        Some(IntOrString::Int(number)) => *number,
        Some(IntOrString::String(text)) => {
            let percent = text.strip_suffix('%').and_then(|it| it.parse::<i64>().ok()).unwrap_or_default();
            let hundredfold = percent.saturating_mul(i64::from(total));
            let rounded = if round_up { hundredfold.saturating_add(99) / 100 } else { hundredfold / 100 };
            i32::try_from(rounded).unwrap_or(i32::MAX)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages() {
        let check = |text: &str, total, up, expect| {
            assert_eq!(
                scaled(Some(&IntOrString::String(text.to_owned())), total, up),
                expect,
                "{text} of {total}"
            );
        };
        check("25%", 4, true, 1);
        check("25%", 3, true, 1);
        check("25%", 3, false, 0);
        check("100%", 7, false, 7);
        check("nonsense", 7, false, 0);
        assert_eq!(scaled(Some(&IntOrString::Int(2)), 100, true), 2);
        assert_eq!(scaled(None, 100, true), 0);
    }
}
