//! Random well-typed expressions, evaluated by krono and by other engines.

mod datum;
mod engines;
mod explained;
mod expression;
mod grammar;
mod kubernetes_text;
mod leaves;
mod reduce;
mod rules;
mod signs;
mod variables;

use std::collections::BTreeMap;

use krono_cel::library::{self, Dialect, kubernetes};
use krono_cel::{Env, EnvBuilder};

use crate::random::Suite;
use engines::{Cel, CelCore, Engine, Krono, KubeCel};
use explained::Rival;
use expression::Generator;
use reduce::{Disagreement, Dispute};

/// Rivals parse by recursion without bounds.
const RIVALS_STACK: usize = 256 << 20;

#[test]
fn differential() {
    let run =
        std::thread::Builder::new().name("rivals".to_owned()).stack_size(RIVALS_STACK).spawn(compare_all);
    run.unwrap().join().unwrap();
}

fn compare_all() {
    engines::silence_rivals();
    let suite = Suite::start("cel-differential", 1_500);
    let krono = Krono::new(specification(), variables::all());
    let cel = Cel::new(&variables::all());
    let cel_core = CelCore::new(&variables::all());
    let of_cel = generator(&[rules::SQUARE_ROOT, rules::LISTS]);
    let of_cel_core = generator(&[rules::BINDINGS, rules::TWO_VARIABLES]);
    let of_kubernetes = Generator::new(&[rules::KUBERNETES], rules::KUBERNETES_TYPES, &[]);
    let reports = [
        compare(&suite, Rival::Cel, &krono, &cel, &of_cel),
        compare(&suite, Rival::CelCore, &krono, &cel_core, &of_cel_core),
        compare(
            &suite,
            Rival::KubeCel,
            &Krono::new(kubernetes_api(), Vec::new()),
            &KubeCel::new(),
            &of_kubernetes,
        ),
    ];
    let (mut settled, mut compared) = (0, 0);
    for report in &reports {
        settled += report.settled;
        compared += report.compared;
    }
    println!("cel-differential: {settled}/{compared}");
    let open: Vec<String> = reports.iter().flat_map(Report::open).collect();
    assert!(open.is_empty(), "{} kinds of disagreement\n{}", open.len(), open.join("\n"));
}

fn specification() -> Env {
    let libraries = [
        library::standard(),
        library::strings(Dialect::Specification),
        library::math(),
        library::lists(),
        library::encoders(),
        library::optionals(),
        library::bindings(),
        library::two_variable(),
    ];
    let builder = libraries
        .into_iter()
        .fold(Env::builder(), EnvBuilder::library)
        .mixed_comparisons(true)
        .strict_presence(true);
    variables::declare(builder).build()
}

fn kubernetes_api() -> Env {
    let libraries = [
        library::standard(),
        library::optionals(),
        library::sets(),
        kubernetes::quantity(),
        kubernetes::ip(),
        kubernetes::cidr(),
        kubernetes::urls(),
        kubernetes::semver(),
        kubernetes::regex(),
        kubernetes::lists(),
        kubernetes::format(),
    ];
    libraries.into_iter().fold(Env::builder(), EnvBuilder::library).build()
}

fn generator(more: &[&'static [&'static str]]) -> Generator {
    let common: &[&'static [&'static str]] = &[
        rules::OPERATORS,
        rules::COLLECTIONS,
        rules::MACROS,
        rules::FUNCTIONS,
        rules::STRINGS,
        rules::ENCODERS,
        rules::MATH,
        rules::OPTIONALS,
        variables::RULES,
    ];
    Generator::new(&[common, more].concat(), rules::PLAIN_TYPES, variables::TYPED)
}

/// How the comparison with one rival went.
struct Report {
    rival: Rival,
    compared: u64,
    /// Agreed upon, or explained.
    settled: u64,
    /// Disagreements without an explanation, by the rule they are about.
    unexplained: BTreeMap<&'static str, Vec<Disagreement>>,
}

fn compare(
    suite: &Suite,
    rival: Rival,
    krono: &dyn Engine,
    engine: &dyn Engine,
    generator: &Generator,
) -> Report {
    let mut report = Report { rival, compared: 0, settled: 0, unexplained: BTreeMap::new() };
    let mut explanations = BTreeMap::<&'static str, u64>::new();
    let dispute = Dispute { krono, rival: engine };
    for mut random in suite.cases(rival as u64) {
        let expression = generator.expression(&mut random);
        report.compared += 1;
        let Some(disagreement) = dispute.disagreement(&expression) else {
            report.settled += 1;
            continue;
        };
        match explained::reason(rival, &disagreement) {
            Some(reason) => {
                report.settled += 1;
                *explanations.entry(reason).or_default() += 1;
            }
            None => report.unexplained.entry(disagreement.template).or_default().push(disagreement),
        }
    }
    report.tell(&explanations);
    report
}

impl Report {
    fn tell(&self, explanations: &BTreeMap<&'static str, u64>) {
        let explained: u64 = explanations.values().sum();
        println!(
            "cel-differential-{}: {}/{} ({explained} explained)",
            self.rival.name(),
            self.settled,
            self.compared
        );
        for (reason, count) in explanations {
            println!("    {count:>6} {reason}");
        }
    }

    fn open(&self) -> impl Iterator<Item = String> + '_ {
        self.unexplained.iter().map(|(template, all)| {
            let shortest = all.iter().min_by_key(|it| it.source.len()).unwrap();
            format!(
                "{} times with {}: {template}\n    {}\n    krono {}\n    rival {}",
                all.len(),
                self.rival.name(),
                shortest.source,
                shortest.krono,
                shortest.rival
            )
        })
    }
}
