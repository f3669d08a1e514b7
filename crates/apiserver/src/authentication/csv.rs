//! Comma-separated values, as far as token files use them.

/// Why a text is not CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CsvError {
    /// A quoted field does not end.
    #[error("the quote that begins on line {0} has no end")]
    Open(usize),
    /// A quote stands inside a field.
    #[error("line {0} has a quote where none may be; fields with quotes or commas stand in quotes")]
    Stray(usize),
}

/// The records with the lines they begin on; empty lines are none.
pub(super) fn records(text: &str) -> Result<Vec<(usize, Vec<String>)>, CsvError> {
    let mut reader = Reader { rest: text, line: 1 };
    let mut records = Vec::new();
    while !reader.rest.is_empty() {
        let line = reader.line;
        let record = reader.record()?;
        if record.iter().any(|it| !it.is_empty()) || record.len() > 1 {
            records.push((line, record));
        }
    }
    Ok(records)
}

struct Reader<'t> {
    rest: &'t str,
    line: usize,
}

impl Reader<'_> {
    fn record(&mut self) -> Result<Vec<String>, CsvError> {
        let mut fields = Vec::new();
        loop {
            fields.push(self.field()?);
            if let Some(rest) = self.rest.strip_prefix(',') {
                self.rest = rest;
                continue;
            }
            self.rest = self.rest.strip_prefix('\r').unwrap_or(self.rest);
            self.rest = self.rest.strip_prefix('\n').unwrap_or(self.rest);
            self.line += 1;
            return Ok(fields);
        }
    }

    fn field(&mut self) -> Result<String, CsvError> {
        if let Some(rest) = self.rest.strip_prefix('"') {
            self.rest = rest;
            return self.quoted();
        }
        let end = self.rest.find([',', '\n']).unwrap_or(self.rest.len());
        let (field, rest) = self.rest.split_at(end);
        self.rest = rest;
        if field.contains('"') {
            return Err(CsvError::Stray(self.line));
        }
        Ok(field.strip_suffix('\r').unwrap_or(field).to_owned())
    }

    fn quoted(&mut self) -> Result<String, CsvError> {
        let begin = self.line;
        let mut field = String::new();
        loop {
            let (part, rest) = self.rest.split_once('"').ok_or(CsvError::Open(begin))?;
            self.line += part.matches('\n').count();
            field.push_str(part);
            self.rest = rest;
            let Some(rest) = self.rest.strip_prefix('"') else { break };
            field.push('"');
            self.rest = rest;
        }
        if self.rest.is_empty() || self.rest.starts_with([',', '\r', '\n']) {
            return Ok(field);
        }
        Err(CsvError::Stray(self.line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Result<&str, CsvError>) {
        let shown = records(text).map(|records| {
            let lines = records.iter().map(|(line, fields)| format!("{line}:{}", fields.join("|")));
            lines.collect::<Vec<_>>().join(" ")
        });
        assert_eq!(shown.as_deref().map_err(|it| *it), expect, "{text:?}");
    }

    #[test]
    fn fields_and_quotes() {
        check("", Ok(""));
        check("a,b\nc,d", Ok("1:a|b 2:c|d"));
        check("a,\"b,c\"\r\n\r\n,\n", Ok("1:a|b,c 3:|"));
        check("\"a\"\"b\",\"x\ny\"\nz", Ok("1:a\"b|x\ny 3:z"));
        check("a,\"b", Err(CsvError::Open(1)));
        check("a\nb\"c,d", Err(CsvError::Stray(2)));
        check("\"a\"b", Err(CsvError::Stray(1)));
    }
}
