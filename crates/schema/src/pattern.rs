//! Regular expressions with the meaning they have in Go, which is what the API server runs.

use regex::{Regex, RegexBuilder};

/// Compiled patterns larger than this (in bytes) are refused.
const SIZE_LIMIT: usize = 10 << 20;

/// The pattern compiled, or what is wrong with it.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    let rewritten = Rewriter::new(pattern).rewrite();
    let built = RegexBuilder::new(&rewritten).size_limit(SIZE_LIMIT).dfa_size_limit(SIZE_LIMIT).build();
    built.map_err(|error| complaint(&error))
}

fn complaint(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// Rewrites Go's syntax into that of the `regex` crate where the two differ: `\d \s \w \b` are ASCII,
/// `\<` and `\>` are the characters, `\Q…\E` quotes, and inside brackets `[`, `&`, `~` and a second `-` are
/// the characters.
struct Rewriter<'p> {
    rest: &'p str,
    output: String,
}

impl<'p> Rewriter<'p> {
    fn new(pattern: &'p str) -> Self {
        Self { rest: pattern, output: String::with_capacity(pattern.len() + 16) }
    }

    fn rewrite(mut self) -> String {
        while let Some(character) = self.next() {
            match character {
                '\\' => self.escape(),
                '[' => self.class(),
                _ => self.output.push(character),
            }
        }
        self.output
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        next
    }

    fn take(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn escape(&mut self) {
        match self.next() {
            Some('b') => self.output.push_str(r"(?-u:\b)"),
            Some('B') => self.output.push_str(r"(?-u:\B)"),
            Some('Q') => self.quoted(),
            Some(letter) => match perl_class(letter) {
                Some(class) => self.output.extend(["[", class, "]"]),
                None => self.literal_escape(letter),
            },
            None => self.output.push('\\'),
        }
    }

    fn literal_escape(&mut self, letter: char) {
        if !matches!(letter, '<' | '>') {
            self.output.push('\\');
        }
        self.output.push(letter);
    }

    fn quoted(&mut self) {
        let (text, rest) = self.rest.split_once("\\E").unwrap_or((self.rest, ""));
        self.output.push_str(&regex::escape(text));
        self.rest = rest;
    }

    /// A bracket expression; its first `]` is a member, not the end.
    fn class(&mut self) {
        self.output.push('[');
        if self.take("^") {
            self.output.push('^');
        }
        if self.take("]") {
            self.output.push_str(r"\]");
        }
        while let Some(character) = self.next() {
            match character {
                ']' => return self.output.push(']'),
                '\\' => self.class_escape(),
                '[' if self.named_class() => {}
                '[' | '&' | '~' => self.output.extend(['\\', character]),
                '-' if self.rest.starts_with('-') => self.output.push_str(r"\-"),
                _ => self.output.push(character),
            }
        }
    }

    fn class_escape(&mut self) {
        match self.next() {
            Some(letter) => match perl_class(letter) {
                Some(class) => self.output.extend(["[", class, "]"]),
                None => self.literal_escape(letter),
            },
            None => self.output.push('\\'),
        }
    }

    /// `[:alpha:]`, with the opening bracket already taken.
    fn named_class(&mut self) -> bool {
        let Some(end) = self.rest.starts_with(':').then(|| self.rest.find(":]")).flatten() else {
            return false;
        };
        let (name, rest) = self.rest.split_at(end + 2);
        self.output.extend(["[", name]);
        self.rest = rest;
        true
    }
}

fn perl_class(letter: char) -> Option<&'static str> {
    Some(match letter {
        'd' => "0-9",
        'D' => "^0-9",
        's' => r"\t\n\f\r ",
        'S' => r"^\t\n\f\r ",
        'w' => "0-9A-Za-z_",
        'W' => "^0-9A-Za-z_",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_go_means() {
        let check = |pattern: &str, text: &str, expect: bool| {
            assert_eq!(compile(pattern).unwrap().is_match(text), expect, "{pattern} on {text}");
        };
        check(r"^\d+$", "12", true);
        check(r"^\d+$", "١", false);
        check(r"^[\d_]+$", "1_2", true);
        check(r"^[^\D]$", "1", true);
        check(r"^\w$", "é", false);
        check(r"^\W$", "é", true);
        check(r"\bcat\b", "a cat", true);
        check(r"a\Bb", "ab", true);
        check(r"^\Qa.b\E+$", "a.bb", true);
        check(r"^\Qa.b\E+$", "axb", false);
        check(r"^\<a\>$", "<a>", true);
        check(r"^[[a]+$", "[a", true);
        check(r"^[a&&b]+$", "&", true);
        check(r"^[a--]+$", "-", true);
        check(r"^[]a]+$", "]a", true);
        check(r"^[[:alpha:][:digit:]]+$", "a1", true);
        check(r"^[[:word:]-]+$", "a-1", true);
        check(r"^\pL\p{Greek}$", "éα", true);
        check(r"^a\/b\-c$", "a/b-c", true);
        check("^a$", "a\n", false);
        check("(?i)^É$", "é", true);
    }

    #[test]
    fn hostile_patterns_are_refused() {
        let check = |pattern: &str, expect: &str| {
            let complaint = compile(pattern).unwrap_err();
            assert!(complaint.contains(expect), "{pattern}: {complaint}");
        };
        check("((a{1000}){1000}){1000}", "size limit");
        check("[unclosed", "unclosed character class");
        check("(?=a)", "look-around");
        check(r"(a)\1", "backreferences are not supported");
        check("\\", "incomplete escape sequence");
        check(&"(".repeat(10_000), "");
    }
}
