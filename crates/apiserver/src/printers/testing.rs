//! How rows are tried in tests.

use jiff::Timestamp;
use serde_json::Value;

use super::{Shown, sheet};

/// Objects are shown two minutes after the year 2026 began.
pub(super) const NOW: &str = "2026-01-01T00:02:00Z";

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

/// An object of a group and kind has these cells.
#[expect(clippy::needless_pass_by_value, reason = "tables of literals read better without borrows")]
pub(super) fn check((group, kind): (&str, &str), object: Value, expect: Value) {
    let shown = Shown { object: &object, now: now() };
    let sheet = sheet(group, kind).unwrap();
    let cells: Vec<Value> = sheet.headings.iter().map(|heading| heading.cell(&shown)).collect();
    assert_eq!(Value::Array(cells), expect, "{object}");
}

/// One cell.
pub(super) fn check_cell(tell: fn(&Shown<'_>) -> String, object: &Value, expect: &str) {
    assert_eq!(tell(&Shown { object, now: now() }), expect, "{object}");
}

/// The conditions of a row.
pub(super) fn conditions((group, kind): (&str, &str), object: &Value) -> Value {
    (sheet(group, kind).unwrap().conditions)(&Shown { object, now: now() }).unwrap_or_default()
}
