//! Mail addresses, alone or with the name of a person: `Gopher <gopher@example.com>`.

/// One address, with nothing after it but comments.
pub(super) fn is_email(text: &str) -> bool {
    let mut reader = Reader { rest: text };
    reader.address().is_some() && reader.skip_comments().is_some() && reader.rest.is_empty()
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    /// `local@domain`, or words and then `<local@domain>`, or a group of one: `friends: local@domain;`.
    fn address(&mut self) -> Option<()> {
        self.skip_space();
        let start = self.rest;
        if self.specification().is_some() {
            return Some(());
        }
        self.rest = start;
        if !self.rest.starts_with('<') {
            self.phrase()?;
        }
        self.skip_space();
        if self.take(':').is_some() {
            return self.group();
        }
        self.in_brackets()
    }

    fn group(&mut self) -> Option<()> {
        self.skip_space();
        let start = self.rest;
        if self.specification().is_none() {
            self.rest = start;
            if !self.rest.starts_with('<') {
                self.phrase()?;
            }
            self.skip_space();
            self.in_brackets()?;
        }
        self.skip_comments()?;
        self.take(';')
    }

    fn in_brackets(&mut self) -> Option<()> {
        self.take('<')?;
        self.specification()?;
        self.take('>')
    }

    fn specification(&mut self) -> Option<()> {
        self.local_part()?;
        self.take('@')?;
        self.skip_space();
        if self.rest.starts_with('[') { self.domain_literal() } else { self.dotted(is_atom) }
    }

    fn local_part(&mut self) -> Option<()> {
        self.skip_space();
        if self.rest.starts_with('"') {
            let text = self.quoted()?;
            return (!text.is_empty()).then_some(());
        }
        self.dotted(is_atom)
    }

    /// One or more words; a comment may stand between them.
    fn phrase(&mut self) -> Option<()> {
        let mut words = 0;
        loop {
            self.skip_comments()?;
            let start = self.rest;
            let word = if start.starts_with('"') {
                self.quoted().map(drop)
            } else {
                let atom = self.atom(|it| is_atom(it) || it == '.');
                atom.filter(|()| is_decodable(&start[..start.len() - self.rest.len()]))
            };
            if word.is_none() {
                self.rest = start;
                return (words > 0).then_some(());
            }
            words += 1;
        }
    }

    /// Atoms joined by single dots.
    fn dotted(&mut self, member: impl Fn(char) -> bool + Copy) -> Option<()> {
        self.atom(member)?;
        while self.take('.').is_some() {
            self.atom(member)?;
        }
        Some(())
    }

    fn atom(&mut self, member: impl Fn(char) -> bool) -> Option<()> {
        let end = self.rest.find(|it| !member(it)).unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
        (end > 0).then_some(())
    }

    fn quoted(&mut self) -> Option<String> {
        self.take('"')?;
        let mut text = String::new();
        let mut characters = self.rest.chars();
        while let Some(character) = characters.next() {
            match character {
                '"' => {
                    self.rest = characters.as_str();
                    return Some(text);
                }
                '\\' => text.push(characters.next().filter(|it| is_visible(*it) || is_space(*it))?),
                it if is_visible(it) || is_space(it) => text.push(it),
                _ => return None,
            }
        }
        None
    }

    fn domain_literal(&mut self) -> Option<()> {
        let (inside, rest) = self.rest.strip_prefix('[')?.split_once(']')?;
        self.rest = rest;
        inside.parse::<core::net::IpAddr>().ok().map(drop)
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches(is_space);
    }

    /// Skips space and comments in parentheses, which may be nested.
    fn skip_comments(&mut self) -> Option<()> {
        self.skip_space();
        while self.rest.starts_with('(') {
            let mut depth = 0_usize;
            let mut escaped = false;
            let end = self.rest.char_indices().find(|(_, character)| {
                match character {
                    _ if escaped => escaped = false,
                    '\\' => escaped = true,
                    '(' => depth += 1,
                    ')' => depth -= 1,
                    _ => {}
                }
                depth == 0
            });
            self.rest = &self.rest[end?.0 + 1..];
            self.skip_space();
        }
        Some(())
    }

    fn take(&mut self, wanted: char) -> Option<()> {
        self.rest = self.rest.strip_prefix(wanted)?;
        Some(())
    }
}

/// Whether a word is plain, or encoded (`=?utf-8?q?text?=`) in a character set that Go knows.
fn is_decodable(word: &str) -> bool {
    let inside = word.strip_prefix("=?").and_then(|rest| rest.strip_suffix("?="));
    let parts: Vec<&str> = inside.map(|inside| inside.split('?').collect()).unwrap_or_default();
    let [charset, "q" | "Q" | "b" | "B", text] = parts.as_slice() else { return true };
    let known = ["utf-8", "iso-8859-1", "us-ascii"];
    !text.is_empty() && known.iter().any(|known| known.eq_ignore_ascii_case(charset))
}

fn is_atom(character: char) -> bool {
    is_visible(character) && !"()<>[]:;@\\,\".".contains(character)
}

fn is_visible(character: char) -> bool {
    ('!'..='~').contains(&character) || !character.is_ascii()
}

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t')
}
