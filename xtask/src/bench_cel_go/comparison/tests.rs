use super::*;

fn samples(name: &str, eval: &[f64], compile: f64) -> Samples {
    let mut samples = Samples::default();
    for eval_ns in eval {
        let row = Row { name: name.to_owned(), eval_ns: *eval_ns, compile_ns: compile, allocations: 2.0 };
        samples.add(vec![row]);
    }
    samples
}

fn check(krono_eval: &[f64], expected_ratio: f64, passes: bool) {
    let krono = samples("a", krono_eval, 10.0);
    let cel_go = samples("a", &[300.0, 100.0, 200.0], 100.0);
    let comparison = Comparison::of(3, &krono, &cel_go).unwrap();
    assert!((comparison.mean_ratio(Work::Evaluate) - expected_ratio).abs() < 1e-9);
    assert_eq!(comparison.passes(), passes);
    assert_eq!(comparison.to_json()["pass"], passes);
}

#[test]
fn medians_are_compared_with_the_targets() {
    check(&[50.0, 9999.0, 1.0], 4.0, true);
    check(&[100.0, 100.0, 100.0], 2.0, false);
}

#[test]
fn the_sides_must_measure_the_same() {
    let [a, b] = [samples("a", &[1.0], 1.0), samples("b", &[1.0], 1.0)];
    assert!(Comparison::of(1, &a, &b).is_err());
}

#[test]
fn means_are_geometric() {
    assert!((geometric_mean([1.0, 100.0].into_iter()) - 10.0).abs() < 1e-9);
}

#[test]
fn counted_work_is_long_enough_but_bounded() {
    assert_eq!(repetitions(100.0), (20_000, 200_000));
    assert_eq!(repetitions(1e9), (2, 20));
    assert!((per_piece(5000, 1000, 10) - 400.0).abs() < 1e-9);
}

#[test]
fn the_table_has_a_line_per_expression_and_work() {
    let comparison = Comparison::of(1, &samples("a", &[1.0], 1.0), &samples("a", &[3.0], 20.0)).unwrap();
    let text = comparison.to_string();
    assert_eq!(text.lines().count(), 2 + 2 * 2, "{text}");
    assert!(text.contains("geometric mean  compile"), "{text}");
}
