//! The figures in the middle of several rounds.

use serde_json::{Value, json};

/// Where the figures of one round are that are compared.
const FIGURES: [&str; 6] =
    ["/chain_ms", "/change_s", "/many/wall_s", "/many/requests_per_instance", "/many/cpu_s", "/many/rss_mb"];

/// What a contestant did in the first round, with the figures in the middle of all of them.
pub(super) fn of(rounds: &Value, name: &str) -> Value {
    let all: Vec<&Value> = rounds.as_array().into_iter().flatten().map(|it| &it[name]).collect();
    let mut middle = all.first().copied().cloned().unwrap_or_default();
    for place in FIGURES {
        let mut figures: Vec<f64> = all.iter().filter_map(|it| it.pointer(place)?.as_f64()).collect();
        figures.sort_by(f64::total_cmp);
        if let (Some(figure), Some(at)) = (figures.get(figures.len() / 2), middle.pointer_mut(place)) {
            *at = json!(figure);
        }
    }
    middle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_round_does_not_count() {
        let round = |wall: f64| json!({"krono": {"chain_ms": 50.0, "many": {"wall_s": wall}, "quiet": {"requests": 0}}});
        let rounds = json!([round(9.0), round(4.0), round(5.0)]);
        let middle = json!({"chain_ms": 50.0, "many": {"wall_s": 5.0}, "quiet": {"requests": 0}});
        assert_eq!(of(&rounds, "krono"), middle);
    }
}
