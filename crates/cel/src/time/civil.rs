//! The calendar reading of a moment.

/// What calendar and clock show at a moment, in the proleptic Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// The year; 0 and 10000 can occur at the ends of the range, through a time zone.
    pub year: i64,
    /// The month, 1 to 12.
    pub month: u8,
    /// The day of the month, 1 to 31.
    pub day: u8,
    /// The day of the year, 1 to 366.
    pub day_of_year: u16,
    /// The day of the week, 0 (Sunday) to 6.
    pub day_of_week: u8,
    /// The hour, 0 to 23.
    pub hour: u8,
    /// The minute, 0 to 59.
    pub minute: u8,
    /// The second, 0 to 59.
    pub second: u8,
}

const SECONDS_PER_DAY: i64 = 86_400;
const DAYS_PER_ERA: i64 = 146_097;
/// Days between the first of March of year 0, where the eras of the algorithm start, and the Unix epoch.
const ERA_START_TO_EPOCH: i64 = 719_468;

impl Civil {
    /// The reading so many seconds after the start of 1970, without leap seconds.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "each value is a remainder in range"
    )]
    pub(super) fn from_epoch_seconds(seconds: i64) -> Self {
        let days = seconds.div_euclid(SECONDS_PER_DAY);
        let second_of_day = seconds.rem_euclid(SECONDS_PER_DAY);
        let (year, month, day) = date_from_days(days);
        Self {
            year,
            month: month as u8,
            day: day as u8,
            day_of_year: (days - days_from_date(year, 1, 1) + 1) as u16,
            // The epoch was a Thursday.
            day_of_week: (days + 4).rem_euclid(7) as u8,
            hour: (second_of_day / 3600) as u8,
            minute: (second_of_day / 60 % 60) as u8,
            second: (second_of_day % 60) as u8,
        }
    }
}

/// The days from the Unix epoch to a date.
pub(super) fn days_from_date(year: i64, month: i64, day: i64) -> i64 {
    let shifted_year = if month <= 2 { year - 1 } else { year };
    let era = shifted_year.div_euclid(400);
    let year_of_era = shifted_year.rem_euclid(400);
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * DAYS_PER_ERA + day_of_era - ERA_START_TO_EPOCH
}

/// The number of days in a month, 1 to 12.
pub(super) fn days_in_month(year: i64, month: i64) -> i64 {
    let (next_year, next_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    days_from_date(next_year, next_month, 1) - days_from_date(year, month, 1)
}

/// Year, month and day; years are counted from March so that the leap day comes last.
fn date_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + ERA_START_TO_EPOCH;
    let era = shifted.div_euclid(DAYS_PER_ERA);
    let day_of_era = shifted.rem_euclid(DAYS_PER_ERA);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_jiff_on_every_day() {
        let mut date = jiff::civil::date(1, 1, 1);
        for days in days_from_date(1, 1, 1)..=days_from_date(9999, 12, 31) {
            let civil = Civil::from_epoch_seconds(days * SECONDS_PER_DAY + 3661);
            assert_eq!(
                (civil.year, civil.month, civil.day),
                (date.year().into(), date.month().cast_unsigned(), date.day().cast_unsigned())
            );
            assert_eq!(i64::from(civil.day_of_year), i64::from(date.day_of_year()));
            assert_eq!(civil.day_of_week, date.weekday().to_sunday_zero_offset().cast_unsigned());
            assert_eq!((civil.hour, civil.minute, civil.second), (1, 1, 1));
            assert_eq!(days_from_date(civil.year, civil.month.into(), civil.day.into()), days);
            date = date.tomorrow().unwrap_or(date);
        }
    }

    #[test]
    fn knows_leap_years() {
        let check = |year, expect| assert_eq!(days_in_month(year, 2), expect, "{year}");
        check(1900, 28);
        check(2000, 29);
        check(2023, 28);
        check(2024, 29);
        assert_eq!(days_in_month(9999, 12), 31);
    }
}
