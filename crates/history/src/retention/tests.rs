//! What is kept, and when the rest goes.

use super::*;
use crate::revision::tests::{digest, history, number, revision};

const NOW: &str = "2026-01-01T00:10:00Z";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// The numbers that are kept.
fn numbers(letters: &str, uses: &Uses, limit: u64) -> Vec<u64> {
    kept(&history(letters), uses, limit).keys().map(|it| it.get()).collect()
}

fn current(at: u64) -> Uses {
    Uses { current: Some(number(at)), ..Uses::default() }
}

#[test]
fn v30_what_is_within_the_limit_is_kept() {
    let check = |uses: Uses, limit: u64, expected: &[u64]| {
        assert_eq!(numbers("abcdefghijkl", &uses, limit), expected, "{uses:?} {limit}");
    };
    check(current(12), 10, &[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    check(current(12), 2, &[10, 11, 12]);
    check(current(12), 0, &[12]);
    check(Uses::default(), 1, &[11, 12]);
    // While a hold keeps the two apart both have a history.
    check(current(5), 1, &[4, 5, 6, 11, 12]);
}

#[test]
fn v30_numbers_are_counted_and_not_revisions() {
    assert_eq!(numbers("a.......i.k", &current(11), 2), [9, 11]);
    assert_eq!(numbers("a.......i.k", &current(11), 10), [1, 9, 11]);
}

#[test]
fn v30_nothing_in_use_is_given_up() {
    let check = |uses: Uses, expected: &[u64]| {
        let uses = Uses { current: Some(number(6)), ..uses };
        assert_eq!(numbers("abacad", &uses, 0), expected, "{uses:?}");
    };
    let one = |at: u64| Some(number(at));
    check(Uses::default(), &[6]);
    check(Uses { held: one(2), ..Uses::default() }, &[2, 6]);
    check(Uses { last_completed: one(3), ..Uses::default() }, &[3, 6]);
    check(Uses { rollback_source: one(1), ..Uses::default() }, &[1, 6]);
    check(Uses { named: [number(1), number(3), number(99)].into(), ..Uses::default() }, &[1, 3, 6]);
    // By content: the newest that has it.
    check(Uses { contents: [digest('a'), digest('x')].into(), ..Uses::default() }, &[5, 6]);
    check(Uses { releases: [digest('b'), digest('c')].into(), ..Uses::default() }, &[2, 4, 6]);
}

#[test]
fn v21_a_mark_is_kept_with_the_last_revision_of_its_content() {
    let check = |letters: &str, marked: &[u64], expected: &[u64]| {
        let failed = || Health::Failed("3 of 10 failed".to_owned());
        let health = |it: &Revision| if marked.contains(&it.number.get()) { failed() } else { Health::Good };
        let all = history(letters);
        let all = all.live().map(|it| Revision { health: health(it), ..it.clone() });
        let latest = letters.len() as u64;
        let kept = kept(&History::new(all.collect()), &current(latest), 1);
        assert_eq!(kept.keys().map(|it| it.get()).collect::<Vec<_>>(), expected, "{letters} {marked:?}");
    };
    check("abcxxxxcd", &[3], &[3, 8, 9]);
    check("abcxxxxcd", &[3, 8], &[8, 9]);
    check("abcxcxxcd", &[3, 5], &[5, 8, 9]);
    // Nothing else has the content.
    check("abcxxxxyd", &[3], &[8, 9]);
}

#[test]
fn v30_every_reason_is_told() {
    let uses = Uses {
        contents: [digest('c')].into(),
        held: Some(number(3)),
        named: [number(3)].into(),
        ..current(3)
    };
    let kept = kept(&history("abc"), &uses, 1);
    let expected =
        [Reason::Current, Reason::Latest, Reason::Held, Reason::Named, Reason::Assigned, Reason::Recent];
    assert_eq!(kept[&number(3)], expected.into());
    assert_eq!(kept[&number(2)], [Reason::Recent].into());
    assert_eq!(kept.get(&number(1)), None);
}

#[test]
fn v30_pruning_takes_two_steps() {
    let check = |marked: Option<&str>, freshness: Freshness, uses: &Uses, expected: Fate| {
        let old = Revision { unused_since: marked.map(at), ..revision(1, 'a') };
        let history = History::new(vec![old, revision(2, 'b')]);
        let fates = fates(&history, &kept(&history, uses, 0), at(NOW), freshness);
        assert_eq!(fates[&number(1)], expected, "{marked:?} {freshness:?}");
        assert_eq!(fates[&number(2)], Fate::Kept);
    };
    let unused = current(2);
    let used = Uses { contents: [digest('a')].into(), ..current(2) };
    check(None, Freshness::Cached, &unused, Fate::Mark);
    check(None, Freshness::Live, &unused, Fate::Mark);
    check(Some("2026-01-01T00:09:30Z"), Freshness::Live, &unused, Fate::Due(at("2026-01-01T00:10:30Z")));
    check(Some("2026-01-01T00:09:01Z"), Freshness::Live, &unused, Fate::Due(at("2026-01-01T00:10:01Z")));
    check(Some("2026-01-01T00:09:00Z"), Freshness::Cached, &unused, Fate::Recheck);
    check(Some("2026-01-01T00:09:00Z"), Freshness::Live, &unused, Fate::Delete);
    check(Some("2026-01-01T00:00:00Z"), Freshness::Live, &used, Fate::Unmark);
    check(None, Freshness::Live, &used, Fate::Kept);
    check(Some("2099-01-01T00:00:00Z"), Freshness::Live, &unused, Fate::Mark);
}

#[test]
fn v30_a_mark_from_before_the_definition_was_there_is_none() {
    let fate = |ownership: Ownership, uses: &Uses| {
        let marked = Some(at("2026-01-01T00:01:00Z"));
        let old = Revision { unused_since: marked, ownership, ..revision(1, 'a') };
        let history = History::new(vec![old, revision(2, 'b')]);
        fates(&history, &kept(&history, uses, 0), at(NOW), Freshness::Live)[&number(1)]
    };
    let used = Uses { contents: [digest('a')].into(), ..current(2) };
    assert_eq!(fate(Ownership::Own, &current(2)), Fate::Delete);
    assert_eq!(fate(Ownership::Orphan, &current(2)), Fate::Mark);
    assert_eq!(fate(Ownership::Orphan, &used), Fate::Unmark);
}

#[test]
fn v30_what_came_from_a_backup_waits_for_the_instances_that_need_it() {
    let check = |made: &str, marked: Option<&str>, uses: &Uses, expected: Fate| {
        let old = Revision {
            issued_at: Some(at("2025-12-31T12:00:00Z")),
            object_made_at: Some(at(made)),
            unused_since: marked.map(at),
            ..revision(1, 'a')
        };
        let history = History::new(vec![old, revision(2, 'b')]);
        let fates = fates(&history, &kept(&history, uses, 0), at(NOW), Freshness::Live);
        assert_eq!(fates[&number(1)], expected, "{made} {marked:?}");
    };
    let (unused, spared) = (current(2), Fate::Spared(at("2026-01-01T00:20:00Z")));
    check("2025-12-31T23:20:00Z", None, &unused, spared);
    // A mark that came with it would have it deleted at once.
    check("2025-12-31T23:20:00Z", Some("2025-12-31T12:00:30Z"), &unused, spared);
    check("2025-12-31T23:20:00Z", Some("2026-01-01T00:00:00Z"), &unused, spared);
    check("2025-12-31T23:10:00Z", None, &unused, Fate::Mark);
    check("2025-12-31T23:10:00Z", Some("2025-12-31T12:00:30Z"), &unused, Fate::Mark);
    check("2025-12-31T23:10:00Z", Some("2026-01-01T00:09:00Z"), &unused, Fate::Delete);
    // One that was issued here is given up at once, though clocks differ a little.
    check("2025-12-31T12:01:00Z", None, &unused, Fate::Mark);
    let used = Uses { contents: [digest('a')].into(), ..current(2) };
    check("2025-12-31T23:20:00Z", None, &used, Fate::Kept);
    check("2025-12-31T23:20:00Z", Some("2025-12-31T12:00:30Z"), &used, Fate::Unmark);
}

#[test]
fn v32_an_input_without_its_definition_is_not_restorable() {
    let check = |letter: char, has_spec: bool, expected: Restorable| {
        assert_eq!(restorable(&history("abac"), digest(letter), has_spec), expected, "{letter}");
    };
    check('a', true, Restorable::Yes);
    check('c', true, Restorable::Yes);
    check('x', true, Restorable::DefinitionPruned);
    check('x', false, Restorable::DefinitionPruned);
    check('a', false, Restorable::SpecDropped);
}

#[test]
fn lists_call_revisions_by_one_word() {
    let uses = Uses { contents: [digest('b')].into(), ..current(4) };
    let kept = kept(&history("abcd"), &uses, 1);
    let words: Vec<_> = (1..=4).map(|at| Standing::of(kept.get(&number(at))).as_str()).collect();
    assert_eq!(words, ["Prunable", "Active", "Unused", "Current"]);
    let held = Uses { held: Some(number(2)), ..current(2) };
    let kept = super::kept(&history("abcd"), &held, 1);
    assert_eq!(Standing::of(kept.get(&number(2))), Standing::Held);
}
