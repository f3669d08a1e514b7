//! The world of a definition as its lineage sees it.

use jiff::Timestamp;
use krono_graph::CompiledGraph;
use krono_history::answered::Answered;
use krono_history::hold::Wish;
use krono_history::issue::{
    Issue, Judgement, Life, NewRevision, UpdatePolicy, World as LineageWorld, issue as decide,
};
use krono_history::number::Traces;
use krono_history::retention::{Freshness, HISTORY_LIMIT, Uses};
use krono_history::revision::{Health, History, Lineage, Revision, definition_revision_object};
use krono_history::rollback::{Force, Request};
use krono_history::writer::{is_forced, keeper_of_spec, writer_of_request};
use krono_history::{Digest, RevisionNumber};
use krono_model::names;
use krono_model::wire::Author;
use krono_propagation::mark;
use serde_json::Value;

use super::{Failure, Notice, Serving, World, crd, metadata, steps};

/// The field of the status that tells which content the last issued number was taken for.
pub(super) const RESERVED: &str = "reservedRevisionHash";

/// What the lineage of a definition needs next.
pub(super) fn issue(world: &World<'_>, judgement: Judgement<'_>) -> Issue {
    let definition = world.definition;
    let lineage = Lineage::Definition { name: metadata(definition, "name").to_owned() };
    let spec = Digest::of_definition(&definition["spec"]);
    let management = &definition["spec"]["revisionManagement"];
    let keeper = keeper_of_spec(definition);
    let history = judged(world);
    let good = mark::last_good(&history, |it| it.is_completed).map(|it| it.number);
    let uses = Uses { last_completed: good, ..world.past.uses.clone() };
    decide(&LineageWorld {
        lineage: &lineage,
        spec,
        judgement,
        size: size(world, spec),
        history: &history,
        traces: traces(world),
        reserved: definition["status"][RESERVED].as_str().and_then(|it| it.parse().ok()),
        update_policy: if management["updatePolicy"]["type"] == "Manual" {
            UpdatePolicy::Manual
        } else {
            UpdatePolicy::Automatic
        },
        create_request: annotation(definition, names::CREATE_REVISION_ANNOTATION),
        rollback: request(world),
        answered: &Answered::of(definition),
        restoring: annotation(definition, names::RESTORING_ANNOTATION).and_then(|it| it.parse().ok()),
        keeper: keeper.as_deref(),
        hold: wish(definition, &history),
        serving: last_served(world, &history),
        uses: &uses,
        history_limit: management["historyLimit"].as_u64().unwrap_or(HISTORY_LIMIT),
        life: Life::Living,
        freshness: world.past.freshness,
        now: now(world),
    })
}

/// Whether something has to be read that caches do not show: numbers, managed fields, what is about to be deleted.
pub(super) fn needs_live_look(world: &World<'_>, issue: &Issue) -> bool {
    let requests = [names::ROLLBACK_ANNOTATION, names::INPUT_ROLLBACK_ANNOTATION];
    let has_request = requests.iter().any(|it| annotation(world.definition, it).is_some());
    let releases = world.past.deleted.iter().any(|it| !steps::needed(issue, *it));
    world.past.freshness == Freshness::Cached && (issue.report.needs_live_look || has_request || releases)
}

/// The object that holds a new revision.
pub(super) fn object(world: &World<'_>, new: &NewRevision) -> Value {
    let mut typed =
        definition_revision_object(new, world.definition, world.past.interface, world.notes, now(world));
    if is_asked_for(world.definition, new) {
        typed.spec.author = restored_for(world.definition, typed.spec.author.and_then(|it| it.user));
        typed.spec.change_cause = typed.spec.change_cause.filter(|it| !is_cause_of_another(world, it));
    }
    let mut object = held(serde_json::to_value(typed).unwrap_or_default());
    if let Some(from) = new.restored_from.filter(|_| is_asked_for(world.definition, new)) {
        object["metadata"]["annotations"][names::ROLLED_BACK_TO_ANNOTATION] = from.to_string().into();
    }
    object
}

/// Whoever asked for a rollback: the field manager as the definition tells, the user as a witness does.
fn restored_for(definition: &Value, user: Option<String>) -> Option<Author> {
    let noted = annotation(definition, names::RESTORING_FOR_ANNOTATION);
    let asked: Option<Author> = noted.and_then(|it| serde_json::from_str(it).ok());
    let is_known = asked.is_some() || user.is_some();
    is_known.then(|| Author { user, ..asked.unwrap_or_default() })
}

/// Whether a revision is what somebody asked for by a rollback, not by an edit.
fn is_asked_for(definition: &Value, new: &NewRevision) -> bool {
    let restoring = annotation(definition, names::RESTORING_ANNOTATION).and_then(|it| it.parse().ok());
    restoring.is_some() && restoring == new.restored_from
}

/// Whether a cause was left by an earlier change.
fn is_cause_of_another(world: &World<'_>, cause: &str) -> bool {
    world.past.objects.values().any(|it| it["spec"]["changeCause"] == cause)
}

/// A revision that stays while it is needed, whoever deletes it.
pub(super) fn held(mut revision: Value) -> Value {
    revision["metadata"]["finalizers"] = serde_json::json!([names::FINALIZER]);
    revision
}

pub(super) fn now(world: &World<'_>) -> Timestamp {
    world.now.parse().unwrap_or(Timestamp::UNIX_EPOCH)
}

pub(super) fn annotation<'v>(object: &'v Value, key: &str) -> Option<&'v str> {
    object["metadata"]["annotations"][key].as_str()
}

/// Why a request is refused whatever it asks for: it is meant for an instance, or there are two.
///
/// One that a tool has put back after it was answered is left alone.
pub(super) fn misplaced(definition: &Value) -> Option<Notice> {
    let key = names::INPUT_ROLLBACK_ANNOTATION;
    let request = annotation(definition, key)?;
    if Answered::of(definition).put_back(request, writer_of_request(definition, key).as_ref()).is_some() {
        return None;
    }
    let is_alone = annotation(definition, names::ROLLBACK_ANNOTATION).is_none();
    Some(if is_alone { Notice::RequestOfInstance } else { Notice::TwoRequests })
}

pub(super) fn request<'a>(world: &World<'a>) -> Option<Request<'a>> {
    let definition = world.definition;
    let text = annotation(definition, names::ROLLBACK_ANNOTATION)?;
    let force = is_forced(definition, names::ROLLBACK_ANNOTATION);
    let request = Request {
        text,
        writer: writer_of_request(definition, names::ROLLBACK_ANNOTATION),
        force: if force { Force::Yes } else { Force::No },
        rejected: match world.failure {
            Some(Failure::Rollback(words)) => Some(words),
            Some(Failure::Crd(_) | Failure::Controller(_) | Failure::Revision(_)) | None => None,
        },
    };
    misplaced(definition).is_none().then_some(request)
}

pub(super) fn wish<'d>(definition: &'d Value, history: &History) -> Wish<'d> {
    let management = &definition["spec"]["revisionManagement"];
    let minimum = management["instances"]["minimumRevision"].as_i64();
    Wish {
        annotation: annotation(definition, names::ACTIVE_REVISION_ANNOTATION),
        field: management["activeRevision"].as_i64(),
        minimum: minimum.and_then(RevisionNumber::from_wire),
        automatic: mark::way_back(history),
    }
}

/// What the status says, which is the same for all processes; else what instances are looked after with, else the newest that
/// instances have been assigned to.
fn last_served(world: &World<'_>, history: &History) -> Option<RevisionNumber> {
    let served = match world.serving {
        Serving::Revision(digest) => history.newest_with(digest),
        Serving::Nothing | Serving::Graphless => None,
    };
    let assigned = world.past.uses.contents.iter().filter_map(|it| history.newest_with(*it));
    let newest = || assigned.map(|it| it.number).max();
    published(&world.definition["status"], history).or_else(|| served.map(|it| it.number).or_else(newest))
}

/// What the status says; a number whose content is another is unknown.
fn published(status: &Value, history: &History) -> Option<RevisionNumber> {
    let number = RevisionNumber::from_wire(status["currentRevision"].as_i64()?)?;
    let digest = status["currentRevisionHash"].as_str()?.parse().ok()?;
    history.recall(number, digest).map(|it| it.number)
}

/// The graph of the definition as it is: once it is the latest revision's, that one's, whatever kinds have become since.
pub(super) fn graph<'a>(world: &World<'a>, compiled: &'a CompiledGraph) -> &'a CompiledGraph {
    let digest = Digest::of_definition(&world.definition["spec"]);
    let is_issued = world.past.history.latest().is_some_and(|it| it.digest == digest);
    let issued = if is_issued { world.past.graph_of(digest) } else { None };
    issued.and_then(Result::ok).unwrap_or(compiled)
}

/// Where numbers have been seen.
pub(super) fn traces(world: &World<'_>) -> Traces {
    Traces {
        last_issued: world.definition["status"]["lastIssuedRevision"]
            .as_i64()
            .and_then(RevisionNumber::from_wire),
        live: world.past.history.highest(),
        crd: crd::own(world).and_then(crd::revision),
        statuses: world.past.statuses,
        claims: world.past.claims,
    }
}

/// How large the revision of an edit would be; nothing is measured that has one.
fn size(world: &World<'_>, digest: Digest) -> usize {
    if world.past.history.latest().is_some_and(|it| it.digest == digest) {
        return 0;
    }
    let number = RevisionNumber::FIRST;
    let new = NewRevision { name: String::new(), number, digest, restored_from: None };
    object(world, &new).to_string().len()
}

/// The history, with what is known of the revisions that somebody asks for: whether they compile.
fn judged(world: &World<'_>) -> History {
    let definition = world.definition;
    let wish = wish(definition, world.past.history);
    let asked = [wish.annotation, annotation(definition, names::ROLLBACK_ANNOTATION)];
    let asked = asked.into_iter().flatten().filter_map(|it| it.parse().ok());
    let written = wish.field.and_then(RevisionNumber::from_wire);
    let back = wish.automatic.map(|it| it.number);
    let asked: Vec<RevisionNumber> = asked.chain(written).chain(back).collect();
    let judged = |revision: &Revision| {
        let is_asked = asked.contains(&revision.number);
        match is_asked.then(|| world.past.graph_of(revision.digest)).flatten() {
            Some(Err(words)) => {
                Revision { health: Health::DoesNotCompile(words.to_owned()), ..revision.clone() }
            }
            Some(Ok(_)) | None => revision.clone(),
        }
    };
    History::new(world.past.history.all().map(judged).collect())
}
