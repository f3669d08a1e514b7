//! One revision in full.

use krono_history::content;
use krono_history::diff::yaml;
use serde_json::{Value, json};

use crate::inputs::InputRow;
use crate::revisions::RevisionRow;
use crate::time::shown_time;

/// Who made a revision, when and why, and what it says.
pub fn described_revision(definition: &str, row: &RevisionRow, object: &Value) -> String {
    let head = [
        ("Definition", Some(definition.to_owned())),
        ("Revision", Some(format!("{} ({})", row.number, row.standing))),
        ("Name", Some(row.name.clone())),
        ("Created", row.created.as_deref().map(shown_time)),
        ("Author", row.author.clone()),
        ("Change cause", row.change_cause.clone()),
        ("Restored from", row.restored_from.map(|it| it.to_string())),
        ("Instances", row.instances.map(|it| it.to_string())),
        ("Failed", row.failed.clone()),
        ("Digest", Some(row.digest.to_string())),
    ];
    format!("{}\n{}", lines(head), yaml(&json!({"spec": content::definition(&object["spec"])})))
}

/// Who made an input revision, when and why, and what it says.
pub fn described_input(instance: &str, row: &InputRow) -> String {
    let restorable = row.restorable.map(|it| if it { "yes" } else { "no" }.to_owned());
    let head = [
        ("Instance", Some(instance.to_owned())),
        ("Input revision", Some(format!("{} ({})", row.number, row.status))),
        ("RGD revision", row.definition.map(|it| it.to_string())),
        ("Created", row.created.as_deref().map(shown_time)),
        ("Author", row.author.clone()),
        ("Change cause", row.change_cause.clone()),
        ("Restored from", row.restored_from.map(|it| it.to_string())),
        ("Restorable", restorable),
    ];
    let spec = row.spec.as_ref().map(|it| format!("\n{}", yaml(&json!({"spec": it}))));
    lines(head) + &spec.unwrap_or_default()
}

fn lines<const N: usize>(fields: [(&str, Option<String>); N]) -> String {
    let width = fields.iter().map(|(name, _)| name.len() + 1).max().unwrap_or_default();
    let told = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let lines = told.map(|(name, value)| {
        let label = format!("{name}:");
        format!("{label:width$}  {}", crate::table::cell(&value))
    });
    lines.fold(String::new(), |text, line| text + &line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{definition, input, instance, revisions};
    use crate::inputs::input_rows;
    use crate::revisions::RevisionRows;

    #[test]
    fn a_revision_in_full() {
        let rows = RevisionRows::new(&definition(), &revisions());
        let text = described_revision("application", &rows.rows[0], &revisions()[2]);
        let expected = format!(
            "\
Definition:     application
Revision:       3 (Current)
Name:           application-rev-3
Created:        2025-01-15 10:30:00
Author:         kubectl
Change cause:   more replicas
Instances:      47
Digest:         {}

spec:
  resources:
  - id: deployment
",
            rows.rows[0].digest
        );
        assert!(text.starts_with(&expected), "{text}");
        assert!(
            text.contains("  schema:\n    apiVersion: v1alpha1\n    group: apps.example.com\n"),
            "{text}"
        );
    }

    #[test]
    fn an_input_revision_in_full() {
        let rows = input_rows(&instance(), &[input(12, 3, 5)]);
        let expected = "\
Instance:        application/my-app
Input revision:  12 (Completed)
RGD revision:    3
Created:         2025-01-15 10:35:00
Author:          kubectl-edit

spec:
  image: nginx:1.21
  name: my-app
  replicas: 5
";
        assert_eq!(described_input("application/my-app", &rows[0]), expected);
    }
}
