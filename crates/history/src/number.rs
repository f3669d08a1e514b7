//! Numbers of revisions: they only grow.

use std::fmt;
use std::str::FromStr;

use crate::excerpt;

/// The number of a revision; from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RevisionNumber(u64);

/// The highest that the wire can carry.
const HIGHEST: u64 = i64::MAX.unsigned_abs();

impl RevisionNumber {
    /// The first of a lineage.
    pub const FIRST: Self = Self(1);

    /// Nothing for what is no number of a revision: zero, or more than the wire can carry.
    pub fn new(number: u64) -> Option<Self> {
        (1..=HIGHEST).contains(&number).then_some(Self(number))
    }

    /// A number as it stands in an object.
    pub fn from_wire(number: i64) -> Option<Self> {
        Self::new(u64::try_from(number).ok()?)
    }

    /// As it stands in an object.
    pub fn to_wire(self) -> i64 {
        i64::try_from(self.0).unwrap_or(i64::MAX)
    }

    /// As a plain number.
    pub fn get(self) -> u64 {
        self.0
    }

    /// How far two numbers are apart.
    pub fn distance(self, other: Self) -> u64 {
        self.0.abs_diff(other.0)
    }

    fn next(self) -> Option<Self> {
        Self::new(self.0.checked_add(1)?)
    }
}

impl fmt::Display for RevisionNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A text that is no number of a revision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not the number of a revision; write a whole number from 1, such as \"3\"")]
pub struct NotANumber(pub String);

impl FromStr for RevisionNumber {
    type Err = NotANumber;

    /// Digits alone, without sign or leading zeros: every number has one spelling.
    fn from_str(text: &str) -> Result<Self, NotANumber> {
        let is_plain = !text.starts_with('0') && text.bytes().all(|it| it.is_ascii_digit());
        let number = if is_plain { text.parse().ok().and_then(Self::new) } else { None };
        number.ok_or_else(|| NotANumber(excerpt(text)))
    }
}

/// Where numbers of a lineage have been seen; of each place the highest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// In the status of what has the lineage.
    pub last_issued: Option<RevisionNumber>,
    /// On revisions that are there, those on their way out included.
    pub live: Option<RevisionNumber>,
    /// On the CRD of a definition; inputs have no such place.
    pub crd: Option<RevisionNumber>,
    /// In the status of instances.
    pub statuses: Option<RevisionNumber>,
    /// In pins and stamps, which tenants can write.
    pub claims: Option<RevisionNumber>,
}

/// What tenants write is not believed above this.
pub const HIGHEST_CLAIM: RevisionNumber = RevisionNumber(1_000_000);

/// There is no number left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("number {0} has been seen, which is the highest there is; find out who wrote it")]
pub struct Exhausted(pub RevisionNumber);

impl Traces {
    /// The number of the next revision: above every one that has been seen.
    ///
    /// Pins and stamps count only when nothing else of the lineage is left that carries a number.
    pub fn next(&self) -> Result<RevisionNumber, Exhausted> {
        match self.highest() {
            None => Ok(RevisionNumber::FIRST),
            Some(highest) => highest.next().ok_or(Exhausted(highest)),
        }
    }

    /// The highest number that is believed.
    pub fn highest(&self) -> Option<RevisionNumber> {
        let is_lost = self.live.is_none() && self.crd.is_none();
        let claims = self.claims.filter(|it| is_lost && *it <= HIGHEST_CLAIM);
        [self.last_issued, self.live, self.crd, self.statuses, claims].into_iter().flatten().max()
    }
}

/// The highest of the claims that may be believed: one that is too high does not hide the others.
pub fn highest_claim(claims: impl IntoIterator<Item = RevisionNumber>) -> Option<RevisionNumber> {
    claims.into_iter().filter(|it| *it <= HIGHEST_CLAIM).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(number: u64) -> Option<RevisionNumber> {
        RevisionNumber::new(number)
    }

    #[test]
    fn v9_next_is_above_all_that_has_been_seen() {
        let check = |[last_issued, live, crd, statuses, claims]: [u64; 5], expected: u64| {
            let traces = Traces {
                last_issued: number(last_issued),
                live: number(live),
                crd: number(crd),
                statuses: number(statuses),
                claims: number(claims),
            };
            assert_eq!(traces.next().unwrap().get(), expected, "{traces:?}");
        };
        check([0, 0, 0, 0, 0], 1);
        check([3, 0, 0, 0, 0], 4);
        check([3, 5, 4, 2, 0], 6);
        check([3, 5, 7, 2, 0], 8);
        check([0, 0, 0, 9, 0], 10);
        // Restored without status and with the newest pruned: the CRD remembers.
        check([0, 2, 7, 0, 0], 8);
        // Tenants are believed only where nothing else is left, and within reason.
        check([0, 0, 0, 0, 12], 13);
        check([3, 0, 0, 4, 12], 13);
        check([0, 5, 0, 0, 12], 6);
        check([0, 0, 5, 0, 12], 6);
        check([0, 0, 0, 0, 1_000_000], 1_000_001);
        check([0, 0, 0, 0, 1_000_001], 1);
    }

    #[test]
    fn v9_a_claim_out_of_reason_hides_no_other() {
        let claims = [7, 2_000_000, 12].into_iter().filter_map(RevisionNumber::new);
        assert_eq!(highest_claim(claims), number(12));
    }

    #[test]
    fn v9_the_last_number_is_not_issued_twice() {
        let traces = Traces { last_issued: number(HIGHEST), ..Traces::default() };
        let words =
            "number 9223372036854775807 has been seen, which is the highest there is; find out who wrote it";
        assert_eq!(traces.next().unwrap_err().to_string(), words);
    }

    #[test]
    fn numbers_have_one_spelling() {
        let check = |text: &str, expected: Option<u64>| {
            assert_eq!(text.parse::<RevisionNumber>().ok().map(RevisionNumber::get), expected, "{text:?}");
        };
        check("1", Some(1));
        check("12", Some(12));
        check("9223372036854775807", Some(HIGHEST));
        for wrong in ["", "0", "-1", "+1", "01", "1.0", " 1", "r1", "9223372036854775808", "١"] {
            check(wrong, None);
        }
        let long = "9".repeat(1000).parse::<RevisionNumber>().unwrap_err();
        assert_eq!(long, NotANumber(format!("{}…", "9".repeat(64))));
        assert_eq!(RevisionNumber::from_wire(-1), None);
        assert_eq!(RevisionNumber::from_wire(7).map(RevisionNumber::to_wire), Some(7));
    }
}
