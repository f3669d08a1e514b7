//! Which protobuf field is which JSON field, for every kind clients send as protobuf.
//!
//! The text has one item per line. `=apiVersion Kind message` names the message of a kind; `*` stands for every
//! version. A line that is not indented opens a message. Below it ` either` says that its JSON is that of its last
//! field that is set, and ` number name type` is a field. The name `~` means that its fields are the parent's own.
//! `[]` and `{}` before a type make a list and a map; after it `?` says that absence is distinct from zero, `!` that
//! the field is written even when it is zero, `0` that even a zero struct is left out.

use std::collections::HashMap;
use std::sync::LazyLock;

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("table.txt")).0);

/// All kinds and the messages they are made of.
#[derive(Debug, Default)]
pub(super) struct Table {
    kinds: HashMap<(&'static str, &'static str), usize>,
    names: HashMap<&'static str, usize>,
    messages: Vec<Message>,
}

/// A message and its fields by ascending number.
#[derive(Debug, Default)]
pub(super) struct Message {
    pub(super) is_either: bool,
    pub(super) fields: Vec<Field>,
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) number: u32,
    /// The name in JSON; for an inlined message there is none.
    pub(super) name: Option<&'static str>,
    pub(super) shape: Shape,
    pub(super) item: Item,
    /// Go holds a pointer: absence is distinct from zero.
    pub(super) is_pointer: bool,
    /// Written even when it is zero.
    pub(super) is_always: bool,
    /// Left out when a struct is zero.
    pub(super) omits_zero: bool,
}

/// How many items a field has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    One,
    List,
    /// The keys are text.
    Map,
}

/// What a field, or each element of a list or map, is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    String,
    Bool,
    Int32,
    Int64,
    Double,
    /// Base64 in JSON.
    Bytes,
    /// A list of text that is a message of its own.
    Strings,
    Time,
    MicroTime,
    Quantity,
    IntOrString,
    /// JSON as it is.
    Json,
    /// The index of a message.
    Message(usize),
}

impl Table {
    /// The table that is part of the program, read when it is first asked for.
    pub(super) fn get() -> &'static Self {
        &TABLE
    }

    /// The message of a kind.
    pub(super) fn kind(&self, api_version: &str, kind: &str) -> Option<&Message> {
        let index = self.kinds.get(&(api_version, kind)).or_else(|| self.kinds.get(&("*", kind)));
        index.and_then(|it| self.message(*it))
    }

    /// The message of a name such as `core.PodSpec`.
    pub(super) fn message_named(&self, name: &str) -> Option<&Message> {
        self.names.get(name).and_then(|it| self.message(*it))
    }

    pub(super) fn message(&self, index: usize) -> Option<&Message> {
        self.messages.get(index)
    }

    /// Also returns the lines that say nothing; a test holds that the table has none.
    fn read(text: &'static str) -> (Self, Vec<&'static str>) {
        let indices = message_indices(text);
        let mut table = Self::default();
        let mut unread = Vec::new();
        for line in text.lines().filter(|it| !it.starts_with('#')) {
            if table.read_line(line, &indices).is_none() {
                unread.push(line);
            }
        }
        table.names = indices;
        (table, unread)
    }

    fn read_line(&mut self, line: &'static str, indices: &HashMap<&'static str, usize>) -> Option<()> {
        if let Some(kind) = line.strip_prefix('=') {
            let [api_version, kind, message] = words(kind)?;
            self.kinds.insert((api_version, kind), *indices.get(message)?);
        } else if line == " either" {
            self.messages.last_mut()?.is_either = true;
        } else if let Some(field) = line.strip_prefix(' ') {
            let field = Field::read(field, indices)?;
            self.messages.last_mut()?.fields.push(field);
        } else {
            self.messages.push(Message::default());
        }
        Some(())
    }
}

fn message_indices(text: &'static str) -> HashMap<&'static str, usize> {
    let names = text.lines().filter(|it| !it.starts_with(['#', '=', ' ']));
    names.enumerate().map(|(index, name)| (name, index)).collect()
}

fn words(line: &str) -> Option<[&str; 3]> {
    line.split(' ').collect::<Vec<_>>().try_into().ok()
}

impl Field {
    fn read(line: &'static str, indices: &HashMap<&str, usize>) -> Option<Self> {
        let [number, name, description] = words(line)?;
        let item = description.trim_end_matches(['?', '!', '0']);
        let flags = &description[item.len()..];
        let (shape, item) = match (item.strip_prefix("[]"), item.strip_prefix("{}")) {
            (Some(item), _) => (Shape::List, item),
            (None, Some(item)) => (Shape::Map, item),
            (None, None) => (Shape::One, item),
        };
        Some(Self {
            number: number.parse().ok()?,
            name: (name != "~").then_some(name),
            shape,
            item: Item::read(item).or_else(|| indices.get(item).copied().map(Item::Message))?,
            is_pointer: flags.contains('?'),
            is_always: flags.contains('!'),
            omits_zero: flags.contains('0'),
        })
    }
}

impl Item {
    fn read(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Self::String,
            "bool" => Self::Bool,
            "int32" => Self::Int32,
            "int64" => Self::Int64,
            "double" => Self::Double,
            "bytes" => Self::Bytes,
            "strings" => Self::Strings,
            "time" => Self::Time,
            "microtime" => Self::MicroTime,
            "quantity" => Self::Quantity,
            "intorstring" => Self::IntOrString,
            "json" => Self::Json,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_understood() {
        let (table, unread) = Table::read(include_str!("table.txt"));
        assert_eq!(unread, Vec::<&str>::new());
        assert!(table.kinds.len() > 60, "{}", table.kinds.len());
    }

    #[test]
    fn fields_ascend_and_only_messages_are_inlined() {
        for message in &Table::get().messages {
            assert!(message.fields.is_sorted_by(|a, b| a.number < b.number), "{message:?}");
            for field in &message.fields {
                let is_message = matches!(field.item, Item::Message(_)) && field.shape == Shape::One;
                assert!(field.name.is_some() || is_message && !field.is_pointer, "{field:?}");
            }
        }
    }

    #[test]
    fn a_message_that_is_one_of_its_fields_is_no_kind_and_not_inlined() {
        let table = Table::get();
        let is_either = |index: &usize| table.messages[*index].is_either;
        assert!(!table.kinds.values().any(is_either));
        let fields = table.messages.iter().flat_map(|it| &it.fields).filter(|it| it.name.is_none());
        assert!(!fields.filter_map(|it| it.item.message()).any(|it| is_either(&it)));
    }

    #[test]
    fn any_version_has_delete_options() {
        assert!(Table::get().kind("apps/v1", "DeleteOptions").is_some());
        assert!(Table::get().kind("apps/v1", "Deployment").is_some());
        assert!(Table::get().kind("apps/v2", "Deployment").is_none());
    }

    impl Item {
        fn message(self) -> Option<usize> {
            if let Self::Message(index) = self { Some(index) } else { None }
        }
    }
}
