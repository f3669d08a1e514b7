use krono_cel::{Env, Library, macros};

use crate::corpus;

/// The specification has no expression that must not parse, not even among those that must not check.
#[test]
fn every_expression_of_the_specification_parses() {
    let Some(text) = corpus::read("cel-spec/tests.json") else { return };
    let cases: serde_json::Value = serde_json::from_str(&text).unwrap();
    let cases = cases.as_array().unwrap();
    let env = env();
    for case in cases {
        let source = case["expr"].as_str().unwrap();
        if let Err(issues) = env.parse(source) {
            panic!("{}: {source}\n{issues}", case["name"]);
        }
    }
    println!("parsed {} expressions", cases.len());
}

fn env() -> Env {
    let library = Library::new()
        .with_macros(macros::STANDARD)
        .with_macros(macros::TWO_VARIABLE)
        .with_macros(macros::BINDINGS)
        .with_macros(macros::OPTIONAL)
        .with_macros(macros::BLOCK)
        .with_macros(macros::LISTS)
        .with_macros(macros::MATH);
    Env::builder().library(library).build()
}
