//! Strings of a status, with or without expressions.

/// What a string of a status is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Leaf<'t> {
    /// Text without an expression.
    Literal,
    /// Nothing but one expression: `${deployment.status.replicas}`.
    Expression(&'t str),
    /// Text around expressions, or several of them: the value is a string.
    Template,
}

impl<'t> Leaf<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let Some(start) = text.find("${") else { return Self::Literal };
        let inside = &text[start + 2..];
        match expression_end(inside) {
            None => Self::Literal,
            Some(end) if start == 0 && end + 1 == inside.len() => Self::Expression(&inside[..end]),
            Some(_) => Self::Template,
        }
    }
}

/// The position of the brace that closes the expression; braces in strings and in pairs do not.
fn expression_end(text: &str) -> Option<usize> {
    let (mut open, mut quote, mut escaped) = (0_usize, None, false);
    for (position, character) in text.char_indices() {
        match (quote, character) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(delimiter), _) if delimiter == character => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, '{') => open += 1,
            (None, '}') if open == 0 => return Some(position),
            (None, '}') => open -= 1,
            (Some(_) | None, _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves() {
        let check = |text: &str, expect: Leaf<'_>| assert_eq!(Leaf::of(text), expect, "{text}");
        check("plain", Leaf::Literal);
        check("${unclosed", Leaf::Literal);
        check("${a.b}", Leaf::Expression("a.b"));
        check("${ {'a': {}} }", Leaf::Expression(" {'a': {}} "));
        check("${'}'}", Leaf::Expression("'}'"));
        check(r#"${"\"}" + "${x}"}"#, Leaf::Expression(r#""\"}" + "${x}""#));
        check("a${b}", Leaf::Template);
        check("${a}${b}", Leaf::Template);
        check("${a}\n", Leaf::Template);
    }
}
