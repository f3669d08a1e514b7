//! What people and other loops should know about a lineage.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::Timestamp;

use crate::hold::Hold;
use crate::number::Exhausted;
use crate::retention::Reason;
use crate::{Digest, RevisionNumber, excerpt, rollback};

/// All there is to know after a decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Where the content that was read stands.
    pub standing: Standing,
    /// What instances move to; nothing while a hold is invalid and nothing is known about before.
    pub current: Option<Named>,
    /// The newest revision that is there.
    pub latest: Option<Named>,
    /// What is served whatever the spec says.
    pub hold: Hold,
    /// The revisions that are kept, with the reasons.
    pub kept: BTreeMap<RevisionNumber, BTreeSet<Reason>>,
    /// Whether something waits for a look at the world as it is.
    pub needs_live_look: bool,
    /// When to look again though nothing changes.
    pub next_look: Option<Timestamp>,
    /// What people should hear of once.
    pub notices: Vec<Notice>,
}

/// A revision, by number and content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The number.
    pub number: RevisionNumber,
    /// The identity of the content.
    pub digest: Digest,
    /// The name of the object.
    pub name: String,
}

/// Where the content that was read stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is that of the latest revision.
    Issued,
    /// It is being issued.
    Issuing {
        /// The number that it gets.
        number: RevisionNumber,
        /// Why.
        because: IssueReason,
    },
    /// It gets a number as soon as the world has been looked at as it is.
    Due,
    /// It waits for somebody to ask for it.
    Pending {
        /// Its identity, by which one may ask.
        digest: Digest,
    },
    /// It is being replaced by what an older revision said.
    Restoring {
        /// That revision.
        from: RevisionNumber,
    },
    /// It gets no number.
    Refused(Refusal),
    /// Nothing is issued any longer.
    Ending,
}

/// Why a revision is issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssueReason {
    /// There is none yet.
    First,
    /// The content is new.
    Edited,
    /// The content is that of an older revision.
    Restored(RevisionNumber),
}

/// Why content gets no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It does not compile, or its kind cannot be served.
    #[error("no revision is issued: {0}")]
    Judgement(String),
    /// Its revision would be too large to store.
    #[error(
        "no revision is issued: it would have {size} bytes, and {largest} is the limit; make two definitions of it"
    )]
    TooLarge {
        /// Its size.
        size: usize,
        /// The limit.
        largest: usize,
    },
    /// There is no number for it.
    #[error("no revision is issued: {0}")]
    Exhausted(#[from] Exhausted),
}

/// Why a request to issue what is pending is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreateProblem {
    /// It does not mean what is pending.
    NotPending {
        /// The identity of what is pending.
        pending: Digest,
    },
    /// What is pending gets no number.
    Refused(Refusal),
}

/// The most rows of numbers in one notice.
const MOST_SPANS: usize = 20;

/// Something that people should hear of once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A revision is issued.
    Issued {
        /// Its number.
        number: RevisionNumber,
        /// Why.
        because: IssueReason,
    },
    /// A rollback begins.
    RollingBack {
        /// The revision whose content is written back.
        to: RevisionNumber,
        /// The hold that stays in force, if there is another one.
        still_held: Option<RevisionNumber>,
    },
    /// A request to roll back was refused.
    RollbackRefused(rollback::Refusal),
    /// An answered request came back.
    RequestPutBack {
        /// Its text.
        request: String,
        /// The tool that keeps it.
        manager: String,
    },
    /// A request to issue was refused.
    CreateRefused {
        /// Its text.
        request: String,
        /// Why.
        problem: CreateProblem,
    },
    /// Revisions are deleted.
    Pruned {
        /// Their numbers, in order.
        numbers: Vec<RevisionNumber>,
    },
}

impl Notice {
    /// Whether something is not as somebody wished.
    pub fn is_warning(&self) -> bool {
        match self {
            Self::RollbackRefused(_) | Self::RequestPutBack { .. } | Self::CreateRefused { .. } => true,
            Self::Issued { .. } | Self::RollingBack { .. } | Self::Pruned { .. } => false,
        }
    }
}

/// Numbers as people write them, those in a row as one; the first of very many, for an event is short.
fn spans(numbers: &[RevisionNumber]) -> String {
    let mut rows: Vec<(RevisionNumber, RevisionNumber)> = Vec::new();
    for number in numbers {
        match rows.last_mut() {
            Some((_, last)) if last.distance(*number) == 1 => *last = *number,
            Some(_) | None => rows.push((*number, *number)),
        }
    }
    let text = |(first, last): &(RevisionNumber, RevisionNumber)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    let told: Vec<String> = rows.iter().take(MOST_SPANS).map(text).collect();
    let others = if rows.len() > MOST_SPANS { " and others" } else { "" };
    told.join(", ") + others
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Issued { number, because: IssueReason::Restored(from) } => {
                write!(f, "created revision {number} (content from revision {from})")
            }
            Self::Issued { number, because: IssueReason::First | IssueReason::Edited } => {
                write!(f, "created revision {number}")
            }
            Self::RollingBack { to, still_held: None } => write!(f, "rolling back to revision {to}"),
            Self::RollingBack { to, still_held: Some(held) } => {
                write!(
                    f,
                    "rolling back to revision {to}, which is served when the hold of {held} is released"
                )
            }
            Self::RollbackRefused(refusal) => write!(f, "not rolled back: {refusal}"),
            Self::RequestPutBack { request, manager } => write!(
                f,
                "{manager} has put back the request to roll back to {}, which was answered; remove it from \
                 what {manager} applies",
                excerpt(request)
            ),
            Self::CreateRefused { request, problem: CreateProblem::NotPending { pending } } => write!(
                f,
                "{:?} does not name what is pending, which is {pending}; ask for \"true\" or for its first digits",
                excerpt(request)
            ),
            Self::CreateRefused { problem: CreateProblem::Refused(refusal), .. } => {
                write!(f, "{refusal}; ask again when that is mended")
            }
            Self::Pruned { numbers } => {
                let many = if numbers.len() == 1 { "" } else { "s" };
                write!(f, "pruned revision{many} {}, which nothing needs", spans(numbers))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_that_go_together_are_told_together() {
        let check = |numbers: &[u64], expected: &str| {
            let numbers = numbers.iter().filter_map(|it| RevisionNumber::new(*it)).collect();
            assert_eq!(Notice::Pruned { numbers }.to_string(), expected);
        };
        check(&[1], "pruned revision 1, which nothing needs");
        check(&[1, 2, 3, 5, 8, 9], "pruned revisions 1-3, 5, 8-9, which nothing needs");
        let apart: Vec<u64> = (1..=30).map(|it| it * 2).collect();
        let told: Vec<String> = apart.iter().take(20).map(ToString::to_string).collect();
        check(&apart, &format!("pruned revisions {} and others, which nothing needs", told.join(", ")));
    }
}
