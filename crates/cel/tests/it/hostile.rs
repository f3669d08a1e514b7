//! Expressions written to do harm: krono refuses them or evaluates them, within bounds of stack, time and memory.

mod growth;
mod nesting;
mod noise;

use std::time::{Duration, Instant};

use krono_cel::library::{self, kro, kubernetes};
use krono_cel::{DEFAULT_BUDGET, Env, EvalErrorKind, Meter, Type};
use serde_json::{Value, json};

use crate::random::Suite;

/// Each expression is parsed, checked, evaluated and dropped on a stack of this size.
const STACK: usize = 512 << 10;

/// The promise is a second; a busy machine and an unoptimised build get some more.
const TIME: Duration = Duration::from_secs(5);

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
        let started = Instant::now();
        let found = target.attack(&self.source)?;
        let took = started.elapsed();
        if took > TIME {
            return Err(format!("{}: took {took:?}", self.name));
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
    fn attack(&self, source: &str) -> Result<Expect, String> {
        std::thread::scope(|scope| {
            let run = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || self.run(source));
            run.unwrap().join().map_err(|_| format!("krono panicked: {}", shortened(source)))
        })
    }

    fn run(&self, source: &str) -> Expect {
        let ast = match self.env.parse(source) {
            Ok(ast) => ast,
            Err(issues) => {
                drop(issues.to_string());
                return Expect::Refused;
            }
        };
        if let Ok(unchecked) = self.env.resolve(ast.clone()) {
            self.eval(&self.env.program(&unchecked));
        }
        match self.env.check(ast) {
            Ok(checked) => self.eval(&self.env.program(&checked)),
            Err(issues) => {
                drop(issues.to_string());
                Expect::Refused
            }
        }
    }

    fn eval(&self, program: &krono_cel::Program) -> Expect {
        let bindings = self
            .variables
            .iter()
            .fold(self.env.bindings(), |bindings, (name, json)| bindings.with(name, json));
        match program.eval_metered(&bindings, &Meter::new(self.budget)) {
            Ok(value) => {
                drop(value.to_json_metered(&Meter::new(self.budget)));
                drop(value.equals(&value.clone(), &Meter::new(self.budget)));
                Expect::Value
            }
            Err(error) if error.kind() == EvalErrorKind::BudgetExceeded => Expect::Budget,
            Err(_) => Expect::Error,
        }
    }
}

/// As much of a source as a message can show.
fn shortened(source: &str) -> String {
    source.chars().take(200).collect()
}
