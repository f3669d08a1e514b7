//! Reading windows.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp};
use serde_json::Value;

use super::{Window, Windows};
use crate::problem::Problem;

/// Times are told in whole seconds.
const SHORTEST: SignedDuration = SignedDuration::from_secs(1);
const SCHEDULE: &str = "write minute, hour, day, month and weekday, such as \"0 22 * * MON-FRI\"";

impl Windows {
    pub(in crate::policy) fn read(windows: &[Value], path: &str, problems: &mut Vec<Problem>) -> Self {
        let mut read = Vec::new();
        for (at, window) in windows.iter().enumerate() {
            read.extend(Reader { window, path: format!("{path}[{at}]"), problems }.window());
        }
        Self(read)
    }
}

struct Reader<'r> {
    window: &'r Value,
    path: String,
    problems: &'r mut Vec<Problem>,
}

impl Reader<'_> {
    fn window(mut self) -> Option<Window> {
        let (schedule, zone, lasts) = (self.schedule(), self.zone(), self.lasts());
        let window = Window { schedule: schedule?, zone: zone?, lasts: lasts? };
        // A schedule may name years, so that the question is whether there was or will be a beginning at all.
        if window.begins(Timestamp::UNIX_EPOCH).is_none() {
            let schedule = window.schedule.as_str();
            self.report(
                "schedule",
                format!("{schedule:?} never comes, so nobody would be admitted"),
                SCHEDULE,
            );
            return None;
        }
        Some(window)
    }

    fn report(&mut self, field: &str, message: String, advice: &str) {
        self.problems.push(Problem::new(format!("{}.{field}", self.path), message, advice));
    }

    fn schedule(&mut self) -> Option<Cron> {
        let Some(text) = self.window["schedule"].as_str() else {
            self.report("schedule", "the schedule is missing".to_owned(), SCHEDULE);
            return None;
        };
        let parser = CronParser::builder().seconds(Seconds::Optional).year(Year::Optional).build();
        match parser.parse(text) {
            Ok(schedule) => Some(schedule),
            Err(wrong) => {
                self.report(
                    "schedule",
                    format!("{text:?} is not a cron schedule: {}", told(&wrong.to_string())),
                    SCHEDULE,
                );
                None
            }
        }
    }

    fn zone(&mut self) -> Option<TimeZone> {
        let value = &self.window["timeZone"];
        if value.is_null() {
            return Some(TimeZone::UTC);
        }
        let zone = value.as_str().and_then(|it| TimeZoneDatabase::bundled().get(it).ok());
        if zone.is_none() {
            let advice = "write a name of the IANA database, such as Europe/Berlin, or leave it out for UTC";
            self.report("timeZone", format!("{value} is not a time zone"), advice);
        }
        zone
    }

    fn lasts(&mut self) -> Option<SignedDuration> {
        let value = &self.window["duration"];
        let span = value.as_str().and_then(|it| it.parse::<Span>().ok());
        let duration = span.and_then(|it| it.to_duration(SpanRelativeTo::days_are_24_hours()).ok());
        let lasts = duration.filter(|it| *it >= SHORTEST);
        if lasts.is_none() {
            let message = if value.is_null() {
                "the duration is missing".to_owned()
            } else {
                format!("{value} is not a length of time of a second or more")
            };
            self.report("duration", message, "write how long the window is open, such as 4h or 90m");
        }
        lasts
    }
}

/// As our messages are written: lower case, no full stop.
fn told(message: &str) -> String {
    let message = message.trim_end_matches('.');
    let mut letters = message.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
