use std::collections::BTreeMap;

use crate::builtin::{self, Verbs};
use crate::kind::Kind;
use crate::printers::{Description, sheet};
use crate::table::Printer;

/// Columns of the real server: kind, then name, type, format and priority of each.
const COLUMNS: &str = include_str!("columns.txt");

/// Kinds that show their name and when they were made.
const WITHOUT_SHEET: [&str; 4] = ["ClusterRole", "CustomResourceDefinition", "LimitRange", "Role"];

fn heading(heading: &crate::printers::Heading) -> String {
    let format = if heading.format.is_empty() { String::new() } else { format!("/{}", heading.format) };
    let wide = if heading.priority == 0 { "" } else { " wide" };
    format!("{}:{}{format}{wide}", heading.name, heading.column_type)
}

fn stored_kinds() -> impl Iterator<Item = Kind> {
    builtin::kinds()
        .into_iter()
        .filter(|kind| builtin::verbs(&kind.group, &kind.plural) != Some(Verbs::Create))
}

#[test]
fn columns_of_the_real_server() {
    let mut expected: BTreeMap<&str, &str> =
        COLUMNS.lines().filter_map(|line| line.split_once(" | ")).collect();
    for kind in stored_kinds() {
        let name = format!("{}.{}.{}", kind.kind, kind.version, kind.group);
        match (expected.remove(name.as_str()), sheet(&kind.group, &kind.kind)) {
            (Some(expect), Some(sheet)) => {
                let columns: Vec<String> = sheet.headings.iter().map(heading).collect();
                assert_eq!(columns.join(" | "), expect, "{name}");
            }
            (None, None) => assert!(WITHOUT_SHEET.contains(&&*kind.kind), "{name} has no columns"),
            (expect, _) => panic!("{name}: expected {expect:?}"),
        }
    }
    assert!(expected.is_empty(), "not served: {expected:?}");
}

#[test]
fn descriptions_are_found() {
    for kind in stored_kinds() {
        let Some(sheet) = sheet(&kind.group, &kind.kind) else { continue };
        let columns = Printer::new(&kind, jiff::Timestamp::UNIX_EPOCH).columns();
        for (heading, column) in sheet.headings.iter().zip(columns.as_array().unwrap()) {
            let empty = column["description"] == "";
            assert_eq!(
                empty,
                heading.description == Description::Said(""),
                "{}: {}",
                kind.kind,
                heading.name
            );
        }
    }
}
