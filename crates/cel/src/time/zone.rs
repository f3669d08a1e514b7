//! Time zones, named or numeric.

use jiff::tz::{TimeZone, TimeZoneDatabase};

use super::TimeError;

/// A time zone: an IANA name such as `America/New_York`, or an offset such as `-08:00`.
#[derive(Clone, Debug)]
pub struct Zone(ZoneKind);

#[derive(Clone, Debug)]
enum ZoneKind {
    /// Seconds east of Greenwich.
    Fixed(i64),
    Named(TimeZone),
}

impl Zone {
    /// Coordinated universal time.
    pub const UTC: Self = Self(ZoneKind::Fixed(0));

    /// Reads a zone. Text with a colon is an offset; all else is a name of the built-in IANA database.
    pub fn parse(text: &str) -> Result<Self, TimeError> {
        if text.is_empty() || text == "UTC" {
            return Ok(Self::UTC);
        }
        match text.split_once(':') {
            Some((hours, minutes)) => fixed_offset(text, hours, minutes),
            None => named(text),
        }
    }

    /// Seconds to add to universal time at the moment so many seconds after the start of 1970.
    pub(super) fn offset_at(&self, epoch_seconds: i64) -> i64 {
        match &self.0 {
            ZoneKind::Fixed(seconds) => *seconds,
            ZoneKind::Named(zone) => zone.to_offset(nearest_moment(epoch_seconds)).seconds().into(),
        }
    }
}

/// The moment itself, but for the last hours of the year 9999, which the time zone library does not reach;
/// no zone changes its offset there.
fn nearest_moment(epoch_seconds: i64) -> jiff::Timestamp {
    jiff::Timestamp::from_second(epoch_seconds).unwrap_or(if epoch_seconds < 0 {
        jiff::Timestamp::MIN
    } else {
        jiff::Timestamp::MAX
    })
}

fn named(text: &str) -> Result<Zone, TimeError> {
    let unknown = || TimeError::UnknownZone(text.to_owned());
    let zone = TimeZoneDatabase::bundled().get(text).map_err(|_| unknown())?;
    // The database ignores case; Go and the IANA names do not.
    if zone.iana_name() == Some(text) { Ok(Zone(ZoneKind::Named(zone))) } else { Err(unknown()) }
}

fn fixed_offset(text: &str, hours: &str, minutes: &str) -> Result<Zone, TimeError> {
    let hours = number(hours)?;
    let minutes = number(minutes)?;
    if !(-23..=23).contains(&hours) {
        return Err(TimeError::ZoneHours(text.to_owned()));
    }
    if !(0..=59).contains(&minutes) {
        return Err(TimeError::ZoneMinutes(text.to_owned()));
    }
    let signed_minutes = if text.starts_with('-') { -minutes } else { minutes };
    Ok(Zone(ZoneKind::Fixed((hours * 60 + signed_minutes) * 60)))
}

fn number(text: &str) -> Result<i64, TimeError> {
    text.parse().map_err(|_| TimeError::ZoneNotNumeric(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_names_and_offsets() {
        let check = |text: &str, expect: i64| {
            assert_eq!(Zone::parse(text).unwrap().offset_at(1_234_567_890), expect, "{text}");
        };
        check("", 0);
        check("UTC", 0);
        check("-00:00", 0);
        check("02:00", 7200);
        check("+11:00", 39_600);
        check("-08:00", -28_800);
        check("-02:30", -9000);
        check("-0:30", -1800);
        check("1:5", 3900);
        check("Australia/Sydney", 39_600);
        check("US/Central", -21_600);
        check("Asia/Kathmandu", 20_700);
        check("America/St_Johns", -12_600);
    }

    #[test]
    fn refuses_what_is_no_zone() {
        let check = |text: &str, expect: &str| {
            assert_eq!(Zone::parse(text).unwrap_err().to_string(), expect);
        };
        check("Mars/Olympus", "unknown time zone Mars/Olympus");
        check("america/new_york", "unknown time zone america/new_york");
        check("Local", "unknown time zone Local");
        check("../etc/passwd", "unknown time zone ../etc/passwd");
        check("24:00", "timezone offset hours out of range [-23, 23]: 24:00");
        check("-10:60", "timezone offset minutes out of range [0, 59]: -10:60");
        check("a:00", r#"strconv.Atoi: parsing "a": invalid syntax"#);
        check("01:", r#"strconv.Atoi: parsing "": invalid syntax"#);
    }
}
