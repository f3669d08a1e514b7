use super::*;

/// All matches with a bar between, or the error.
fn outcome(pattern: &str, text: &str) -> String {
    match Pattern::new(pattern) {
        Ok(pattern) => {
            let parts: Vec<&str> = pattern.regex.find_iter(text).map(|it| it.as_str()).collect();
            parts.join("|")
        }
        Err(error) => format!("! {}", error.to_string().trim_start_matches("error parsing regexp: ")),
    }
}

/// Recorded from Go's `regexp`.
#[test]
fn finds_what_go_finds() {
    let check = |pattern, text, expect| assert_eq!(outcome(pattern, text), expect, "{pattern} in {text}");
    check("a+", "baaac aa", "aaa|aa");
    check(r"\d+", "12 ٣4", "12|4");
    check(r"\w+", "aé_9 b", "a|_9|b");
    check(r"\s", "a\tb c d", "\t| | ");
    check(r"\bfoo\b", "foo éfoo foo", "foo|foo|foo");
    check(r"\Bo", "foo o", "o|o");
    check(r"\Bo", "éo ôo oo", "o");
    check(r"\B", "é", "|");
    check(r"\B.", "日本", "日|本");
    check("[[:alpha:]]+", "aéb c", "a|b|c");
    check("[[:^alpha:]]+", "aéb c", "é| ");
    check(r"[a\d]+", "a12b", "a12");
    check(r"[^\D]+", "a12b", "12");
    check(r"[\D]+", "a12b", "a|b");
    check("[]a]+", "]a]b", "]a]");
    check("[^]a]+", "]a]b", "b");
    check("[a&&b]+", "a&b", "a&b");
    check("[+--]+", "+,-.", "+,-");
    check("[--/]+", "-./0", "-./");
    check("[a-z-9]+", "a-9b", "a-9b");
    check("[a[b]+", "a[b", "a[b");
    check("[~~]", "~", "~");
    check("a{", "a{", "a{");
    check("a{,5}", "a{,5}", "a{,5}");
    check("a{2}", "aaaa", "aa|aa");
    check("a{2,}", "aaaaa", "aaaaa");
    check("a{1,2}", "aaaaa", "aa|aa|a");
    check("a??", "aa", "||");
    check("a+?", "aaa", "a|a|a");
    check("^*", "a", "|");
    check("(?i)ABC", "abc aBc", "abc|aBc");
    check("(?i:a)b", "Ab AB", "Ab");
    check("(?P<n>a)", "a", "a");
    check("(?<n>a)", "a", "a");
    check("(?P<1n>a)", "a", "a");
    check(r"\Qa.b\E+", "a.bbb", "a.bbb");
    check(r"\Qa.b", "a.b", "a.b");
    check(r"\pL+", "aé1", "aé");
    check(r"\p{Greek}+", "aα1", "α");
    check(r"\p{^Greek}+", "aα1", "a|1");
    check(r"\PL+", "aé1", "1");
    check(r"\x41", "A", "A");
    check(r"\x{41}", "A", "A");
    check(r"\101", "A", "A");
    check(r"\08", "a", "");
    check(r"\0", "a", "");
    check(r"\<a\>", "<a>", "<a>");
    check(r"\_", "_", "_");
    check(r"\z", "a", "");
    check(r"\Aa", "aa", "a");
    check("a$", "aa", "a");
    check(".", "aé", "a|é");
    check("{foo}", "{foo}", "{foo}");
    check("}", "}", "}");
    check("]", "]", "]");
    check("a|b|", "abc", "a|b|");
    check("()", "ab", "||");
    check("x*", "axxb", "|xx|");
    check("(a|ab)(c|bcd)", "abcd", "abcd");
    check("(?s).", "a", "a");
    check("(?U)a+", "aaa", "a|a|a");
    check("(?-i)a", "a", "a");
    check("(?)a", "a", "a");
    check("(?:)a", "a", "a");
    check("(?m)^b$", "a", "");
    check("[[:word:]]+", "aé_", "a|_");
    check(r"\ ", "a b", " ");
    check("(?i)k", "kKK", "k|K|K");
    check("(?i)[k]", "kKK", "k|K|K");
    check(r"\v", "a", "");
    check("#a b", "#a b", "#a b");
    check("a{0}", "a", "|");
    check("a{01}", "a{01}", "a{01}");
    check("a{1", "a{1", "a{1");
    check("a{1,", "a{1,", "a{1,");
}

/// Recorded from Go's `regexp`.
#[test]
fn refuses_what_go_refuses() {
    let check = |pattern, expect| assert_eq!(outcome(pattern, ""), expect, "{pattern}");
    check("[[:foo:]]", "! invalid character class range: `[:foo:]`");
    check("[a--b]", "! invalid character class range: `a--`");
    check("[z-a]", "! invalid character class range: `z-a`");
    check(r"[a-\d]", r"! invalid escape sequence: `\d`");
    check("a{1001}", "! invalid repeat count: `{1001}`");
    check("a{2,1}", "! invalid repeat count: `{2,1}`");
    check("a**", "! invalid nested repetition operator: `**`");
    check("a*+", "! invalid nested repetition operator: `*+`");
    check("a*?*", "! invalid nested repetition operator: `*?*`");
    check("*", "! missing argument to repetition operator: `*`");
    check("|*", "! missing argument to repetition operator: `*`");
    check("(*)", "! missing argument to repetition operator: `*`");
    check("(?x)a b", "! invalid or unsupported Perl syntax: `(?x`");
    check("(?u)a", "! invalid or unsupported Perl syntax: `(?u`");
    check("(?P<n", "! invalid named capture: `(?P<n`");
    check("(?P=n)", "! invalid or unsupported Perl syntax: `(?P`");
    check("(?=a)", "! invalid or unsupported Perl syntax: `(?=`");
    check("(?!a)", "! invalid or unsupported Perl syntax: `(?!`");
    check("(?<=a)b", "! invalid named capture: `(?<=a)b`");
    check("(?#x)", "! invalid or unsupported Perl syntax: `(?#`");
    check("(?", "! invalid or unsupported Perl syntax: `(?`");
    check("(?i", "! invalid or unsupported Perl syntax: `(?i`");
    check("(a", "! missing closing ): `(a`");
    check("a)", "! unexpected ): `a)`");
    check("[a", "! missing closing ]: `[a`");
    check("[a-", "! missing closing ]: `[a-`");
    check(r"\", "! trailing backslash at end of expression: ``");
    check(r"\p{Foo}", r"! invalid character class range: `\p{Foo}`");
    check(r"\p{Lu", r"! invalid character class range: `\p{Lu`");
    check(r"\p", r"! invalid character class range: `\p`");
    check(r"\x4", r"! invalid escape sequence: `\x4`");
    check(r"\x{}", r"! invalid escape sequence: `\x{}`");
    check(r"\1", r"! invalid escape sequence: `\1`");
    check(r"\8", r"! invalid escape sequence: `\8`");
    check(r"\é", r"! invalid escape sequence: `\é`");
    check(r"\y", r"! invalid escape sequence: `\y`");
    check(r"\C", r"! invalid escape sequence: `\C`");
    check(r"\Z", r"! invalid escape sequence: `\Z`");
    check("(?i-)a", "! invalid or unsupported Perl syntax: `(?i-)`");
    check("(?--i)a", "! invalid or unsupported Perl syntax: `(?--`");
    check(r"[\b]", r"! invalid escape sequence: `\b`");
    check(r"[\Q]", r"! invalid escape sequence: `\Q`");
    check("((((a{100}){100}){100}){100})", "! invalid repeat count: `{100}`");
    check("(a{100}){100}", "! invalid repeat count: `{100}`");
    check("((a{100}){10}){10}", "! invalid repeat count: `{10}`");
    check("a{99999999999}", "! invalid repeat count: `{99999999999}`");
}

#[test]
fn large_expressions_are_refused() {
    let check = |pattern: &str| {
        let message = Pattern::new(pattern).unwrap_err().to_string();
        assert!(message.contains("expression too large"), "{message}");
    };
    check(&r"(\pL|\pN){1000}".repeat(60));
    check(&"a".repeat(2_000_000));
    let nested = format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000));
    let message = Pattern::new(&nested).unwrap_err().to_string();
    assert!(message.starts_with("error parsing regexp: expression nests too deeply: `(((("), "{message}");
}

#[test]
fn matching_is_charged_by_text_and_expression() {
    let pattern = Pattern::new("(?:a|b){100}c").unwrap();
    let meter = Meter::new(1_000_000);
    assert!(!pattern.is_match(&"ab".repeat(5_000), &meter).unwrap());
    assert!((50_000..500_000).contains(&meter.used()), "{}", meter.used());
}
