//! krono-cel beside the `cel` crate on the corpus expressions.
//!
//! ```text
//! cargo bench -p krono-cel                                     one table for people
//! cargo bench -p krono-cel --bench corpus -- --json            krono's figures for programs
//! cargo bench -p krono-cel --bench corpus -- --only exists --mode eval|compile -n 100000
//!                                                              one expression so many times, for instruction counters
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use krono_cel::{Bindings, Env, Program, Type, library};
use serde_json::{Value, json};

/// krono evaluates at least this many times as fast as `cel` in geometric mean.
const SPEED_TARGET: f64 = 8.0;
/// No expression but `map20` allocates more often than this.
const ALLOCATION_TARGET: u64 = 4;

fn main() {
    let corpus = Corpus::read();
    let options = Options::parse(std::env::args().skip(1));
    match options {
        Options::Table => table(&corpus),
        Options::Json => println!("{}", figures_json(&corpus)),
        Options::Repeat { name, mode, count } => repeat(&corpus, &name, &mode, count),
    }
}

enum Options {
    Table,
    Json,
    Repeat { name: String, mode: String, count: u64 },
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Self {
        let (mut json, mut name, mut mode, mut count) = (false, None, "eval".to_owned(), 1);
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--json" => json = true,
                "--only" => name = args.next(),
                "--mode" => mode = args.next().unwrap_or_default(),
                "-n" => count = args.next().and_then(|it| it.parse().ok()).expect("-n takes a number"),
                _ => {}
            }
        }
        match name {
            Some(name) => Self::Repeat { name, mode, count },
            None if json => Self::Json,
            None => Self::Table,
        }
    }
}

/// The expressions and the objects they speak of.
struct Corpus {
    expressions: BTreeMap<String, String>,
    variables: BTreeMap<String, Value>,
    env: Env,
}

impl Corpus {
    fn read() -> Self {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/cel-spec");
        let read = |name: &str| {
            std::fs::read_to_string(folder.join(name)).expect("the corpus stands beside the project")
        };
        let expressions = serde_json::from_str(&read("bench-expressions.json")).expect("expressions");
        let variables: BTreeMap<String, Value> =
            serde_json::from_str(&read("bench-variables.json")).expect("variables");
        let base = library::kro::environment();
        let env = variables
            .iter()
            .fold(base, |env, (name, value)| env.variable(name, type_of(name, value)))
            .build();
        Self { expressions, variables, env }
    }

    fn bindings(&self) -> Bindings<'_> {
        self.variables.iter().fold(self.env.bindings(), |it, (name, value)| it.with(name, value))
    }

    fn compile(&self, source: &str) -> Program {
        self.env.compile(source).expect("corpus expressions compile")
    }
}

/// The type a schema for this object would give; a list's elements have the fields of all of them.
fn type_of(name: &str, value: &Value) -> Type {
    match value {
        Value::Null => Type::Dyn,
        Value::Bool(_) => Type::Bool,
        Value::Number(number) if number.is_i64() => Type::Int,
        Value::Number(_) => Type::Double,
        Value::String(_) => Type::String,
        Value::Array(elements) => Type::list(element_type(&format!("{name}.@idx"), elements)),
        Value::Object(fields) => object_type(name, [fields]),
    }
}

fn element_type(name: &str, elements: &[Value]) -> Type {
    let objects: Option<Vec<_>> = elements.iter().map(Value::as_object).collect();
    match (objects, elements.first()) {
        (_, None) => Type::Dyn,
        (Some(objects), _) => object_type(name, objects),
        (None, Some(first)) => type_of(name, first),
    }
}

fn object_type<'v>(
    name: &str,
    objects: impl IntoIterator<Item = &'v serde_json::Map<String, Value>>,
) -> Type {
    let fields: BTreeMap<_, _> = objects.into_iter().flatten().collect();
    Type::object(
        name,
        fields.into_iter().map(|(key, it)| (key.as_str(), type_of(&format!("{name}.{key}"), it))),
    )
}

struct Figures {
    eval_ns: f64,
    compile_ns: f64,
    allocations: u64,
}

fn krono(corpus: &Corpus, source: &str) -> Figures {
    let program = corpus.compile(source);
    let bindings = corpus.bindings();
    let run = || drop(black_box(program.eval(black_box(&bindings)).expect("corpus expressions evaluate")));
    Figures {
        eval_ns: nanoseconds(run),
        compile_ns: nanoseconds(|| {
            let checked =
                corpus.env.check(corpus.env.parse(black_box(source)).expect("parses")).expect("checks");
            drop(black_box(checked));
        }),
        allocations: allocation_counter::measure(run).count_total,
    }
}

fn rival(corpus: &Corpus, source: &str) -> Figures {
    let env = Arc::new(cel::Env::stdlib());
    let program = env.compile(source).expect("cel compiles corpus expressions");
    let mut context = cel::Context::with_env(Arc::clone(&env));
    for (name, value) in &corpus.variables {
        context.add_variable(name.clone(), value).expect("a JSON variable");
    }
    let run =
        || drop(black_box(program.execute(black_box(&context)).expect("cel evaluates corpus expressions")));
    Figures {
        eval_ns: nanoseconds(run),
        compile_ns: nanoseconds(|| drop(black_box(env.compile(black_box(source)).expect("compiles")))),
        allocations: allocation_counter::measure(run).count_total,
    }
}

/// The best of seven samples, each long enough for the clock.
fn nanoseconds(mut run: impl FnMut()) -> f64 {
    let warm_up = Instant::now();
    let mut per_sample = 0_u32;
    while warm_up.elapsed() < Duration::from_millis(40) {
        run();
        per_sample += 1;
    }
    let mut sample = || {
        let started = Instant::now();
        (0..per_sample).for_each(|_| run());
        started.elapsed().as_secs_f64() * 1e9 / f64::from(per_sample)
    };
    (0..7).map(|_| sample()).fold(f64::INFINITY, f64::min)
}

/// One expression, both engines.
struct Row<'a> {
    name: &'a str,
    ours: Figures,
    theirs: Figures,
}

impl Row<'_> {
    fn ratio(&self) -> f64 {
        self.theirs.eval_ns / self.ours.eval_ns
    }
}

fn table(corpus: &Corpus) {
    println!(
        "{:<12} {:>9} {:>9} {:>7}   {:>7} {:>7}   {:>12} {:>10}",
        "expression", "krono ns", "cel ns", "ratio", "allocs", "cel", "parse+check", "cel parse"
    );
    let rows: Vec<_> = corpus
        .expressions
        .iter()
        .map(|(name, source)| Row { name, ours: krono(corpus, source), theirs: rival(corpus, source) })
        .inspect(print_row)
        .collect();
    conclude(&rows);
}

fn print_row(row: &Row<'_>) {
    println!(
        "{:<12} {:>9.0} {:>9.0} {:>6.1}x   {:>7} {:>7}   {:>9.0} ns {:>7.0} ns",
        row.name,
        row.ours.eval_ns,
        row.theirs.eval_ns,
        row.ratio(),
        row.ours.allocations,
        row.theirs.allocations,
        row.ours.compile_ns,
        row.theirs.compile_ns
    );
}

fn conclude(rows: &[Row<'_>]) {
    let mean = geometric_mean(&rows.iter().map(Row::ratio).collect::<Vec<_>>());
    let allocations =
        rows.iter().filter(|row| row.name != "map20").map(|row| row.ours.allocations).max().unwrap_or(0);
    let (fast, lean) = (mean >= SPEED_TARGET, allocations <= ALLOCATION_TARGET);
    println!("geometric mean: {mean:.1}x faster than cel (target {SPEED_TARGET}x: {})", verdict(fast));
    println!(
        "allocations: at most {allocations} but for map20 (target {ALLOCATION_TARGET}: {})",
        verdict(lean)
    );
    report(&json!({
        "pass": fast && lean,
        "times_faster_than_cel": tenths(mean),
        "target_times_faster": SPEED_TARGET,
        "allocations_but_for_map20": allocations,
        "target_allocations": ALLOCATION_TARGET,
        "expressions": rows.iter().map(row_json).collect::<Vec<_>>(),
    }));
}

fn row_json(row: &Row<'_>) -> Value {
    json!({
        "name": row.name,
        "krono_ns": tenths(row.ours.eval_ns),
        "cel_ns": tenths(row.theirs.eval_ns),
        "ratio": tenths(row.ratio()),
        "krono_allocations": row.ours.allocations,
        "cel_allocations": row.theirs.allocations,
        "krono_parse_and_check_ns": tenths(row.ours.compile_ns),
        "cel_parse_ns": tenths(row.theirs.compile_ns),
    })
}

/// Writes the figures to where `xtask bench` asks for them.
fn report(figures: &Value) {
    if let Ok(path) = std::env::var("KRONO_BENCH_JSON") {
        std::fs::write(path, figures.to_string()).expect("the figures can be written");
    }
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn figures_json(corpus: &Corpus) -> Value {
    let row = |(name, source): (&String, &String)| {
        let ours = krono(corpus, source);
        json!({"name": name, "eval_ns": ours.eval_ns, "compile_ns": ours.compile_ns, "allocations": ours.allocations})
    };
    json!({"expressions": corpus.expressions.iter().map(row).collect::<Vec<_>>()})
}

fn repeat(corpus: &Corpus, name: &str, mode: &str, count: u64) {
    let source = corpus.expressions.get(name).expect("an expression of the corpus");
    let program = corpus.compile(source);
    let bindings = corpus.bindings();
    for _ in 0..count {
        if mode == "eval" {
            drop(black_box(program.eval(black_box(&bindings)).expect("evaluates")));
        } else {
            let checked =
                corpus.env.check(corpus.env.parse(black_box(source)).expect("parses")).expect("checks");
            drop(black_box(checked));
        }
    }
}

fn geometric_mean(values: &[f64]) -> f64 {
    let count = f64::from(u32::try_from(values.len()).unwrap_or(u32::MAX));
    (values.iter().map(|it| it.ln()).sum::<f64>() / count).exp()
}

fn verdict(held: bool) -> &'static str {
    if held { "held" } else { "MISSED" }
}
