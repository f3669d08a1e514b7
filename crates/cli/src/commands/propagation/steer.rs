//! `krono propagation pause`, `resume`, `abort`, `retry` and `approve`.

use krono_history::hold::{Hold, Place};
use krono_history::{Digest, RevisionNumber};
use krono_model::names;
use krono_planner::fleet::is_aborted;
use serde_json::Value;

use super::super::cluster::objects::Objects;
use super::super::cluster::subject::{self, Definition};
use super::super::cluster::wait::{Waited, until};
use super::super::cluster::{self, annotate, unanswered};
use crate::arguments::propagation::{ApproveStageArguments, DefinitionArguments};
use crate::command_error::CommandError;
use crate::output::Output;

const KEY: &str = names::PROPAGATION_ANNOTATION;
const PAUSED: &str = "paused";
const ABORTED: &str = "aborted";
const RETRY: &str = "retry";

pub(super) async fn pause(arguments: &DefinitionArguments, output: &mut Output) -> Result<(), CommandError> {
    let (objects, definition) = super::definition(&arguments.place, &arguments.object).await?;
    let asked = annotate::set(&objects, &definition.kind, &definition.object, &[(KEY, PAUSED)]).await?;
    let is_paused = |it: &Value| {
        (it["status"]["propagation"]["pausedSince"].is_string() || nobody_decides(it)).then_some(())
    };
    answered(&objects, &definition, asked, arguments, is_paused).await?;
    output.text("Propagation paused, no further instance moves\n")?;
    output.text(&format!("Go on with: krono propagation resume {}\n", definition.name()))
}

pub(super) async fn resume(arguments: &DefinitionArguments, output: &mut Output) -> Result<(), CommandError> {
    let (objects, definition) = super::definition(&arguments.place, &arguments.object).await?;
    let name = definition.name();
    let request = Pause::of(request_of(&definition.object));
    if let Pause::Asked { beside } = &request {
        let stays = Some(beside.as_str()).filter(|it| !it.is_empty());
        annotate::change(&objects, &definition.kind, &definition.object, &[(KEY, stays)]).await?;
    }
    match request {
        Pause::Nonsense(text) => Err(nonsense(name, &text)),
        Pause::Asked { .. } | Pause::None if definition.object["spec"]["propagation"]["paused"] == true => {
            Err(CommandError::wrong(format!("rgd/{name} is paused by its own spec"))
                .hint("remove spec.propagation.paused where the definition is kept"))
        }
        Pause::Asked { .. } => output.text(&resumed(&definition.object)),
        Pause::None => output.text(&format!("rgd/{name} is not paused\n")),
    }
}

/// What a request says about a pause.
#[derive(Debug, PartialEq, Eq)]
enum Pause {
    None,
    /// With the requests that stand beside it.
    Asked {
        beside: String,
    },
    /// It says what nobody understands, and stops everybody.
    Nonsense(String),
}

impl Pause {
    fn of(request: Option<&str>) -> Self {
        let words = request.unwrap_or_default().split(',').map(str::trim).filter(|it| !it.is_empty());
        let (paused, others): (Vec<&str>, Vec<&str>) = words.partition(|it| *it == PAUSED);
        match () {
            () if others.iter().any(|it| ![ABORTED, RETRY].contains(it)) => {
                Self::Nonsense(request.unwrap_or_default().to_owned())
            }
            () if paused.is_empty() => Self::None,
            () => Self::Asked { beside: others.join(", ") },
        }
    }
}

fn nonsense(name: &str, text: &str) -> CommandError {
    let message =
        format!("rgd/{name} is stopped by {KEY}: {text:?} is no request, and nobody moves while it stands");
    CommandError::wrong(message).hint(format!("remove it: kubectl annotate rgd {name} {KEY}-"))
}

/// That a pause has ended, and what that changes.
fn resumed(definition: &Value) -> String {
    let told = &definition["status"]["propagation"];
    let (number, name) = (&told["revision"], definition["metadata"]["name"].as_str().unwrap_or_default());
    match told["phase"].as_str() {
        Some("Halted" | "Aborted") => format!(
            "Propagation is no longer paused; revision {number} was given up before\n\
             Try it again with: krono propagation retry {name}\n"
        ),
        _ => "Propagation resumed\n".to_owned(),
    }
}

/// Whether nothing is decided, so that nobody tells of it either, until what is wrong is put right.
fn nobody_decides(definition: &Value) -> bool {
    krono_views::propagation_mistake(definition).is_some() || krono_views::is_hold_invalid(definition)
}

pub(super) async fn abort(arguments: &DefinitionArguments, output: &mut Output) -> Result<(), CommandError> {
    let (objects, definition) = super::definition(&arguments.place, &arguments.object).await?;
    let told = &definition.object["status"]["propagation"];
    let is_under_way =
        matches!(told["phase"].as_str(), Some("Propagating" | "Paused" | "Halted" | "Invalid"));
    if !is_under_way {
        return Err(CommandError::wrong(format!("nothing of rgd/{} is on its way", definition.name())));
    }
    ask(&objects, &definition, arguments, ABORTED, |_| true).await?;
    if arguments.wait.limit().is_some() {
        aborted(&objects, &definition, arguments).await?;
    }
    output.text(&format!("Revision {} was given up\n", told["revision"]))?;
    output.text("Who was on the way goes back to what it ran before\n")
}

/// The request was answered: an error where nothing was aborted; else waits until that is told.
async fn aborted(
    objects: &Objects,
    definition: &Definition,
    arguments: &DefinitionArguments,
) -> Result<(), CommandError> {
    let now = subject::definition(objects, definition.name()).await?;
    let told = &definition.object["status"]["propagation"];
    let content: Option<Digest> = told["digest"].as_str().and_then(|it| it.parse().ok());
    // What was aborted before and is on its way all the same is so as a way back.
    let was_aborted = |it| is_aborted(&definition.revisions.history, it) && !nobody_decides(&now.object);
    if content.is_none_or(|it| was_aborted(it) || !is_aborted(&now.revisions.history, it)) {
        let name = definition.name();
        return Err(CommandError::wrong(format!(
            "revision {} of rgd/{name} was not aborted",
            told["revision"]
        ))
        .hint(format!("Events of rgd/{name} say why; a way back ends with an edit or another hold")));
    }
    let is_told =
        |it: &Value| (it["status"]["propagation"]["phase"] == "Aborted" || nobody_decides(it)).then_some(());
    answered(objects, definition, now.object.clone(), arguments, is_told).await
}

pub(super) async fn retry(arguments: &DefinitionArguments, output: &mut Output) -> Result<(), CommandError> {
    let (objects, definition) = super::definition(&arguments.place, &arguments.object).await?;
    let history = &definition.revisions.history;
    let given_up = history.latest().filter(|it| history.given_up(it.digest).is_some());
    let latest = given_up.map(|it| (it.number, it.digest));
    let Some((number, content)) = halted(&definition).or(latest) else {
        return Err(CommandError::wrong(format!(
            "the latest revision of rgd/{} was not given up; there is nothing to try again",
            definition.name()
        )));
    };
    let held = held_instead(&definition, content);
    ask(&objects, &definition, arguments, RETRY, |it| held.is_some() || is_tried(it, content)).await?;
    match (held.filter(|_| arguments.wait.limit().is_some()), nobody_decides(&definition.object)) {
        (Some(held), _) => forgiven(&objects, &definition, (number, content), held, output).await,
        (None, true) => {
            output.text(&format!("Revision {number} is tried again when what keeps everybody is put right\n"))
        }
        (None, false) => output.text(&format!("Revision {number} is tried again\n")),
    }
}

/// The revision that people hold, where it has another content.
fn held_instead(definition: &Definition, content: Digest) -> Option<RevisionNumber> {
    let Hold::Held { number, by: Place::Annotation | Place::Field } = definition.revisions.hold else {
        return None;
    };
    definition.revisions.history.find(number).filter(|it| it.digest != content).map(|it| it.number)
}

/// Another revision is held, so that nothing moves now.
async fn forgiven(
    objects: &Objects,
    definition: &Definition,
    (number, content): (RevisionNumber, Digest),
    held: RevisionNumber,
    output: &mut Output,
) -> Result<(), CommandError> {
    let now = subject::definition(objects, definition.name()).await?;
    if now.revisions.history.given_up(content).is_some() {
        let message = format!("revision {number} of rgd/{} stays given up", definition.name());
        return Err(CommandError::wrong(message)
            .hint(format!("revision {held} is on its way back; ask again when it has reached everybody")));
    }
    let release = now.how_to_release();
    output.text(&format!(
        "Revision {number} is no longer given up, and tried when revision {held} is no longer held; {release}\n"
    ))
}

/// What instances move to, where the status tells that it is halted: a way back has no other mark.
fn halted(definition: &Definition) -> Option<(RevisionNumber, Digest)> {
    let told = &definition.object["status"]["propagation"];
    let number = RevisionNumber::from_wire(told["revision"].as_i64()?)?;
    Some((number, told["digest"].as_str()?.parse().ok()?)).filter(|_| told["phase"] == "Halted")
}

/// Whether the status tells of a content, and no longer that it was given up.
fn is_tried(definition: &Value, content: Digest) -> bool {
    let told = &definition["status"]["propagation"];
    let is_given_up = matches!(told["phase"].as_str(), Some("Halted" | "Aborted" | "RolledBack"));
    let is_told = told.is_null() || told["digest"] == content.to_string() && !is_given_up;
    is_told || nobody_decides(definition)
}

pub(super) async fn approve(
    arguments: &ApproveStageArguments,
    output: &mut Output,
) -> Result<(), CommandError> {
    let (objects, definition) = seen(&arguments.definition).await?;
    let Some(current) = definition.revisions.current().map(|it| it.number) else {
        return Err(CommandError::wrong(format!("rgd/{} has no revision yet", definition.name())));
    };
    if arguments.deletes {
        // The way back is not approved of once and for all, but from what was given up.
        let approved = match definition.revisions.hold {
            Hold::Held { by: Place::Mark { given_up, .. }, .. } => given_up,
            Hold::Held { .. } | Hold::Released | Hold::Invalid(_) => current,
        };
        let wanted = [(names::ALLOW_DELETES_ANNOTATION, approved.to_string())];
        let wanted = wanted.each_ref().map(|(key, text)| (*key, text.as_str()));
        annotate::set(&objects, &definition.kind, &definition.object, &wanted).await?;
        output.text(&format!("Revision {current} may delete what it no longer has\n"))?;
        if krono_views::waits_for_deletes(&definition.object) {
            return Ok(());
        }
        return output.note("nobody waits for that so far");
    }
    let stages = stages(&definition.object);
    let stage = match &arguments.stage {
        Some(stage) => stage.clone(),
        None => waiting(&definition.object).ok_or_else(|| {
            CommandError::wrong(format!("no stage of rgd/{} waits for approval", definition.name()))
                .hint("--stage=NAME approves of one beforehand")
        })?,
    };
    if !stages.contains(&stage) {
        let error = CommandError::wrong(format!("rgd/{} has no stage {stage:?}", definition.name()));
        return Err(if stages.is_empty() {
            error
        } else {
            error.hint(format!("there are {}", stages.join(", ")))
        });
    }
    let text = approved(&definition.object, &current.to_string(), &stage);
    let wanted = [(names::APPROVED_STAGES_ANNOTATION, text.as_str())];
    annotate::set(&objects, &definition.kind, &definition.object, &wanted).await?;
    output.text(&format!("Stage {stage} may move to revision {current}\n"))
}

/// A definition whose status is about its spec as it is, so that nobody approves of what was current before.
async fn seen(arguments: &DefinitionArguments) -> Result<(Objects, Definition), CommandError> {
    let (objects, definition) = super::definition(&arguments.place, &arguments.object).await?;
    let is_seen = |it: &Value| it["status"]["observedGeneration"] == it["metadata"]["generation"];
    let Some(limit) = arguments.wait.limit().filter(|_| !is_seen(&definition.object)) else {
        return Ok((objects, definition));
    };
    let look = |it: &Value| is_seen(it).then_some(());
    match until(&objects, &definition.kind, definition.object.clone(), limit, look).await? {
        Waited::Seen(()) => {
            let definition = subject::definition(&objects, definition.name()).await?;
            Ok((objects, definition))
        }
        Waited::TimedOut(_) => Err(CommandError::wrong(format!(
            "no controller has looked at the last edit of rgd/{} within {} s",
            definition.name(),
            limit.as_secs()
        ))
        .hint(cluster::IS_THERE_A_CONTROLLER)),
    }
}

/// Asks for something that the controller answers by taking the request away; then the definition is to be like this.
async fn ask(
    objects: &Objects,
    definition: &Definition,
    arguments: &DefinitionArguments,
    request: &str,
    is_so: impl Fn(&Value) -> bool,
) -> Result<(), CommandError> {
    // A pause stays when the request is answered.
    let stays = request_of(&definition.object).filter(|it| *it == PAUSED);
    let text = stays.map_or_else(|| request.to_owned(), |it| format!("{it}, {request}"));
    let asked = annotate::set(objects, &definition.kind, &definition.object, &[(KEY, &text)]).await?;
    let is_answered = |it: &Value| request_of(it) == stays;
    answered(objects, definition, asked, arguments, |it| (is_answered(it) && is_so(it)).then_some(())).await
}

async fn answered(
    objects: &Objects,
    definition: &Definition,
    asked: Value,
    arguments: &DefinitionArguments,
    look: impl FnMut(&Value) -> Option<()>,
) -> Result<(), CommandError> {
    let Some(limit) = arguments.wait.limit() else { return Ok(()) };
    match until(objects, &definition.kind, asked, limit, look).await? {
        Waited::Seen(()) => Ok(()),
        Waited::TimedOut(last) => Err(unanswered(&last, KEY, limit)),
    }
}

fn request_of(definition: &Value) -> Option<&str> {
    definition["metadata"]["annotations"][KEY].as_str()
}

fn stages(definition: &Value) -> Vec<String> {
    let stages = definition["spec"]["propagation"]["stages"].as_array().into_iter().flatten();
    stages.filter_map(|it| it["name"].as_str()).map(str::to_owned).collect()
}

/// The first stage that wants approval and has none.
fn waiting(definition: &Value) -> Option<String> {
    let told = definition["status"]["propagation"]["waiting"].as_array().into_iter().flatten();
    let mut waits = told.filter(|it| it["reason"] == "StageNeedsApproval");
    let message = waits.next()?["message"].as_str()?;
    stages(definition).into_iter().find(|it| message.contains(&format!("{it:?}")))
}

/// Those of this revision that were approved before, and one more.
fn approved(definition: &Value, number: &str, stage: &str) -> String {
    let known = definition["metadata"]["annotations"][names::APPROVED_STAGES_ANNOTATION].as_str();
    let known = known.and_then(|it| it.split_once(':')).filter(|(of, _)| of.trim() == number);
    let mut stages: Vec<&str> = known
        .into_iter()
        .flat_map(|(_, it)| it.split(','))
        .map(str::trim)
        .filter(|it| *it != stage)
        .collect();
    stages.push(stage);
    format!("{number}: {}", stages.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn approvals_of_one_revision_add_up() {
        let check = |known: Value, expected: &str| {
            let definition = json!({"metadata": {"annotations": {names::APPROVED_STAGES_ANNOTATION: known}}});
            assert_eq!(approved(&definition, "3", "eu"), expected);
        };
        check(Value::Null, "3: eu");
        check(json!("2: canary"), "3: eu");
        check(json!("3: canary"), "3: canary, eu");
        check(json!("3: eu"), "3: eu");
    }

    #[test]
    fn v21_who_asks_to_try_again_waits_until_it_is_tried() {
        let check = |propagation: Value, expected: bool| {
            let definition = json!({"status": {"propagation": propagation}});
            let content = "b".repeat(40).parse().unwrap();
            assert_eq!(is_tried(&definition, content), expected, "{definition}");
        };
        let told = |digest: &str, phase: &str| json!({"digest": digest.repeat(40), "phase": phase});
        check(told("b", "Halted"), false);
        check(told("a", "Completed"), false);
        check(told("b", "Propagating"), true);
        check(Value::Null, true);
    }

    #[test]
    fn v42_nobody_waits_for_an_answer_where_nobody_decides() {
        let check = |condition: &str, expected: bool| {
            let condition = json!({"type": condition, "status": "True", "message": "so it is"});
            let propagation = json!({"digest": "b".repeat(40), "phase": "Halted"});
            let definition = json!({"status": {"conditions": [condition], "propagation": propagation}});
            assert_eq!(nobody_decides(&definition), expected, "{definition}");
            assert_eq!(is_tried(&definition, "b".repeat(40).parse().unwrap()), expected, "{definition}");
        };
        check("PropagationInvalid", true);
        check("HoldInvalid", true);
        check("PropagationHalted", false);
    }

    #[test]
    fn v42_a_pause_is_told_from_what_stands_beside_it() {
        let check = |request: Option<&str>, expected: Pause| assert_eq!(Pause::of(request), expected);
        let asked = |beside: &str| Pause::Asked { beside: beside.to_owned() };
        check(None, Pause::None);
        check(Some("retry"), Pause::None);
        check(Some("paused"), asked(""));
        check(Some("paused, retry"), asked("retry"));
        check(Some("stop"), Pause::Nonsense("stop".to_owned()));
        check(Some("paused, stop"), Pause::Nonsense("paused, stop".to_owned()));
    }

    #[test]
    fn the_stage_that_waits_is_found() {
        let wait = json!({"reason": "StageNeedsApproval", "message": "stage \"eu\" waits for approval; approve of it"});
        let definition = json!({
            "spec": {"propagation": {"stages": [{"name": "canary"}, {"name": "eu"}]}},
            "status": {"propagation": {"waiting": [wait]}},
        });
        assert_eq!(waiting(&definition).as_deref(), Some("eu"));
        assert_eq!(waiting(&json!({})), None);
    }
}
