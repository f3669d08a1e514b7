//! Where in a text the fields of its documents stand.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{DuplicateKeyPolicy, Spanned};

use super::syntax::{self, Place};

/// The place of each field of the documents of one text.
#[derive(Debug)]
pub(crate) struct Places(Vec<Spanned<Tree>>);

impl Places {
    /// Reads the text once more, for its places; a text that cannot be read has none.
    pub(crate) fn of(text: &str) -> Self {
        let options = syntax::options(DuplicateKeyPolicy::LastWins);
        Self(serde_saphyr::from_multiple_with_options(text, options).unwrap_or_default())
    }

    /// The place of a field, written as `spec.ports[0].name`, or of the nearest field around it that is there.
    pub(crate) fn find(&self, document: usize, path: &str) -> Option<Place> {
        let mut node = self.0.get(document)?;
        let mut rest = path;
        while let Some((inner, behind)) = node.value.step(rest) {
            (node, rest) = (inner, behind);
        }
        Some(Place { line: node.referenced.line(), column: node.referenced.column() })
    }
}

/// A value reduced to its shape.
#[derive(Debug)]
enum Tree {
    Map(Vec<(String, Spanned<Tree>)>),
    List(Vec<Spanned<Tree>>),
    Scalar,
}

impl Tree {
    /// Goes into the field that the path begins with; gives what is left of the path.
    fn step<'p>(&self, path: &'p str) -> Option<(&Spanned<Tree>, &'p str)> {
        match self {
            Tree::Map(fields) => {
                if let Some((name, rest)) = path.strip_prefix('[').and_then(|it| it.split_once(']')) {
                    return fields.iter().find(|(it, _)| it == name).map(|(_, inner)| (inner, rest));
                }
                let path = path.strip_prefix('.').unwrap_or(path);
                let entries = fields.iter().filter_map(|(name, inner)| {
                    let rest = path.strip_prefix(name.as_str())?;
                    (rest.is_empty() || rest.starts_with(['.', '['])).then_some((inner, rest))
                });
                entries.filter(|_| !path.is_empty()).min_by_key(|(_, rest)| rest.len())
            }
            Tree::List(elements) => {
                let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
                Some((elements.get(index.parse::<usize>().ok()?)?, rest))
            }
            Tree::Scalar => None,
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut fields = Vec::new();
        while let Some(entry) = map.next_entry()? {
            fields.push(entry);
        }
        Ok(Tree::Map(fields))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element()? {
            elements.push(element);
        }
        Ok(Tree::List(elements))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Tree, E> {
        Ok(Tree::Scalar)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Tree, E> {
        Ok(Tree::Scalar)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Tree, E> {
        Ok(Tree::Scalar)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Tree, E> {
        Ok(Tree::Scalar)
    }

    fn visit_str<E>(self, _: &str) -> Result<Tree, E> {
        Ok(Tree::Scalar)
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar)
    }

    fn visit_none<E>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        Tree::deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Tree::Scalar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_elements() {
        let text = "---\na:\n  b: 1\n  b.c: {d: x}\nlist:\n- 1\n- e: [2, ~]\n---\nsecond: true\n";
        let places = Places::of(text);
        let check = |document, path: &str, expected: Option<(u64, u64)>| {
            let found = places.find(document, path).map(|it| (it.line, it.column));
            assert_eq!(found, expected, "{document} {path}");
        };
        check(0, "a.b", Some((3, 6)));
        check(0, "a.b.c.d", Some((4, 12)));
        check(0, "a.missing", Some((3, 3)));
        check(0, "list[1].e[1]", Some((7, 10)));
        check(0, "a[b.c].d", Some((4, 12)));
        check(0, "list[9]", Some((6, 3)));
        check(0, "", Some((2, 1)));
        check(1, "second", Some((9, 9)));
        check(2, "second", None);
        assert_eq!(Places::of("a: {").find(0, "a"), None);
    }
}
