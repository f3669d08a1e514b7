//! Both servers side by side, and the targets.

use serde_json::{Map, Value, json};

/// What krono is to reach: a place in the figures, and how many times better than the real server.
struct Target {
    place: &'static str,
    times: f64,
    /// Whether more is better; otherwise less is.
    more: bool,
    /// What counts as well, where the client is the limit.
    or_place: Option<&'static str>,
}

const fn more(place: &'static str, times: f64, processor: &'static str) -> Target {
    Target { place, times, more: true, or_place: Some(processor) }
}

const fn less(place: &'static str, times: f64) -> Target {
    Target { place, times, more: false, or_place: None }
}

const TARGETS: &[Target] = &[
    more("/concurrency_16/create/per_second", 5.0, "/concurrency_16/create/server_cpu_ms_per_1000"),
    more("/concurrency_64/create/per_second", 5.0, "/concurrency_64/create/server_cpu_ms_per_1000"),
    more("/concurrency_16/get/per_second", 4.0, "/concurrency_16/get/server_cpu_ms_per_1000"),
    more("/concurrency_64/get/per_second", 4.0, "/concurrency_64/get/server_cpu_ms_per_1000"),
    more("/concurrency_16/apply_spec/per_second", 8.0, "/concurrency_16/apply_spec/server_cpu_ms_per_1000"),
    more("/concurrency_64/apply_spec/per_second", 8.0, "/concurrency_64/apply_spec/server_cpu_ms_per_1000"),
    more(
        "/concurrency_16/apply_status/per_second",
        8.0,
        "/concurrency_16/apply_status/server_cpu_ms_per_1000",
    ),
    more(
        "/concurrency_64/apply_status/per_second",
        8.0,
        "/concurrency_64/apply_status/server_cpu_ms_per_1000",
    ),
    less("/concurrency_1/create/p50_ms", 2.0),
    less("/concurrency_1/get/p50_ms", 2.0),
    less("/concurrency_1/apply_spec/p50_ms", 2.0),
    less("/concurrency_1/apply_status/p50_ms", 2.0),
    less("/list_10000_ms", 4.0),
    less("/start_ms", 20.0),
    less("/rss_idle_mb", 8.0),
    less("/rss_10000_objects_mb", 8.0),
    less("/watch/p99_ms", 2.0),
];

/// What krono's own figures may be at most, whatever the real server does.
const LIMITS: &[(&str, f64)] = &[("/in_memory_client_ms", 20.0)];

/// All figures with their ratios and whether the targets are met; prints a table.
pub(crate) fn compare(krono: &Value, real: &Value) -> Value {
    let mut ratios = Map::new();
    let mut pass = true;
    println!("{:<48} {:>10} {:>10} {:>8} {:>8}", "", "krono", "real", "times", "target");
    for target in TARGETS {
        let rate = times(krono, real, target.place, target.more);
        let processor = target.or_place.map(|place| times(krono, real, place, false));
        let met = rate.max(processor.unwrap_or(0.0)) >= target.times;
        pass &= met;
        let shown = |side: &Value| side.pointer(target.place).cloned().unwrap_or(Value::Null).to_string();
        let cpu = processor.map(|it| format!(" (cpu {it:.1})")).unwrap_or_default();
        let verdict = if met { "" } else { "  MISSED" };
        println!(
            "{:<48} {:>10} {:>10} {rate:>8.1} {:>8.1}{cpu}{verdict}",
            target.place,
            shown(krono),
            shown(real),
            target.times
        );
        let ratio = json!({"times": rounded(rate), "target": target.times, "met": met});
        ratios
            .insert(target.place.trim_start_matches('/').replace('/', "."), with_processor(ratio, processor));
    }
    pass &= within_limits(krono);
    json!({"pass": pass, "ratios": ratios, "krono": krono, "real": real})
}

fn within_limits(krono: &Value) -> bool {
    LIMITS.iter().all(|(place, limit)| {
        let figure = krono.pointer(place).and_then(Value::as_f64);
        let met = figure.is_some_and(|it| it <= *limit);
        let verdict = if met { "" } else { "  MISSED" };
        println!(
            "{place:<48} {:>10} {:>10} {:>8} {limit:>8.1}{verdict}",
            figure.unwrap_or_default(),
            "",
            "at most"
        );
        met
    })
}

fn with_processor(mut ratio: Value, processor: Option<f64>) -> Value {
    if let Some(processor) = processor {
        ratio["times_in_server_cpu"] = rounded(processor);
    }
    ratio
}

fn rounded(number: f64) -> Value {
    ((number * 100.0).round() / 100.0).into()
}

/// How many times better krono is.
fn times(krono: &Value, real: &Value, place: &str, more: bool) -> f64 {
    let number = |side: &Value| side.pointer(place).and_then(Value::as_f64).unwrap_or(0.0);
    let (krono, real) = (number(krono), number(real));
    let (upper, lower) = if more { (krono, real) } else { (real, krono) };
    if lower > 0.0 { upper / lower } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_is_more_than_one() {
        let (krono, real) = (json!({"rate": 10.0, "ms": 1.0}), json!({"rate": 2.0, "ms": 4.0}));
        let check = |place: &str, more: bool, expect: f64| {
            assert!((times(&krono, &real, place, more) - expect).abs() < 1e-9, "{place}");
        };
        check("/rate", true, 5.0);
        check("/ms", false, 4.0);
        check("/none", true, 0.0);
    }
}
