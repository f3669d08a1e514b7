//! JSON text to values and back.

use super::super::arity;
use super::super::json::{Style, from_text, to_text};
use crate::error::{EvalError, EvalErrorKind};
use crate::function::{Library, Overload};
use crate::types::Type::{Dyn, String};
use crate::value::Val;

/// `json.marshal` and `json.unmarshal`.
pub fn json() -> Library {
    Library::new()
        .function(
            "json.unmarshal",
            [Overload::function("json.unmarshal_string", [String], Dyn, |meter, args| {
                from_text(arity::<1>(args)?[0].text()?, meter)
                    .map_err(|error| explained("json.unmarshal failed to parse JSON", error))
            })],
        )
        .function(
            "json.marshal",
            [Overload::function("json.marshal_dyn", [Dyn], String, |meter, args| {
                to_text(&arity::<1>(args)?[0], Style::Kubernetes, meter).map(Val::string).map_err(|error| {
                    let step = if error.message().starts_with("json: ") { "encode" } else { "convert" };
                    explained(&format!("json.marshal failed to {step} value"), error)
                })
            })],
        )
}

/// Says which function failed, unless the evaluation as a whole has to stop.
fn explained(what: &str, error: EvalError) -> EvalError {
    match error.kind() {
        EvalErrorKind::InvalidArgument => EvalError::invalid(format!("{what}: {error}")),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::check_expression;
    use super::super::super::{kubernetes, optionals};
    use super::json;

    fn check(expression: &str, expect: &str) {
        check_expression([json(), optionals(), kubernetes::quantity()], expression, expect);
    }

    #[test]
    fn values_become_text() {
        check(
            "json.marshal({'b': 1, 'a': [1.5, true, null, 'x<y>']})",
            r#"'{"a":[1.5,true,null,"x\u003cy\u003e"],"b":1}'"#,
        );
        check(
            "json.marshal([9007199254740993, 18446744073709551615u].map(x, dyn(x)))",
            "'[9007199254740993,18446744073709551615]'",
        );
        check(
            "json.marshal([1e21, 1e20, 1e-7, 1e-6, -0.0, 100.0, 1.0e300, 5e-324, 0.1, 123456789.125])",
            "'[1e+21,100000000000000000000,1e-7,0.000001,-0,100,1e+300,5e-324,0.1,123456789.125]'",
        );
        check(r"json.marshal(b'\xff\x00a')", r#"'"/wBh"'"#);
        check("json.marshal([duration('1h1.5s'), duration('0')])", r#"'["1h0m1.5s","0s"]'"#);
        check("json.marshal(timestamp('2009-02-13T23:31:30.5+05:00'))", r#"'"2009-02-13T18:31:30Z"'"#);
        check("json.marshal(timestamp('0001-01-01T00:00:00Z'))", "'null'");
        check("json.marshal([optional.none(), optional.of(1)])", "'[null,1]'");
        check(
            "json.marshal({1: 2})",
            "! json.marshal failed to convert value: map key must be string, got int64",
        );
        check("json.marshal(type(1))", "! json.marshal failed to convert value: unsupported type: type");
        check(
            "json.marshal(quantity('1'))",
            "! json.marshal failed to convert value: unsupported type: kubernetes.Quantity",
        );
        check(
            "json.marshal(1.0/0.0)",
            "! json.marshal failed to encode value: json: unsupported value: +Inf",
        );
    }

    #[test]
    fn text_becomes_values() {
        check(
            r#"json.unmarshal('{"a": 1, "b": [1.5, null, true, "x"]}')"#,
            "{'a': 1.0, 'b': [1.5, null, true, 'x']}",
        );
        check("json.unmarshal('1') == 1", "true");
        check("type(json.unmarshal('1')) == double", "true");
        check(r#"json.unmarshal('{"a":1,"a":2}').a"#, "2.0");
        check("json.unmarshal(' [ ] ')", "[]");
        check(
            r#"json.unmarshal('{"a":}')"#,
            "! json.unmarshal failed to parse JSON: expected value at line 1 column 6",
        );
        check(
            "json.unmarshal('1e400')",
            "! json.unmarshal failed to parse JSON: number out of range at line 1 column 5",
        );
    }

    #[test]
    fn shared_parts_are_paid_for_each_time() {
        let doubled = (0..40).fold("'x'".to_owned(), |inner, _| format!("[{inner}].map(it, [it, it])[0]"));
        check(
            &format!("json.marshal({doubled})"),
            "! operation cancelled: actual cost limit exceeded (10000000 units)",
        );
    }
}
