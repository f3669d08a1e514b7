//! Schedules in the notation of cron.
//!
//! An own parser of five fields on `jiff`, which the time zones come from: the cron crates bring `chrono` and their
//! own notations beside it.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
/// No schedule that comes at all comes later: the 29th of February on a certain day of the week.
const FARTHEST_DAYS: i32 = 366 * 41;

/// Numbers of a field, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    bits: u64,
    /// Whether it is written with a star, which takes every value.
    star: bool,
}

impl Field {
    fn has(self, number: i8) -> bool {
        u32::try_from(number).is_ok_and(|number| self.bits >> number & 1 == 1)
    }
}

/// When something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Schedule {
    /// At certain minutes.
    Calendar { minute: Field, hour: Field, day: Field, month: Field, weekday: Field },
    /// Again and again after the same time.
    Every(SignedDuration),
}

impl Schedule {
    /// Reads a schedule, if it is one.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(every) = text.strip_prefix("@every ") {
            let duration: SignedDuration = every.trim().parse().ok()?;
            return (duration >= SignedDuration::from_secs(1)).then_some(Self::Every(duration));
        }
        let text = match text {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            other => other,
        };
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields.as_slice() else { return None };
        let sundays = field(weekday, 0, 7, &DAYS)?;
        Some(Self::Calendar {
            minute: field(minute, 0, 59, &[])?,
            hour: field(hour, 0, 23, &[])?,
            day: field(day, 1, 31, &[])?,
            month: field(month, 1, 12, &MONTHS)?,
            // Both 0 and 7 are Sunday.
            weekday: Field { bits: sundays.bits | sundays.bits >> 7 & 1, ..sundays },
        })
    }

    /// The next time after this one.
    pub(super) fn after(&self, time: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        match self {
            Self::Every(duration) => time.checked_add(*duration).ok(),
            Self::Calendar { .. } => self.after_local(time, zone),
        }
    }

    fn after_local(&self, time: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let local = zone.to_datetime(time);
        let mut date = local.date();
        for number in 0..FARTHEST_DAYS {
            let begin = if number == 0 { Some(local.time()) } else { None };
            if self.has_day(date) {
                let times = self.times(begin).map(|it| DateTime::from_parts(date, it));
                let stamps = times.filter_map(|it| zone.to_timestamp(it).ok());
                if let Some(found) = stamps.into_iter().find(|it| *it > time) {
                    return Some(found);
                }
            }
            date = date.tomorrow().ok()?;
        }
        None
    }

    /// Where both days are given, one of them is enough.
    fn has_day(&self, date: Date) -> bool {
        let Self::Calendar { day, month, weekday, .. } = self else { return false };
        let by_day = day.has(date.day());
        let by_weekday = weekday.has(date.weekday().to_sunday_zero_offset());
        let days = if day.star || weekday.star { by_day && by_weekday } else { by_day || by_weekday };
        month.has(date.month()) && days
    }

    /// The times of a day, not before this one.
    fn times(&self, begin: Option<Time>) -> impl Iterator<Item = Time> + use<> {
        let Self::Calendar { minute, hour, .. } = *self else {
            return Vec::new().into_iter();
        };
        let first = begin.map_or(0, Time::hour);
        let mut times = Vec::new();
        for hour in (first..24).filter(|it| hour.has(*it)) {
            let minutes = (0..60).filter(|it| minute.has(*it));
            times.extend(minutes.filter_map(|minute| Time::new(hour, minute, 0, 0).ok()));
        }
        times.into_iter()
    }
}

fn field(text: &str, low: u32, high: u32, names: &[&str]) -> Option<Field> {
    let mut whole = Field { bits: 0, star: false };
    for part in text.split(',') {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(step.parse::<u32>().ok().filter(|it| *it > 0)?)),
            None => (part, None),
        };
        let (first, last, star) = bounds(range, low, high, names)?;
        let last = if step.is_some() && !star && first == last { high } else { last };
        if first > last || first < low || last > high {
            return None;
        }
        whole.star |= star && step.is_none_or(|it| it == 1);
        let numbers = (first..=last).step_by(usize::try_from(step.unwrap_or(1)).ok()?);
        whole.bits |= numbers.fold(0, |bits, number| bits | 1 << number);
    }
    Some(whole)
}

fn bounds(range: &str, low: u32, high: u32, names: &[&str]) -> Option<(u32, u32, bool)> {
    if matches!(range, "*" | "?") {
        return Some((low, if names == DAYS { 6 } else { high }, true));
    }
    let number = |text: &str| {
        let position = names.iter().position(|it| text.eq_ignore_ascii_case(it));
        let by_name = position.and_then(|it| u32::try_from(it).ok()).map(|it| it + low);
        by_name.or_else(|| text.parse().ok())
    };
    match range.split_once('-') {
        Some((first, last)) => Some((number(first)?, number(last)?, false)),
        None => number(range).map(|it| (it, it, false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(schedule: &str, after: &str, zone: &str) -> Option<String> {
        let zone = jiff::tz::TimeZoneDatabase::bundled().get(zone).unwrap();
        let schedule = Schedule::parse(schedule).unwrap_or_else(|| panic!("{schedule}"));
        schedule.after(after.parse().unwrap(), &zone).map(|it| it.to_string())
    }

    fn check(schedule: &str, after: &str, expect: &str) {
        assert_eq!(next(schedule, after, "UTC").as_deref(), Some(expect), "{schedule} after {after}");
    }

    #[test]
    fn next_times() {
        check("* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z");
        check("* * * * *", "2026-01-01T00:00:59Z", "2026-01-01T00:01:00Z");
        check("*/15 * * * *", "2026-01-01T00:15:00Z", "2026-01-01T00:30:00Z");
        check("5/20 * * * *", "2026-01-01T00:26:00Z", "2026-01-01T00:45:00Z");
        check("0 2 * * *", "2026-01-01T02:00:00Z", "2026-01-02T02:00:00Z");
        check("30 8 * * mon-fri", "2026-01-02T09:00:00Z", "2026-01-05T08:30:00Z");
        check("0 0 * * 7", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z");
        check("0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z");
        check("0 0 13 * fri", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
        check("0 12 1,15 JAN,jul ?", "2026-01-02T00:00:00Z", "2026-01-15T12:00:00Z");
        check("@monthly", "2026-01-31T00:00:00Z", "2026-02-01T00:00:00Z");
        check("@every 1h30m", "2026-01-01T00:00:00Z", "2026-01-01T01:30:00Z");
    }

    #[test]
    fn zones() {
        let berlin = next("0 9 * * *", "2026-07-01T00:00:00Z", "Europe/Berlin");
        assert_eq!(berlin.as_deref(), Some("2026-07-01T07:00:00Z"));
    }

    #[test]
    fn what_never_comes() {
        assert_eq!(next("0 0 30 2 *", "2026-01-01T00:00:00Z", "UTC"), None);
    }

    #[test]
    fn what_is_no_schedule() {
        for text in [
            "",
            "* * * *",
            "* * * * * *",
            "60 * * * *",
            "* * 0 * *",
            "*/0 * * * *",
            "5-1 * * * *",
            "x * * * *",
        ] {
            assert_eq!(Schedule::parse(text), None, "{text}");
        }
    }
}
