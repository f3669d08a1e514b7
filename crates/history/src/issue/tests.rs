//! Worlds and what is decided for them; rules are cited by the names of the tests.

mod random;

use super::*;
use crate::revision::tests::{digest, history, number, revision};
use crate::revision::{Health, Ownership, Revision};
use crate::rollback::Force;
use crate::writer::{Operation, Writer};

const NOW: &str = "2026-01-01T00:10:00Z";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A world that can be changed and decided for.
struct Scene {
    lineage: Lineage,
    history: History,
    uses: Uses,
    spec: char,
}

impl Scene {
    /// Revisions as letters, `.` for one that is gone, and what the spec says now.
    fn new(letters: &str, spec: char) -> Self {
        let lineage = Lineage::Definition { name: "web".to_owned() };
        let settled = |it: &Revision| Revision {
            superseded: Some(it.number.get() < letters.len() as u64),
            ..it.clone()
        };
        let history = History::new(history(letters).live().map(settled).collect());
        Self { lineage, history, uses: Uses::default(), spec }
    }

    fn world(&self) -> World<'_> {
        World {
            lineage: &self.lineage,
            spec: digest(self.spec),
            judgement: Judgement::Accepted,
            size: 1000,
            history: &self.history,
            traces: Traces::default(),
            reserved: None,
            update_policy: UpdatePolicy::Automatic,
            create_request: None,
            rollback: None,
            answered: Answered::NONE,
            restoring: None,
            keeper: None,
            hold: Wish::default(),
            serving: None,
            uses: &self.uses,
            history_limit: 10,
            life: Life::Living,
            freshness: Freshness::Live,
            now: at(NOW),
        }
    }
}

/// The actions in few words, and the notices.
fn told(issue: &Issue) -> String {
    let actions = issue.actions.iter().map(|action| match action {
        Action::Reserve(number) => format!("reserve {number}"),
        Action::Create(new) => {
            let restored = new.restored_from.map(|it| format!(" from {it}")).unwrap_or_default();
            format!("create {}{restored}", new.name)
        }
        Action::RestoreSpec { from, hold, .. } => format!("restore {from} {hold:?}"),
        Action::AnswerRollback { request } => format!("answer {request}"),
        Action::AnswerCreate => "answer create".to_owned(),
        Action::FinishRestoring => "finish".to_owned(),
        Action::SetSuperseded { revision, superseded } => {
            format!("superseded {} {superseded}", revision.name)
        }
        Action::NoteReplaced { revision, at } => format!("replaced {} {at}", revision.name),
        Action::Adopt(revision) => format!("adopt {}", revision.name),
        Action::MarkUnused { revision, .. } => format!("mark {}", revision.name),
        Action::Unmark(revision) => format!("unmark {}", revision.name),
        Action::Prune(revision) => format!("prune {}", revision.name),
    });
    let notices = issue.report.notices.iter().map(|it| format!("[{it}]"));
    actions.chain(notices).collect::<Vec<_>>().join("; ")
}

fn check(world: &World<'_>, expected: &str) -> Report {
    let issue = issue(world);
    assert_eq!(told(&issue), expected, "{:?}", issue.report.standing);
    issue.report
}

fn request(text: &str) -> Request<'_> {
    Request { text, writer: None, force: Force::No, rejected: None }
}

#[test]
fn v7_what_does_not_compile_gets_no_number() {
    let scene = Scene::new("ab", 'c');
    let report = check(&World { judgement: Judgement::Refused("no kind Widget"), ..scene.world() }, "");
    let Standing::Refused(refusal) = &report.standing else { panic!("{report:?}") };
    assert_eq!(refusal.to_string(), "no revision is issued: no kind Widget");
    assert_eq!(report.current.map(|it| it.number), Some(number(2)));
}

#[test]
fn v7_content_waits_for_its_kind() {
    let scene = Scene::new("ab", 'c');
    let waiting = World { judgement: Judgement::Awaited, ..scene.world() };
    assert_eq!(check(&waiting, "").standing, Standing::Due);
    let pending = World { update_policy: UpdatePolicy::Manual, ..waiting.clone() };
    assert_eq!(check(&pending, "").standing, Standing::Pending { digest: digest('c') });
    let large = World { size: LARGEST + 1, ..waiting };
    assert!(matches!(check(&large, "").standing, Standing::Refused(Refusal::TooLarge { .. })));
}

#[test]
fn v8_new_content_gets_the_next_number() {
    check(&Scene::new("", 'a').world(), "reserve 1; create web-rev-1; [created revision 1]");
    check(&Scene::new("ab", 'c').world(), "reserve 3; create web-rev-3; [created revision 3]");
    assert_eq!(check(&Scene::new("ab", 'b').world(), "").standing, Standing::Issued);
}

#[test]
fn v8_content_that_returns_is_a_new_revision() {
    check(
        &Scene::new("a.ab", 'a').world(),
        "reserve 5; create web-rev-5 from 3; [created revision 5 (content from revision 3)]",
    );
    check(
        &Scene::new("abc", 'a').world(),
        "reserve 4; create web-rev-4 from 1; [created revision 4 (content from revision 1)]",
    );
    // The number that was asked for wins over the newest with that content.
    let scene = Scene::new("aab", 'a');
    let asked = World { restoring: Some(number(1)), ..scene.world() };
    check(&asked, "reserve 4; create web-rev-4 from 1; [created revision 4 (content from revision 1)]");
    // Unless the spec was edited since.
    let scene = Scene::new("aab", 'c');
    check(
        &World { restoring: Some(number(1)), ..scene.world() },
        "reserve 4; create web-rev-4; [created revision 4]",
    );
}

#[test]
fn v8_held_content_is_not_what_an_edit_is_compared_with() {
    let scene = Scene::new("ab", 'b');
    let held = World { hold: Wish { annotation: Some("1"), ..Wish::default() }, ..scene.world() };
    let report = check(&held, "superseded web-rev-1 false");
    assert_eq!(report.standing, Standing::Issued);
}

#[test]
fn v9_a_number_is_issued_from_a_live_look_alone() {
    let scene = Scene::new("ab", 'c');
    let report = check(&World { freshness: Freshness::Cached, ..scene.world() }, "");
    assert_eq!((report.standing, report.needs_live_look), (Standing::Due, true));
}

#[test]
fn v9_numbers_go_on_after_everything_was_lost() {
    let scene = Scene::new("", 'a');
    let traces = |traces: Traces| World { traces, ..scene.world() };
    let one = |at: u64| Some(number(at));
    let check = |it: Traces, expected: &str| {
        check(
            &traces(it),
            &format!("reserve {expected}; create web-rev-{expected}; [created revision {expected}]"),
        );
    };
    check(Traces { crd: one(7), ..Traces::default() }, "8");
    check(Traces { statuses: one(5), claims: one(9), ..Traces::default() }, "10");
    check(Traces { last_issued: one(3), crd: one(2), claims: one(9), ..Traces::default() }, "4");
}

#[test]
fn v9_a_number_that_was_taken_for_the_same_content_is_used() {
    let scene = Scene::new("ab", 'c');
    let world = |last: u64, content: char| World {
        traces: Traces { last_issued: Some(number(last)), ..Traces::default() },
        reserved: Some(digest(content)),
        ..scene.world()
    };
    check(&world(3, 'c'), "create web-rev-3; [created revision 3]");
    check(&world(3, 'd'), "reserve 4; create web-rev-4; [created revision 4]");
    check(&world(2, 'c'), "reserve 3; create web-rev-3; [created revision 3]");
    let crd = World {
        traces: Traces { last_issued: Some(number(3)), crd: Some(number(5)), ..Traces::default() },
        ..world(3, 'c')
    };
    check(&crd, "reserve 6; create web-rev-6; [created revision 6]");
}

#[test]
fn v10_a_manual_edit_waits_to_be_asked_for() {
    let scene = Scene::new("ab", 'c');
    let world = |request: Option<&'static str>| World {
        update_policy: UpdatePolicy::Manual,
        create_request: request,
        ..scene.world()
    };
    assert_eq!(check(&world(None), "").standing, Standing::Pending { digest: digest('c') });
    check(&world(Some("true")), "reserve 3; create web-rev-3; [created revision 3]");
    let prefix: &'static str = digest('c').to_string()[..7].to_owned().leak();
    check(&world(Some(prefix)), "reserve 3; create web-rev-3; [created revision 3]");
    let words = format!(
        "answer create; [\"zzz\" does not name what is pending, which is {}; ask for \"true\" or for its first digits]",
        digest('c')
    );
    assert_eq!(check(&world(Some("zzz")), &words).standing, Standing::Pending { digest: digest('c') });
    // Fulfilled, or asked for without need.
    let scene = Scene::new("abc", 'c');
    check(&World { create_request: Some("true"), ..scene.world() }, "answer create");
}

#[test]
fn v10_leave_for_an_edit_that_gets_no_number_is_not_kept_for_the_next() {
    let scene = Scene::new("ab", 'c');
    let manual = World { update_policy: UpdatePolicy::Manual, ..scene.world() };
    let broken = World { judgement: Judgement::Refused("no kind Widget"), ..manual.clone() };
    let prefix = &digest('c').to_string()[..7];
    for request in ["true", prefix] {
        let words = "answer create; [no revision is issued: no kind Widget; ask again when that is mended]";
        let report = check(&World { create_request: Some(request), ..broken.clone() }, words);
        assert!(matches!(report.standing, Standing::Refused(_)) && report.notices[0].is_warning());
    }
    let large = World { size: LARGEST + 1, create_request: Some("true"), ..manual };
    let words = "answer create; [no revision is issued: it would have 1048577 bytes, and 1048576 is the limit; make two \
                 definitions of it; ask again when that is mended]";
    check(&large, words);
}

#[test]
fn v12_a_revision_that_is_too_large_is_refused() {
    let scene = Scene::new("a", 'b');
    let report = check(&World { size: LARGEST + 1, ..scene.world() }, "");
    let Standing::Refused(refusal) = report.standing else { panic!() };
    let words = "no revision is issued: it would have 1048577 bytes, and 1048576 is the limit; make two definitions of it";
    assert_eq!(refusal.to_string(), words);
}

#[test]
fn v13_nothing_is_issued_or_pruned_while_the_definition_ends() {
    let scene = Scene::new("abcd", 'e');
    let world = World { life: Life::Ending, history_limit: 0, rollback: Some(request("2")), ..scene.world() };
    assert_eq!(check(&world, "").standing, Standing::Ending);
}

#[test]
fn v13_a_new_definition_of_the_name_adopts_revisions() {
    let mut scene = Scene::new("ab", 'c');
    let orphan = |it: &Revision| Revision { ownership: Ownership::Orphan, ..it.clone() };
    scene.history = History::new(scene.history.live().map(orphan).collect());
    check(
        &scene.world(),
        "reserve 3; create web-rev-3; adopt web-rev-1; adopt web-rev-2; [created revision 3]",
    );
}

#[test]
fn v28_when_other_content_took_its_place_is_noted_on_a_revision_once() {
    let mut scene = Scene::new("abbd", 'd');
    let day = |day: u64| at(&format!("2026-01-0{day}T00:00:00Z"));
    let issued = |it: &Revision| Revision {
        issued_at: Some(day(it.number.get())),
        replaced_at: (it.number == number(1)).then(|| day(9)),
        ..it.clone()
    };
    scene.history = History::new(scene.history.live().map(issued).collect());
    check(&scene.world(), "replaced web-rev-2 2026-01-04T00:00:00Z; replaced web-rev-3 2026-01-04T00:00:00Z");
    // What took its place need not be kept.
    assert_eq!(scene.history.replaced_at(number(1)), Some(day(9)));
}

#[test]
fn v19_a_rollback_writes_the_spec_and_then_issues_it() {
    let scene = Scene::new("abc", 'c');
    let asked = World { rollback: Some(request("2")), ..scene.world() };
    let report = check(&asked, "restore 2 Stays; [rolling back to revision 2]");
    assert_eq!(report.standing, Standing::Restoring { from: number(2) });
    // The spec is written; Manual needs no second approval.
    let scene = Scene::new("abc", 'b');
    let written = World { restoring: Some(number(2)), update_policy: UpdatePolicy::Manual, ..scene.world() };
    check(&written, "reserve 4; create web-rev-4 from 2; [created revision 4 (content from revision 2)]");
    let scene = Scene::new("abcb", 'b');
    check(&World { restoring: Some(number(2)), ..scene.world() }, "finish");
}

#[test]
fn v19_a_refused_rollback_changes_nothing_else() {
    let scene = Scene::new(".bc", 'c');
    let check = |text: &'static str, expected: &str| {
        check(&World { rollback: Some(request(text)), ..scene.world() }, expected);
    };
    check("1", "answer 1; [not rolled back: revision 1 of web was pruned; the oldest that is kept is 2]");
    check("9", "answer 9; [not rolled back: there is no revision 9 of web; the newest is 3]");
    check(
        "3",
        "answer 3; [not rolled back: web has the content of revision 3 already; there is nothing to roll back]",
    );
}

#[test]
fn v19_a_rollback_takes_a_broken_edit_back() {
    let scene = Scene::new("abc", 'x');
    let broken = World { judgement: Judgement::Refused("no"), rollback: Some(request("3")), ..scene.world() };
    check(&broken, "restore 3 Stays; [rolling back to revision 3]");
}

#[test]
fn v19_a_request_that_a_tool_puts_back_is_ignored_with_a_warning() {
    let scene = Scene::new("abc", 'c');
    let writer = Writer { manager: "argocd-controller".to_owned(), operation: Operation::Apply };
    let again = Request { text: "2", writer: Some(writer), force: Force::Yes, rejected: None };
    let answered = &Answered::read("2");
    let world = World { rollback: Some(again), answered, ..scene.world() };
    let words = "[argocd-controller has put back the request to roll back to 2, which was answered; remove it from \
                 what argocd-controller applies]";
    assert!(check(&world, words).notices[0].is_warning());
}

#[test]
fn v20_edits_under_a_hold_issue_revisions_and_serve_nothing() {
    let scene = Scene::new("ab", 'c');
    let held = World { hold: Wish { annotation: Some("1"), ..Wish::default() }, ..scene.world() };
    let words = "reserve 3; create web-rev-3; superseded web-rev-1 false; [created revision 3]";
    assert_eq!(check(&held, words).current.map(|it| it.number), Some(number(1)));
    let asked = World { rollback: Some(request("1")), ..held.clone() };
    check(&asked, "restore 1 Ends; superseded web-rev-1 false; [rolling back to revision 1]");
    let words = "restore 2 Stays; superseded web-rev-1 false; \
                 [rolling back to revision 2, which is served when the hold of 1 is released]";
    check(&World { rollback: Some(request("2")), ..held }, words);
}

#[test]
fn v20_an_invalid_hold_leaves_everybody_where_they_are() {
    let scene = Scene::new("abc", 'c');
    let wrong = Wish { annotation: Some("7"), ..Wish::default() };
    let report = check(
        &World { hold: wrong, serving: Some(number(2)), ..scene.world() },
        "superseded web-rev-2 false",
    );
    assert_eq!(report.current.map(|it| it.number), Some(number(2)));
    assert_eq!(check(&World { hold: wrong, ..scene.world() }, "").current, None);
}

#[test]
fn v30_revisions_are_marked_and_then_pruned() {
    let scene = Scene::new("abcd", 'd');
    let world = |scene: &Scene, expected: &str, freshness: Freshness| {
        check(&World { history_limit: 1, freshness, ..scene.world() }, expected)
    };
    world(&scene, "mark web-rev-1; mark web-rev-2", Freshness::Cached);
    let mut marked = Scene::new("abcd", 'd');
    let mark = |it: &Revision, since: &str| Revision { unused_since: Some(at(since)), ..it.clone() };
    let mut revisions: Vec<Revision> = marked.history.live().cloned().collect();
    revisions[0] = mark(&revisions[0], "2026-01-01T00:08:00Z");
    revisions[1] = mark(&revisions[1], "2026-01-01T00:09:30Z");
    revisions[3] = mark(&revisions[3], "2026-01-01T00:08:00Z");
    marked.history = History::new(revisions);
    let report = world(&marked, "unmark web-rev-4", Freshness::Cached);
    assert_eq!((report.needs_live_look, report.next_look), (true, Some(at("2026-01-01T00:10:30Z"))));
    let words = "prune web-rev-1; unmark web-rev-4; [pruned revision 1, which nothing needs]";
    world(&marked, words, Freshness::Live);
    marked.uses.contents.insert(digest('a'));
    world(&marked, "unmark web-rev-1; unmark web-rev-4", Freshness::Live);
}

#[test]
fn v30_what_a_rollback_is_restoring_is_kept() {
    let scene = Scene::new("abcd", 'b');
    let world = World { history_limit: 0, restoring: Some(number(2)), ..scene.world() };
    let issue = issue(&World { freshness: Freshness::Cached, ..world });
    assert_eq!(told(&issue), "mark web-rev-1; mark web-rev-3");
}

#[test]
fn v21_a_failed_revision_is_served_when_it_is_held_but_not_rolled_back_to() {
    let mut scene = Scene::new("ab", 'b');
    let mut failed = revision(1, 'a');
    failed.superseded = Some(false);
    failed.health = Health::Failed("half failed".to_owned());
    scene.history = History::new(vec![failed, Revision { superseded: Some(false), ..revision(2, 'b') }]);
    let hold = Wish { annotation: Some("1"), ..Wish::default() };
    assert_eq!(check(&World { hold, ..scene.world() }, "").current.map(|it| it.number), Some(number(1)));
    let words = "answer 1; superseded web-rev-1 true; \
                 [not rolled back: revision 1 of web failed: half failed; roll back to another one]";
    check(&World { rollback: Some(request("1")), ..scene.world() }, words);
}
