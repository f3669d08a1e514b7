use krono_cel::Type;
use serde_json::json;

use crate::commands::cel::diagnosis::Diagnosis;
use crate::commands::cel::inputs::{Input, Inputs};

/// Checks and evaluates; compares the hints, one per line.
fn check(expression: &str, expected: &str) {
    let spec = Type::object("spec", [("replicas", Type::Int), ("image", Type::String)]);
    let typed = Type::object("app", [("spec", spec)]);
    let value = json!({"spec": {"replicas": 3, "image": "nginx", "tags": []}});
    let input = |name: &str, ty, value| Input { name: name.to_owned(), ty, schema: None, value };
    let variables = vec![
        input("app", Type::Dyn, Some(value.clone())),
        input("typed", typed, Some(value)),
        input("empty", Type::Int, None),
    ];
    let inputs = Inputs { expression: expression.to_owned(), variables };
    let env = inputs.environment();
    let error = match env.compile(expression) {
        Err(issues) => Diagnosis::of(&inputs).issues(&issues),
        Ok(program) => match program.eval(&inputs.bindings(&env)) {
            Err(error) => Diagnosis::of(&inputs).eval_error(&error),
            Ok(value) => panic!("{expression} is {value:?}"),
        },
    };
    assert_eq!(error.hints.join("\n"), expected, "{expression}: {:?}", error.finding);
}

#[test]
fn names() {
    check("ap.spec", "did you mean `app`?");
    check(
        "web",
        "the variables are app, empty, typed; add one with `--var web=FILE` or `--set web=JSON`, or put text in quotes: \"web\"",
    );
    check("app.my-label", "`-` is minus; a key with a dash is read with brackets: …[\"my-label\"]");
    check("app.a-b-c.d", "`-` is minus; a key with a dash is read with brackets: …[\"a-b-c\"]");
    check("math.abs(1)", "CEL has a library `math`, but definitions may not use it");
    check("len(app)", "in CEL this is `size(x)` or `x.size()`");
    check("app.length()", "in CEL this is `size(x)` or `x.size()`");
    check("frob(1)", "there is no function or macro `frob`; docs/cel.md lists those there are");
    check("typed.spec.replica", "did you mean `replicas`?");
    check("typed.spec.nothing", "`typed.spec` has image, replicas");
    check("if", "`condition ? one : other` chooses");
}

#[test]
fn types() {
    check("1 + 1.5", "numbers of two kinds do not mix; convert one: double(…) + … or … + int(…)");
    check("'a' + 1", "`+` turns no int into text; write string(…) around it");
    check("'a' in 'abc'", "`in` looks into lists and maps; for text it is `text.contains(part)`");
    check("1 == '1'", "int never equals string; convert one side, with string(…) or int(…) for example");
    check("1 && true", "");
    check("true ? 1 : 'a'", "both results must be of one type; dyn(…) around each gives up on checking them");
    check(
        "typed.?spec.replicas + 1",
        "an optional is opened with `.orValue(…)`, or `.value()` where it is surely there",
    );
    check("[1] + ['a']", "both sides of `+` must be of one type");
    check("typed.spec.image == null", "`has(x.field)` asks whether a field is there");
}

#[test]
fn grammar() {
    check("", "the expression is empty");
    check(
        "${app}",
        "write the expression alone, without `${` and `}`; those mark expressions in the text of a definition",
    );
    check("app = 1", "`==` compares; CEL assigns nothing");
    check("true and false", "`&&` is and");
    check("true | false", "`||` is or");
    check("not true", "`!` is not");
    check("[1].map(x => x)", "a macro takes a name and an expression: list.map(x, x + 1)");
    check("app ?? 1", "`x.?field.orValue(…)` gives another value when the field is absent");
    check("app?.spec", "the question mark stands after the dot: `x.?field`");
    check(r#""\d""#, "a backslash in text is written twice, or the text with r in front: r\"\\d+\"");
    check("'it's'", "text ends with the quote it began with; a quote inside is written with a backslash");
    check("(1", "");
}

#[test]
fn values() {
    let absent = super::ABSENT;
    check("app.spec.replica", &format!("did you mean `replicas`? Otherwise: {absent}"));
    check("app.spec.other", absent);
    check("app.spec.tags[0]", "an element that may be absent is read with `list[?0].orValue(…)`");
    check("empty + 1", "`empty` has a schema and no value; add `--var empty=FILE` or `--set empty=JSON`");
    check("app.spec.image + 1", "`+` turns no int into text; write string(…) around it");
    check(
        "app.spec.replicas * 1.5",
        "numbers of two kinds do not mix; convert one: double(…) * … or … * int(…)",
    );
    check("app.spec.replicas.startsWith('a')", super::OVERLOAD);
    check("1 / 0", "");
}
