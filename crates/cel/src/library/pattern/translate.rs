//! From RE2's notation to that of the `regex` crate, which differs in details.
//!
//! `\d`, `\s`, `\w` and `\b` are ASCII; `\Q…\E` quotes; braces that are no repetition are plain; brackets have no
//! set operators; repetitions are not repeated and at most thousandfold.

use super::PatternError;
use super::class::{Escape, escape, push_literal, translate_class};

/// A translated expression.
pub(super) struct Translated {
    pub(super) pattern: String,
    pub(super) weight: u64,
}

/// How often a part may be repeated, all repetitions around it taken together.
const MAX_REPEAT: u64 = 1000;
/// How deep groups may nest; the `regex` crate stops soon after.
const MAX_DEPTH: usize = 100;
/// Beyond this many places after unrolling, an expression is refused.
const MAX_WEIGHT: u64 = 1 << 20;
/// Weight of something that matches characters outside ASCII, which takes a small automaton.
const WIDE_WEIGHT: u64 = 10;

pub(super) fn translate(source: &str) -> Result<Translated, PatternError> {
    let mut translator = Translator {
        source,
        out: String::with_capacity(source.len() + 8),
        groups: Vec::new(),
        current: Group::new(),
    };
    let mut rest = source;
    while let Some(next) = rest.chars().next() {
        rest = translator.step(next, rest)?;
        if translator.current.weight > MAX_WEIGHT {
            return Err(PatternError::new("expression too large", source));
        }
    }
    translator.finish()
}

struct Translator<'p> {
    source: &'p str,
    out: String,
    /// The groups around the current one, outermost first.
    groups: Vec<Group>,
    current: Group,
}

/// A group under construction.
struct Group {
    weight: u64,
    /// How often the most repeated part is repeated.
    repeats: u64,
    /// What stands last, and could be repeated.
    last: Last,
}

#[derive(Clone, Copy)]
enum Last {
    Nothing,
    /// Something of this weight, a part of which is repeated so often.
    Atom {
        weight: u64,
        repeats: u64,
    },
    /// A repetition; its operator starts so many bytes before the end of the source.
    Repetition(usize),
}

impl Group {
    fn new() -> Self {
        Self { weight: 0, repeats: 1, last: Last::Nothing }
    }
}

impl<'p> Translator<'p> {
    /// Translates what starts the rest of the source, and gives what is behind it.
    fn step(&mut self, next: char, rest: &'p str) -> Result<&'p str, PatternError> {
        let behind = &rest[next.len_utf8()..];
        match next {
            '(' => self.open(rest),
            ')' => self.close(behind),
            '|' => {
                self.out.push('|');
                self.current.last = Last::Nothing;
                Ok(behind)
            }
            '*' | '+' | '?' => self.repeat(rest, behind, None),
            '{' => match repeat_count(rest) {
                Some((times, behind)) => self.counted(rest, behind, times),
                None => Ok(self.literal('{', behind)),
            },
            '[' => {
                let (class, behind) = translate_class(rest)?;
                self.atom(&class, WIDE_WEIGHT);
                Ok(behind)
            }
            '\\' => self.escaped(rest),
            '.' => {
                self.atom(".", WIDE_WEIGHT);
                Ok(behind)
            }
            '^' | '$' => {
                self.atom(if next == '^' { "^" } else { "$" }, 1);
                Ok(behind)
            }
            _ => Ok(self.literal(next, behind)),
        }
    }

    fn finish(mut self) -> Result<Translated, PatternError> {
        if !self.groups.is_empty() {
            return Err(PatternError::new("missing closing )", self.source));
        }
        self.current.weight += 1;
        Ok(Translated { pattern: self.out, weight: self.current.weight })
    }

    fn atom(&mut self, translated: &str, weight: u64) {
        self.out.push_str(translated);
        self.current.weight += weight;
        self.current.last = Last::Atom { weight, repeats: 1 };
    }

    fn literal(&mut self, character: char, behind: &'p str) -> &'p str {
        push_literal(&mut self.out, character);
        self.current.weight += 1;
        self.current.last = Last::Atom { weight: 1, repeats: 1 };
        behind
    }

    fn open(&mut self, rest: &'p str) -> Result<&'p str, PatternError> {
        let (head, translated) = group_head(rest)?;
        let behind = &rest[head.len()..];
        self.out.push_str(translated);
        if head.ends_with(')') {
            // Flags for the rest of the group around.
            self.current.last = Last::Nothing;
        } else {
            self.groups.push(std::mem::replace(&mut self.current, Group::new()));
        }
        if self.groups.len() > MAX_DEPTH {
            return Err(PatternError::new("expression nests too deeply", self.source));
        }
        Ok(behind)
    }

    fn close(&mut self, behind: &'p str) -> Result<&'p str, PatternError> {
        let Some(outer) = self.groups.pop() else {
            return Err(PatternError::new("unexpected )", self.source));
        };
        let inner = std::mem::replace(&mut self.current, outer);
        self.atom(")", inner.weight + 1);
        self.current.last = Last::Atom { weight: inner.weight + 1, repeats: inner.repeats };
        self.current.repeats = self.current.repeats.max(inner.repeats);
        Ok(behind)
    }

    fn counted(&mut self, rest: &'p str, behind: &'p str, times: Times) -> Result<&'p str, PatternError> {
        let (least, most) = times;
        let repeated = u64::from(most.unwrap_or(least));
        let inner = match self.current.last {
            Last::Atom { repeats, .. } => repeats,
            Last::Nothing | Last::Repetition(_) => 1,
        };
        if u64::from(least).max(repeated).saturating_mul(inner) > MAX_REPEAT
            || most.is_some_and(|most| most < least)
        {
            let operator = &rest[..rest.len() - behind.len()];
            return Err(PatternError::new("invalid repeat count", operator));
        }
        self.repeat(rest, behind, Some(repeated))
    }

    /// A repetition operator, with the question mark that makes it lazy.
    fn repeat(
        &mut self,
        rest: &'p str,
        behind: &'p str,
        times: Option<u64>,
    ) -> Result<&'p str, PatternError> {
        let operator = &rest[..rest.len() - behind.len()];
        let (weight, repeats) = match self.current.last {
            Last::Atom { weight, repeats } => (weight, repeats),
            Last::Nothing => {
                return Err(PatternError::new("missing argument to repetition operator", operator));
            }
            Last::Repetition(from_end) => {
                let both = &self.source[self.source.len() - from_end..self.source.len() - behind.len()];
                return Err(PatternError::new("invalid nested repetition operator", both));
            }
        };
        self.out.push_str(operator);
        let times = times.unwrap_or(1).max(1);
        self.current.weight = self.current.weight.saturating_add(weight.saturating_mul(times - 1));
        self.current.repeats = self.current.repeats.max(repeats.saturating_mul(times));
        self.current.last = Last::Repetition(rest.len());
        let Some(behind) = behind.strip_prefix('?') else { return Ok(behind) };
        self.out.push('?');
        Ok(behind)
    }

    fn escaped(&mut self, rest: &'p str) -> Result<&'p str, PatternError> {
        if let Some(quoted) = rest.strip_prefix("\\Q") {
            let (literal, behind) = quoted.split_once("\\E").unwrap_or((quoted, ""));
            for character in literal.chars() {
                self.literal(character, behind);
            }
            return Ok(behind);
        }
        for (boundary, translated) in
            [("\\A", "\\A"), ("\\z", "\\z"), ("\\b", "(?-u:\\b)"), ("\\B", "(?-u:\\B)")]
        {
            if let Some(behind) = rest.strip_prefix(boundary) {
                self.atom(translated, 1);
                return Ok(behind);
            }
        }
        let (escape, behind) = escape(rest)?;
        match escape {
            Escape::Character(character) => return Ok(self.literal(character, behind)),
            Escape::Class(class) => self.atom(&class, WIDE_WEIGHT),
        }
        Ok(behind)
    }
}

/// How often at least, and at most.
type Times = (u32, Option<u32>);

/// `{n}`, `{n,}` or `{n,m}`, and what is behind it.
fn repeat_count(text: &str) -> Option<(Times, &str)> {
    let (inner, behind) = text.strip_prefix('{')?.split_once('}')?;
    let (least, most) = inner.split_once(',').map_or((inner, None), |(least, most)| (least, Some(most)));
    let least_count = count(least)?;
    let most_count = match most {
        None => Some(least_count),
        Some("") => None,
        Some(most) => Some(count(most)?),
    };
    Some(((least_count, most_count), behind))
}

/// A decimal number; one that is too large is far too large.
fn count(digits: &str) -> Option<u32> {
    let decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = digits.len() == 1 || !digits.starts_with('0');
    (decimal && canonical).then(|| digits.parse().unwrap_or(u32::MAX))
}

/// `(`, `(?:`, `(?flags:`, `(?flags)`, `(?P<name>` or `(?<name>`, and its translation, which captures nothing.
fn group_head(text: &str) -> Result<(&str, &str), PatternError> {
    let Some(perl) = text.strip_prefix("(?") else { return Ok((&text[..1], "(?:")) };
    if let Some(named) = perl.strip_prefix("P<").or_else(|| perl.strip_prefix('<')) {
        return named_group_head(text, named);
    }
    let flags = perl.find(|c| !"imsU".contains(c)).unwrap_or(perl.len());
    let cleared = perl[flags..].strip_prefix('-').map_or("", |cleared| {
        let end = cleared.find(|c| !"imsU".contains(c)).unwrap_or(cleared.len());
        &perl[flags..flags + 1 + end]
    });
    let end = 2 + flags + cleared.len();
    match text[end..].chars().next() {
        Some(')') if end == 2 => Ok((&text[..3], "")),
        Some(':' | ')') if cleared != "-" => Ok((&text[..=end], &text[..=end])),
        other => {
            let part = &text[..end + other.map_or(0, char::len_utf8)];
            Err(PatternError::new("invalid or unsupported Perl syntax", part))
        }
    }
}

fn named_group_head<'t>(text: &'t str, named: &str) -> Result<(&'t str, &'t str), PatternError> {
    let Some(end) = named.find('>') else {
        return Err(PatternError::new("invalid named capture", text));
    };
    let head = &text[..=text.len() - named.len() + end];
    let name = &named[..end];
    if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        Ok((head, "(?:"))
    } else {
        Err(PatternError::new("invalid named capture", head))
    }
}
