//! A moment, to the second, as Kubernetes writes it.

use std::fmt;
use std::str::FromStr;

/// A moment in seconds since 1970, written like `2026-01-31T12:00:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(i64);

/// A text is not a moment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time; write it like 2026-01-31T12:00:00Z")]
pub struct InvalidTimestamp(String);

const DAY: i64 = 86_400;
/// The years 0 to 9999 and a day of offset on each side.
const SECONDS: std::ops::RangeInclusive<i64> = -62_167_305_600..=253_402_387_199;

impl Timestamp {
    /// So many seconds since 1970; moments outside of the years 0 to 9999 are moved to the nearest one inside.
    pub fn from_seconds(seconds: i64) -> Self {
        Self(seconds.clamp(*SECONDS.start() + DAY, *SECONDS.end() - DAY))
    }

    /// The seconds since 1970.
    pub fn seconds(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date(self.0.div_euclid(DAY));
        let second = self.0.rem_euclid(DAY);
        write!(
            out,
            "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
            second / 3600,
            second / 60 % 60,
            second % 60
        )
    }
}

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    /// Reads RFC 3339; fractions of a second are dropped.
    fn from_str(text: &str) -> Result<Self, InvalidTimestamp> {
        parse(text).map(Self::from_seconds).ok_or_else(|| InvalidTimestamp(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<i64> {
    let (stamp, rest) = text.split_at_checked("2026-01-31T12:00:00".len())?;
    let bytes = stamp.as_bytes();
    let separated = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if separated.iter().any(|(at, separator)| bytes[*at] != *separator) {
        return None;
    }
    let number = |from: usize, to: usize| digits(stamp.get(from..to)?);
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&day) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let local = days(year, month, day) * DAY + hour * 3600 + minute * 60 + second;
    Some(local - offset(without_fraction(rest)?)?)
}

fn digits(text: &str) -> Option<i64> {
    text.bytes().all(|it| it.is_ascii_digit()).then(|| text.parse().ok())?
}

fn without_fraction(rest: &str) -> Option<&str> {
    let Some(fraction) = rest.strip_prefix(['.', ',']) else { return Some(rest) };
    let after = fraction.trim_start_matches(|it: char| it.is_ascii_digit());
    (after.len() < fraction.len()).then_some(after)
}

/// The seconds of `Z` or `+02:00`.
fn offset(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = zone.strip_prefix(['+', '-'])?.split_once(':')?;
    let (hours, minutes) = match (hours.len(), minutes.len()) {
        (2, 2) => (digits(hours)?, digits(minutes)?),
        _ => return None,
    };
    (hours <= 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

fn days_of(year: i64, month: i64) -> i64 {
    let (next_year, next_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    days(next_year, next_month, 1) - days(year, month, 1)
}

/// Days since 1970 of a date; years begin in March here, so that the leap day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The date so many days after 1970 began.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, seconds: i64, written: &str) {
        let moment: Timestamp = text.parse().unwrap();
        assert_eq!((moment.seconds(), moment.to_string().as_str()), (seconds, written));
    }

    #[test]
    fn moments_are_read_and_written() {
        check("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z");
        check("2024-02-29T23:59:59Z", 1_709_251_199, "2024-02-29T23:59:59Z");
        check("2026-11-15T09:15:00.999+02:00", 1_794_726_900, "2026-11-15T07:15:00Z");
        check("1969-12-31T19:00:00-05:00", 0, "1970-01-01T00:00:00Z");
        check("0000-03-01T00:00:00Z", -62_162_035_200, "0000-03-01T00:00:00Z");
        check("9999-12-31T23:59:59Z", 253_402_300_799, "9999-12-31T23:59:59Z");
    }

    #[test]
    fn every_day_is_read_as_written() {
        for day in (-719_468..2_932_896).step_by(13) {
            let moment = Timestamp::from_seconds(day * DAY + 1);
            assert_eq!(moment.to_string().parse(), Ok(moment));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "now",
            "2024-02-30T00:00:00Z",
            "2023-02-29T00:00:00Z",
            "2024-13-01T00:00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:00:60Z",
            "2024-01-01T00:00:00",
            "2024-01-01 00:00:00Z",
            "2024-01-01T00:00:00+0200",
            "2024-01-01T00:00:00.Z",
            "+024-01-01T00:00:00Z",
            "2024-01-01T00:00:0éZ",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }
}
