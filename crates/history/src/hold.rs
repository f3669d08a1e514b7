//! Serving an older revision without touching the spec.

use std::fmt;

use crate::RevisionNumber;
use crate::number::NotANumber;
use crate::revision::{Health, History};

/// The wish to serve one revision whatever the definition says; the annotation wins over the field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wish<'a> {
    /// The text of the annotation.
    pub annotation: Option<&'a str>,
    /// The number in `revisionManagement.activeRevision`.
    pub field: Option<i64>,
    /// The lowest number that the platform owner lets anybody run.
    pub minimum: Option<RevisionNumber>,
    /// What follows from a propagation that was rolled back; people's wishes win over it.
    pub automatic: Option<Automatic>,
}

/// The way back from a revision that was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Automatic {
    /// The revision to serve instead.
    pub number: RevisionNumber,
    /// The revision that was given up.
    pub given_up: RevisionNumber,
}

/// What comes of the wish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// There is none.
    Released,
    /// This revision is served.
    Held {
        /// Its number.
        number: RevisionNumber,
        /// Where the wish stands.
        by: Place,
    },
    /// Nobody moves until the wish makes sense: it is never read as none.
    Invalid(Problem),
}

/// Where the wish for a hold stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the annotation.
    Annotation,
    /// In the spec.
    Field,
    /// On a newer revision that was given up.
    Mark {
        /// Its number.
        given_up: RevisionNumber,
        /// The revision of the same content that was tried.
        tried: RevisionNumber,
        /// What became of that and why, such as `rolled back: 1 of 4 instances failed`.
        failure: String,
    },
}

/// Why a hold cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It is no number.
    #[error(transparent)]
    NotANumber(#[from] NotANumber),
    /// There is no such revision.
    #[error("there is no revision {0}; hold one that is kept, or release the hold")]
    Unknown(RevisionNumber),
    /// It does not compile.
    #[error("revision {number} cannot be served: {reason}")]
    DoesNotCompile {
        /// Its number.
        number: RevisionNumber,
        /// Why.
        reason: String,
    },
    /// The platform owner forbids it.
    #[error(
        "revision {number} is below the minimum of {minimum}; hold a newer one, or lower minimumRevision"
    )]
    BelowMinimum {
        /// Its number.
        number: RevisionNumber,
        /// The lowest that is allowed.
        minimum: RevisionNumber,
    },
}

impl fmt::Display for Hold {
    /// The message of the condition.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Released => f.write_str("the definition is served as it stands"),
            Self::Held { number, by: Place::Annotation } => write!(
                f,
                "revision {number} is served whatever the definition says; remove the annotation {} to release it",
                krono_model::names::ACTIVE_REVISION_ANNOTATION
            ),
            Self::Held { number, by: Place::Field } => write!(
                f,
                "revision {number} is served whatever the definition says; remove \
                 spec.revisionManagement.activeRevision to release it"
            ),
            Self::Held { number, by: Place::Mark { given_up, tried, failure } } => {
                let again =
                    if given_up == tried { "" } else { &format!(" is revision {tried} again, which") };
                write!(
                    f,
                    "revision {number} is served since revision {given_up}{again} was {failure}; edit the definition, or have \
                     it tried again with `krono propagation retry`"
                )
            }
            Self::Invalid(problem) => write!(f, "no instance moves: {problem}"),
        }
    }
}

/// Whether a condition tells of a hold by annotation, as a hold is told.
pub fn is_by_annotation(message: &str) -> bool {
    message.contains(krono_model::names::ACTIVE_REVISION_ANNOTATION)
}

/// What comes of a wish; a revision that a propagation gave up may be held, one that does not compile may not.
pub fn hold(wish: Wish<'_>, history: &History) -> Hold {
    let (number, by) = match (wish.annotation, wish.field) {
        (Some(text), _) => (text.parse(), Place::Annotation),
        (None, Some(number)) => {
            let read = RevisionNumber::from_wire(number).ok_or_else(|| NotANumber(number.to_string()));
            (read, Place::Field)
        }
        (None, None) => match wish.automatic {
            Some(back) => (Ok(back.number), mark(back.given_up, history)),
            None => return Hold::Released,
        },
    };
    let checked = number.map_err(Problem::from).and_then(|it| servable(it, wish.minimum, history));
    checked.map_or_else(Hold::Invalid, |number| Hold::Held { number, by })
}

/// The mark may stand on another revision with the same content.
fn mark(given_up: RevisionNumber, history: &History) -> Place {
    let marked = history.find(given_up).and_then(|it| history.given_up(it.digest));
    let (tried, failure) = marked.map_or((given_up, "rolled back"), |(it, failure)| (it.number, failure));
    Place::Mark { given_up, tried, failure: failure.to_owned() }
}

fn servable(
    number: RevisionNumber,
    minimum: Option<RevisionNumber>,
    history: &History,
) -> Result<RevisionNumber, Problem> {
    let revision = history.find(number).ok_or(Problem::Unknown(number))?;
    match (&revision.health, minimum) {
        (Health::DoesNotCompile(reason), _) => {
            Err(Problem::DoesNotCompile { number, reason: reason.clone() })
        }
        (_, Some(minimum)) if number < minimum => Err(Problem::BelowMinimum { number, minimum }),
        (Health::Good | Health::Failed(_), _) => Ok(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::revision::tests::{number, revision};

    fn check(wish: Wish<'_>, expected: &str) {
        let mut broken = revision(3, 'c');
        broken.health = Health::DoesNotCompile("kind Widget is gone".to_owned());
        let mut failed = revision(4, 'd');
        failed.health = Health::Failed("rolled back: 1 of 4 instances failed".to_owned());
        let history = crate::revision::History::new(vec![revision(2, 'b'), broken, failed, revision(5, 'd')]);
        assert_eq!(hold(wish, &history).to_string(), expected, "{wish:?}");
    }

    #[test]
    fn v20_a_hold_names_a_revision_and_says_how_to_release_it() {
        check(Wish::default(), "the definition is served as it stands");
        check(
            Wish { annotation: Some("2"), field: Some(4), ..Wish::default() },
            "revision 2 is served whatever the definition says; remove the annotation krono.dev/active-revision to release it",
        );
        check(
            Wish { field: Some(4), ..Wish::default() },
            "revision 4 is served whatever the definition says; remove spec.revisionManagement.activeRevision to release it",
        );
    }

    #[test]
    fn v21_what_people_wish_wins_over_the_way_back() {
        let back =
            Wish { automatic: Some(Automatic { number: number(2), given_up: number(4) }), ..Wish::default() };
        check(
            back,
            "revision 2 is served since revision 4 was rolled back: 1 of 4 instances failed; edit the definition, or have \
             it tried again with `krono propagation retry`",
        );
        let again = Automatic { number: number(2), given_up: number(5) };
        check(
            Wish { automatic: Some(again), ..Wish::default() },
            "revision 2 is served since revision 5 is revision 4 again, which was rolled back: 1 of 4 instances failed; edit \
             the definition, or have it tried again with `krono propagation retry`",
        );
        check(
            Wish { annotation: Some("4"), ..back },
            "revision 4 is served whatever the definition says; remove the annotation krono.dev/active-revision to release it",
        );
    }

    #[test]
    fn v20_an_invalid_hold_is_never_read_as_none() {
        let check = |annotation: &str, minimum: Option<u64>, expected: &str| {
            let minimum = minimum.map(number);
            check(Wish { annotation: Some(annotation), minimum, ..Wish::default() }, expected);
        };
        check(
            "",
            None,
            "no instance moves: \"\" is not the number of a revision; write a whole number from 1, such as \"3\"",
        );
        check(
            "two",
            None,
            "no instance moves: \"two\" is not the number of a revision; write a whole number from 1, such as \"3\"",
        );
        check(
            "1",
            None,
            "no instance moves: there is no revision 1; hold one that is kept, or release the hold",
        );
        check("3", None, "no instance moves: revision 3 cannot be served: kind Widget is gone");
        check(
            "2",
            Some(4),
            "no instance moves: revision 2 is below the minimum of 4; hold a newer one, or lower minimumRevision",
        );
    }

    #[test]
    fn v20_a_wrong_annotation_is_not_overruled_by_the_field() {
        let history = crate::revision::tests::history("ab");
        let wish = Wish { annotation: Some("x"), field: Some(1), ..Wish::default() };
        assert!(matches!(hold(wish, &history), Hold::Invalid(_)));
        let wish = Wish { field: Some(0), ..Wish::default() };
        assert!(matches!(hold(wish, &history), Hold::Invalid(Problem::NotANumber(_))));
    }
}
