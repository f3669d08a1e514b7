//! Definitions with one thing or several changed at random: none panics, and what is refused is refused with a place and a cure.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use krono_graph::{CompiledGraph, Diagnostic, Options, compile};
use serde_json::{Value, json};

use crate::evaluation::states;
use crate::world::{BuiltIn, Objects, yaml};

const ORDINARY_CASES: u64 = 200;

/// `SplitMix64`.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end.max(1) as u64).expect("below a usize")
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|it| it.parse().expect(variable))
}

/// Where more cases are asked for than usual, they are new ones.
fn from_time() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock");
    elapsed.as_secs() ^ u64::from(elapsed.subsec_nanos()).rotate_left(32)
}

/// The definitions under `examples`.
fn examples() -> Vec<Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut folders: Vec<_> =
        std::fs::read_dir(root).expect("a folder").map(|it| it.expect("an entry").path()).collect();
    folders.sort();
    let texts = folders.iter().filter_map(|it| std::fs::read_to_string(it.join("rgd.yaml")).ok());
    let texts: Vec<String> = texts.collect();
    texts.iter().flat_map(|it| it.split("\n---\n")).map(yaml).collect()
}

/// Every value below this one, by its place.
fn places(value: &Value, at: String, found: &mut Vec<String>) {
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, it)| places(it, format!("{at}/{}", escaped(key)), found));
        }
        Value::Array(elements) => {
            elements.iter().enumerate().for_each(|(index, it)| places(it, format!("{at}/{index}"), found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    found.push(at);
}

fn change(definition: &mut Value, random: &mut Random) {
    let mut all = Vec::new();
    places(definition, String::new(), &mut all);
    let other = definition.pointer(&all[random.below(all.len())]).cloned().unwrap_or_default();
    let Some(value) = definition.pointer_mut(&all[random.below(all.len())]) else { return };
    match (random.below(4), value) {
        (0, Value::String(text)) => *text = cut(text, random),
        (1, Value::String(text)) => text.push_str(piece(random)),
        (2, value) => *value = other,
        (3, Value::Object(fields)) => {
            let key = fields.keys().nth(random.below(fields.len())).cloned();
            let removed = key.and_then(|it| fields.remove(&it));
            fields.insert(piece(random).to_owned(), removed.unwrap_or_default());
        }
        (_, value) => *value = strange(random),
    }
}

fn cut(text: &str, random: &mut Random) -> String {
    let at = random.below(text.chars().count() + 1);
    let (before, after): (String, String) =
        (text.chars().take(at).collect(), text.chars().skip(at + 1).collect());
    format!("{before}{}{after}", piece(random))
}

fn piece(random: &mut Random) -> &'static str {
    let pieces = [
        "",
        "${",
        "}",
        "${schema.",
        "é",
        "\"",
        "'",
        "omit()",
        "${runtime",
        "| ",
        "=",
        "[]",
        "map[",
        "\n",
        "...",
        "0x",
        "\u{0}",
        "${each}",
        "kind",
        "${'",
        "\\",
    ];
    pieces[random.below(pieces.len())]
}

fn strange(random: &mut Random) -> Value {
    let values = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(u64::MAX),
        json!(""),
        json!("${}"),
        json!("${schema}"),
        json!("${schema.spec}"),
        json!("${schema.status.x}"),
        json!("a-${1}"),
        json!([]),
        json!({}),
        json!([[[[{"a": [null]}]]]]),
        json!("string | default=\"${x}\""),
        json!("Self"),
        json!("日本語${日本}"),
        json!("x".repeat(3000)),
    ];
    values[random.below(values.len())].clone()
}

fn check(diagnostics: &[Diagnostic], definition: &Value) {
    assert!(!diagnostics.is_empty(), "refused without a reason: {definition}");
    for it in diagnostics {
        assert!(!it.path.is_empty() && !it.message.is_empty() && !it.advice.is_empty(), "{it}: {definition}");
        assert!(it.span.is_none_or(|span| span.start <= span.end), "{it}: {definition}");
    }
}

#[test]
fn changed_definitions_are_understood_or_refused() {
    let asked = number("KRONO_RANDOM_CASES");
    let seed = number("KRONO_SEED").unwrap_or_else(|| if asked.is_some() { from_time() } else { 1 });
    println!("graph-hostile: seed {seed}");
    let cases = asked.unwrap_or(ORDINARY_CASES);
    let seeds = examples();
    let (mut random, mut accepted) = (Random(seed), 0);
    for _ in 0..cases {
        let mut definition = seeds[random.below(seeds.len())].clone();
        for _ in 0..=random.below(3) {
            change(&mut definition, &mut random);
        }
        match compile(&definition, &BuiltIn, Options { objects: 50, ..Options::default() }) {
            Err(found) => check(&found, &definition),
            Ok(graph) => {
                accepted += 1;
                let instance =
                    json!({"metadata": {"name": "a", "namespace": "b"}, "spec": strange(&mut random)});
                let evaluation = graph.evaluate(&instance, &Objects::default());
                assert_eq!(evaluation.nodes.len(), graph.nodes.len());
                drop(graph.conditions(&instance, &evaluation, &Objects::default()));
            }
        }
    }
    assert!(accepted > 0 && accepted < cases, "{accepted} of {cases}");
    println!("graph-hostile: {cases}/{cases}");
}

/// A thousand objects, each of which asks for all that one may have.
fn greedy(kind: &str, content: &str) -> CompiledGraph {
    let text = format!(
        "spec:
  schema: {{kind: App, apiVersion: v1alpha1, spec: {{numbers: '[]integer', text: string}}}}
  resources:
  - id: many
    forEach: [{{number: '${{schema.spec.numbers}}'}}]
    template: {{apiVersion: v1, kind: {kind}, metadata: {{name: 'a-${{string(number)}}'}}, {content}}}
"
    );
    compile(&yaml(&text), &BuiltIn, Options::default()).unwrap_or_else(|found| panic!("{found:#?}"))
}

fn check_greedy(graph: &CompiledGraph, text: &str, expected: &str) {
    let numbers: Vec<u16> = (0..1000).collect();
    let metadata = json!({"name": "a", "namespace": "b"});
    let instance = json!({"metadata": metadata, "spec": {"numbers": numbers, "text": text}});
    assert_eq!(states(&graph.evaluate(&instance, &Objects::default())), [expected]);
}

/// What one expression may cost, a thousand may not.
#[test]
fn all_expressions_of_an_evaluation_have_one_budget() {
    let counting =
        |each: &str| format!("data: {{a: '${{string(schema.spec.numbers.map(a, {each}).size())}}'}}");
    let squared = counting("schema.spec.numbers.map(b, a + b).size()");
    let expected = "failed data.a: all expressions of one instance may cost 100000000 steps together; \
                    make collections smaller or expressions simpler";
    check_greedy(&greedy("ConfigMap", &squared), "x", expected);
    check_greedy(&greedy("ConfigMap", &counting("a")), "x", "absent");
}

/// What one object may hold, a thousand may not: neither as a value, nor within a text, nor as it is written, nor by sharing.
#[test]
fn all_objects_of_an_evaluation_have_one_bound() {
    let large = "x".repeat(100_000);
    let bound = "all that is made for one instance may have 64 MB together; \
                 make collections smaller or texts shorter";
    let check = |data: &str, at: &str| {
        let graph = greedy("ConfigMap", &format!("data: {{a: {data}}}"));
        check_greedy(&graph, &large, &format!("failed {at}: {bound}"));
    };
    check("'${schema.spec.text}'", "data.a");
    check("'a ${schema.spec.text}'", "data.a");
    check(&large, "data");
    check_greedy(&greedy("ConfigMap", "data: {a: '${schema.spec.text}'}"), &large[..10_000], "absent");
    let shared =
        "spec: {containers: [{name: a, image: b, args: '${schema.spec.numbers.map(it, schema.spec.text)}'}]}";
    let of_pod = format!("failed spec.containers[0].args: {bound}");
    check_greedy(&greedy("Pod", shared), &large[..80_000], &of_pod);
}
