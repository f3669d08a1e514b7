//! A moment in time.

use std::fmt;

use super::{
    Civil, Duration, TimeError, Zone,
    civil::{days_from_date, days_in_month},
};

const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// A moment between the years 1 and 9999, to the nanosecond: CEL's `timestamp`.
///
/// ```
/// use krono_cel::time::{Duration, Timestamp};
///
/// let start = Timestamp::parse("2026-02-13T23:31:30+01:00")?;
/// let end = start.checked_add(Duration::parse("1h")?)?;
/// assert_eq!(end.to_string(), "2026-02-13T23:31:30Z");
/// # Ok::<(), krono_cel::time::TimeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Seconds since the start of 1970 in universal time, rounded down.
    seconds: i64,
    /// Nanoseconds after that second, below a second.
    nanos: u32,
}

impl Timestamp {
    /// The start of the year 1, the first moment that can be told.
    pub const MIN: Self = Self { seconds: -62_135_596_800, nanos: 0 };
    /// The last nanosecond of the year 9999.
    pub const MAX: Self = Self { seconds: 253_402_300_799, nanos: 999_999_999 };

    /// The moment so many seconds after the start of 1970, and so many nanoseconds after that second.
    pub fn new(seconds: i64, nanos: u32) -> Result<Self, TimeError> {
        let in_range = (Self::MIN.seconds..=Self::MAX.seconds).contains(&seconds) && nanos < 1_000_000_000;
        if in_range { Ok(Self { seconds, nanos }) } else { Err(TimeError::TimestampOverflow) }
    }

    /// The moment so many seconds after the start of 1970: CEL's `timestamp(int)`.
    pub fn from_epoch_seconds(seconds: i64) -> Result<Self, TimeError> {
        Self::new(seconds, 0)
    }

    /// Reads RFC 3339 as CEL's `timestamp(string)` does: capital `T` and `Z`, no leap second, digits beyond the
    /// nanosecond dropped.
    pub fn parse(text: &str) -> Result<Self, TimeError> {
        let written = Written::parse(text).ok_or_else(|| TimeError::InvalidTimestamp(text.to_owned()))?;
        if !written.names_a_moment() {
            return Err(TimeError::Conversion("google.protobuf.Timestamp"));
        }
        Self::new(written.epoch_seconds(), written.nanos)
    }

    /// Seconds since the start of 1970, rounded down: CEL's `int(timestamp)`.
    pub const fn epoch_seconds(self) -> i64 {
        self.seconds
    }

    /// The nanoseconds after [`Self::epoch_seconds`], below a second.
    pub const fn subsecond_nanos(self) -> u32 {
        self.nanos
    }

    /// The moment without its fraction of a second, as Kubernetes keeps times.
    #[must_use]
    pub const fn to_whole_seconds(self) -> Self {
        Self { nanos: 0, ..self }
    }

    /// The moment a span later (earlier, if the span is negative).
    pub fn checked_add(self, span: Duration) -> Result<Self, TimeError> {
        let nanos = i64::from(self.nanos) + span.subsecond_nanos();
        let seconds = self.seconds + span.whole_seconds() + nanos.div_euclid(NANOS_PER_SECOND);
        let nanos =
            u32::try_from(nanos.rem_euclid(NANOS_PER_SECOND)).map_err(|_| TimeError::TimestampOverflow)?;
        Self::new(seconds, nanos)
    }

    /// The moment a span earlier (later, if the span is negative).
    pub fn checked_sub(self, span: Duration) -> Result<Self, TimeError> {
        self.checked_add(span.checked_neg()?)
    }

    /// The span from another moment to this one.
    pub fn since(self, other: Self) -> Result<Duration, TimeError> {
        let nanos = i64::from(self.nanos) - i64::from(other.nanos);
        Duration::from_seconds(self.seconds - other.seconds)?.checked_add(Duration::from_nanos(nanos))
    }

    /// What calendar and clock show in a time zone at this moment.
    pub fn civil(self, zone: &Zone) -> Civil {
        Civil::from_epoch_seconds(self.seconds + zone.offset_at(self.seconds))
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in universal time, with as many digits of a second as are needed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Civil { year, month, day, hour, minute, second, .. } = self.civil(&Zone::UTC);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        write_fraction(f, self.nanos.into())?;
        f.write_str("Z")
    }
}

impl std::str::FromStr for Timestamp {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        Self::parse(text)
    }
}

/// Writes nanoseconds as a decimal fraction without trailing zeros, or nothing for zero.
pub(super) fn write_fraction(f: &mut fmt::Formatter<'_>, nanos: u64) -> fmt::Result {
    if nanos == 0 {
        return Ok(());
    }
    let digits = format!("{nanos:09}");
    write!(f, ".{}", digits.trim_end_matches('0'))
}

/// The numbers of an RFC 3339 text, before it is known whether they name a moment.
struct Written {
    year: i64,
    month: i64,
    day: i64,
    /// Seconds since midnight.
    clock: i64,
    second: i64,
    nanos: u32,
    /// Seconds east of Greenwich.
    offset: i64,
    /// Whether `T` and `Z` are capital letters.
    capital: bool,
}

impl Written {
    /// Reads `yyyy-mm-ddThh:mm:ss[.digits](Z|±hh:mm)`, letters in either case, a leap second allowed.
    fn parse(text: &str) -> Option<Self> {
        let (fixed, rest) = text.as_bytes().split_at_checked(19)?;
        let separators = [(4, b'-'), (7, b'-'), (10, b't'), (13, b':'), (16, b':')];
        if separators.iter().any(|&(at, separator)| fixed[at].to_ascii_lowercase() != separator) {
            return None;
        }
        let (nanos, zone) = parse_fraction(rest)?;
        let (hour, minute) = (number(&fixed[11..13], 0, 23)?, number(&fixed[14..16], 0, 59)?);
        let second = number(&fixed[17..19], 0, 60)?;
        Some(Self {
            year: number(&fixed[0..4], 0, 9999)?,
            month: number(&fixed[5..7], 1, 12)?,
            day: number(&fixed[8..10], 1, 31)?,
            clock: (hour * 60 + minute) * 60 + second,
            second,
            nanos,
            offset: parse_offset(zone)?,
            capital: fixed[10] == b'T' && zone != b"z",
        })
    }

    fn names_a_moment(&self) -> bool {
        self.capital && self.second < 60 && self.day <= days_in_month(self.year, self.month)
    }

    fn epoch_seconds(&self) -> i64 {
        days_from_date(self.year, self.month, self.day) * 86_400 + self.clock - self.offset
    }
}

/// The nanoseconds of a decimal fraction, if there is one, and the text behind it.
fn parse_fraction(text: &[u8]) -> Option<(u32, &[u8])> {
    let Some(digits_and_zone) = text.strip_prefix(b".") else { return Some((0, text)) };
    let digits = digits_and_zone.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return None;
    }
    let (digits, zone) = digits_and_zone.split_at(digits);
    let padded = digits.iter().copied().chain(std::iter::repeat(b'0')).take(9);
    Some((padded.fold(0, |nanos, digit| nanos * 10 + u32::from(digit - b'0')), zone))
}

fn parse_offset(zone: &[u8]) -> Option<i64> {
    match zone {
        b"Z" | b"z" => Some(0),
        [sign @ (b'+' | b'-'), hours @ .., b':', m1, m2] if hours.len() == 2 => {
            let seconds = (number(hours, 0, 23)? * 60 + number(&[*m1, *m2], 0, 59)?) * 60;
            Some(if *sign == b'-' { -seconds } else { seconds })
        }
        _ => None,
    }
}

fn number(digits: &[u8], least: i64, greatest: i64) -> Option<i64> {
    let all_digits = digits.iter().all(u8::is_ascii_digit);
    let value = digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit.wrapping_sub(b'0')));
    (all_digits && (least..=greatest).contains(&value)).then_some(value)
}

#[cfg(test)]
#[path = "timestamp_tests.rs"]
mod tests;
