//! Instants and spans of time: CEL's `timestamp` and `duration`.
//!
//! Ranges, wording and rounding are cel-go's: a [`Timestamp`] lies in the years 1 to 9999, a [`Duration`] is a
//! signed 64-bit count of nanoseconds (about 292 years). No clock is read here.

mod civil;
mod duration;
mod timestamp;
mod zone;

pub use civil::Civil;
pub use duration::Duration;
pub use timestamp::Timestamp;
pub use zone::Zone;

use crate::quote::quoted;

/// Why a timestamp, duration or time zone could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimeError {
    /// The text does not have the shape RFC 3339 prescribes.
    #[error("invalid RFC 3339 timestamp {}", quoted(.0))]
    InvalidTimestamp(String),
    /// The text has a known shape, but names no moment or span (a 31st of June, an unknown unit).
    #[error("type conversion error from 'string' to '{0}'")]
    Conversion(&'static str),
    /// The moment lies outside the years 1 to 9999.
    #[error("timestamp overflow")]
    TimestampOverflow,
    /// The span does not fit in 64 bits of nanoseconds.
    #[error("integer overflow")]
    DurationOverflow,
    /// No time zone has this name.
    #[error("unknown time zone {0}")]
    UnknownZone(String),
    /// A part of a numeric time zone is not a number.
    #[error("strconv.Atoi: parsing {}: invalid syntax", quoted(.0))]
    ZoneNotNumeric(String),
    /// The hours of a numeric time zone are too far from zero.
    #[error("timezone offset hours out of range [-23, 23]: {0}")]
    ZoneHours(String),
    /// The minutes of a numeric time zone are not minutes of an hour.
    #[error("timezone offset minutes out of range [0, 59]: {0}")]
    ZoneMinutes(String),
}
