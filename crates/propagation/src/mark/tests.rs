//! What follows from marks.

use krono_history::RevisionNumber;

use super::*;
use crate::scene::assignment;

/// `3c` is revision 3 with content c; `!` was halted, `~` rolled back, `+` completed, `<2` restored from 2.
fn history(text: &str) -> (History, Vec<RevisionNumber>) {
    let (mut revisions, mut completed) = (Vec::new(), Vec::new());
    for word in text.split(' ') {
        let (word, restored_from) =
            word.split_once('<').map_or((word, None), |(word, from)| (word, from.parse().ok()));
        let at = assignment(word.trim_end_matches(['!', '~', '+']));
        let health = match word.chars().last() {
            Some('!') => Health::Failed("halted: 1 of 3 failed".to_owned()),
            Some('~') => Health::Failed("rolled back: 1 of 3 failed".to_owned()),
            _ => Health::Good,
        };
        completed.extend(word.ends_with('+').then_some(at.number));
        revisions.push(Revision {
            restored_from,
            health,
            is_rollback: restored_from.is_some(),
            is_completed: word.ends_with('+'),
            ..Revision::new(at.number, at.digest)
        });
    }
    (History::new(revisions), completed)
}

#[test]
fn v38_the_last_good_revision() {
    let check = |text: &str, expected: Option<u64>| {
        let (history, completed) = history(text);
        let found = last_good(&history, |it| completed.contains(&it.number));
        assert_eq!(found.map(|it| it.number.get()), expected, "{text}");
    };
    check("1a", None);
    check("1a+", Some(1));
    check("1a+ 2b", Some(1));
    check("1a+ 2b+", Some(2));
    check("1a+ 2b+ 3c!", Some(2));
    // Marked is the content, whatever number carries the mark.
    check("1a+ 2b+ 3a~", Some(2));
    // Somebody went back from 2: it is not good, though it was completed.
    check("1a+ 2b+ 3a<1", Some(3));
    check("1a+ 2b+ 3a+<1", Some(3));
    check("1a+ 2b+ 3a+<1 4b+", Some(4));
    // What was given up and put back reaches nobody, so that nobody left 3.
    check("1a+ 2b~ 3c+ 4b<2", Some(3));
}

#[test]
fn v21_the_hold_follows_from_the_mark() {
    let check = |text: &str, expected: u64| {
        let (history, completed) = history(text);
        let good = last_good(&history, |it| completed.contains(&it.number));
        assert_eq!(current(&history, good).unwrap().number.get(), expected, "{text}");
    };
    check("1a+ 2b", 2);
    check("1a+ 2b~", 1);
    // A halt leaves everybody where it is: what is current stays.
    check("1a+ 2b!", 2);
    // The same content again is recorded and not propagated; other content ends the hold.
    check("1a+ 2b~ 3c 4b", 1);
    check("1a+ 2b~ 3c", 3);
    check("1a+ 2b~ 3c+ 4b<2", 3);
    // Nothing to go back to.
    check("1a~", 1);
    assert_eq!(current(&History::default(), None), None);
}

#[test]
fn v21_marks_are_written_and_read() {
    for text in ["halted: 1 of 3 failed", "rolled back: 1 of 3 failed", "halted: aborted"] {
        assert_eq!(Mark::read(text).to_string(), text);
    }
    assert_eq!(
        Mark::read("3 of 10 failed"),
        Mark { outcome: Outcome::Halted, reason: "3 of 10 failed".to_owned() }
    );
}
