//! Short expressions that would cost much time or memory.

use super::Case;
use super::Expect::{Anything, Budget, Error, Value};

/// An ordinary run tries one of the values that are doubled; a deep run tries all.
pub(super) fn cases(deep: bool) -> Vec<Case> {
    let fixed = SOURCES.iter().map(|(expect, source)| Case::new(*source, *expect, *source));
    fixed.chain(doubled(deep)).chain(comprehensions()).chain(large_texts()).collect()
}

const SOURCES: &[(super::Expect, &str)] = &[
    (Error, "lists.range(9223372036854775807)"),
    (Error, "lists.range(1000001)"),
    (Value, "lists.range(1000000).size()"),
    (Anything, "lists.range(1000000).map(x, [x]).flatten().reverse().sort().distinct().size()"),
    (Budget, "lists.range(1000000).map(x, lists.range(1000)).flatten().size()"),
    (Anything, "lists.range(100000).map(x, 'a').join('b').split('b').size()"),
    (Budget, "lists.range(100000).map(x, text).join().size()"),
    (Budget, "lists.range(100000).map(x, text.replace('a', text))"),
    (Budget, "sets.intersects(numbers, numbers.map(x, x + 200000))"),
    (Budget, "sets.equivalent(numbers, numbers.reverse())"),
    (Budget, "numbers.map(x, [x]).distinct().size()"),
    (Anything, "numbers.distinct().size()"),
    (Anything, "numbers.sortBy(x, -x).size()"),
    (Budget, "numbers.all(x, numbers.indexOf(x) == x)"),
    (Budget, "numbers.all(x, x in numbers)"),
    (Budget, "numbers.all(x, numbers + numbers != numbers)"),
    (Budget, "numbers.all(x, numbers.sum() > 0)"),
    (Budget, "numbers.all(x, numbers.min() <= numbers.max())"),
    (Budget, "numbers.all(x, size(text) > 0)"),
    (Budget, "numbers.all(x, text.contains('zzz') || true)"),
    (Value, "numbers.all(x, object == object)"),
    (Budget, "numbers.all(x, json.marshal(object) != '')"),
    (Budget, "numbers.all(x, hash.sha256(text) != b'')"),
    (Budget, "numbers.all(x, text.matches('(a|b|c| )*d') || true)"),
    (Budget, "numbers.all(x, text.matches('a{' + string(x % 1000) + '}') || true)"),
    (Budget, "numbers.all(x, object.exists(k, v, v == -1) || true)"),
    (Budget, "numbers.all(x, object.map(k, k).size() > 0)"),
    (Budget, "numbers.all(x, lists.setAtIndex(numbers, x, 0).size() > 0)"),
    (Budget, "numbers.all(x, object.merge(object).size() > 0)"),
    (Budget, "object.all(k, object.transformMap(k, v, v).size() > 0)"),
    (Budget, "object.all(k, object.transformMapEntry(k, v, {k: v}).size() > 0)"),
    (Anything, "random.seededString(9223372036854775807, 'x')"),
    (Anything, "random.seededString(1000000, 'x').size()"),
    (Anything, "random.seededInt(-9223372036854775808, 9223372036854775807, 'x')"),
    (Anything, "'%.1000000000f'.format([1.0])"),
    (Anything, "'%.99999999999999999999f'.format([1.0])"),
    (Anything, "'%.1000000e'.format([1.0])"),
    (Value, "text.replace('', 'x').size()"),
    (Budget, "text.replace('', text).size()"),
    (Anything, "text.split('').size()"),
    (Anything, "text.findAll('').size()"),
    (Anything, "text.findAll('.').size()"),
    (Anything, "text.find('(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)x')"),
    (Anything, "text.matches('(a?){1000}a{1000}')"),
    (Error, "text.matches('((a{1000}){1000}){1000}')"),
    (Error, "text.matches('(((((((((((((((((((((((((((((a{9}){9}){9}){9}){9}){9}){9}){9}){9}){9})'  + ')')"),
    (Error, "text.matches(text.replace('abc ', '('))"),
    (Anything, "text.matches(text)"),
    (Anything, "text.matches('[' + text + ']')"),
    (Error, "json.unmarshal(text.replace('abc ', '['))"),
    (Error, "json.unmarshal(text.replace('abc ', '{\"a\":'))"),
    (Anything, "json.unmarshal('[' + lists.range(100000).map(x, '1').join(',') + ']').size()"),
    (Anything, "base64.encode(bytes(text)).size()"),
    (Error, "base64.decode(text)"),
    (Error, "int(text)"),
    (Error, "int(text.replace('abc ', '9'))"),
    (Anything, "double(text.replace('abc ', '9'))"),
    (Error, "timestamp(text)"),
    (Anything, "duration(text.replace('abc ', '1h'))"),
    (Error, "quantity(text.replace('abc ', '9'))"),
    (Anything, "quantity('1e2000000000').add(quantity('1')).asApproximateFloat()"),
    (Anything, "quantity('1e2000000000').compareTo(quantity('1e-2000000000'))"),
    (Error, "semver(text.replace('abc ', '1.'))"),
    (Error, "ip(text)"),
    (Error, "cidr(text)"),
    (Anything, "url('http://' + text)"),
    (Anything, "url('http://a/?' + text.replace('abc ', 'a=1&')).getQuery().size()"),
    (Anything, "format.dns1123Subdomain().validate(text).hasValue()"),
    (Anything, "format.uri().validate(text).hasValue()"),
    (Anything, "strings.quote(text).size()"),
    (Anything, "text.lowerAscii().upperAscii().reverse().trim().size()"),
    (Anything, "text.substring(100000).charAt(99999)"),
    (Anything, "text.indexOf(text) + text.lastIndexOf(text)"),
    (Anything, "text.lastIndexOf('zzz', 150000)"),
    (Anything, "lists.range(100000).map(x, text.substring(x, x + 10)).size()"),
    (Budget, "lists.range(1000000).map(x, text.indexOf('zzz')).size()"),
    (Anything, "math.greatest(numbers) + math.least(numbers)"),
    (Anything, "deep == deep && json.marshal(deep) != ''"),
    (Anything, "deep.flatten(1000).size()"),
    (Anything, "'%s'.format([deep])"),
    (Anything, "'%s'.format([numbers]).size()"),
    (Anything, "'%s'.format([object]).size()"),
    (Anything, "[object, object].map(o, o).distinct().size()"),
    (Anything, "numbers.slice(0, 99999).size() + numbers.filter(x, x > 5).size()"),
    (Error, "1 / 0"),
    (Error, "-9223372036854775808 / -1"),
    (Error, "-9223372036854775808 % -1"),
    (Error, "-(-9223372036854775808)"),
    (Error, "math.abs(-9223372036854775808)"),
    (Error, "[1][9223372036854775807]"),
    (Error, "[1][-9223372036854775808]"),
    (Error, "'a'.substring(-9223372036854775808)"),
    (Error, "'a'.substring(0, 9223372036854775807)"),
    (Anything, "'a'.split('a', -9223372036854775808)"),
    (Anything, "'aaa'.replace('a', 'b', -9223372036854775808)"),
    (Error, "timestamp(9223372036854775807)"),
    (Error, "timestamp('9999-12-31T23:59:59Z') + duration('1s')"),
    (Error, "duration('-9223372036854775808ns') - duration('1ns')"),
    (Anything, "math.bitShiftLeft(1, 9223372036854775807)"),
    (Anything, "int(9.3e18) + int(-1e300)"),
    (Anything, "uint(-0.5)"),
];

/// A value put together with itself, thirty and sixty times over, and then looked at.
fn doubled(deep: bool) -> Vec<Case> {
    let seeds = ["'x'", "b'x'", "[1]", "['x', 'y']", "{'a': 1}", "optional.of(1)"];
    let seeds = if deep { &seeds[..] } else { &seeds[..1] };
    let steps =
        ["a + a", "[a, a]", "{'a': a, 'b': a}", "[[a], [a]].flatten()", "[optional.of(a), optional.of(a)]"];
    let looks = [
        "a",
        "a == a",
        "a != b",
        "dyn(a) in [dyn(b), a]",
        "size(dyn(a))",
        "json.marshal(a)",
        "'%s'.format([a])",
        "string(dyn(a))",
        "[a, b].distinct()",
        "dyn([a, b]).sort()",
        "dyn([a, b]).flatten(100)",
        "dyn(a).flatten(100)",
        "dyn(a).join()",
        "dyn(a).reverse()",
        "sets.equivalent([dyn(a)], [dyn(b)])",
        "dyn([a, b]).indexOf(dyn(a))",
        "[a, b].map(x, x == a)",
        "optional.ofNonZeroValue(a)",
        "hash.sha256(json.marshal(a))",
        "type(a) == type(b)",
    ];
    let mut cases = Vec::new();
    for seed in seeds {
        for step in steps {
            for (look, depth) in looks.iter().flat_map(|it| [(it, 30), (it, 60)]) {
                let source =
                    format!("{}cel.bind(b, a, {look}){}", opening(seed, step, depth), ")".repeat(depth + 1));
                cases.push(Case::new(format!("{seed}, {depth} times {step}, {look}"), Anything, source));
            }
        }
    }
    cases
}

fn opening(seed: &str, step: &str, depth: usize) -> String {
    format!("cel.bind(a, {seed}, {}", format!("cel.bind(a, {step}, ").repeat(depth))
}

/// Loops within loops over large lists and maps.
fn comprehensions() -> Vec<Case> {
    let loops = [
        "numbers.all(x, ",
        "numbers.exists(x, !",
        "numbers.map(x, ",
        "numbers.filter(x, ",
        "numbers.exists_one(x, ",
        "object.all(x, ",
        "object.transformMap(x, y, ",
        "numbers.transformList(x, y, ",
        "lists.range(1000000).all(x, ",
    ];
    let mut cases = Vec::new();
    for outer in loops {
        for depth in [2, 3, 20, 100] {
            let source = format!("{}{}", outer.repeat(depth), "true".to_owned() + &")".repeat(depth));
            cases.push(Case::new(format!("{depth} times {outer}"), Anything, source));
        }
    }
    cases
}

/// Functions of text, given far more than they expect.
fn large_texts() -> Vec<Case> {
    let functions = [
        "size",
        "int",
        "uint",
        "double",
        "bytes",
        "timestamp",
        "duration",
        "quantity",
        "isQuantity",
        "ip",
        "isIP",
        "cidr",
        "isCIDR",
        "url",
        "isURL",
        "semver",
        "isSemver",
        "json.unmarshal",
        "hash.md5",
        "hash.sha256",
        "hash.fnv64a",
        "base64.decode",
        "strings.quote",
    ];
    let texts = [
        "text",
        "text + text",
        "'9'",
        "lists.range(100000).map(x, '9').join()",
        "lists.range(100000).map(x, '::').join()",
    ];
    let call = |function: &str, text: &str| {
        Case::new(format!("{function}({text})"), Anything, format!("[{function}({text})].size()"))
    };
    functions.iter().flat_map(|function| texts.map(|text| call(function, text))).collect()
}
