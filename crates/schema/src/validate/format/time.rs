//! Dates, times and durations.

/// A full date, such as `2006-01-02`, that is in the calendar.
pub(super) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| {
        let digits = bytes.get(from..to).filter(|it| it.iter().all(u8::is_ascii_digit))?;
        Some(digits.iter().fold(0_u32, |sum, digit| sum * 10 + u32::from(digit - b'0')))
    };
    let shape = bytes.len() == 10 && bytes[4] == b'-' && bytes[7] == b'-';
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 7), number(8, 10)) else {
        return false;
    };
    shape && (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day)
}

fn days_in(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// A date, `T`, and a time with an offset. What follows a second `T` is not looked at, as in Go.
pub(super) fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut parts = lower.split('t');
    match (parts.next(), parts.next()) {
        (Some(date), Some(time)) => is_date(date) && is_time(time),
        _ => false,
    }
}

/// `15:04:05`, a fraction with any separator, and `z` or an offset.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(clock) = bytes.get(..8) else { return false };
    let in_range = |at: usize, limit: &[u8]| {
        clock[at..at + 2].iter().all(u8::is_ascii_digit) && &clock[at..at + 2] <= limit
    };
    let shape = clock[2] == b':' && clock[5] == b':';
    shape
        && in_range(0, b"23")
        && in_range(3, b"59")
        && in_range(6, b"59")
        && is_fraction_and_offset(&text[8..])
}

fn is_fraction_and_offset(text: &str) -> bool {
    let mut characters = text.chars();
    let fraction = characters.next().is_some_and(|separator| separator != '\n')
        && characters.as_str().starts_with(|it: char| it.is_ascii_digit());
    let after = characters.as_str().trim_start_matches(|it: char| it.is_ascii_digit());
    is_offset(text) || fraction && is_offset(after)
}

fn is_offset(text: &str) -> bool {
    match text.as_bytes() {
        b"z" => true,
        [b'+' | b'-', a, b, b':', c, d] => [a, b, c, d].into_iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Go's notation (`1h30m`), or an amount and a unit anywhere in the text (`3 days`).
pub(super) fn is_duration(text: &str) -> bool {
    is_go_duration(text) || is_wordy_duration(text)
}

fn is_go_duration(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned == "0" {
        return true;
    }
    let mut rest = unsigned;
    let mut total = 0_u64;
    while !rest.is_empty() {
        let Some((nanoseconds, after)) = go_duration_part(rest) else { return false };
        let Some(sum) = total.checked_add(nanoseconds) else { return false };
        (total, rest) = (sum, after);
    }
    let limit = i64::MAX.unsigned_abs() + u64::from(text.starts_with('-'));
    !unsigned.is_empty() && total <= limit
}

/// The nanoseconds of the first `1.5h`, and what follows.
fn go_duration_part(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|it: char| !it.is_ascii_digit() && it != '.')?;
    let (amount, rest) = text.split_at(end);
    let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
    let unit_end = rest.find(|it: char| it.is_ascii_digit() || it == '.').unwrap_or(rest.len());
    let (unit, after) = rest.split_at(unit_end);
    let scale: u64 = match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    };
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let nanoseconds = whole.checked_mul(scale)?.checked_add(fraction_of(fraction, scale))?;
    (nanoseconds <= i64::MAX.unsigned_abs() + 1).then_some((nanoseconds, after))
}

fn fraction_of(digits: &str, scale: u64) -> u64 {
    let (mut nanoseconds, mut scale) = (0, scale);
    for digit in digits.bytes() {
        scale /= 10;
        nanoseconds += scale * u64::from(digit - b'0');
    }
    nanoseconds
}

/// Whether some digits are followed by a unit; an amount that does not fit 64 bits spoils the whole.
fn is_wordy_duration(text: &str) -> bool {
    let mut found = false;
    let mut rest = text;
    while let Some(start) = rest.find(|it: char| it.is_ascii_digit()) {
        let from_digits = &rest[start..];
        let after_digits = from_digits.trim_start_matches(|it: char| it.is_ascii_digit());
        let spaced = after_digits.trim_start_matches(['\t', '\n', '\x0c', '\r', ' ']);
        let after = spaced.trim_start_matches(|it: char| it.is_ascii_alphabetic() || it == 'µ');
        let unit = &spaced[..spaced.len() - after.len()];
        rest = after;
        if unit.is_empty() {
            continue;
        }
        let digits = &from_digits[..from_digits.len() - after_digits.len()];
        if digits.parse::<i64>().is_err() {
            return false;
        }
        found |= is_unit(&unit.to_lowercase());
    }
    found
}

/// The short names of a unit are matched whole, the last as a beginning: `day`, `days`.
fn is_unit(unit: &str) -> bool {
    const UNITS: [&[&str]; 8] = [
        &["ns", "nano"],
        &["us", "µs", "micro"],
        &["ms", "milli"],
        &["s", "sec"],
        &["m", "min"],
        &["h", "hr", "hour"],
        &["d", "day"],
        &["w", "wk", "week"],
    ];
    UNITS.iter().any(|names| {
        let long = names.last().is_some_and(|long| unit.starts_with(long));
        long || names.contains(&unit)
    })
}
