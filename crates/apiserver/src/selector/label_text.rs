//! How label selectors are written, and the API server's words for those that are not understood.

use std::collections::BTreeSet;

use krono_schema::go_text;

use super::MAX_REQUIREMENTS;
use super::label::{Requirement, Test};
use super::tokens::{Token, Tokens};
use crate::builtin;

/// Reads the requirements, or says what is wrong.
pub(super) fn requirements(text: &str) -> Result<Vec<Requirement>, String> {
    let mut tokens = Tokens::new(text);
    let mut requirements = Vec::new();
    if tokens.peek() == Token::End {
        return Ok(requirements);
    }
    if !begins_requirement(tokens.peek()) {
        return Err(found(tokens.peek(), ", expected: !, identifier, or 'end of string'"));
    }
    loop {
        let read =
            requirement(&mut tokens).map_err(|wrong| format!("unable to parse requirement: {wrong}"))?;
        requirements.push(read);
        if requirements.len() > MAX_REQUIREMENTS {
            return Err("the label selector has too many requirements".to_owned());
        }
        match tokens.next() {
            Token::End => return Ok(requirements),
            Token::Sign(",") if begins_requirement(tokens.peek()) => {}
            Token::Sign(",") => return Err(found(tokens.peek(), ", expected: identifier after ','")),
            other @ (Token::Word(_) | Token::Sign(_)) => {
                return Err(found(other, ", expected: ',' or 'end of string'"));
            }
        }
    }
}

fn begins_requirement(token: Token<'_>) -> bool {
    matches!(token, Token::Word(_) | Token::Sign("!"))
}

fn found(token: Token<'_>, expected: &str) -> String {
    format!("found '{}'{expected}", token.text())
}

fn requirement(tokens: &mut Tokens<'_>) -> Result<Requirement, String> {
    let absent = tokens.peek() == Token::Sign("!");
    if absent {
        tokens.next();
    }
    let key = word(tokens.next())?;
    let complaints = builtin::key_complaints(key);
    if !complaints.is_empty() {
        return Err(invalid("<nil>", key, &complaints.join("; ")));
    }
    let test = match tokens.peek() {
        _ if absent => Test::Absent,
        Token::End | Token::Sign(",") => Test::Exists,
        Token::Word(_) | Token::Sign(_) => comparison(tokens, key)?,
    };
    Ok(Requirement { key: key.to_owned(), test })
}

fn word(token: Token<'_>) -> Result<&str, String> {
    match token {
        Token::Word(text) => Ok(text),
        Token::Sign(_) | Token::End => Err(found(token, ", expected: identifier")),
    }
}

fn invalid(at: &str, value: &str, complaint: &str) -> String {
    format!("{at}: Invalid value: {}: {complaint}", go_text::quote(value))
}

/// An operator and what stands to its right.
fn comparison(tokens: &mut Tokens<'_>, key: &str) -> Result<Test, String> {
    let test = match tokens.next() {
        Token::Word("in") => Test::In(sound(key, values(tokens)?)?),
        Token::Word("notin") => Test::NotIn(sound(key, values(tokens)?)?),
        Token::Sign("=" | "==") => Test::In(sound(key, BTreeSet::from([value(tokens)?]))?),
        Token::Sign("!=") => Test::NotIn(sound(key, BTreeSet::from([value(tokens)?]))?),
        Token::Sign(">") => Test::Greater(number(tokens, key)?),
        Token::Sign("<") => Test::Less(number(tokens, key)?),
        other @ (Token::Word(_) | Token::Sign(_) | Token::End) => {
            return Err(found(other, ", expected: in, notin, =, ==, !=, gt, lt"));
        }
    };
    Ok(test)
}

fn value(tokens: &mut Tokens<'_>) -> Result<String, String> {
    match tokens.peek() {
        Token::End | Token::Sign(",") => Ok(String::new()),
        Token::Word(_) | Token::Sign(_) => word(tokens.next()).map(str::to_owned),
    }
}

fn number(tokens: &mut Tokens<'_>, key: &str) -> Result<i64, String> {
    let text = value(tokens)?;
    let complaint = "for 'Gt', 'Lt' operators, the value must be an integer";
    let wrong = text.parse::<i64>().err().map(|_| invalid("values[0]", &text, complaint));
    let complaints: Vec<String> = wrong.into_iter().chain(value_complaints(key, [&text])).collect();
    if complaints.is_empty() { Ok(text.parse().unwrap_or_default()) } else { Err(together(&complaints)) }
}

/// `(a,b)`; a value may be empty.
fn values(tokens: &mut Tokens<'_>) -> Result<BTreeSet<String>, String> {
    let open = tokens.next();
    if open != Token::Sign("(") {
        return Err(found(open, " expected: '('"));
    }
    match tokens.peek() {
        Token::Word(_) | Token::Sign("," | ")") => {}
        other @ (Token::Sign(_) | Token::End) => {
            return Err(found(other, ", expected: ',', ')' or identifier"));
        }
    }
    let mut values = BTreeSet::new();
    let mut after_word = false;
    loop {
        match tokens.next() {
            Token::Word(text) if !after_word => {
                values.insert(text.to_owned());
                after_word = true;
            }
            sign @ Token::Sign("," | ")") => {
                if !std::mem::take(&mut after_word) {
                    values.insert(String::new());
                }
                if sign == Token::Sign(")") {
                    return Ok(values);
                }
            }
            other @ (Token::Word(_) | Token::Sign(_) | Token::End) => {
                let expected =
                    if after_word { ", expected: ',' or ')'" } else { ", expected: ',', or identifier" };
                return Err(found(other, expected));
            }
        }
    }
}

fn sound(key: &str, values: BTreeSet<String>) -> Result<BTreeSet<String>, String> {
    let complaints: Vec<String> = value_complaints(key, &values).collect();
    if complaints.is_empty() { Ok(values) } else { Err(together(&complaints)) }
}

fn value_complaints<'a>(
    key: &'a str,
    values: impl IntoIterator<Item = &'a String> + 'a,
) -> impl Iterator<Item = String> + 'a {
    values.into_iter().enumerate().filter_map(move |(index, value)| {
        let complaints = builtin::label_value_complaints(value);
        let at = format!("values[{index}][{key}]");
        (!complaints.is_empty()).then(|| invalid(&at, value, &complaints.join("; ")))
    })
}

/// Several errors as one.
fn together(complaints: &[String]) -> String {
    match complaints {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_selectors() {
        let check = |text: &str, expect: &str| {
            let wrong = requirements(text).unwrap_err();
            assert_eq!(
                wrong.strip_prefix("unable to parse requirement: ").unwrap_or(&wrong),
                expect,
                "{text}"
            );
        };
        check("=", "found '=', expected: !, identifier, or 'end of string'");
        check("a,", "found '', expected: identifier after ','");
        check("!a=b", "found '=', expected: ',' or 'end of string'");
        check("a=b c", "found 'c', expected: ',' or 'end of string'");
        check("a b", "found 'b', expected: in, notin, =, ==, !=, gt, lt");
        check("a ===", "found '=', expected: identifier");
        check("!", "found '', expected: identifier");
        check("a in", "found '' expected: '('");
        check("a in (", "found '', expected: ',', ')' or identifier");
        check("a in (b", "found '', expected: ',' or ')'");
        check("a in (b,", "found '', expected: ',', or identifier");
        check("a in (b c)", "found 'c', expected: ',' or ')'");
        check(
            "a>b",
            "values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
        );
        check("/a", "<nil>: Invalid value: \"/a\": prefix part must be non-empty");
        let long = "x".repeat(64);
        check(
            &format!("a in (b,{long})"),
            &format!("values[1][a]: Invalid value: \"{long}\": must be no more than 63 bytes"),
        );
    }
}
