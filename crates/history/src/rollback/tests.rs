//! Requests and what comes of them.

use super::*;
use crate::hold::Place;
use crate::revision::tests::{digest, number, revision};
use crate::writer::Operation;

/// Revision 1 is pruned, 4 failed, 5 does not compile, and the spec is that of 6, which is that of 3 again.
fn history() -> History {
    let mut failed = revision(4, 'd');
    failed.health = Health::Failed("3 of 10 failed".to_owned());
    let mut broken = revision(5, 'e');
    broken.health = Health::DoesNotCompile("kind Widget is gone".to_owned());
    History::new(vec![revision(2, 'b'), revision(3, 'c'), failed, broken, revision(6, 'c')])
}

fn situation<'a>(history: &'a History, hold: &'a Hold) -> Situation<'a> {
    Situation {
        name: "web",
        history,
        highest: Some(number(7)),
        spec: digest('c'),
        hold,
        keeper: None,
        answered: Answered::NONE,
    }
}

fn request(text: &str) -> Request<'_> {
    Request { text, writer: None, force: Force::No, rejected: None }
}

fn refusal(text: &str) -> String {
    match judge(&request(text), &situation(&history(), &Hold::Released)) {
        Verdict::Refused(refusal) => refusal.to_string(),
        Verdict::Restore { number, .. } => panic!("{number} is restored"),
        Verdict::PutBack { manager } => panic!("{manager} put it back"),
    }
}

#[test]
fn v19_a_kept_revision_is_restored() {
    let verdict = judge(&request("2"), &situation(&history(), &Hold::Released));
    assert_eq!(verdict, Verdict::Restore { number: number(2), hold: Ending::Stays });
}

#[test]
fn v19_refusals_say_why() {
    let check = |text: &str, expected: &str| assert_eq!(refusal(text), expected);
    check("8", "there is no revision 8 of web; the newest is 7");
    check("1", "revision 1 of web was pruned; the oldest that is kept is 2");
    check("7", "revision 7 of web was pruned; the oldest that is kept is 2");
    check("4", "revision 4 of web failed: 3 of 10 failed; roll back to another one");
    check("5", "revision 5 of web failed: kind Widget is gone; roll back to another one");
    check("6", "web has the content of revision 6 already; there is nothing to roll back");
    check("3", "web has the content of revision 3 already; there is nothing to roll back");
    for text in ["", "last", "-1", "0", "2.0", "2 "] {
        let words = "is not the number of a revision; write a whole number from 1, such as \"3\"";
        check(text, &format!("{text:?} {words}"));
    }
    let empty = History::default();
    let nothing = Situation { highest: None, ..situation(&empty, &Hold::Released) };
    let Verdict::Refused(refusal) = judge(&request("1"), &nothing) else { panic!() };
    assert_eq!(refusal.to_string(), "there is no revision 1 of web; none was issued yet");
}

#[test]
fn v21_content_that_failed_is_refused_under_every_number_that_it_has() {
    let mut failed = revision(3, 'd');
    failed.health = Health::Failed("3 of 10 failed".to_owned());
    let history = History::new(vec![revision(2, 'd'), failed, revision(4, 'b'), revision(5, 'd')]);
    for text in ["2", "3", "5"] {
        let situation = Situation { spec: digest('b'), ..situation(&history, &Hold::Released) };
        let Verdict::Refused(refusal) = judge(&request(text), &situation) else { panic!("{text}") };
        let words = format!("revision {text} of web failed: 3 of 10 failed; roll back to another one");
        assert_eq!(refusal.to_string(), words);
    }
}

#[test]
fn v19_what_the_server_does_not_take_is_refused_in_its_words() {
    let rejected = Request { rejected: Some("schema.kind is immutable"), ..request("2") };
    let verdict = judge(&rejected, &situation(&history(), &Hold::Released));
    let Verdict::Refused(refusal) = verdict else { panic!("{verdict:?}") };
    let words = "the API server does not take the spec of revision 2 for web: schema.kind is immutable";
    assert_eq!(refusal.to_string(), words);
}

#[test]
fn v19_rolling_back_to_what_is_held_ends_the_hold() {
    let history = history();
    let hold = Hold::Held { number: number(2), by: Place::Annotation };
    let check = |text: &str, spec: char, expected: Option<Ending>| {
        let situation = Situation { spec: digest(spec), ..situation(&history, &hold) };
        let ending = match judge(&request(text), &situation) {
            Verdict::Restore { hold, .. } => Some(hold),
            Verdict::Refused(_) | Verdict::PutBack { .. } => None,
        };
        assert_eq!(ending, expected, "{text} {spec}");
    };
    check("2", 'c', Some(Ending::Ends));
    // The spec has that content already; the hold ends all the same.
    check("2", 'b', Some(Ending::Ends));
    check("3", 'b', Some(Ending::Stays));
    check("3", 'c', None);
}

#[test]
fn v19_where_a_tool_keeps_the_spec_a_hold_is_offered() {
    let history = history();
    let situation = Situation { keeper: Some("Argo CD"), ..situation(&history, &Hold::Released) };
    let Verdict::Refused(refusal) = judge(&request("2"), &situation) else { panic!() };
    let words = "Argo CD keeps the spec of web and would undo the rollback; hold the revision instead: \
                 krono rollback rgd/web --to-revision=2 --hold, or write the spec with --force";
    assert_eq!(refusal.to_string(), words);
    let forced = Request { force: Force::Yes, ..request("2") };
    assert_eq!(judge(&forced, &situation), Verdict::Restore { number: number(2), hold: Ending::Stays });
}

#[test]
fn v19_an_answered_request_that_comes_back_is_ignored() {
    let history = history();
    let check = |manager: &str, operation: Operation, answered: &str, expected: bool| {
        let writer = Some(Writer { manager: manager.to_owned(), operation });
        let answered = &Answered::read(answered);
        let situation = Situation { answered, ..situation(&history, &Hold::Released) };
        let verdict = judge(&Request { writer, ..request("2") }, &situation);
        let ignored = verdict == Verdict::PutBack { manager: manager.to_owned() };
        assert_eq!(ignored, expected, "{manager} {answered:?}: {verdict:?}");
    };
    check("argocd-controller", Operation::Apply, "2", true);
    check("kubectl-client-side-apply", Operation::Update, "2", true);
    check("kubectl", Operation::Apply, "2", true);
    check("argocd-controller", Operation::Apply, "3", false);
    // A person asks again.
    check("kubectl-annotate", Operation::Update, "2", false);
}
