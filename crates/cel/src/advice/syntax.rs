//! Text that is not in the grammar.

/// What other languages write, by how the rest of the source begins where it stopped making sense.
const ELSEWHERE: &[(&str, &str)] = &[
    ("=>", "a macro takes a name and an expression: list.map(x, x + 1)"),
    ("= ", "`==` compares; CEL assigns nothing"),
    ("=", "`==` compares; CEL assigns nothing"),
    ("&", "`&&` is and"),
    ("|", "`||` is or"),
    ("and ", "`&&` is and"),
    ("or ", "`||` is or"),
    ("AND ", "`&&` is and"),
    ("OR ", "`||` is or"),
    ("is ", "`==` compares; `has(x.field)` asks whether a field is there"),
    ("then ", "`condition ? one : other` chooses"),
    ("#", "a comment begins with `//`"),
    ("“", "quotes are \" or '"),
    ("”", "quotes are \" or '"),
    ("‘", "quotes are \" or '"),
    ("*]", "`list.map(x, x.field)` reads a field of every element"),
];

/// What to do about a syntax error at this offset.
pub(super) fn hint(source: &str, at: u32) -> Option<String> {
    let at = (at as usize).min(source.len());
    let (before, rest) = (source.get(..at)?, source.get(at..)?);
    let hint = if source.trim().is_empty() {
        "the expression is empty"
    } else if rest.starts_with("${") || source.starts_with("${") {
        "write the expression alone, without `${` and `}`; those mark expressions in the text of a definition"
    } else if let Some((_, hint)) = ELSEWHERE.iter().find(|(foreign, _)| rest.starts_with(foreign)) {
        hint
    } else if before.ends_with("not ") {
        "`!` is not"
    } else if source.contains("??") {
        "`x.?field.orValue(…)` gives another value when the field is absent"
    } else if source.contains("?.") {
        "the question mark stands after the dot: `x.?field`"
    } else if rest.starts_with(['"', '\'']) && bad_escape(rest) {
        "a backslash in text is written twice, or the text with r in front: r\"\\d+\""
    } else if rest.starts_with(['"', '\'']) {
        "text ends with the quote it began with; a quote inside is written with a backslash"
    } else {
        return None;
    };
    Some(hint.to_owned())
}

/// What to write in place of a word that CEL keeps to itself.
pub(super) fn reserved(word: &str) -> String {
    match word {
        "if" | "else" => "`condition ? one : other` chooses".to_owned(),
        "let" | "var" | "const" => "`cel.bind(name, value, expression)` gives a value a name".to_owned(),
        "for" | "while" | "loop" => "`list.map(x, …)` and `list.filter(x, …)` go through a list".to_owned(),
        _ => format!(
            "`{word}` cannot be a name; a field of that name is read as `x.{word}` or `x[\"{word}\"]`"
        ),
    }
}

/// Whether the text that begins here has a backslash before a character that needs none.
fn bad_escape(text: &str) -> bool {
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character == '\\' && !characters.next().is_some_and(|it| "abfnrtvxXuU\\?\"'`01234567".contains(it))
        {
            return true;
        }
    }
    false
}
