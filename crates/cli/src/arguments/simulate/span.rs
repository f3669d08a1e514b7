//! `30s` and `20s..2m`.

use std::ops::RangeInclusive;
use std::str::FromStr;

use jiff::SignedDuration;

/// A time in whole seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seconds(pub(crate) u32);

/// A time in whole seconds, or any between two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SecondsRange(pub(crate) RangeInclusive<u32>);

impl FromStr for Seconds {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let wrong = || "expected a time, such as 30s, 5m or 1h30m".to_owned();
        // A number alone would be hours to one reader and milliseconds to another.
        if written.trim().starts_with(['-', '+']) {
            return Err(wrong());
        }
        let time: SignedDuration = written.parse().map_err(|_| wrong())?;
        if time.subsec_nanos() != 0 {
            return Err("expected whole seconds".to_owned());
        }
        u32::try_from(time.as_secs()).map(Self).map_err(|_| wrong())
    }
}

impl FromStr for SecondsRange {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let (least, most) = written.split_once("..").unwrap_or((written, written));
        let (Seconds(least), Seconds(most)) = (least.parse()?, most.parse()?);
        if least > most {
            return Err(format!("the first time is the shorter one: {most}s..{least}s"));
        }
        Ok(Self(least..=most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_whole_seconds() {
        let check = |written: &str, expected: Result<RangeInclusive<u32>, &str>| {
            let found = written.parse::<SecondsRange>().map(|it| it.0);
            assert_eq!(found, expected.map_err(str::to_owned), "{written}");
        };
        check("30s", Ok(30..=30));
        check("1h30m", Ok(5_400..=5_400));
        check("20s..2m", Ok(20..=120));
        check("0s", Ok(0..=0));
        check("2m..20s", Err("the first time is the shorter one: 20s..120s"));
        check("1500ms", Err("expected whole seconds"));
        for wrong in ["", "30", "-5s", "5s ago", "20s..", "..20s", "soon", "200y"] {
            check(wrong, Err("expected a time, such as 30s, 5m or 1h30m"));
        }
    }
}
