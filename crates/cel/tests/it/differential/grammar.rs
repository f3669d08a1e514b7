//! Typed grammars: rules such as `list(T) = $list(T).filter(@T, &bool)`.
//!
//! `$type` stands for an expression of that type, `@type` introduces a variable of that type, and `&type` is an expression that may use
//! the variables its rule introduces. Capitals are parameters: `K` is a type that map keys have, `O` one that has an order, `N` a number, all
//! others any type.

use crate::random::Random;

/// The type of an expression. Names without productions are kinds of text, such as `pattern`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ty {
    Named(&'static str),
    Param(char),
    List(Box<Ty>),
    Map(Box<Ty>, Box<Ty>),
    Optional(Box<Ty>),
}

/// One way to write an expression of a type.
#[derive(Debug)]
pub(super) struct Rule {
    /// As it stands in the table, without its result.
    pub(super) template: &'static str,
    pub(super) result: Ty,
    pub(super) parts: Vec<Part>,
}

#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(&'static str),
    /// An expression, outside of the scope of the rule's variables.
    Hole(Ty),
    /// An expression within their scope.
    Body(Ty),
    /// A variable.
    Name(Ty),
}

/// What the parameters of a rule stand for.
pub(super) type Meanings = Vec<(char, Ty)>;

impl Rule {
    /// Reads a line of a table.
    pub(super) fn parse(line: &'static str) -> Self {
        let (result, template) = line.split_once(" = ").unwrap_or_else(|| panic!("no result in {line}"));
        let (result, rest) = Ty::parse(result);
        assert!(rest.is_empty(), "unknown type in {line}");
        Self { template, result, parts: parts(template) }
    }

    /// Whether it needs no parentheses as an operand or receiver.
    pub(super) fn is_primary(&self) -> bool {
        let mut depth = 0_i32;
        let mut outside = |text: &str| {
            text.chars().any(|it| {
                depth += i32::from("([{".contains(it)) - i32::from(")]}".contains(it));
                depth == 0 && " !-".contains(it)
            })
        };
        !self.parts.iter().any(|part| matches!(part, Part::Text(text) if outside(text)))
    }
}

fn parts(template: &'static str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(start) = rest.find(['$', '@', '&']) {
        // `&&` is an operator.
        let start = if rest[start..].starts_with("&&") { start + 2 } else { start };
        let (text, hole) = rest.split_at(start);
        parts.push(Part::Text(text));
        let mut marks = hole.chars();
        let mark = marks.next();
        let part = match mark {
            Some('$') => Part::Hole,
            Some('@') => Part::Name,
            Some('&') => Part::Body,
            _ => {
                rest = hole;
                continue;
            }
        };
        let (ty, after) = Ty::parse(marks.as_str());
        parts.push(part(ty));
        rest = after;
    }
    parts.push(Part::Text(rest));
    parts
}

impl Ty {
    /// Reads a type from the start of a text.
    pub(super) fn parse(text: &'static str) -> (Self, &'static str) {
        let end = text.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        match name {
            "list" | "optional" => {
                let (inner, rest) = Self::parse(&rest[1..]);
                let ty = if name == "list" { Self::list(inner) } else { Self::Optional(Box::new(inner)) };
                (ty, &rest[1..])
            }
            "map" => {
                let (key, rest) = Self::parse(&rest[1..]);
                let (value, rest) = Self::parse(rest[1..].trim_start());
                (Self::Map(Box::new(key), Box::new(value)), &rest[1..])
            }
            _ if name.len() == 1 => (Self::Param(name.chars().next().unwrap()), rest),
            _ => (Self::Named(name), rest),
        }
    }

    pub(super) fn list(element: Self) -> Self {
        Self::List(Box::new(element))
    }

    /// Makes a pattern this type by giving its parameters meanings, if that is possible.
    pub(super) fn matches(&self, pattern: &Self, meanings: &mut Meanings) -> bool {
        match (self, pattern) {
            (_, Self::Param(param)) => match meanings.iter().find(|(name, _)| name == param) {
                Some((_, meaning)) => self == meaning,
                None if !self.allowed_as(*param) => false,
                None => {
                    meanings.push((*param, self.clone()));
                    true
                }
            },
            (Self::List(a), Self::List(b)) | (Self::Optional(a), Self::Optional(b)) => a.matches(b, meanings),
            (Self::Map(key, value), Self::Map(a, b)) => {
                key.matches(a, meanings) && value.matches(b, meanings)
            }
            _ => self == pattern,
        }
    }

    fn allowed_as(&self, param: char) -> bool {
        match (self, named(param)) {
            (_, None) => true,
            (Self::Named(name), Some(names)) => names.contains(name),
            _ => false,
        }
    }

    /// The pattern with its parameters replaced, those without a meaning by any types from `plain`.
    pub(super) fn instantiate(&self, meanings: &mut Meanings, plain: &[Ty], random: &mut Random) -> Self {
        let mut inner = |ty: &Self, random: &mut Random| Box::new(ty.instantiate(meanings, plain, random));
        match self {
            Self::Named(_) => self.clone(),
            Self::List(element) => Self::List(inner(element, random)),
            Self::Optional(value) => Self::Optional(inner(value, random)),
            Self::Map(key, value) => {
                let key = inner(key, random);
                Self::Map(key, inner(value, random))
            }
            Self::Param(param) => {
                if let Some((_, meaning)) = meanings.iter().find(|(name, _)| name == param) {
                    return meaning.clone();
                }
                let chosen = match named(*param) {
                    Some(names) => Self::Named(random.word(names)),
                    None => random.pick(plain).clone(),
                };
                meanings.push((*param, chosen.clone()));
                chosen
            }
        }
    }
}

/// The types that a parameter can stand for; `None` for all.
fn named(param: char) -> Option<&'static [&'static str]> {
    match param {
        'K' => Some(&["string", "int", "uint", "bool"]),
        'O' => Some(&["int", "uint", "double", "string", "bool", "bytes", "timestamp", "duration"]),
        'N' => Some(&["int", "uint", "double"]),
        _ => None,
    }
}
