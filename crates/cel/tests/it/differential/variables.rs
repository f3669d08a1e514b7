//! The variables that expressions speak of: an object with a schema, and one without.

use krono_cel::{EnvBuilder, Type};
use serde_json::json;

use super::engines::Variable;

/// Paths whose type the schema tells, or that are `dyn`.
pub(super) const TYPED: &[(&str, &str)] = &[
    ("spec.replicas", "int"),
    ("spec.missing", "int"),
    ("spec.ratio", "double"),
    ("spec.whole", "double"),
    ("spec.name", "string"),
    ("spec.paused", "bool"),
    ("spec.ports", "list(int)"),
    ("spec.tags", "list(string)"),
    ("spec.weights", "list(double)"),
    ("spec.labels", "map(string, string)"),
    ("spec.limits", "map(string, int)"),
    ("spec.created", "timestamp"),
    ("spec.timeout", "duration"),
    ("spec.payload", "bytes"),
    ("spec.items", "list(item)"),
    ("spec.nothing", "null"),
    ("spec.any", "dyn"),
    ("free.name", "dyn"),
    ("free.count", "dyn"),
    ("free.missing", "dyn"),
    ("free.list", "list(dyn)"),
    ("free.nested", "map(string, dyn)"),
];

/// What can be asked of the variables.
pub(super) const RULES: &[&str] = &[
    "string = $item.name",
    "int = $item.count",
    "double = $item.share",
    "map(string, string) = $item.labels",
    "list(int) = $item.ports",
    "string = $item.labels.app",
    "bool = has($item.count)",
    "bool = has($item.labels.app)",
    "bool = has(spec.missing) && $bool",
    "bool = has(spec.labels.app) ? $bool : $bool",
    "bool = has(free.nested.a) == $bool",
    "bool = has(free.nested.deeper.x)",
    "bool = has(free.count.x)",
    "dyn = free.nested.deeper.x",
    "dyn = free.list[$index]",
    "dyn = free[$string]",
    "dyn = spec.any.x",
    "bool = $list(item).exists(@item, &bool)",
    "bool = $list(item).exists_one(@item, &bool)",
    "list(T) = $list(item).map(@item, &T)",
    "bool = $list(item).all(@item, &bool)",
    "bool = $list(dyn).exists(@dyn, &dyn == $T)",
];

/// Declares the variables with their types.
pub(super) fn declare(builder: EnvBuilder) -> EnvBuilder {
    builder.variable("spec", spec_type()).variable("free", Type::Dyn)
}

fn spec_type() -> Type {
    let text_map = || Type::map(Type::String, Type::String);
    let item = Type::object(
        "Item",
        [
            ("name", Type::String),
            ("count", Type::Int),
            ("share", Type::Double),
            ("labels", text_map()),
            ("ports", Type::list(Type::Int)),
        ],
    );
    Type::object(
        "Spec",
        [
            ("replicas", Type::Int),
            ("missing", Type::Int),
            ("ratio", Type::Double),
            ("whole", Type::Double),
            ("name", Type::String),
            ("paused", Type::Bool),
            ("ports", Type::list(Type::Int)),
            ("tags", Type::list(Type::String)),
            ("weights", Type::list(Type::Double)),
            ("labels", text_map()),
            ("limits", Type::map(Type::String, Type::Int)),
            ("created", Type::Timestamp),
            ("timeout", Type::Duration),
            ("payload", Type::Bytes),
            ("items", Type::list(item)),
            ("nothing", Type::Null),
            ("any", Type::Dyn),
        ],
    )
}

pub(super) fn all() -> Vec<Variable> {
    let spec = json!({
        "replicas": 3, "ratio": 0.5, "whole": 2, "name": "web", "paused": false, "ports": [80, 443],
        "tags": ["a", "b", "abc"], "weights": [1, 0.25], "labels": {"app": "web", "name": "x"},
        "limits": {"cpu": 2, "name": 7}, "created": "2024-02-29T12:30:45.5Z", "timeout": "1h30m",
        "payload": "aGVsbG8=", "nothing": null, "any": {"x": [1, "two", null]},
        "items": [
            {"name": "a", "count": 1, "share": 0.5, "labels": {"app": "x"}, "ports": [1, 2]},
            {"name": "b", "share": 1, "labels": {}, "ports": []},
        ],
    });
    let free = json!({
        "name": "free", "count": 5, "list": [1, 2.5, "x", null, [1], {"a": 1}],
        "nested": {"a": 1, "name": "n", "deeper": {"x": true}},
    });
    vec![
        Variable {
            name: "spec",
            json: spec,
            expression: "{
                'replicas': 3, 'ratio': 0.5, 'whole': 2.0, 'name': 'web', 'paused': false, 'ports': [80, 443],
                'tags': ['a', 'b', 'abc'], 'weights': [1.0, 0.25], 'labels': {'app': 'web', 'name': 'x'},
                'limits': {'cpu': 2, 'name': 7}, 'created': timestamp('2024-02-29T12:30:45.5Z'),
                'timeout': duration('1h30m'), 'payload': b'hello', 'nothing': null, 'any': {'x': [1, 'two', null]},
                'items': [
                    {'name': 'a', 'count': 1, 'share': 0.5, 'labels': {'app': 'x'}, 'ports': [1, 2]},
                    {'name': 'b', 'share': 1.0, 'labels': {}, 'ports': []},
                ],
            }",
        },
        Variable {
            name: "free",
            json: free,
            expression: "{
                'name': 'free', 'count': 5, 'list': [1, 2.5, 'x', null, [1], {'a': 1}],
                'nested': {'a': 1, 'name': 'n', 'deeper': {'x': true}},
            }",
        },
    ]
}
