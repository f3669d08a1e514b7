//! `krono propagation status`.

use std::time::Duration;

use krono_views::propagation_text;
use serde_json::Value;

use super::super::cluster::subject::Definition;
use super::super::cluster::wait::{Waited, until};
use crate::arguments::propagation::{PropagationStatusArguments, StatusFormat};
use crate::command_error::CommandError;
use crate::format::Format;
use crate::output::Output;

/// Longer than anybody watches.
const FOR_EVER: Duration = Duration::from_hours(365 * 24);

pub(super) async fn run(
    arguments: &PropagationStatusArguments,
    output: &mut Output,
) -> Result<(), CommandError> {
    let (objects, definition) = super::definition(&arguments.place, &arguments.object).await?;
    if !arguments.watch {
        return output.text(&rendered(&definition.object, arguments.output, definition.name()));
    }
    let Definition { kind, object, .. } = &definition;
    let mut shown = String::new();
    let mut trouble = None;
    let ended = until(&objects, kind, object.clone(), FOR_EVER, |it| {
        let text = rendered(it, arguments.output, definition.name());
        if text != shown {
            let told = output.again(&shown, &text);
            trouble = told.err();
            shown = text;
        }
        if trouble.is_some() { Some(Ok(())) } else { end(it) }
    });
    let ended = ended.await?;
    if trouble.is_none() {
        output.once_more(&shown)?;
    }
    match (ended, trouble) {
        (_, Some(trouble)) => Err(trouble),
        (Waited::Seen(ended), None) => ended,
        (Waited::TimedOut(_), None) => Ok(()),
    }
}

/// Whether it is over, and how.
fn end(definition: &Value) -> Option<Result<(), CommandError>> {
    let status = &definition["status"];
    if !definition["metadata"]["deletionTimestamp"].is_null() {
        let name = definition["metadata"]["name"].as_str().unwrap_or_default();
        return Some(Err(CommandError::wrong(format!("rgd/{name} is being deleted"))));
    }
    if status["observedGeneration"] != definition["metadata"]["generation"] {
        return None;
    }
    if let Some(mistake) = krono_views::propagation_mistake(definition) {
        return Some(Err(CommandError::wrong(mistake)));
    }
    let told = &status["propagation"];
    match told["phase"].as_str() {
        None if status["currentRevision"].is_number() => Some(Ok(())),
        // What it goes back to may have reached everybody while the latest was given up.
        Some("Completed") if status["currentRevisionHash"] == told["digest"] => {
            let is_wanted =
                krono_views::is_of_latest(definition) || krono_views::is_held_by_people(definition);
            Some(if is_wanted { Ok(()) } else { Err(given_up(definition, &status["latestRevision"])) })
        }
        Some("Halted" | "Aborted") => Some(Err(given_up(definition, &told["revision"]))),
        Some(_) | None => None,
    }
}

fn given_up(definition: &Value, revision: &Value) -> CommandError {
    let name = definition["metadata"]["name"].as_str().unwrap_or_default();
    CommandError::wrong(format!("revision {revision} of {name} was given up"))
        .hint(format!("edit the definition, or try again: krono propagation retry {name}"))
}

fn rendered(definition: &Value, format: StatusFormat, name: &str) -> String {
    let told = &definition["status"]["propagation"];
    match format {
        StatusFormat::Text => propagation_text(definition).unwrap_or_else(|| nothing(definition, name)),
        StatusFormat::Json => Format::Json.render(told),
        StatusFormat::Yaml => Format::Yaml.render(told),
    }
}

/// Where nothing is told of a propagation.
fn nothing(definition: &Value, name: &str) -> String {
    let spec = &definition["spec"];
    if spec["propagation"].is_null() && spec["propagateWhen"].is_null() {
        return format!(
            "rgd/{name} has no propagation policy: a new revision reaches all instances at once\n"
        );
    }
    format!("rgd/{name} has a propagation policy that no controller has looked at yet\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn v42_what_somebody_holds_is_no_failure() {
        let check = |annotations: Value, spec: Value, expected: Option<&str>| {
            let (a, b) = ("a".repeat(40), "b".repeat(40));
            let propagation = json!({"phase": "Completed", "revision": 1, "digest": a});
            let definition = json!({
                "metadata": {"name": "app", "annotations": annotations},
                "spec": spec,
                "status": {"latestRevision": 2, "latestRevisionHash": b, "currentRevisionHash": a, "propagation": propagation},
            });
            let ended = end(&definition).expect("an end").err().map(|it| format!("{:?}", it.finding));
            assert_eq!(ended, expected.map(|it| format!("Sentence({it:?})")), "{definition}");
        };
        check(Value::Null, json!({}), Some("revision 2 of app was given up"));
        check(json!({"krono.dev/active-revision": "1"}), json!({}), None);
        check(Value::Null, json!({"revisionManagement": {"activeRevision": 1}}), None);
    }
}
