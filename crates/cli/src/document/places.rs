//! Where in a text the fields of its documents stand.

use serde_saphyr::Spanned;

use super::syntax::Place;
use super::tree::{self, Tree};

/// The place of each field of the documents of one text.
#[derive(Debug)]
pub(crate) struct Places(Vec<Spanned<Tree>>);

impl Places {
    /// Reads the text once more, for its places; a text that cannot be read has none.
    pub(crate) fn of(text: &str) -> Self {
        Self(tree::read(text))
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

impl Tree {
    /// Goes into the field that the path begins with; gives what is left of the path.
    fn step<'p>(&self, path: &'p str) -> Option<(&Spanned<Tree>, &'p str)> {
        match self {
            Tree::Map(fields) => {
                if let Some((name, rest)) = path.strip_prefix('[').and_then(|it| it.split_once(']')) {
                    return fields.iter().find(|(it, _)| it.value == name).map(|(_, inner)| (inner, rest));
                }
                let path = path.strip_prefix('.').unwrap_or(path);
                let entries = fields.iter().filter_map(|(name, inner)| {
                    let rest = path.strip_prefix(name.value.as_str())?;
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
