//! Against what Go clients write, and against what nobody does.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// One line per kind: what the Go serializer writes for an object, in base64, and the JSON Go reads back from it.
const SAMPLES: &str = include_str!("../../tests/protobuf/samples.tsv");

fn sample(line: &str) -> (Vec<u8>, Value) {
    let (body, json) = line.split_once('\t').unwrap();
    (STANDARD.decode(body).unwrap(), serde_json::from_str(json).unwrap())
}

#[test]
fn what_go_writes_is_what_go_reads() {
    for (body, expect) in SAMPLES.lines().map(sample) {
        assert_eq!(decode(&body), Ok(expect));
    }
}

/// A field that holds bytes.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    if number > 15 {
        field = vec![(number << 3 | 2) | 0x80, number >> 4];
    }
    let mut length = content.len();
    while length > 0x7f {
        field.push(0x80 | u8::try_from(length & 0x7f).unwrap());
        length >>= 7;
    }
    field.push(u8::try_from(length).unwrap());
    field.extend(content);
    field
}

fn body(api_version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
    let type_meta = [field(1, api_version.as_bytes()), field(2, kind.as_bytes())].concat();
    [MAGIC.to_vec(), field(1, &type_meta), field(2, raw)].concat()
}

#[track_caller]
fn check(body: &[u8], expect: Value) {
    assert_eq!(decode(body), Ok(expect));
}

#[track_caller]
fn check_error(body: &[u8], expect: &str) {
    assert_eq!(decode(body).map_err(|it| it.to_string()), Err(expect.to_owned()));
}

#[test]
fn zero_values_are_as_go_writes_them() {
    let config_map = |metadata| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
    check(&body("v1", "ConfigMap", b""), config_map(json!({})));
    let named = field(1, &[field(1, b"a"), field(3, b"")].concat());
    check(&body("v1", "ConfigMap", &named), config_map(json!({"name": "a"})));
    let role =
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {}, "rules": null});
    check(&body("rbac.authorization.k8s.io/v1", "Role", b""), role);
}

#[test]
fn fields_of_later_versions_are_ignored() {
    let raw = [field(31, b"later"), field(2, &[field(1, b"k"), field(2, b"v"), field(3, b"?")].concat())];
    let expect = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}, "data": {"k": "v"}});
    check(&body("v1", "ConfigMap", &raw.concat()), expect);
}

#[test]
fn a_body_may_leave_its_kind_to_the_request() {
    let raw = [MAGIC, &field(2, &field(1, &field(1, b"a")))].concat();
    let expect = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}});
    assert_eq!(decode_as(&raw, "v1", "Secret"), Ok(expect));
    let unknown = DecodeError::UnknownKind { api_version: String::new(), kind: String::new() };
    assert_eq!(decode(&raw), Err(unknown));
}

#[test]
fn wrong_bodies() {
    let magic = "the body does not appear to be a Kubernetes protobuf message; \
                 it has to begin with `k8s` and a zero byte";
    check_error(b"", magic);
    check_error(b"{}", magic);
    let unknown =
        "no kind \"Widget\" is registered for protobuf in version \"example.com/v1\"; send it as JSON";
    check_error(&body("example.com/v1", "Widget", b""), unknown);
    let end = "malformed protobuf: unexpected end of the message";
    check_error(&[MAGIC, &[0x0a, 0xff]].concat(), end);
    check_error(&body("v1", "ConfigMap", &[0x0a]), end);
    let wrong_type = "malformed protobuf: metadata: name: wrong wire type";
    check_error(&body("v1", "ConfigMap", &field(1, &[0x08, 1])), wrong_type);
    let twice = "malformed protobuf: metadata: a message is given twice";
    check_error(&body("v1", "ConfigMap", &[field(1, b""), field(1, b"")].concat()), twice);
    let large = vec![0; MAX_BODY + 1];
    check_error(&large, "the protobuf body has 3145729 bytes; at most 3145728 are accepted");
}

/// A custom resource definition whose schema is `{not: {not: …}}`.
fn nested_schema(levels: usize) -> Vec<u8> {
    let schema = (0..levels).fold(Vec::new(), |inner, _| field(28, &inner));
    let version = field(4, &field(1, &schema));
    body("apiextensions.k8s.io/v1", "CustomResourceDefinition", &field(2, &field(7, &version)))
}

#[test]
fn depth_is_bounded() {
    assert!(decode(&nested_schema(150)).is_ok());
    assert_eq!(decode(&nested_schema(200)), Err(DecodeError::TooDeep));
    assert_eq!(decode(&nested_schema(20_000)), Err(DecodeError::TooDeep));
}

#[test]
fn the_number_of_values_is_bounded() {
    let containers = |count| body("v1", "Pod", &field(2, &field(2, b"").repeat(count)));
    assert!(decode(&containers(10_000)).is_ok());
    assert_eq!(decode(&containers(400_000)), Err(DecodeError::TooManyValues));
}

proptest! {
    #[test]
    fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _checked = decode(&bytes);
        let _checked = decode(&[MAGIC, &bytes].concat());
        for (api_version, kind) in [("v1", "Pod"), ("apps/v1", "Deployment"), ("events.k8s.io/v1", "Event"),
            ("apiextensions.k8s.io/v1", "CustomResourceDefinition")] {
            let _checked = decode(&body(api_version, kind, &bytes));
        }
    }

    #[test]
    fn damaged_samples_do_no_harm(
        line in 0..SAMPLES.lines().count(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        length in any::<prop::sample::Index>(),
    ) {
        let (mut body, _) = sample(SAMPLES.lines().nth(line).unwrap());
        for (index, byte) in damage {
            let index = index.index(body.len());
            body[index] = byte;
        }
        let _checked = decode(&body);
        let _checked = decode(&body[..length.index(body.len())]);
    }
}
