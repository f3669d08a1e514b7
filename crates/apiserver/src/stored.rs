//! How objects lie in the store, so that reading one is copying bytes.
//!
//! A record is a header and the object's JSON without `metadata.resourceVersion`; the version is known only once
//! the store has committed, so it is spliced in when the record is read.

use bytes::Bytes;
use serde_json::Value;

use crate::object::Object;

/// Format of the header; a record with another one is not ours.
const FORMAT: u8 = 1;
/// Format, four places in the JSON, and the fingerprint of the schema.
const HEADER: usize = 1 + 4 * 4 + 8;
const BEFORE_VERSION: &[u8] = br#""resourceVersion":""#;
const AFTER_VERSION: &[u8] = br#"","#;

/// One object as it was stored, with the version it was stored at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    record: Bytes,
    version: u64,
    /// Where the JSON of the metadata begins and ends, and where the version goes.
    metadata: (usize, usize),
    splice: usize,
    /// Where the fields after `apiVersion` and `kind` begin.
    rest: usize,
    fingerprint: u64,
}

/// A record that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the record is damaged or was written by another program")]
pub(crate) struct BadRecord;

impl Stored {
    /// Reads the header of a record. Version 0 means that it was not stored: a dry run.
    pub(crate) fn new(record: Bytes, version: u64) -> Result<Self, BadRecord> {
        let header = record.get(..HEADER).filter(|header| header[0] == FORMAT).ok_or(BadRecord)?;
        let place = |at: usize| {
            let bytes =
                header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
            bytes.and_then(|place| usize::try_from(place).ok()).ok_or(BadRecord)
        };
        let (start, end, splice, rest) = (place(1)?, place(5)?, place(9)?, place(13)?);
        let fingerprint = header[17..].try_into().map(u64::from_le_bytes).map_err(|_| BadRecord)?;
        let sound = HEADER < rest && rest <= start && start < splice && splice < end && end <= record.len();
        if !sound {
            return Err(BadRecord);
        }
        Ok(Self { record, version, metadata: (start, end), splice, rest, fingerprint })
    }

    /// The version it was stored at.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// The schema the object was last written under.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The same object at another version: a deletion is told with the version of the deletion.
    #[must_use]
    pub(crate) fn at_version(&self, version: u64) -> Self {
        Self { version, ..self.clone() }
    }

    /// Bytes that [`write_json`](Self::write_json) adds.
    pub(crate) fn json_length(&self) -> usize {
        self.record.len() - HEADER + self.version_length()
    }

    /// Bytes that [`write_untyped`](Self::write_untyped) adds.
    pub(crate) fn untyped_length(&self) -> usize {
        1 + self.record.len() - self.rest + self.version_length()
    }

    /// Bytes that [`write_metadata`](Self::write_metadata) adds.
    pub(crate) fn metadata_length(&self) -> usize {
        self.metadata.1 - self.metadata.0 + self.version_length()
    }

    fn version_length(&self) -> usize {
        let digits = |last: u32| BEFORE_VERSION.len() + last as usize + 1 + AFTER_VERSION.len();
        self.version.checked_ilog10().map_or(0, digits)
    }

    /// Appends the JSON of the object.
    pub(crate) fn write_json(&self, out: &mut Vec<u8>) {
        self.write_span(HEADER, self.record.len(), out);
    }

    /// Appends the JSON of the object without `apiVersion` and `kind`, as lists of built-in kinds have it.
    pub(crate) fn write_untyped(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        self.write_span(self.rest, self.record.len(), out);
    }

    /// Appends the JSON of the metadata alone.
    pub(crate) fn write_metadata(&self, out: &mut Vec<u8>) {
        self.write_span(self.metadata.0, self.metadata.1, out);
    }

    fn write_span(&self, start: usize, end: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.record[start..self.splice]);
        if self.version > 0 {
            self.write_version(out);
        }
        out.extend_from_slice(&self.record[self.splice..end]);
    }

    fn write_version(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(BEFORE_VERSION);
        out.extend_from_slice(self.version.to_string().as_bytes());
        out.extend_from_slice(AFTER_VERSION);
    }

    /// The object, decoded.
    pub(crate) fn decode(&self) -> Result<Object, BadRecord> {
        let value: Value = serde_json::from_slice(&self.record[HEADER..]).map_err(|_| BadRecord)?;
        let mut object = Object::new(value).ok_or(BadRecord)?;
        let version = (self.version > 0).then(|| self.version.to_string().into());
        object.set_meta("resourceVersion", version);
        Ok(object)
    }

    /// The metadata, decoded.
    pub(crate) fn decode_metadata(&self) -> Result<Value, BadRecord> {
        serde_json::from_slice(&self.record[self.metadata.0..self.metadata.1]).map_err(|_| BadRecord)
    }
}

/// The record of an object. Its `resourceVersion` is left out; the rest of its metadata must not be empty.
pub(crate) fn encode(object: &Object, fingerprint: u64) -> Result<Bytes, serde_json::Error> {
    let mut out = vec![0; HEADER];
    out.push(b'{');
    for name in ["apiVersion", "kind"] {
        write_field(name, &object.text(name).into(), &mut out)?;
        out.push(b',');
    }
    let (rest, mut metadata, mut splice) = (out.len(), (0, 0), 0);
    let fields = object.value().as_object().into_iter().flatten();
    for (name, value) in fields.filter(|(name, _)| !matches!(name.as_str(), "apiVersion" | "kind")) {
        if out.len() > rest {
            out.push(b',');
        }
        if name == "metadata" {
            out.extend_from_slice(b"\"metadata\":");
            metadata.0 = out.len();
            splice = write_metadata(value, &mut out)?;
            metadata.1 = out.len();
        } else {
            write_field(name, value, &mut out)?;
        }
    }
    out.push(b'}');
    write_header(&mut out, [metadata.0, metadata.1, splice, rest], fingerprint);
    // The record lives as long as the object: it must not keep what the vector reserved.
    Ok(out.into_boxed_slice().into())
}

fn write_field(name: &str, value: &Value, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    serde_json::to_writer(&mut *out, name)?;
    out.push(b':');
    serde_json::to_writer(out, value)
}

fn write_metadata(metadata: &Value, out: &mut Vec<u8>) -> Result<usize, serde_json::Error> {
    out.push(b'{');
    let splice = out.len();
    let fields = metadata.as_object().into_iter().flatten().filter(|(name, _)| *name != "resourceVersion");
    for (index, (name, value)) in fields.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_field(name, value, out)?;
    }
    out.push(b'}');
    Ok(splice)
}

fn write_header(out: &mut [u8], places: [usize; 4], fingerprint: u64) {
    out[0] = FORMAT;
    for (index, place) in places.into_iter().enumerate() {
        // Bodies are bounded to a few megabytes long before they get here.
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        out[1 + index * 4..5 + index * 4].copy_from_slice(&place.to_le_bytes());
    }
    out[17..HEADER].copy_from_slice(&fingerprint.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_version_is_spliced_in() {
        let value = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"},
            "metadata": {"name": "n", "uid": "u", "resourceVersion": "3"},
        });
        let record = encode(&Object::new(value.clone()).unwrap(), 7).unwrap();
        let stored = Stored::new(record.clone(), 12).unwrap();
        let mut json = Vec::new();
        stored.write_json(&mut json);
        assert_eq!(json.len(), stored.json_length());
        let mut expect = value;
        expect["metadata"]["resourceVersion"] = "12".into();
        assert_eq!(serde_json::from_slice::<Value>(&json).unwrap(), expect);
        assert_eq!(stored.decode().unwrap().value(), &expect);
        assert_eq!(stored.fingerprint(), 7);
        let mut untyped = Vec::new();
        stored.write_untyped(&mut untyped);
        assert_eq!(untyped.len(), stored.untyped_length());
        let untyped: Value = serde_json::from_slice(&untyped).unwrap();
        assert_eq!((untyped.get("kind"), &untyped["data"]), (None, &expect["data"]));
        let mut metadata = Vec::new();
        stored.write_metadata(&mut metadata);
        assert_eq!(metadata.len(), stored.metadata_length());
        assert_eq!(serde_json::from_slice::<Value>(&metadata).unwrap(), expect["metadata"]);
    }

    #[test]
    fn damage_is_an_error() {
        let record = encode(&Object::new(json!({"metadata": {"name": "n"}})).unwrap(), 0).unwrap();
        assert!(Stored::new(record.slice(..HEADER - 1), 1).is_err());
        assert!(Stored::new(record.slice(1..), 1).is_err());
        assert!(Stored::new(record.slice(..record.len() - 3), 1).is_err());
        assert!(Stored::new(Bytes::new(), 1).is_err());
    }
}
