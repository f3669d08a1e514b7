//! Messages of the table turned into JSON.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::DecodeError;
use super::special;
use super::table::{Field, Item, Message, Shape, Table};
use super::wire::{self, Wire};

/// How deep messages nest; a custom resource definition takes two levels per level of its schema.
const MAX_DEPTH: usize = 160;

/// How many values one body may stand for, so that memory stays within a small multiple of what is allowed on the wire.
const MAX_COST: usize = 1_000_000;

/// An object or list takes about as much memory as this many numbers.
const CONTAINER_COST: usize = 8;

/// Turns one body's message into JSON; counts what it makes.
pub(super) struct Decoder<'t> {
    table: &'t Table,
    depth: usize,
    cost: usize,
}

/// In bytes; what lies deeper than that is said without the whole path.
const MAX_REASON: usize = 512;

type Occurrence<'b> = (u32, Wire<'b>);

impl<'t> Decoder<'t> {
    pub(super) fn new(table: &'t Table) -> Self {
        Self { table, depth: 0, cost: 0 }
    }

    /// The JSON object of a message.
    pub(super) fn object(
        &mut self,
        message: &Message,
        bytes: &[u8],
    ) -> Result<Map<String, Value>, DecodeError> {
        let mut object = Map::new();
        self.charge(CONTAINER_COST)?;
        self.fill(message, bytes, &mut object)?;
        Ok(object)
    }

    /// Adds a message's fields to an object, which is the parent's own where the message is inlined.
    fn fill(
        &mut self,
        message: &Message,
        bytes: &[u8],
        object: &mut Map<String, Value>,
    ) -> Result<(), DecodeError> {
        let occurrences = occurrences(bytes)?;
        self.descend(|decoder| {
            for field in &message.fields {
                decoder.fill_field(field, of_field(&occurrences, field.number), object)?;
            }
            Ok(())
        })
    }

    fn fill_field(
        &mut self,
        field: &Field,
        found: &[Occurrence<'_>],
        object: &mut Map<String, Value>,
    ) -> Result<(), DecodeError> {
        let Some(name) = field.name else { return self.fill_inlined(field, found, object) };
        let value = self.field(field, found).map_err(|error| in_field(error, name))?;
        if let Some(value) = value {
            self.charge(1)?;
            object.insert(name.to_owned(), value);
        }
        Ok(())
    }

    fn fill_inlined(
        &mut self,
        field: &Field,
        found: &[Occurrence<'_>],
        object: &mut Map<String, Value>,
    ) -> Result<(), DecodeError> {
        let Item::Message(index) = field.item else { return Ok(()) };
        let bytes = message_bytes(found)?.unwrap_or_default();
        match self.table.message(index) {
            Some(message) => self.fill(message, bytes, object),
            None => Ok(()),
        }
    }

    /// The value of a field; none where Go leaves the field out.
    fn field(&mut self, field: &Field, found: &[Occurrence<'_>]) -> Result<Option<Value>, DecodeError> {
        if found.is_empty() {
            return self.absent(field);
        }
        match field.shape {
            Shape::List => self.list(field.item, found).map(|it| list_value(field, it)),
            Shape::Map => self.map(field.item, found).map(Some),
            Shape::One => self.one(field, found),
        }
    }

    fn absent(&mut self, field: &Field) -> Result<Option<Value>, DecodeError> {
        let can_be_nil = field.shape != Shape::One || field.is_pointer || field.item == Item::Bytes;
        if can_be_nil {
            return Ok(field.is_always.then_some(Value::Null));
        }
        let value = self.zero(field.item)?;
        Ok((!is_left_out(field, &value)).then_some(value))
    }

    fn one(&mut self, field: &Field, found: &[Occurrence<'_>]) -> Result<Option<Value>, DecodeError> {
        if matches!(field.item, Item::Message(_)) {
            message_bytes(found)?;
        }
        let Some((_, last)) = found.last() else { return Ok(None) };
        let value = self.item(field.item, *last)?;
        Ok((field.is_pointer || !is_left_out(field, &value)).then_some(value))
    }

    fn list(&mut self, item: Item, found: &[Occurrence<'_>]) -> Result<Vec<Value>, DecodeError> {
        self.charge(CONTAINER_COST)?;
        let mut list = Vec::new();
        for (_, content) in found {
            match (item, content) {
                (Item::Bool | Item::Int32 | Item::Int64, Wire::Bytes(numbers)) => {
                    for number in wire::packed(numbers)? {
                        list.push(self.item(item, Wire::Varint(number))?);
                    }
                }
                _ => list.push(self.item(item, *content)?),
            }
        }
        Ok(list)
    }

    fn map(&mut self, item: Item, found: &[Occurrence<'_>]) -> Result<Value, DecodeError> {
        self.charge(CONTAINER_COST)?;
        let mut map = Map::new();
        for (_, content) in found {
            let Wire::Bytes(entry) = content else { return Err(wrong_type()) };
            let (key, value) = self.entry(item, entry)?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }

    fn entry(&mut self, item: Item, entry: &[u8]) -> Result<(String, Value), DecodeError> {
        let (mut key, mut value) = (String::new(), None);
        for field in wire::fields(entry) {
            match field? {
                (1, Wire::Bytes(text)) => key = String::from_utf8_lossy(text).into_owned(),
                (2, content) => value = Some(content),
                _ => {}
            }
        }
        let value = match value {
            Some(content) => self.item(item, content)?,
            None => self.zero(item)?,
        };
        Ok((key, value))
    }

    fn item(&mut self, item: Item, content: Wire<'_>) -> Result<Value, DecodeError> {
        self.charge(1)?;
        match (item, content) {
            (Item::String, Wire::Bytes(text)) => Ok(special::string(text)),
            (Item::Bytes, Wire::Bytes(bytes)) => Ok(STANDARD.encode(bytes).into()),
            (Item::Bool, Wire::Varint(number)) => Ok((number != 0).into()),
            (Item::Int32, Wire::Varint(number)) => Ok(special::int32(number).into()),
            (Item::Int64, Wire::Varint(number)) => Ok(number.cast_signed().into()),
            (Item::Double, Wire::Fixed64(bits)) => special::double(bits),
            (Item::Strings, Wire::Bytes(message)) => special::strings(message),
            (Item::Time, Wire::Bytes(message)) => special::time(message),
            (Item::MicroTime, Wire::Bytes(message)) => special::micro_time(message),
            (Item::Quantity, Wire::Bytes(message)) => special::quantity(message),
            (Item::IntOrString, Wire::Bytes(message)) => special::int_or_string(message),
            (Item::Json, Wire::Bytes(message)) => special::json(message),
            (Item::Message(index), Wire::Bytes(message)) => self.message(index, message),
            _ => Err(wrong_type()),
        }
    }

    fn zero(&mut self, item: Item) -> Result<Value, DecodeError> {
        match item {
            Item::String | Item::Bytes => Ok(Value::String(String::new())),
            Item::Bool => Ok(Value::Bool(false)),
            Item::Int32 | Item::Int64 | Item::Double | Item::IntOrString => Ok(0.into()),
            Item::Quantity => Ok("0".into()),
            Item::Strings => Ok(Value::Array(Vec::new())),
            Item::Time | Item::MicroTime | Item::Json => Ok(Value::Null),
            Item::Message(index) => self.message(index, &[]),
        }
    }

    fn message(&mut self, index: usize, bytes: &[u8]) -> Result<Value, DecodeError> {
        match self.table.message(index) {
            Some(message) if message.is_either => self.either(message, bytes),
            Some(message) => self.object(message, bytes).map(Value::Object),
            None => Ok(Value::Null),
        }
    }

    /// The JSON of the last field that is set, or what the first one is when none is.
    fn either(&mut self, message: &Message, bytes: &[u8]) -> Result<Value, DecodeError> {
        let occurrences = occurrences(bytes)?;
        let is_set = |field: &&Field| !of_field(&occurrences, field.number).is_empty();
        let field = message.fields.iter().rev().find(is_set).or(message.fields.first());
        let Some(field) = field else { return Ok(Value::Null) };
        let found = of_field(&occurrences, field.number);
        Ok(self.descend(|decoder| decoder.field(field, found))?.unwrap_or(Value::Null))
    }

    fn descend<T>(
        &mut self,
        decode: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        if self.depth == MAX_DEPTH {
            return Err(DecodeError::TooDeep);
        }
        self.depth += 1;
        let decoded = decode(self);
        self.depth -= 1;
        decoded
    }

    fn charge(&mut self, cost: usize) -> Result<(), DecodeError> {
        self.cost += cost;
        if self.cost > MAX_COST { Err(DecodeError::TooManyValues) } else { Ok(()) }
    }
}

/// A message's fields by number; those of one number keep their order.
fn occurrences(bytes: &[u8]) -> Result<Vec<Occurrence<'_>>, DecodeError> {
    let mut occurrences = wire::fields(bytes).collect::<Result<Vec<_>, _>>()?;
    occurrences.sort_by_key(|(number, _)| *number);
    Ok(occurrences)
}

fn of_field<'o, 'b>(occurrences: &'o [Occurrence<'b>], number: u32) -> &'o [Occurrence<'b>] {
    let start = occurrences.partition_point(|(it, _)| *it < number);
    let end = occurrences.partition_point(|(it, _)| *it <= number);
    &occurrences[start..end]
}

/// Protobuf would merge messages that are given twice; no client writes them, and merging copies.
fn message_bytes<'b>(found: &[Occurrence<'b>]) -> Result<Option<&'b [u8]>, DecodeError> {
    match found {
        [] => Ok(None),
        [(_, Wire::Bytes(bytes))] => Ok(Some(bytes)),
        [_] => Err(wrong_type()),
        _ => Err(DecodeError::Malformed("a message is given twice".to_owned())),
    }
}

/// Whether Go leaves this value of a field out; structs it always writes, unless told otherwise.
fn is_left_out(field: &Field, value: &Value) -> bool {
    match field.item {
        Item::Time | Item::MicroTime => field.omits_zero && value.is_null(),
        Item::Quantity | Item::IntOrString | Item::Json | Item::Message(_) => false,
        Item::String
        | Item::Bool
        | Item::Int32
        | Item::Int64
        | Item::Double
        | Item::Bytes
        | Item::Strings => !field.is_always && is_zero(value),
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(it) => !it,
        Value::Number(it) => it.as_f64() == Some(0.0),
        Value::String(it) => it.is_empty(),
        Value::Array(it) => it.is_empty(),
        Value::Object(it) => it.is_empty(),
    }
}

/// A packed list may be there and hold nothing; to Go it is then absent.
fn list_value(field: &Field, list: Vec<Value>) -> Option<Value> {
    if list.is_empty() { field.is_always.then_some(Value::Null) } else { Some(Value::Array(list)) }
}

fn wrong_type() -> DecodeError {
    DecodeError::Malformed("wrong wire type".to_owned())
}

/// Says where: one prefix per level gives the path.
fn in_field(error: DecodeError, name: &str) -> DecodeError {
    let DecodeError::Malformed(reason) = error else { return error };
    let is_long = reason.len() > MAX_REASON;
    DecodeError::Malformed(if is_long { reason } else { format!("{name}: {reason}") })
}
