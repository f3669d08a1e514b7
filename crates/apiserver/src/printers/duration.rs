//! Durations as people read them.

use jiff::Timestamp;

/// How long ago a time is.
pub(crate) fn age(then: Option<Timestamp>, now: Timestamp) -> String {
    then.map_or_else(|| "<unknown>".to_owned(), |then| human_duration(now.duration_since(then).as_secs()))
}

/// A duration in seconds as kubectl shows it: about two significant parts.
pub(crate) fn human_duration(seconds: i64) -> String {
    if seconds < -1 {
        return "<invalid>".to_owned();
    }
    let seconds = seconds.max(0);
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let with = |whole: i64, unit: &str, part: i64, part_unit: &str| {
        if part == 0 { format!("{whole}{unit}") } else { format!("{whole}{unit}{part}{part_unit}") }
    };
    match seconds {
        0..120 => format!("{seconds}s"),
        120..600 => with(minutes, "m", seconds % 60, "s"),
        600..10_800 => format!("{minutes}m"),
        10_800..28_800 => with(hours, "h", minutes % 60, "m"),
        28_800..172_800 => format!("{hours}h"),
        172_800..691_200 => with(days, "d", hours % 24, "h"),
        691_200..63_072_000 => format!("{days}d"),
        63_072_000..252_288_000 => with(days / 365, "y", days % 365, "d"),
        _ => format!("{}y", days / 365),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let check = |seconds: i64, expect: &str| assert_eq!(human_duration(seconds), expect);
        check(-5, "<invalid>");
        check(-1, "0s");
        check(119, "119s");
        check(150, "2m30s");
        check(600, "10m");
        check(3 * 3600, "3h");
        check(3 * 3600 + 61, "3h1m");
        check(9 * 3600, "9h");
        check(49 * 3600, "2d1h");
        check(20 * 86_400, "20d");
        check(3 * 365 * 86_400, "3y");
    }

    #[test]
    fn ages() {
        let now: Timestamp = "2026-01-02T03:04:05.9Z".parse().unwrap();
        let check = |then: &str, expect: &str| assert_eq!(age(then.parse().ok(), now), expect, "{then}");
        check("2026-01-02T03:04:05Z", "0s");
        check("2026-01-02T03:03:05.950Z", "59s");
        check("2026-01-02T03:04:06Z", "0s");
        check("2026-01-02T03:04:10Z", "<invalid>");
        check("", "<unknown>");
    }
}
