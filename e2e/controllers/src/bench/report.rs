//! The figures side by side, and the targets.

use serde_json::{Map, Value, json};

/// What krono is to reach: where its figure is, where kro's, and how many times better it must be.
struct Target {
    name: &'static str,
    krono: &'static str,
    kro: [&'static str; 2],
    times: f64,
}

const fn target(name: &'static str, krono: &'static str, kro: [&'static str; 2], times: f64) -> Target {
    Target { name, krono, kro, times }
}

const TARGETS: &[Target] = &[
    target("compile_two", "/compile_ns/krono/two", ["/compile_ns/kro/two"; 2], 5.0),
    target("compile_twenty", "/compile_ns/krono/twenty", ["/compile_ns/kro/twenty"; 2], 5.0),
    target("compile_collections", "/compile_ns/krono/collections", ["/compile_ns/kro/collections"; 2], 5.0),
    target("chain", "/krono/chain_ms", ["/kro_default/chain_ms", "/kro_generous/chain_ms"], 5.0),
    target("many_wall", "/krono/many/wall_s", ["/kro_default/many/wall_s", "/kro_generous/many/wall_s"], 2.0),
    target(
        "many_requests",
        "/krono/many/requests_per_instance",
        ["/kro_default/many/requests_per_instance", "/kro_generous/many/requests_per_instance"],
        2.0,
    ),
    target("many_rss", "/krono/many/rss_mb", ["/kro_default/many/rss_mb", "/kro_generous/many/rss_mb"], 4.0),
    target("change", "/krono/change_s", ["/kro_default/change_s", "/kro_generous/change_s"], 2.0),
];

/// Adds the ratios to kro's better setting and whether the targets are met; prints a table.
pub(super) fn compare(mut figures: Value) -> Value {
    let mut ratios = Map::new();
    let quiet = figures.pointer("/krono/quiet/requests").and_then(Value::as_u64);
    let mut pass = quiet == Some(0);
    println!("{:<22} {:>12} {:>12} {:>8} {:>8}", "", "krono", "kro", "times", "target");
    for target in TARGETS {
        let (krono, kro) = (number(&figures, target.krono), best(&figures, target.kro));
        let times = if krono > 0.0 { kro / krono } else { 0.0 };
        let met = times >= target.times;
        pass &= met;
        let verdict = if met { "" } else { "  MISSED" };
        println!("{:<22} {krono:>12.2} {kro:>12.2} {times:>8.1} {:>8.1}{verdict}", target.name, target.times);
        let ratio = json!({"times": (times * 100.0).round() / 100.0, "target": target.times, "met": met});
        ratios.insert(target.name.to_owned(), ratio);
    }
    println!("requests in quiet time: {quiet:?}, target 0");
    figures["pass"] = pass.into();
    figures["ratios"] = Value::Object(ratios);
    figures
}

fn number(figures: &Value, place: &str) -> f64 {
    figures.pointer(place).and_then(Value::as_f64).unwrap_or(0.0)
}

/// The smaller of kro's figures: less is better everywhere.
fn best(figures: &Value, places: [&str; 2]) -> f64 {
    let [one, other] = places.map(|it| number(figures, it));
    one.min(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_against_the_better_setting() {
        let side = |chain: f64| json!({"chain_ms": chain, "quiet": {"requests": 0}});
        let figures =
            compare(json!({"krono": side(10.0), "kro_default": side(900.0), "kro_generous": side(60.0)}));
        assert_eq!(figures["ratios"]["chain"], json!({"times": 6.0, "target": 5.0, "met": true}));
        assert_eq!(figures["pass"], false);
    }
}
