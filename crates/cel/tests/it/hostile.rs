//! Expressions written to do harm: krono refuses them or evaluates them, within bounds of stack, time and memory.

mod growth;
mod nesting;
mod noise;

use std::cell::Cell;
use std::time::Duration;

use krono_cel::library::{self, kro, kubernetes};
use krono_cel::{DEFAULT_BUDGET, Env, EvalErrorKind, Meter, Type};
use serde_json::{Value, json};

use crate::random::Suite;

/// Each expression is parsed, checked, evaluated and dropped on a stack of this size.
const STACK: usize = 512 << 10;

/// The promise is a second for an evaluation; an unoptimised build gets some more.
const TIME: Duration = Duration::from_secs(if cfg!(debug_assertions) { 5 } else { 1 });

#[test]
fn hostile() {
    let suite = Suite::start("cel-hostile", 2_000);
    let target = Target::new(suite.is_deep());
    let mut tally = Tally::default();
    for case in nesting::cases().into_iter().chain(growth::cases(suite.is_deep())) {
        tally.count(case.check(&target));
    }
    noise::run(&suite, &target, &mut tally);
    println!("cel-hostile: {}/{}", tally.total - tally.failures.len(), tally.total);
    assert!(tally.failures.is_empty(), "{} failures\n{}", tally.failures.len(), tally.failures.join("\n"));
}

#[derive(Default)]
struct Tally {
    total: usize,
    failures: Vec<String>,
}

impl Tally {
    fn count(&mut self, result: Result<(), String>) {
        self.total += 1;
        self.failures.extend(result.err());
    }
}

/// An expression and what must come of it.
struct Case {
    name: String,
    source: String,
    expect: Expect,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Expect {
    /// It is found wrong before it is evaluated.
    Refused,
    Value,
    /// It has no value, for a reason of its own.
    Error,
    /// It costs more than it may.
    Budget,
    /// Either of these.
    Anything,
}

impl Case {
    fn new(name: impl Into<String>, expect: Expect, source: impl Into<String>) -> Self {
        Self { name: name.into(), source: source.into(), expect }
    }

    fn check(&self, target: &Target) -> Result<(), String> {
        let (found, slowest) = target.attack(&self.source)?;
        if slowest > TIME {
            return Err(format!("{}: took {slowest:?}", self.name));
        }
        if self.expect == Expect::Anything || self.expect == found {
            return Ok(());
        }
        Err(format!("{}: wanted {:?}, found {found:?}", self.name, self.expect))
    }
}

/// An environment with every library, and large variables.
struct Target {
    env: Env,
    budget: u64,
    variables: Vec<(&'static str, Value)>,
}

impl Target {
    /// An ordinary run gives a tenth of the budget, and so takes a tenth of the time to use it up.
    fn new(deep: bool) -> Self {
        let budget = if deep { DEFAULT_BUDGET } else { DEFAULT_BUDGET / 10 };
        let numbers: Vec<i64> = (0..100_000).collect();
        let object: serde_json::Map<String, Value> =
            (0..10_000).map(|it| (format!("key{it}"), json!(it))).collect();
        let variables = vec![
            ("numbers", json!(numbers)),
            ("object", Value::Object(object)),
            ("text", json!("abc ".repeat(50_000))),
            ("deep", (0..100).fold(json!(1), |inner, _| json!([inner]))),
            ("self", json!({"name": "x", "items": [{"name": "a"}], "count": 3})),
        ];
        let libraries = [
            library::math(),
            library::sets(),
            library::block(),
            library::network(),
            kubernetes::format(),
            kro::omit(),
            kro::runtime(),
        ];
        let builder = libraries.into_iter().fold(kro::environment(), krono_cel::EnvBuilder::library);
        let env = variables.iter().fold(builder, |it, (name, _)| it.variable(name, Type::Dyn)).build();
        Self { env, budget, variables }
    }

    /// Does all that can be done with an expression; an error only if krono panicked.
    ///
    /// Also tells how long the slowest step of it took.
    fn attack(&self, source: &str) -> Result<(Expect, Duration), String> {
        let attempt = || {
            let stopwatch = Stopwatch::default();
            (self.run(source, &stopwatch), stopwatch.slowest.get())
        };
        std::thread::scope(|scope| {
            let run = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, attempt);
            run.unwrap().join().map_err(|_| format!("krono panicked: {}", shortened(source)))
        })
    }

    fn run(&self, source: &str, stopwatch: &Stopwatch) -> Expect {
        let ast = match stopwatch.time(|| self.env.parse(source)) {
            Ok(ast) => ast,
            Err(issues) => {
                drop(issues.to_string());
                return Expect::Refused;
            }
        };
        if let Ok(unchecked) = stopwatch.time(|| self.env.resolve(ast.clone())) {
            self.eval(&self.env.program(&unchecked), stopwatch);
        }
        match stopwatch.time(|| self.env.check(ast)) {
            Ok(checked) => self.eval(&self.env.program(&checked), stopwatch),
            Err(issues) => {
                drop(issues.to_string());
                Expect::Refused
            }
        }
    }

    fn eval(&self, program: &krono_cel::Program, stopwatch: &Stopwatch) -> Expect {
        let bindings = self
            .variables
            .iter()
            .fold(self.env.bindings(), |bindings, (name, json)| bindings.with(name, json));
        match stopwatch.time(|| program.eval_metered(&bindings, &Meter::new(self.budget))) {
            Ok(value) => {
                stopwatch.time(|| drop(value.to_json_metered(&Meter::new(self.budget))));
                stopwatch.time(|| drop(value.equals(&value.clone(), &Meter::new(self.budget))));
                Expect::Value
            }
            Err(error) if error.kind() == EvalErrorKind::BudgetExceeded => Expect::Budget,
            Err(_) => Expect::Error,
        }
    }
}

/// Keeps the longest of several times.
#[derive(Default)]
struct Stopwatch {
    slowest: Cell<Duration>,
}

impl Stopwatch {
    fn time<T>(&self, step: impl FnOnce() -> T) -> T {
        let started = thread_time();
        let result = step();
        self.slowest.set(self.slowest.get().max(thread_time().saturating_sub(started)));
        result
    }
}

/// How long this thread has been running on a processor, so that a busy machine does not count.
fn thread_time() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    let accounted = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = accounted.and_then(|it| it.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// As much of a source as a message can show.
fn shortened(source: &str) -> String {
    source.chars().take(200).collect()
}
