//! `krono revisions create`.

use krono_history::{Digest, RevisionNumber};
use krono_model::names;
use serde_json::Value;

use super::super::cluster::events::newest_warning;
use super::super::cluster::objects::Objects;
use super::super::cluster::subject::{self, Definition};
use super::super::cluster::wait::{Waited, until};
use super::super::cluster::{annotate, unanswered};
use crate::arguments::revisions::CreateArguments;
use crate::arguments::target::{Bare, Grammar};
use crate::command_error::CommandError;
use crate::output::Output;

pub(super) async fn run(arguments: &CreateArguments, output: &mut Output) -> Result<(), CommandError> {
    let (target, _) = Grammar { revisions: 0, bare: Bare::IsDefinition }.read(&arguments.object)?;
    let change = arguments.change;
    let (objects, found) = subject::read(&arguments.place, &target).await?;
    let objects = Objects { is_trial: change.dry_run, ..objects };
    let definition = found.into_definition()?;
    let digest = Digest::of_definition(&definition.object["spec"]);
    refuse_what_is_issued(&definition, digest)?;
    let request = digest.to_string();
    let wanted = [(names::CREATE_REVISION_ANNOTATION, request.as_str())];
    let asked = annotate::set(&objects, &definition.kind, &definition.object, &wanted).await?;
    let Some(limit) = arguments.wait.limit().filter(|_| !change.dry_run) else {
        change.say(&format!("Revision of {} asked for", definition.name()), output)?;
        return change.show(&asked, output);
    };
    let before = definition.revisions.history.highest();
    match until(&objects, &definition.kind, asked, limit, |it| answer(it, before)).await? {
        Waited::Seen(Answer::Created(number)) => {
            change.say(&format!("Created revision {number}"), output)?;
            let now = subject::definition(&objects, definition.name()).await?;
            now.object_of(now.find(number)?).map_or(Ok(()), |it| change.show(it, output))
        }
        Waited::Seen(Answer::Dropped) => {
            let warning = newest_warning(&objects, &definition.object).await;
            let warning = warning.unwrap_or_else(|| "the controller has dropped the request".to_owned());
            Err(CommandError::wrong(format!("no revision was created: {warning}")))
        }
        Waited::TimedOut(last) => Err(unanswered(&last, names::CREATE_REVISION_ANNOTATION, limit)),
    }
}

fn refuse_what_is_issued(definition: &Definition, digest: Digest) -> Result<(), CommandError> {
    match definition.revisions.history.latest() {
        Some(latest) if latest.digest == digest => Err(CommandError::wrong(format!(
            "{} says what revision {} says; there is nothing to create",
            definition.name(),
            latest.number
        ))),
        Some(_) | None => Ok(()),
    }
}

/// What became of a request.
enum Answer {
    Created(RevisionNumber),
    /// It is gone, and nothing was issued.
    Dropped,
}

/// The number is taken first, then the request goes, and the revision is told of last.
fn answer(definition: &Value, before: Option<RevisionNumber>) -> Option<Answer> {
    let newer = |field: &str| {
        let number = definition["status"][field].as_i64().and_then(RevisionNumber::from_wire);
        number.filter(|it| Some(*it) > before)
    };
    let is_open = definition["metadata"]["annotations"].get(names::CREATE_REVISION_ANNOTATION).is_some();
    match newer("latestRevision") {
        Some(number) => Some(Answer::Created(number)),
        None if is_open || newer("lastIssuedRevision").is_some() => None,
        None => Some(Answer::Dropped),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_answer_is_read_off_the_definition() {
        let check = |annotations: Value, issued: i64, latest: i64, expected: &str| {
            let status = json!({"lastIssuedRevision": issued, "latestRevision": latest});
            let definition = json!({"metadata": {"annotations": annotations}, "status": status});
            let answer = match answer(&definition, RevisionNumber::new(3)) {
                None => "waits".to_owned(),
                Some(Answer::Created(number)) => format!("created {number}"),
                Some(Answer::Dropped) => "dropped".to_owned(),
            };
            assert_eq!(answer, expected, "{definition}");
        };
        let open = json!({names::CREATE_REVISION_ANNOTATION: "true"});
        check(open.clone(), 3, 3, "waits");
        check(open.clone(), 4, 3, "waits");
        check(json!({}), 4, 3, "waits");
        check(json!({}), 4, 4, "created 4");
        check(open, 4, 4, "created 4");
        check(json!({}), 3, 3, "dropped");
    }
}
