//! What made-up instances look like.

use std::collections::BTreeMap;

use krono_propagation::simulate::Look;
use serde_json::{Value, json};

use crate::arguments::simulate::LabelShare;
use crate::command_error::CommandError;

/// More different instances than these are of no use.
const MOST: usize = 10_000;

/// Every combination of labels with its share: each key is drawn by itself. All have the same spec.
pub(super) fn looks(labels: &[LabelShare], spec: &Value) -> Result<Vec<Look>, CommandError> {
    let mut keys: BTreeMap<&str, Vec<(&str, f64)>> = BTreeMap::new();
    for label in labels {
        keys.entry(&label.key).or_default().push((&label.value, label.share.0));
    }
    let mut looks = vec![Look { share: 1.0, object: json!({"metadata": {"labels": {}}, "spec": spec}) }];
    for (key, values) in keys {
        let sum: f64 = values.iter().map(|(_, share)| share).sum();
        // Shares such as 0.7 and 0.3 need not add up to 1 exactly.
        if sum > 1.0 + 1e-9 {
            return Err(CommandError::usage(format!("the shares of the label {key:?} are more than all")));
        }
        let others = (None, (1.0 - sum).max(0.0));
        let drawn: Vec<(Option<&str>, f64)> =
            values.iter().map(|(value, share)| (Some(*value), *share)).chain([others]).collect();
        looks = looks.iter().flat_map(|look| drawn.iter().map(|it| labelled(look, key, *it))).collect();
        if looks.len() > MOST {
            return Err(CommandError::usage(format!("labels make more than {MOST} different instances")));
        }
    }
    Ok(looks)
}

fn labelled(look: &Look, key: &str, (value, share): (Option<&str>, f64)) -> Look {
    let mut object = look.object.clone();
    if let Some(value) = value {
        object["metadata"]["labels"][key] = Value::from(value);
    }
    Look { share: look.share * share, object }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(labels: &[&str], expected: &[(&str, u64)]) {
        let labels: Vec<LabelShare> = labels.iter().map(|it| it.parse().unwrap()).collect();
        let found = looks(&labels, &Value::Null).unwrap();
        let shown =
            |it: &Look| (it.object["metadata"]["labels"].to_string(), format!("{:.0}", it.share * 100.0));
        let found: Vec<(String, String)> = found.iter().map(shown).collect();
        let expected: Vec<(String, String)> =
            expected.iter().map(|(labels, share)| ((*labels).to_owned(), share.to_string())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_key_is_drawn_by_itself() {
        check(&[], &[("{}", 100)]);
        check(&["ring=0:10%"], &[(r#"{"ring":"0"}"#, 10), ("{}", 90)]);
        check(
            &["ring=0:10%", "team=a:50%", "ring=1:90%"],
            &[
                (r#"{"ring":"0","team":"a"}"#, 5),
                (r#"{"ring":"0"}"#, 5),
                (r#"{"ring":"1","team":"a"}"#, 45),
                (r#"{"ring":"1"}"#, 45),
                (r#"{"team":"a"}"#, 0),
                ("{}", 0),
            ],
        );
    }

    #[test]
    fn shares_of_a_key_are_at_most_all() {
        let labels: Vec<LabelShare> =
            ["ring=0:60%", "ring=1:50%"].iter().map(|it| it.parse().unwrap()).collect();
        let told = looks(&labels, &Value::Null).unwrap_err();
        assert!(
            format!("{told:?}").contains("the shares of the label \\\"ring\\\" are more than all"),
            "{told:?}"
        );
    }
}
