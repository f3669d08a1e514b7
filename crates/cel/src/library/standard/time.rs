//! Parts of timestamps and durations: `getFullYear`, `getHours`, …

use super::conversions::time_error;
use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::time::{Civil, Duration, Timestamp, Zone};
use crate::types::Type;
use crate::value::Val;

pub(super) fn declare(library: Library) -> Library {
    let library = library
        .function("getFullYear", part("timestamp_to_year", "timestamp_to_year_with_tz", |it| it.year))
        .function(
            "getMonth",
            part("timestamp_to_month", "timestamp_to_month_with_tz", |it| i64::from(it.month) - 1),
        )
        .function(
            "getDayOfYear",
            part("timestamp_to_day_of_year", "timestamp_to_day_of_year_with_tz", |it| {
                i64::from(it.day_of_year) - 1
            }),
        )
        .function(
            "getDayOfMonth",
            part("timestamp_to_day_of_month", "timestamp_to_day_of_month_with_tz", |it| {
                i64::from(it.day) - 1
            }),
        )
        .function(
            "getDate",
            part("timestamp_to_day_of_month_1_based", "timestamp_to_day_of_month_1_based_with_tz", |it| {
                i64::from(it.day)
            }),
        )
        .function(
            "getDayOfWeek",
            part("timestamp_to_day_of_week", "timestamp_to_day_of_week_with_tz", |it| {
                i64::from(it.day_of_week)
            }),
        )
        .function(
            "getHours",
            part("timestamp_to_hours", "timestamp_to_hours_with_tz", |it| i64::from(it.hour)),
        )
        .function(
            "getMinutes",
            part("timestamp_to_minutes", "timestamp_to_minutes_with_tz", |it| i64::from(it.minute)),
        )
        .function(
            "getSeconds",
            part("timestamp_to_seconds", "timestamp_to_seconds_tz", |it| i64::from(it.second)),
        );
    library
        .function("getHours", [length("duration_to_hours", Duration::whole_hours)])
        .function("getMinutes", [length("duration_to_minutes", Duration::whole_minutes)])
        .function("getSeconds", [length("duration_to_seconds", Duration::whole_seconds)])
        .function("getMilliseconds", milliseconds())
}

fn part(id: &'static str, id_in_zone: &'static str, get: fn(&Civil) -> i64) -> [Overload; 2] {
    [
        Overload::method(id, [Type::Timestamp], Type::Int, move |_, args| {
            Ok(Val::Int(get(&timestamp(&args[0])?.civil(&Zone::UTC))))
        }),
        Overload::method(id_in_zone, [Type::Timestamp, Type::String], Type::Int, move |_, args| {
            let zone = Zone::parse(args[1].text()?).map_err(time_error)?;
            Ok(Val::Int(get(&timestamp(&args[0])?.civil(&zone))))
        }),
    ]
}

fn length(id: &'static str, get: fn(Duration) -> i64) -> Overload {
    Overload::method(id, [Type::Duration], Type::Int, move |_, args| match &args[0] {
        Val::Duration(value) => Ok(Val::Int(get(*value))),
        _ => Err(EvalError::no_such_overload()),
    })
}

/// Of a timestamp, the part below the second, which no time zone changes; of a duration, all of it.
fn milliseconds() -> [Overload; 3] {
    let below_second =
        |value: &Val<'_>| Ok(Val::Int(i64::from(timestamp(value)?.subsecond_nanos() / 1_000_000)));
    [
        Overload::method("timestamp_to_milliseconds", [Type::Timestamp], Type::Int, move |_, args| {
            below_second(&args[0])
        }),
        Overload::method(
            "timestamp_to_milliseconds_with_tz",
            [Type::Timestamp, Type::String],
            Type::Int,
            move |_, args| {
                Zone::parse(args[1].text()?).map_err(time_error)?;
                below_second(&args[0])
            },
        ),
        length("duration_to_milliseconds", Duration::whole_milliseconds),
    ]
}

fn timestamp(value: &Val<'_>) -> Result<Timestamp, EvalError> {
    match value {
        Val::Timestamp(value) => Ok(*value),
        _ => Err(EvalError::no_such_overload()),
    }
}
