//! Values as text.

use clap::ValueEnum;
use serde_json::Value;

/// How a value is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Indented JSON
    Json,
    /// YAML
    Yaml,
    /// A string without quotes, everything else as JSON on one line
    Text,
}

impl Format {
    /// The value, ending with a newline.
    pub(crate) fn render(self, value: &Value) -> String {
        match (self, value) {
            (Format::Json, value) => format!("{value:#}\n"),
            (Format::Yaml, value) => yaml(value),
            (Format::Text, Value::String(text)) => format!("{text}\n"),
            (Format::Text, value) => format!("{value}\n"),
        }
    }
}

/// JSON is YAML, should the printer ever refuse a value.
fn yaml(value: &Value) -> String {
    let options = serde_saphyr::ser_options! { compact_list_indent: true, prefer_block_scalars: true };
    let mut text = String::new();
    match serde_saphyr::to_fmt_writer_with_options(&mut text, value, options) {
        Ok(()) => text,
        Err(_) => format!("{value}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(format: Format, value: &Value, expected: &str) {
        assert_eq!(format.render(value), expected);
    }

    #[test]
    fn each_format() {
        let value = json!({"name": "web", "ports": [80, {"from": "on"}], "none": null});
        check(Format::Json, &json!({"a": [1]}), "{\n  \"a\": [\n    1\n  ]\n}\n");
        check(Format::Yaml, &value, "name: web\nnone: null\nports:\n- 80\n- from: \"on\"\n");
        check(Format::Text, &json!("a b"), "a b\n");
        check(Format::Text, &value, "{\"name\":\"web\",\"none\":null,\"ports\":[80,{\"from\":\"on\"}]}\n");
    }

    #[test]
    fn yaml_is_read_back_as_it_was() {
        for text in [
            "yes",
            "0644",
            "1e3",
            "~",
            "",
            "a: b",
            "- x",
            "multi\nline\n",
            " lead",
            "tail \n\n",
            "2026-01-01",
            "#",
        ] {
            let value = json!({"key": text, text: [text, {"x": [[text]]}]});
            let back: Value = serde_saphyr::from_str(&yaml(&value)).unwrap();
            assert_eq!(back, value, "{}", yaml(&value));
        }
    }
}
