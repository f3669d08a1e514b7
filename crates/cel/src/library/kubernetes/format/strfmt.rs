//! Formats of OpenAPI schemas, as Kubernetes checks them.

/// Whether the text is a UUID; its dashes may be missing.
pub(super) fn is_uuid(text: &str) -> bool {
    let mut rest = text;
    for (place, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if place > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        match rest.split_at_checked(length) {
            Some((digits, behind)) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => rest = behind,
            _ => return false,
        }
    }
    rest.is_empty()
}

/// Whether the text is base64 with padding; no text at all is not.
pub(super) fn is_base64(text: &str) -> bool {
    let padding = text.bytes().rev().take_while(|byte| *byte == b'=').count();
    let digits = &text[..text.len() - padding];
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
    !text.is_empty() && text.len().is_multiple_of(4) && padding <= 2 && digits.bytes().all(is_digit)
}

/// Whether the text is a date of the calendar, such as `2021-01-31`.
pub(super) fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let (year, month, day) = (number(parts.next(), 4), number(parts.next(), 2), number(parts.next(), 2));
    let (Some(year), Some(month), Some(day), None) = (year, month, day, parts.next()) else { return false };
    jiff::civil::Date::new(year, month, day).is_ok()
}

/// The number of exactly so many digits.
fn number<N: std::str::FromStr>(digits: Option<&str>, count: usize) -> Option<N> {
    let digits = digits.filter(|it| it.len() == count && it.bytes().all(|byte| byte.is_ascii_digit()))?;
    digits.parse().ok()
}

/// Whether the text is a date and a time with its offset, in either case.
pub(super) fn is_date_time(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let mut parts = lower.split('t');
    match (parts.next(), parts.next()) {
        (Some(date), Some(time)) => is_date(date) && is_time(time),
        _ => false,
    }
}

/// `hh:mm:ss[.digits](z|±hh:mm)`; any character may stand for the point, and the offset is not looked at closely.
fn is_time(text: &str) -> bool {
    let Some((clock, rest)) = text.split_at_checked(8) else { return false };
    let shaped = |text: &str, shape: &str| {
        let fits =
            |(byte, place): (u8, u8)| if place == b'0' { byte.is_ascii_digit() } else { byte == place };
        text.len() == shape.len() && text.bytes().zip(shape.bytes()).all(fits)
    };
    let in_range =
        shaped(clock, "00:00:00") && clock[..2] <= *"23" && clock[3..5] <= *"59" && clock[6..] <= *"59";
    let is_offset = |text: &str| text == "z" || shaped(text, "+00:00") || shaped(text, "-00:00");
    let behind_fraction = || {
        let fraction = rest.strip_prefix(|_| true)?;
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0).then(|| &fraction[digits..])
    };
    in_range && (is_offset(rest) || behind_fraction().is_some_and(is_offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_recognised() {
        let check = |is: fn(&str) -> bool, text: &str, expect: bool| assert_eq!(is(text), expect, "{text}");
        check(is_uuid, "123e4567-e89b-12d3-a456-426614174000", true);
        check(is_uuid, "123E4567e89b12d3a456426614174000", true);
        check(is_uuid, "123e4567-e89b-12d3-a456-42661417400", false);
        check(is_uuid, "123e4567--e89b-12d3-a456-426614174000", false);
        check(is_uuid, "123e4567-e89b-12d3-a456-4266141740000", false);
        check(is_uuid, "é23e4567-e89b-12d3-a456-42661417400", false);
        check(is_base64, "aGVsbG8=", true);
        check(is_base64, "YQ==", true);
        check(is_base64, "aGVsbG8", false);
        check(is_base64, "", false);
        check(is_base64, "====", false);
        check(is_base64, "YQ=a", false);
        check(is_date, "2021-01-01", true);
        check(is_date, "2020-02-30", false);
        check(is_date, "2020-1-01", false);
        check(is_date, "2020-01-01-", false);
        check(is_date, "+020-01-01", false);
        check(is_date_time, "2021-01-01T00:00:00Z", true);
        check(is_date_time, "2021-01-01t23:59:59.123+02:00", true);
        check(is_date_time, "2021-01-01T24:00:00Z", false);
        check(is_date_time, "2021-01-01T00:00:00", false);
        check(is_date_time, "2020-01-32T00:00:00Z", false);
        check(is_date_time, "2021-01-01T00:00:00.Z", false);
        check(is_date_time, "2021-01-01", false);
    }
}
