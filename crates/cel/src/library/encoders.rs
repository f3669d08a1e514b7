//! Encodings of bytes and values as text: cel-go's `encoders` extension.

use base64::Engine as _;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::arity;
use super::json::{Style, to_text};
use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::meter::Meter;
use crate::types::Type::{Bytes, Dyn, String};
use crate::value::Val;

/// `base64.encode`, `base64.decode` and `json.encode`.
pub fn encoders() -> Library {
    Library::new()
        .function("base64.decode", [Overload::function("base64_decode_string", [String], Bytes, decode)])
        .function("base64.encode", [Overload::function("base64_encode_bytes", [Bytes], String, encode)])
        .function(
            "json.encode",
            [Overload::function("json_encode_dyn", [Dyn], String, |meter, args| {
                to_text(&arity::<1>(args)?[0], Style::Protobuf, meter).map(Val::string)
            })],
        )
}

const fn engine(padding: DecodePaddingMode) -> GeneralPurpose {
    let config = GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true);
    GeneralPurpose::new(&ALPHABET, config.with_decode_padding_mode(padding))
}

const PADDED: GeneralPurpose = engine(DecodePaddingMode::RequireCanonical);
const UNPADDED: GeneralPurpose = engine(DecodePaddingMode::RequireNone);

fn encode<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [Val::Bytes(bytes)] = args else { return Err(EvalError::no_such_overload()) };
    meter.charge_text(bytes.len())?;
    Ok(Val::string(PADDED.encode(bytes)))
}

/// Takes text with padding or without, and line breaks anywhere.
fn decode<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [text] = arity(args)?;
    let text = text.text()?;
    meter.charge_text(text.len())?;
    let one_line = text.replace(['\r', '\n'], "");
    let engine = if one_line.contains('=') { PADDED } else { UNPADDED };
    let decoded = engine.decode(&one_line).map_err(|_| {
        EvalError::invalid(format!("illegal base64 data at input byte {}", first_fault(&one_line)))
    })?;
    Ok(Val::bytes(decoded))
}

/// The first character that has no place in base64 without padding, or else the last one.
fn first_fault(text: &str) -> usize {
    let is_digit = |c: char| c.is_ascii_alphanumeric() || c == '+' || c == '/';
    text.find(|c| !is_digit(c)).unwrap_or(text.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::super::testing::check_expression;
    use super::encoders;

    #[test]
    fn base64_round_trips() {
        let check = |expression: &str, expect: &str| check_expression([encoders()], expression, expect);
        check("base64.encode(b'hello')", "'aGVsbG8='");
        check("base64.decode('aGVsbG8=')", "b'hello'");
        check("base64.decode('aGVsbG8')", "b'hello'");
        check("base64.decode('aGVs\\r\\nbG8=')", "b'hello'");
        check("base64.decode('')", "b''");
        check("base64.decode('YR')", "b'a'");
        check("base64.decode('aGV$')", "! illegal base64 data at input byte 3");
        check("base64.decode('a')", "! illegal base64 data at input byte 0");
        check("base64.decode('YQ=')", "! illegal base64 data at input byte 2");
        check("base64.decode('_-')", "! illegal base64 data at input byte 0");
    }

    #[test]
    fn values_become_protobuf_json() {
        let check = |expression: &str, expect: &str| check_expression([encoders()], expression, expect);
        check("json.encode({'b': 1, 'a': [1.5, true, null]})", r#"'{"a":[1.5,true,null],"b":1}'"#);
        check("json.encode('x<y>&\\u2028é\\n\\u0001\\\"/')", r#"'"x\u003cy\u003e\u0026\u2028é\n\u0001\"/"'"#);
        check(
            "json.encode([9007199254740991, 9007199254740992])",
            r#"'[9007199254740991,"9007199254740992"]'"#,
        );
        check("json.encode([18446744073709551615u, 5u])", r#"'["18446744073709551615",5]'"#);
        check(
            "json.encode([1e21, 1e20, 1e-7, 1e-6, -0.0])",
            "'[1e+21,100000000000000000000,1e-7,0.000001,-0]'",
        );
        check("json.encode(b'\\xff\\x00a')", r#"'"/wBh"'"#);
        check("json.encode(duration('1h1.5s'))", r#"'"3601.5s"'"#);
        check("json.encode(timestamp('2009-02-13T23:31:30.5Z'))", r#"'"2009-02-13T23:31:30.5Z"'"#);
        check("json.encode({1: 2})", "! unsupported type conversion from 'int' to string");
        check("json.encode(type(1))", "! type conversion not supported for 'type'");
        check("json.encode(0.0/0.0)", "! proto: google.protobuf.Value.number_value: invalid NaN value");
    }
}
