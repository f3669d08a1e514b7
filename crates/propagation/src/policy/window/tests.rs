//! When windows open and close.

use serde_json::{Value, json};

use super::*;
use crate::problem::Problem;

fn windows(windows: &Value) -> Result<Windows, Vec<String>> {
    let mut problems: Vec<Problem> = Vec::new();
    let read = Windows::read(windows.as_array().unwrap(), "windows", &mut problems);
    if problems.is_empty() { Ok(read) } else { Err(problems.iter().map(ToString::to_string).collect()) }
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn nightly() -> Windows {
    windows(&json!([{"schedule": "0 22 * * MON-FRI", "duration": "4h", "timeZone": "Europe/Berlin"}]))
        .unwrap()
}

fn openings(windows: &Windows, before: &str, most: usize) -> Vec<String> {
    windows.back_from(at(before)).take(most).map(|(begun, ended)| format!("{begun} {ended}")).collect()
}

#[test]
fn v36_without_windows_it_is_always_open() {
    assert_eq!(Windows::default().at(at("2026-03-02T10:00:00Z")), Opening::Open(None));
}

#[test]
fn v36_a_window_opens_by_the_clock_of_its_zone() {
    let check = |now: &str, expected: Opening| assert_eq!(nightly().at(at(now)), expected, "{now}");
    // Monday; in winter Berlin is an hour ahead.
    check("2026-03-02T20:59:59Z", Opening::Closed(Some(at("2026-03-02T21:00:00Z"))));
    check("2026-03-02T21:00:00Z", Opening::Open(Some(at("2026-03-03T01:00:00Z"))));
    check("2026-03-03T00:59:59Z", Opening::Open(Some(at("2026-03-03T01:00:00Z"))));
    check("2026-03-03T01:00:00Z", Opening::Closed(Some(at("2026-03-03T21:00:00Z"))));
    // From Friday night to Monday, over the change to summer time.
    check("2026-03-28T01:00:00Z", Opening::Closed(Some(at("2026-03-30T20:00:00Z"))));
}

/// At 02:30 of the clock of Berlin, for an hour.
#[test]
fn v36_a_window_opens_once_in_nights_when_the_clock_is_changed() {
    let early =
        windows(&json!([{"schedule": "30 2 * * *", "duration": "1h", "timeZone": "Europe/Berlin"}])).unwrap();
    let check = |now: &str, expected: Opening| assert_eq!(early.at(at(now)), expected, "{now}");
    // There is no 02:30 in this night: it opens when the hour is left out.
    assert_eq!(
        openings(&early, "2026-03-30T00:00:00Z", 2),
        ["2026-03-29T01:00:00Z 2026-03-29T02:00:00Z", "2026-03-28T01:30:00Z 2026-03-28T02:30:00Z"]
    );
    check("2026-03-29T00:59:59Z", Opening::Closed(Some(at("2026-03-29T01:00:00Z"))));
    check("2026-03-29T01:00:00Z", Opening::Open(Some(at("2026-03-29T02:00:00Z"))));
    check("2026-03-29T02:00:00Z", Opening::Closed(Some(at("2026-03-30T00:30:00Z"))));
    // There are two in this one: it opens at the first.
    assert_eq!(
        openings(&early, "2026-10-26T00:00:00Z", 2),
        ["2026-10-25T00:30:00Z 2026-10-25T01:30:00Z", "2026-10-24T00:30:00Z 2026-10-24T01:30:00Z"]
    );
    check("2026-10-25T00:29:59Z", Opening::Closed(Some(at("2026-10-25T00:30:00Z"))));
    check("2026-10-25T00:30:00Z", Opening::Open(Some(at("2026-10-25T01:30:00Z"))));
    check("2026-10-25T01:30:00Z", Opening::Closed(Some(at("2026-10-26T01:30:00Z"))));
}

#[test]
fn v36_windows_that_overlap_are_one() {
    let both = windows(&json!([
        {"schedule": "0 8 * * *", "duration": "2h"}, {"schedule": "0 9 * * *", "duration": "3h"},
    ]))
    .unwrap();
    assert_eq!(both.at(at("2026-03-02T09:30:00Z")), Opening::Open(Some(at("2026-03-02T12:00:00Z"))));
    assert_eq!(
        openings(&both, "2026-03-02T10:00:00Z", 3),
        [
            "2026-03-02T08:00:00Z 2026-03-02T10:00:00Z",
            "2026-03-01T09:00:00Z 2026-03-01T12:00:00Z",
            "2026-03-01T08:00:00Z 2026-03-01T09:00:00Z",
        ]
    );
}

#[test]
fn v36_a_window_may_open_for_the_last_time() {
    let last = windows(&json!([{"schedule": "0 0 22 24 12 * 2026", "duration": "2h"}])).unwrap();
    assert_eq!(last.at(at("2026-03-02T10:00:00Z")), Opening::Closed(Some(at("2026-12-24T22:00:00Z"))));
    assert_eq!(last.at(at("2026-12-24T23:00:00Z")), Opening::Open(Some(at("2026-12-25T00:00:00Z"))));
    assert_eq!(last.at(at("2027-01-01T00:00:00Z")), Opening::Closed(None));
}

#[test]
fn v36_windows_that_make_no_sense_are_told() {
    let check =
        |window: Value, expected: &[&str]| assert_eq!(windows(&json!([window])).unwrap_err(), expected);
    let schedule = "write minute, hour, day, month and weekday, such as \"0 22 * * MON-FRI\"";
    check(
        json!({"schedule": "0 0 30 2 *", "duration": "1h"}),
        &[&format!(
            "windows[0].schedule: \"0 0 30 2 *\" never comes, so nobody would be admitted; {schedule}"
        )],
    );
    check(
        json!({}),
        &[
            &format!("windows[0].schedule: the schedule is missing; {schedule}"),
            "windows[0].duration: the duration is missing; write how long the window is open, such as 4h or 90m",
        ],
    );
    check(
        json!({"schedule": "every night", "duration": "0s", "timeZone": "Mars/Olympus"}),
        &[
            &format!(
                "windows[0].schedule: \"every night\" is not a cron schedule: invalid pattern: Pattern must have between 5 and 7 fields; {schedule}"
            ),
            "windows[0].timeZone: \"Mars/Olympus\" is not a time zone; \
             write a name of the IANA database, such as Europe/Berlin, or leave it out for UTC",
            "windows[0].duration: \"0s\" is not a length of time of a second or more; write how long the window is open, such as 4h or 90m",
        ],
    );
}

#[test]
fn v37_openings_are_found_backwards() {
    let check = |now: &str, expected: &[&str]| assert_eq!(openings(&nightly(), now, 2), expected, "{now}");
    check(
        "2026-03-04T00:00:00Z",
        &["2026-03-03T21:00:00Z 2026-03-04T00:00:00Z", "2026-03-02T21:00:00Z 2026-03-03T01:00:00Z"],
    );
    check(
        "2026-03-09T21:00:00Z",
        &["2026-03-06T21:00:00Z 2026-03-07T01:00:00Z", "2026-03-05T21:00:00Z 2026-03-06T01:00:00Z"],
    );
    assert_eq!(Windows::default().back_from(at("2026-03-04T12:00:00Z")).count(), 1);
}

#[test]
fn v36_a_window_longer_than_its_period_never_closes() {
    let always = windows(&json!([{"schedule": "0 0 * * *", "duration": "36h"}])).unwrap();
    assert_eq!(always.at(at("2026-03-04T23:59:59Z")), Opening::Open(Some(at("2026-03-05T12:00:00Z"))));
    assert_eq!(
        openings(&always, "2026-03-04T12:00:00Z", 2),
        ["2026-03-03T00:00:00Z 2026-03-04T12:00:00Z", "2026-03-01T00:00:00Z 2026-03-03T00:00:00Z"]
    );
}
