//! Random bytes, characters and tokens.

use std::cell::Cell;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::{Case, Expect, Tally, Target};
use crate::random::Suite;

/// Feeds noise to the target, the wanted number of cases of each kind.
pub(super) fn run(suite: &Suite, target: &Target, tally: &mut Tally) {
    let bytes = vec(any::<u8>(), 0..120).prop_map(|it| String::from_utf8_lossy(&it).into_owned());
    let characters = vec(prop_oneof![any::<char>(), select(PUNCTUATION.chars().collect::<Vec<_>>())], 0..80)
        .prop_map(|it| it.into_iter().collect::<String>());
    let tokens = vec(select(TOKENS), 0..60).prop_map(|it| it.join(" "));
    let spliced = (select(SOUND), any::<prop::sample::Index>(), 0..12_usize, vec(select(TOKENS), 0..3));
    let spliced = spliced.prop_map(|(sound, at, gone, tokens)| splice(sound, at, gone, &tokens.concat()));
    feed(suite, target, tally, "bytes", 1, bytes);
    feed(suite, target, tally, "characters", 2, characters);
    feed(suite, target, tally, "tokens", 3, tokens);
    feed(suite, target, tally, "spliced expressions", 4, spliced);
}

fn feed(
    suite: &Suite,
    target: &Target,
    tally: &mut Tally,
    kind: &str,
    stream: u8,
    strategy: impl Strategy<Value = String>,
) {
    let mut seed = [stream; 32];
    seed[..8].copy_from_slice(&suite.seed.to_le_bytes());
    let config = Config { cases: suite.wanted(), failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let done = Cell::new(0);
    let outcome = runner.run(&strategy, |source| {
        if suite.is_over() {
            return Ok(());
        }
        done.set(done.get() + 1);
        let case = Case::new("noise", Expect::Anything, source);
        case.check(target).map_err(TestCaseError::fail)
    });
    tally.total += done.get();
    tally.failures.extend(outcome.err().map(|it| format!("{kind}: {it}")));
    println!("    {:>6} of random {kind}", done.get());
}

fn splice(sound: &str, at: prop::sample::Index, gone: usize, tokens: &str) -> String {
    let characters: Vec<char> = sound.chars().collect();
    let start = at.index(characters.len() + 1);
    let end = (start + gone).min(characters.len());
    let (before, after) = (&characters[..start], &characters[end..]);
    before.iter().chain(tokens.chars().collect::<Vec<_>>().iter()).chain(after).collect()
}

const PUNCTUATION: &str = "()[]{}<>=!&|?:;,.'\"`\\/+-*%@#$~^_ \n\t0123456789abexru";

const TOKENS: &[&str] = &[
    "1",
    "-1",
    "9223372036854775807",
    "18446744073709551615u",
    "0x1F",
    "1.5",
    "1e999",
    ".5",
    "'a'",
    "\"b\"",
    "b'c'",
    "r'\\d'",
    "'''t'''",
    "true",
    "false",
    "null",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "[]",
    "{}",
    "()",
    "+",
    "-",
    "*",
    "/",
    "%",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "&&",
    "||",
    "!",
    "?",
    ":",
    ",",
    ".",
    ".?",
    "[?",
    "in",
    "x",
    "y",
    "self",
    "self.name",
    "numbers",
    "object",
    "text",
    "deep",
    "size",
    "size(",
    "has(",
    ".map(x,",
    ".all(x,",
    ".filter(y,",
    ".exists(x, y,",
    "cel.bind(x,",
    "optional.of(",
    "optional.none()",
    ".orValue(",
    ".optMap(x,",
    "dyn(",
    "type(",
    "string(",
    "int(",
    "duration('1s')",
    "timestamp(0)",
    ".matches('a')",
    ".format([",
    "math.greatest(",
    "lists.range(",
    "quantity('1')",
    "json.marshal(",
    "random.seededString(",
    ".a",
    ".`a`",
    "[0]",
    "['a']",
    "'k': 1",
    "as",
    "for",
    "in",
    "package",
    "//",
    "\n",
    "@",
    "$",
    "\\",
    "'",
    "\u{e9}",
    "\u{1f600}",
    "\u{0}",
    ";",
    "=",
];

const SOUND: &[&str] = &[
    "self.items.filter(i, i.name != '').map(i, i.name + '-' + string(self.count)).join(', ')",
    "has(self.name) && self.name.matches('^[a-z]+$') ? {'a': [1, 2.5, 3u], 'b': b'x'} : {}",
    "cel.bind(x, self.items[0], x.?name.orValue('none')).size() > 3 || numbers.exists(n, n == 7)",
    "[1, 2, 3].transformMap(i, v, v % 2 == 0, string(v)).size() + math.greatest(1, 2, 3)",
    "'%s %d %.2f'.format([self.name, self.count, 1.5]).upperAscii().substring(0, 3)",
    "timestamp('2024-01-01T00:00:00Z') + duration('1h') > timestamp(0) && quantity('1Gi').isGreaterThan(quantity('1'))",
    "optional.of(self).?items[?0].optMap(i, i.name).or(optional.none()).hasValue()",
    "lists.range(10).sortBy(x, -x).map(x, x > 5, x * 2).distinct().reverse().sum()",
    "json.marshal({'a': self.items, ?'b': self.?missing}).split('\"').size() in [1, 2, 3]",
    "runtime.newCondition({type: 'Ready', status: 'True'})",
];
