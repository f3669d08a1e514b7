//! Built-in kinds are decoded into types; what does not fit is refused before anything else is looked at.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use krono_schema::go_text::json_kind;
use krono_schema::{Schema, SchemaType};
use serde_json::Value;

/// Why a value cannot be decoded into the type of a schema, in the words of the real server.
pub(crate) fn mistake(schema: &Schema, value: &Value) -> Option<String> {
    let root = Place { owner: short(schema), path: String::new() };
    fields(schema, value, &root)
}

/// Where a value stands: in a field of a type, at the end of a path without indices and keys.
struct Place {
    owner: String,
    path: String,
}

impl Place {
    fn field(&self, owner: String, name: &str) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        Self { owner, path: format!("{}{dot}{name}", self.path) }
    }

    fn mismatch(&self, found: &str, expected: &str) -> String {
        let (owner, path) = (&self.owner, &self.path);
        format!("json: cannot unmarshal {found} into Go struct field {owner}.{path} of type {expected}")
    }
}

fn fields(schema: &Schema, value: &Value, place: &Place) -> Option<String> {
    let owner = short(schema);
    let known = value
        .as_object()?
        .iter()
        .filter_map(|(name, value)| schema.properties.get(name).map(|property| (name, property, value)));
    let mut problems =
        known.filter_map(|(name, property, value)| node(property, value, &place.field(owner.clone(), name)));
    problems.next()
}

fn node(schema: &Schema, value: &Value, place: &Place) -> Option<String> {
    if value.is_null() {
        return None;
    }
    match (short(schema).as_str(), value) {
        ("Quantity", Value::String(_) | Value::Number(_)) => return quantity(value),
        ("Time" | "MicroTime", Value::String(text)) => return time(text),
        ("IntOrString", Value::String(_) | Value::Number(_)) | ("RawExtension" | "FieldsV1" | "JSON", _) => {
            return None;
        }
        _ => {}
    }
    match schema.schema_type {
        None => None,
        Some(SchemaType::String) => string(schema, value, place),
        Some(SchemaType::Boolean) if value.is_boolean() => None,
        Some(SchemaType::Number) if value.is_number() => None,
        Some(SchemaType::Integer) => integer(schema, value, place),
        Some(SchemaType::Array) => match value.as_array() {
            Some(items) => items.iter().find_map(|item| node(schema.items.as_deref()?, item, place)),
            None => Some(place.mismatch(json_kind(value), &type_name(schema))),
        },
        Some(SchemaType::Object) => match (value.as_object(), schema.map_values()) {
            (Some(entries), Some(values)) => entries.values().find_map(|value| node(values, value, place)),
            (Some(_), None) => fields(schema, value, place),
            (None, _) => Some(place.mismatch(json_kind(value), &type_name(schema))),
        },
        Some(SchemaType::Boolean | SchemaType::Number) => {
            Some(place.mismatch(json_kind(value), &type_name(schema)))
        }
    }
}

fn string(schema: &Schema, value: &Value, place: &Place) -> Option<String> {
    let Some(text) = value.as_str() else {
        return Some(place.mismatch(json_kind(value), &type_name(schema)));
    };
    match schema.format.as_deref() {
        Some("byte") => bytes(text),
        _ => None,
    }
}

/// Go decodes without looking at line breaks, which are not data.
fn bytes(text: &str) -> Option<String> {
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::RequireCanonical);
    let plain: String = text.chars().filter(|it| !matches!(it, '\r' | '\n')).collect();
    let at = match GeneralPurpose::new(&STANDARD, config).decode(&plain) {
        Ok(_) => return None,
        Err(base64::DecodeError::InvalidByte(at, _)) => at,
        Err(base64::DecodeError::InvalidLastSymbol { offset, .. }) => offset,
        Err(base64::DecodeError::InvalidLength(_) | base64::DecodeError::InvalidPadding) => plain.len(),
    };
    Some(format!("illegal base64 data at input byte {at}"))
}

fn integer(schema: &Schema, value: &Value, place: &Place) -> Option<String> {
    let Value::Number(number) = value else {
        return Some(place.mismatch(json_kind(value), &type_name(schema)));
    };
    let fits = match schema.format.as_deref() {
        Some("int32") => number.as_i64().is_some_and(|it| i32::try_from(it).is_ok()),
        _ => number.as_i64().is_some(),
    };
    if fits { None } else { Some(place.mismatch(&format!("number {number}"), &type_name(schema))) }
}

/// Units of quantities.
const SUFFIXES: [&str; 16] =
    ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

fn quantity(value: &Value) -> Option<String> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(&text);
    let digits = unsigned.bytes().take_while(|it| it.is_ascii_digit() || *it == b'.').count();
    let (number, suffix) = unsigned.split_at(digits);
    let is_number = number.bytes().any(|it| it.is_ascii_digit()) && number.matches('.').count() <= 1;
    let is_exponent = suffix.strip_prefix(['e', 'E']).is_some_and(|it| it.parse::<i32>().is_ok());
    if is_number && (SUFFIXES.contains(&suffix) || is_exponent) {
        return None;
    }
    let shaped = is_number && suffix.bytes().all(|it| b"eEinumkKMGTP+-0123456789".contains(&it));
    if shaped {
        return Some("unable to parse quantity's suffix".to_owned());
    }
    Some(
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            .to_owned(),
    )
}

fn time(text: &str) -> Option<String> {
    let layout = "2006-01-02T15:04:05Z07:00";
    if text.parse::<jiff::Timestamp>().is_ok() && text.len() >= 20 {
        return None;
    }
    // The first part that does not fit is told.
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (rest, part) = if digits >= 4 { (&text[4..], "-") } else { (text, "2006") };
    Some(format!("parsing time {text:?} as {layout:?}: cannot parse {rest:?} as {part:?}"))
}

/// The name of a type without its package; schemas of built-in kinds have the name of their definition as title.
fn short(schema: &Schema) -> String {
    let title = schema.title.as_deref().unwrap_or_default();
    title.rsplit('.').next().unwrap_or_default().to_owned()
}

fn type_name(schema: &Schema) -> String {
    match schema.schema_type {
        Some(SchemaType::String) if schema.format.as_deref() == Some("byte") => "[]uint8".to_owned(),
        Some(SchemaType::String) | None => "string".to_owned(),
        Some(SchemaType::Boolean) => "bool".to_owned(),
        Some(SchemaType::Number) => "float64".to_owned(),
        Some(SchemaType::Integer) => schema.format.clone().unwrap_or_else(|| "int64".to_owned()),
        Some(SchemaType::Array) => {
            format!("[]{}", schema.items.as_deref().map_or_else(|| "interface {}".to_owned(), type_name))
        }
        Some(SchemaType::Object) => match schema.map_values() {
            Some(values) => format!("map[string]{}", type_name(values)),
            None => struct_name(schema),
        },
    }
}

/// `v1.PodSpec` of `io.k8s.api.core.v1.PodSpec`.
fn struct_name(schema: &Schema) -> String {
    let title = schema.title.as_deref().unwrap_or_default();
    let mut parts = title.rsplit('.');
    match (parts.next(), parts.next()) {
        (Some(name), Some(version)) => format!("{version}.{name}"),
        _ => title.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(kind: &str, value: &Value, expect: Option<&str>) {
        let kinds = crate::builtin::kinds();
        let kind = kinds.iter().find(|it| &*it.kind == kind).unwrap();
        assert_eq!(mistake(kind.schema.get(), value).as_deref(), expect, "{value}");
    }

    #[test]
    fn what_fits() {
        check("ConfigMap", &json!({"data": {"a": "b"}, "metadata": {"labels": null}, "more": 1}), None);
        check("Secret", &json!({"data": {"a": "YQ=="}}), None);
        let limits = json!({"cpu": "100m", "memory": "1Gi", "x": 2, "y": "1e3", "z": "0.5"});
        let container =
            json!({"name": "c", "resources": {"limits": limits}, "ports": [{"containerPort": 80}]});
        check("Pod", &json!({"spec": {"containers": [container]}}), None);
        check("Service", &json!({"spec": {"ports": [{"port": 1, "targetPort": "http"}]}}), None);
    }

    #[test]
    fn what_does_not() {
        let field = "json: cannot unmarshal number into Go struct field ConfigMap.data of type string";
        check("ConfigMap", &json!({"data": {"a": 1}}), Some(field));
        let map =
            "json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string";
        check("ConfigMap", &json!({"data": []}), Some(map));
        let meta =
            "json: cannot unmarshal number into Go struct field ConfigMap.metadata of type v1.ObjectMeta";
        check("ConfigMap", &json!({"metadata": 1}), Some(meta));
        let replicas =
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32";
        check("Deployment", &json!({"spec": {"replicas": "x"}}), Some(replicas));
        let half = "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32";
        check("Deployment", &json!({"spec": {"replicas": 1.5}}), Some(half));
        let env = "json: cannot unmarshal number into Go struct field EnvVar.spec.containers.env.value of type string";
        let container = json!({"env": [{"name": "a", "value": 1}]});
        check("Pod", &json!({"spec": {"containers": [container]}}), Some(env));
        let list = "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container";
        check("Pod", &json!({"spec": {"containers": {}}}), Some(list));
        check("Secret", &json!({"data": {"a": "a"}}), Some("illegal base64 data at input byte 1"));
        let quantity =
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
        let limits = json!({"limits": {"cpu": "lots"}});
        check("Pod", &json!({"spec": {"containers": [{"resources": limits}]}}), Some(quantity));
    }
}
