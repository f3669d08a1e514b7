//! Semantic versions as blang/semver reads and orders them.

use std::cmp::Ordering;
use std::fmt;

use crate::quote::quoted;

/// A semantic version without its build metadata, which has no part in comparisons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semver {
    /// The first number.
    pub major: u64,
    /// The second number.
    pub minor: u64,
    /// The third number.
    pub patch: u64,
    prerelease: Vec<Identifier>,
}

/// A part of a prerelease; numbers come before text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(u64),
    Text(Box<str>),
}

impl fmt::Display for Semver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        for (index, identifier) in self.prerelease.iter().enumerate() {
            let separator = if index == 0 { '-' } else { '.' };
            match identifier {
                Identifier::Number(number) => write!(f, "{separator}{number}")?,
                Identifier::Text(text) => write!(f, "{separator}{text}")?,
            }
        }
        Ok(())
    }
}

/// Why a text is no semantic version, in the words of blang/semver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseSemverError {
    /// There is no text.
    #[error("Version string empty")]
    Empty,
    /// There are fewer than three parts.
    #[error("No Major.Minor.Patch elements found")]
    TooShort,
    /// A part has characters it may not have.
    #[error("Invalid character(s) found in {part} {}", quoted(.text))]
    #[expect(missing_docs, reason = "the names say it")]
    Characters { part: &'static str, text: String },
    /// A number starts with a zero.
    #[error("{part} must not contain leading zeroes {}", quoted(.text))]
    #[expect(missing_docs, reason = "the names say it")]
    LeadingZero { part: &'static str, text: String },
    /// A number is missing.
    #[error("strconv.ParseUint: parsing \"\": invalid syntax")]
    NoNumber,
    /// A number does not fit in 64 bits.
    #[error("strconv.ParseUint: parsing {}: value out of range", quoted(.0))]
    TooLarge(String),
    /// A part of the prerelease is empty.
    #[error("Prerelease is empty")]
    EmptyPrerelease,
    /// A part of the build metadata is empty.
    #[error("Build meta data is empty")]
    EmptyBuild,
    /// A version that is to be filled up has more than numbers.
    #[error("short version cannot contain PreRelease/Build meta data")]
    ShortWithMetadata,
}

impl Semver {
    /// Reads `major.minor.patch[-prerelease][+build]`.
    pub fn parse(text: &str) -> Result<Self, ParseSemverError> {
        if text.is_empty() {
            return Err(ParseSemverError::Empty);
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(ParseSemverError::TooShort);
        };
        let (major, minor) =
            (number(major, "major number", "Major number")?, number(minor, "minor number", "Minor number")?);
        let (rest, build) = split_off(rest, '+');
        let (patch, prerelease) = split_off(rest, '-');
        let patch = number(patch, "patch number", "Patch number")?;
        let prerelease = prerelease.map_or(Ok(Vec::new()), |it| it.split('.').map(identifier).collect())?;
        build.map_or(Ok(()), |it| it.split('.').try_for_each(check_build))?;
        Ok(Self { major, minor, patch, prerelease })
    }

    /// The same, after removing a leading `v` and leading zeros and adding missing numbers.
    pub fn parse_normalized(text: &str) -> Result<Self, ParseSemverError> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts: Vec<String> = text.splitn(3, '.').map(without_leading_zeros).collect();
        if parts.len() < 3 && parts.last().is_some_and(|last| last.contains(['+', '-'])) {
            return Err(ParseSemverError::ShortWithMetadata);
        }
        while parts.len() < 3 {
            parts.push("0".into());
        }
        Self::parse(&parts.join("."))
    }
}

impl Ord for Semver {
    fn cmp(&self, other: &Self) -> Ordering {
        let numbers = |it: &Self| (it.major, it.minor, it.patch);
        // A version without prerelease comes after all with one.
        let released = self.prerelease.is_empty().cmp(&other.prerelease.is_empty());
        numbers(self).cmp(&numbers(other)).then(released).then_with(|| self.prerelease.cmp(&other.prerelease))
    }
}

impl PartialOrd for Semver {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn split_off(text: &str, separator: char) -> (&str, Option<&str>) {
    text.split_once(separator).map_or((text, None), |(before, behind)| (before, Some(behind)))
}

fn without_leading_zeros(part: &str) -> String {
    if part.len() < 2 {
        return part.into();
    }
    let trimmed = part.trim_start_matches('0');
    let zero = if trimmed.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
    format!("{zero}{trimmed}")
}

fn number(text: &str, what: &'static str, subject: &'static str) -> Result<u64, ParseSemverError> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ParseSemverError::Characters { part: what, text: text.into() });
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(ParseSemverError::LeadingZero { part: subject, text: text.into() });
    }
    if text.is_empty() {
        return Err(ParseSemverError::NoNumber);
    }
    text.parse().map_err(|_| ParseSemverError::TooLarge(text.into()))
}

fn identifier(text: &str) -> Result<Identifier, ParseSemverError> {
    if text.is_empty() {
        return Err(ParseSemverError::EmptyPrerelease);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return number(text, "prerelease", "Numeric PreRelease version").map(Identifier::Number);
    }
    check_characters(text, "prerelease")?;
    Ok(Identifier::Text(text.into()))
}

fn check_build(text: &str) -> Result<(), ParseSemverError> {
    if text.is_empty() {
        return Err(ParseSemverError::EmptyBuild);
    }
    check_characters(text, "build meta data")
}

fn check_characters(text: &str, what: &'static str) -> Result<(), ParseSemverError> {
    let allowed = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if allowed { Ok(()) } else { Err(ParseSemverError::Characters { part: what, text: text.into() }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_as_the_semver_document_says() {
        let ascending = [
            "0.9.9",
            "1.0.0-0",
            "1.0.0-1",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
            "1.0.1",
            "1.2.0",
            "2.0.0",
            "18446744073709551615.0.0",
        ]
        .map(|text| Semver::parse(text).unwrap());
        assert!(ascending.is_sorted_by(|a, b| a < b));
        assert_eq!(Semver::parse("1.2.3-beta.1+build.1"), Semver::parse("1.2.3-beta.1+other"));
    }

    #[test]
    fn normalizes() {
        let check = |text: &str, expect: &str| {
            assert_eq!(Semver::parse_normalized(text), Semver::parse(expect), "{text}");
        };
        check("v01.01", "1.1.0");
        check("1", "1.0.0");
        check("v1.0.0", "1.0.0");
        check("01.01.01-rc.1+x", "1.1.1-rc.1+x");
        check("000.00.00-rc", "0.0.0-rc");
        let check = |text: &str| assert!(Semver::parse_normalized(text).is_err(), "{text}");
        for text in ["", " 1.0.0", "1. 0.0", "1.0.0 ", "vv1", "1-rc", "1.0.0.0"] {
            check(text);
        }
    }

    #[test]
    fn refuses_other_text() {
        let check =
            |text: &str, expect: &str| assert_eq!(Semver::parse(text).unwrap_err().to_string(), expect);
        check("", "Version string empty");
        check("v1.0", "No Major.Minor.Patch elements found");
        check("1.1", "No Major.Minor.Patch elements found");
        check("v1.0.0", r#"Invalid character(s) found in major number "v1""#);
        check("1. 0.0", r#"Invalid character(s) found in minor number " 0""#);
        check("1.0.0 ", r#"Invalid character(s) found in patch number "0 ""#);
        check("01.1.1", r#"Major number must not contain leading zeroes "01""#);
        check("1.1.1-01", r#"Numeric PreRelease version must not contain leading zeroes "01""#);
        check("1.1.1-", "Prerelease is empty");
        check("1.1.1-a_b", r#"Invalid character(s) found in prerelease "a_b""#);
        check("1.1.1+", "Build meta data is empty");
        check("1.1.1+a_b", r#"Invalid character(s) found in build meta data "a_b""#);
        check(".1.1", r#"strconv.ParseUint: parsing "": invalid syntax"#);
        check(
            "18446744073709551616.1.1",
            r#"strconv.ParseUint: parsing "18446744073709551616": value out of range"#,
        );
    }
}
