//! Lists, written piece by piece while they are read: no list is ever in memory as a whole.

use bytes::Bytes;
use futures_util::stream;

use crate::body::Body;
use crate::stored::Stored;

/// What a piece holds at most, unless one object alone is longer.
const PIECE_SIZE: usize = 64 * 1024;
const END: &[u8] = b"]}\n";
const PARTIAL: &[u8] = br#"{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":"#;

/// How each object of a list is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum ItemForm {
    /// All of it.
    Typed,
    /// Without `apiVersion` and `kind`.
    Untyped,
    /// Its metadata.
    Partial,
}

impl ItemForm {
    fn length(self, item: &Stored) -> usize {
        match self {
            Self::Typed => item.json_length(),
            Self::Untyped => item.untyped_length(),
            Self::Partial => PARTIAL.len() + item.metadata_length() + 1,
        }
    }

    fn write(self, item: &Stored, out: &mut Vec<u8>) {
        match self {
            Self::Typed => item.write_json(out),
            Self::Untyped => item.write_untyped(out),
            Self::Partial => write_partial(item, out),
        }
    }
}

/// Appends an object that has only its metadata.
pub(super) fn write_partial(stored: &Stored, out: &mut Vec<u8>) {
    out.extend_from_slice(PARTIAL);
    stored.write_metadata(out);
    out.push(b'}');
}

/// A list with this head, which ends where the first item begins.
pub(super) fn body(head: Vec<u8>, items: Vec<Stored>, form: ItemForm) -> Body {
    let length: usize = items.iter().map(|item| form.length(item)).sum();
    let commas = items.len().saturating_sub(1);
    let remaining = head.len() + length + commas + END.len();
    let mut pieces = Pieces { head, items: items.into_iter(), form, first: true, remaining };
    if remaining <= PIECE_SIZE {
        return Body::whole(pieces.next().unwrap_or_default());
    }
    Body::sized(remaining as u64, stream::iter(pieces))
}

struct Pieces {
    /// Before the first piece.
    head: Vec<u8>,
    items: std::vec::IntoIter<Stored>,
    form: ItemForm,
    /// Whether the next item is the first.
    first: bool,
    /// Bytes still to come.
    remaining: usize,
}

impl Iterator for Pieces {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if self.remaining == 0 {
            return None;
        }
        let mut piece = Vec::with_capacity(self.piece_size());
        piece.append(&mut self.head);
        while let Some(item) = self.items.as_slice().first() {
            let comma = usize::from(!self.first);
            if !piece.is_empty() && piece.len() + comma + self.form.length(item) > piece.capacity() {
                break;
            }
            piece.extend_from_slice(&b","[..comma]);
            self.form.write(item, &mut piece);
            self.first = false;
            self.items.next();
        }
        if self.items.as_slice().is_empty() {
            piece.extend_from_slice(END);
        }
        self.remaining = self.remaining.saturating_sub(piece.len());
        Some(piece.into())
    }
}

impl Pieces {
    fn piece_size(&self) -> usize {
        let next = self.items.as_slice().first().map_or(0, |item| self.form.length(item) + 1);
        self.remaining.min(PIECE_SIZE.max(next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Object;
    use crate::stored::encode;
    use futures_util::FutureExt as _;
    use http_body::Body as _;
    use http_body_util::BodyExt as _;
    use serde_json::{Value, json};

    fn item(number: usize, size: usize) -> Stored {
        let value = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "x".repeat(size)},
            "metadata": {"name": format!("map-{number}"), "uid": "u"},
        });
        Stored::new(
            encode(&Object::new(value).unwrap(), 7).unwrap(),
            3_u64.pow(u32::try_from(number % 30).unwrap()),
        )
        .unwrap()
    }

    /// The pieces that a list is sent in.
    fn check(count: usize, size: usize, form: ItemForm, expect: usize) {
        let items = (0..count).map(|number| item(number, size)).collect();
        let mut body = body(br#"{"items":["#.to_vec(), items, form);
        let length = body.size_hint().exact().unwrap();
        let (mut text, mut pieces) = (Vec::new(), 0);
        while let Some(frame) = body.frame().now_or_never().unwrap() {
            let piece = frame.unwrap().into_data().unwrap();
            assert!(piece.len() <= PIECE_SIZE.max(size + 200), "{}", piece.len());
            text.extend_from_slice(&piece);
            pieces += 1;
        }
        assert_eq!((text.len() as u64, pieces), (length, expect), "{count} {size} {form:?}");
        let list: Value = serde_json::from_slice(&text).unwrap();
        let names = list["items"].as_array().unwrap().iter().map(|it| it["metadata"]["name"].clone());
        assert!(names.eq((0..count).map(|number| Value::from(format!("map-{number}")))));
    }

    #[test]
    fn pieces_are_bounded_and_have_the_length_that_was_said() {
        check(0, 0, ItemForm::Typed, 1);
        check(1, 10, ItemForm::Untyped, 1);
        check(3, 10, ItemForm::Partial, 1);
        check(100, 2_000, ItemForm::Typed, 4);
        check(100, 2_000, ItemForm::Untyped, 4);
        check(100, 2_000, ItemForm::Partial, 1);
        check(3, 100_000, ItemForm::Typed, 4);
        check(1_000, 0, ItemForm::Partial, 3);
    }
}
