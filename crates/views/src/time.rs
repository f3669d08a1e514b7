//! Times as people read them.

use jiff::Timestamp;

/// A time in UTC to the second; what is no time stays as it is.
pub fn shown_time(text: &str) -> String {
    match text.parse::<Timestamp>() {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => crate::table::cell(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_utc_to_the_second() {
        let check = |text: &str, expected: &str| assert_eq!(shown_time(text), expected);
        check("2025-01-15T10:30:00Z", "2025-01-15 10:30:00");
        check("2025-01-15T10:30:00.75Z", "2025-01-15 10:30:00");
        check("2025-01-15T10:30:00+02:00", "2025-01-15 08:30:00");
        check("yesterday", "yesterday");
    }
}
