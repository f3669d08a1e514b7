//! A span of time.

use std::fmt;

use super::TimeError;

const NANOS_PER_SECOND: i64 = 1_000_000_000;
const NANOS_PER_SECOND_U64: u64 = NANOS_PER_SECOND.unsigned_abs();

/// A span of time, positive or negative, to the nanosecond: CEL's `duration`.
///
/// ```
/// use krono_cel::time::Duration;
///
/// let hour_and_a_half = Duration::parse("1h30m")?;
/// assert_eq!(hour_and_a_half.to_string(), "5400s");
/// # Ok::<(), krono_cel::time::TimeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration {
    nanos: i64,
}

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self::from_nanos(0);

    /// A span of so many nanoseconds.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self { nanos }
    }

    /// A span of so many seconds.
    pub fn from_seconds(seconds: i64) -> Result<Self, TimeError> {
        seconds.checked_mul(NANOS_PER_SECOND).map(Self::from_nanos).ok_or(TimeError::DurationOverflow)
    }

    /// Reads Go's notation: signed decimal numbers with units, such as `1h15m30.918s` or `-200ms`.
    pub fn parse(text: &str) -> Result<Self, TimeError> {
        parse_nanos(text).map(Self::from_nanos).ok_or(TimeError::Conversion("google.protobuf.Duration"))
    }

    /// The whole span in nanoseconds; this is also what CEL's `int(duration)` returns.
    pub const fn whole_nanos(self) -> i64 {
        self.nanos
    }

    /// The whole span in milliseconds, rounded towards zero.
    pub const fn whole_milliseconds(self) -> i64 {
        self.nanos / 1_000_000
    }

    /// The whole span in seconds, rounded towards zero.
    pub const fn whole_seconds(self) -> i64 {
        self.nanos / NANOS_PER_SECOND
    }

    /// The whole span in minutes, rounded towards zero.
    pub const fn whole_minutes(self) -> i64 {
        self.whole_seconds() / 60
    }

    /// The whole span in hours, rounded towards zero.
    pub const fn whole_hours(self) -> i64 {
        self.whole_seconds() / 3600
    }

    /// The nanoseconds beyond [`Self::whole_seconds`]; they carry the sign of the span.
    pub const fn subsecond_nanos(self) -> i64 {
        self.nanos % NANOS_PER_SECOND
    }

    /// Go's own notation, as Kubernetes writes durations: `1h30m0s`, `1.5ms`.
    pub fn to_go_notation(self) -> String {
        let sign = if self.nanos < 0 { "-" } else { "" };
        let nanos = self.nanos.unsigned_abs();
        let magnitude = match nanos {
            0 => "0s".to_owned(),
            1..1_000 => format!("{nanos}ns"),
            1_000..1_000_000 => format!("{}µs", decimal(nanos, 3)),
            1_000_000..NANOS_PER_SECOND_U64 => format!("{}ms", decimal(nanos, 6)),
            _ => clock_notation(nanos),
        };
        format!("{sign}{magnitude}")
    }

    /// The sum of two spans.
    pub fn checked_add(self, other: Self) -> Result<Self, TimeError> {
        self.nanos.checked_add(other.nanos).map(Self::from_nanos).ok_or(TimeError::DurationOverflow)
    }

    /// The span less another.
    pub fn checked_sub(self, other: Self) -> Result<Self, TimeError> {
        self.nanos.checked_sub(other.nanos).map(Self::from_nanos).ok_or(TimeError::DurationOverflow)
    }

    /// The same span backwards.
    pub fn checked_neg(self) -> Result<Self, TimeError> {
        self.nanos.checked_neg().map(Self::from_nanos).ok_or(TimeError::DurationOverflow)
    }
}

impl fmt::Display for Duration {
    /// Decimal seconds with the unit, as CEL's `string(duration)` writes them: `3730s`, `-0.5s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.nanos.unsigned_abs();
        let sign = if self.nanos < 0 { "-" } else { "" };
        write!(f, "{sign}{}", magnitude / NANOS_PER_SECOND_U64)?;
        super::timestamp::write_fraction(f, magnitude % NANOS_PER_SECOND_U64)?;
        f.write_str("s")
    }
}

impl std::str::FromStr for Duration {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        Self::parse(text)
    }
}

/// Hours, minutes and seconds, from the largest unit that is not zero on.
fn clock_notation(nanos: u64) -> String {
    const MINUTE: u64 = 60 * NANOS_PER_SECOND_U64;
    let (hours, minutes) = (nanos / (60 * MINUTE), nanos / MINUTE % 60);
    let seconds = decimal(nanos % MINUTE, 9);
    match (hours, minutes) {
        (0, 0) => format!("{seconds}s"),
        (0, minutes) => format!("{minutes}m{seconds}s"),
        (hours, minutes) => format!("{hours}h{minutes}m{seconds}s"),
    }
}

/// A number of units of which the last digits are a fraction, without trailing zeros.
fn decimal(units: u64, fraction_digits: usize) -> String {
    let digits = format!("{units:0>width$}", width = fraction_digits + 1);
    let (whole, fraction) = digits.split_at(digits.len() - fraction_digits);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

fn parse_nanos(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut magnitude = 0_u64;
    while !rest.is_empty() {
        let (term, remaining) = parse_term(rest)?;
        magnitude = magnitude.checked_add(term)?;
        rest = remaining;
    }
    if negative { 0_i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }
}

/// One decimal number and its unit, in nanoseconds, and the text behind it.
fn parse_term(text: &str) -> Option<(u64, &str)> {
    let (whole, rest) = split_digits(text);
    let (fraction, rest) = rest.strip_prefix('.').map_or(("", rest), split_digits);
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let unit_end = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(unit_end);
    let scale = nanos_per_unit(unit)?;
    let whole = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()? };
    let nanos = whole.checked_mul(scale)?.checked_add(scaled_fraction(fraction, scale))?;
    // The sum of all terms may reach 2^63, the magnitude of the least span.
    (nanos <= i64::MIN.unsigned_abs()).then_some((nanos, rest))
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

fn nanos_per_unit(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        // Both the micro sign and the Greek letter mu are in use.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => NANOS_PER_SECOND_U64,
        "m" => 60 * NANOS_PER_SECOND_U64,
        "h" => 3600 * NANOS_PER_SECOND_U64,
        _ => return None,
    })
}

/// The decimal digits behind the point, in nanoseconds; in floating point, because Go's rounding is the reference
/// (a third of an hour in 19 digits is 20 minutes).
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the result is below `scale`, and the rounding is the point"
)]
fn scaled_fraction(digits: &str, scale: u64) -> u64 {
    let mut value = 0_u64;
    let mut divisor = 1.0_f64;
    for digit in digits.bytes() {
        let longer = value.checked_mul(10).and_then(|value| value.checked_add(u64::from(digit - b'0')));
        match longer {
            Some(longer) if longer <= i64::MIN.unsigned_abs() => value = longer,
            _ => break,
        }
        divisor *= 10.0;
    }
    (value as f64 * (scale as f64 / divisor)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_go_notation() {
        let check = |text: &str, nanos: i64| {
            assert_eq!(Duration::parse(text), Ok(Duration::from_nanos(nanos)), "{text}");
        };
        check("0", 0);
        check("-0", 0);
        check("+0", 0);
        check("0s", 0);
        check("5s", 5 * NANOS_PER_SECOND);
        check("+5s", 5 * NANOS_PER_SECOND);
        check("-5.s", -5 * NANOS_PER_SECOND);
        check(".5s", NANOS_PER_SECOND / 2);
        check("1h2m3.5s", 3_723_500_000_000);
        check("10ns", 10);
        check("11us", 11_000);
        check("12µs", 12_000);
        check("12μs", 12_000);
        check("13ms", 13_000_000);
        check("39h9m14.425s", 140_954_425_000_000);
        check("0.3333333333333333333h", 20 * 60 * NANOS_PER_SECOND);
        check("0.830103483285477580700h", 2_988_372_539_827);
        check("0.9223372036854775807h", 3_320_413_933_267);
        check("0.100000000000000000000h", 360 * NANOS_PER_SECOND);
        check("9223372036854775807ns", i64::MAX);
        check("-9223372036854775808ns", i64::MIN);
        check("-2562047h47m16.854775808s", i64::MIN);
    }

    #[test]
    fn refuses_other_notation() {
        let check = |text: &str| {
            let message = Duration::parse(text).unwrap_err().to_string();
            assert_eq!(
                message, "type conversion error from 'string' to 'google.protobuf.Duration'",
                "{text}"
            );
        };
        for text in [
            "",
            "3",
            "-",
            "s",
            ".",
            "-.",
            ".s",
            "+.s",
            "1d",
            "\u{85}85",
            "3000000h",
            "9223372036854775808ns",
            "1 s",
            "--1s",
            "9223372036854ms775us808ns",
            "-9223372036854775809ns",
            "99999999999999999999s",
            "1s ",
            "320000000000s",
        ] {
            check(text);
        }
    }

    #[test]
    fn prints_decimal_seconds() {
        let check = |nanos: i64, expect: &str| assert_eq!(Duration::from_nanos(nanos).to_string(), expect);
        check(0, "0s");
        check(3_730 * NANOS_PER_SECOND, "3730s");
        check(NANOS_PER_SECOND / 2, "0.5s");
        check(-NANOS_PER_SECOND / 2, "-0.5s");
        check(1, "0.000000001s");
        check(i64::MIN, "-9223372036.854775808s");
    }

    #[test]
    fn prints_go_notation() {
        let check = |text: &str, expect: &str| {
            assert_eq!(Duration::parse(text).unwrap().to_go_notation(), expect);
        };
        check("0", "0s");
        check("1ns", "1ns");
        check("1.1us", "1.1µs");
        check("2200us", "2.2ms");
        check("3.3s", "3.3s");
        check("4m5s", "4m5s");
        check("61s", "1m1s");
        check("4m5.001s", "4m5.001s");
        check("5h6m7.001s", "5h6m7.001s");
        check("100h", "100h0m0s");
        check("-90m", "-1h30m0s");
        check("8m0.000000001s", "8m0.000000001s");
        check("-9223372036854775808ns", "-2562047h47m16.854775808s");
    }

    #[test]
    fn getters_round_towards_zero() {
        let span = Duration::from_nanos(-3_723_500_000_001);
        assert_eq!(
            [span.whole_hours(), span.whole_minutes(), span.whole_seconds(), span.whole_milliseconds()],
            [-1, -62, -3723, -3_723_500]
        );
        assert_eq!(span.subsecond_nanos(), -500_000_001);
    }

    #[test]
    fn arithmetic_is_checked() {
        let (least, greatest, one) =
            (Duration::from_nanos(i64::MIN), Duration::from_nanos(i64::MAX), Duration::from_nanos(1));
        assert_eq!(greatest.checked_add(one), Err(TimeError::DurationOverflow));
        assert_eq!(least.checked_sub(one), Err(TimeError::DurationOverflow));
        assert_eq!(least.checked_neg(), Err(TimeError::DurationOverflow));
        assert_eq!(one.checked_neg().unwrap().checked_add(one), Ok(Duration::ZERO));
        assert_eq!(Duration::from_seconds(i64::MAX), Err(TimeError::DurationOverflow));
    }
}
