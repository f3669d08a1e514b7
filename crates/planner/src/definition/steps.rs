//! What the lineage of a definition needs, as changes of objects.

use std::collections::BTreeMap;

use krono_history::answered::Answered;
use krono_history::issue::{Action as Step, Issue, Notice as OfLineage};
use krono_history::retention::Reason;
use krono_history::revision::{ObjectVersion, owner_reference};
use krono_history::rollback::{Ending, Refusal};
use krono_history::writer::{author_of_annotation, writer_of_request};
use krono_history::{Digest, RevisionNumber};
use krono_model::names;
use serde_json::{Map, Value, json};

use super::{Action, Failure, Notice, Plan, World, lineage, restore, revision_status};
use crate::refused;

/// The next changes; nothing when there is nothing to change, or when the server has just refused it.
pub(super) fn steps(world: &World<'_>, issue: &Issue) -> Option<Plan> {
    if matches!(world.failure, Some(Failure::Revision(_))) {
        return None;
    }
    let mut steps = Steps::new(world);
    issue.actions.iter().for_each(|step| steps.take(step));
    steps.answer(issue);
    steps.release(issue);
    steps.hold();
    if steps.first.is_empty() {
        steps.publish(issue);
    }
    steps.finish(&issue.report.notices)
}

/// The answer to a request to roll back that nothing can come of.
pub(super) fn refuse(world: &World<'_>, request: &str, refusal: Refusal) -> Option<Plan> {
    let mut steps = Steps::new(world);
    steps.answered(names::ROLLBACK_ANNOTATION, request);
    let words = refused::noted(world.definition, &refusal.to_string());
    steps.annotate(names::ROLLBACK_REFUSED_ANNOTATION, words);
    steps.finish(&[OfLineage::RollbackRefused(refusal)])
}

struct Steps<'w, 'a> {
    world: &'w World<'a>,
    /// What changes the definition's version, and with it whatever names that version.
    first: Vec<Action>,
    annotations: Map<String, Value>,
    spec: Option<Value>,
    revisions: BTreeMap<String, (ObjectVersion, Value)>,
    statuses: Vec<Action>,
    deletions: Vec<Action>,
    notices: Vec<Notice>,
}

impl<'w, 'a> Steps<'w, 'a> {
    fn new(world: &'w World<'a>) -> Self {
        Self {
            world,
            first: Vec::new(),
            annotations: Map::new(),
            spec: None,
            revisions: BTreeMap::new(),
            statuses: Vec::new(),
            deletions: Vec::new(),
            notices: Vec::new(),
        }
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Reserve(number) => self.reserve(*number),
            Step::Create(new) => {
                self.first.push(Action::CreateRevision(lineage::object(self.world, new)));
            }
            Step::RestoreSpec { from, request, hold } => self.restore(*from, request, *hold),
            Step::AnswerRollback { request } => self.answered(names::ROLLBACK_ANNOTATION, request),
            Step::AnswerCreate => self.annotate(names::CREATE_REVISION_ANNOTATION, Value::Null),
            Step::FinishRestoring => {
                self.annotate(names::RESTORING_ANNOTATION, Value::Null);
                self.annotate(names::RESTORING_FOR_ANNOTATION, Value::Null);
            }
            // Beside what else the status of a revision says.
            Step::SetSuperseded { .. } => {}
            Step::NoteReplaced { revision, at } => {
                self.change(revision, &json!({"annotations": {names::REPLACED_ANNOTATION: at.to_string()}}));
            }
            Step::Adopt(revision) => {
                let owners = json!([owner_reference(self.world.definition)]);
                let annotations = json!({names::ORPHANED_ANNOTATION: null});
                self.change(revision, &json!({"ownerReferences": owners, "annotations": annotations}));
            }
            Step::MarkUnused { revision, since } => {
                let mark = json!({names::UNUSED_SINCE_ANNOTATION: since.to_string()});
                self.change(revision, &json!({"annotations": mark}));
            }
            Step::Unmark(revision) => {
                self.change(revision, &json!({"annotations": {names::UNUSED_SINCE_ANNOTATION: null}}));
            }
            Step::Prune(revision) => self
                .deletions
                .push(Action::DeleteRevision { name: revision.name.clone(), uid: revision.uid.clone() }),
        }
    }

    fn reserve(&mut self, number: RevisionNumber) {
        let version = &self.world.definition["metadata"]["resourceVersion"];
        let content = Digest::of_definition(&self.world.definition["spec"]).to_string();
        let status = json!({"lastIssuedRevision": number.to_wire(), lineage::RESERVED: content});
        self.first.push(Action::Reserve(json!({"metadata": {"resourceVersion": version}, "status": status})));
    }

    fn restore(&mut self, from: RevisionNumber, request: &str, hold: Ending) {
        self.answered(names::ROLLBACK_ANNOTATION, request);
        self.annotate(names::RESTORING_ANNOTATION, json!(from.to_string()));
        let asked = author_of_annotation(self.world.definition, names::ROLLBACK_ANNOTATION);
        let asked = asked.and_then(|it| serde_json::to_string(&it).ok());
        self.annotate(names::RESTORING_FOR_ANNOTATION, asked.map_or(Value::Null, Value::String));
        self.annotate(names::ROLLBACK_REFUSED_ANNOTATION, Value::Null);
        let mut spec = restore::spec(self.world, from);
        if hold == Ending::Ends {
            self.annotate(names::ACTIVE_REVISION_ANNOTATION, Value::Null);
            if !self.world.definition["spec"]["revisionManagement"]["activeRevision"].is_null() {
                spec["revisionManagement"] = json!({"activeRevision": null});
            }
        }
        self.spec = Some(spec);
    }

    /// A request that stands in the annotation `key` goes, and is remembered.
    fn answered(&mut self, key: &str, request: &str) {
        let writer = writer_of_request(self.world.definition, key);
        let answered = Answered::of(self.world.definition).with(request, writer.as_ref());
        self.annotate(names::ROLLBACK_ANNOTATION, Value::Null);
        self.annotate(names::ROLLBACK_FORCE_ANNOTATION, Value::Null);
        self.annotate(names::ANSWERED_ROLLBACK_ANNOTATION, json!(answered.to_string()));
    }

    /// What was refused is told beside the event, until somebody edits the definition.
    fn answer(&mut self, issue: &Issue) {
        let refused = issue.report.notices.iter().find_map(|it| match it {
            OfLineage::RollbackRefused(refusal) => Some(refusal.to_string()),
            OfLineage::Issued { .. }
            | OfLineage::RollingBack { .. }
            | OfLineage::RequestPutBack { .. }
            | OfLineage::CreateRefused { .. }
            | OfLineage::Pruned { .. } => None,
        });
        if let Some(words) = refused {
            self.annotate(names::ROLLBACK_REFUSED_ANNOTATION, refused::noted(self.world.definition, &words));
        }
        if let Some(notice) = lineage::misplaced(self.world.definition) {
            let key = names::INPUT_ROLLBACK_ANNOTATION;
            let request = lineage::annotation(self.world.definition, key);
            self.answered(key, request.unwrap_or_default());
            self.annotate(key, Value::Null);
            let words = refused::noted(self.world.definition, &notice.to_string());
            self.annotate(names::ROLLBACK_REFUSED_ANNOTATION, words);
            self.notices.push(notice);
        }
    }

    /// Revisions that somebody deleted go as soon as nothing needs them.
    fn release(&mut self, issue: &Issue) {
        for number in self.world.past.deleted {
            if needed(issue, *number) {
                continue;
            }
            let Some(object) = self.world.past.objects.get(number) else { continue };
            let finalizers = super::finalizers(object).iter().filter(|it| **it != names::FINALIZER);
            let finalizers: Vec<&Value> = finalizers.collect();
            self.change(&version(object), &json!({"finalizers": finalizers}));
        }
    }

    /// Revisions that were handed back to kro, or restored without finalizers, are held again.
    fn hold(&mut self) {
        for object in self.world.past.objects.values() {
            if !super::is_terminating(object) && !super::has_finalizer(object) {
                let all = super::finalizers(object).iter().cloned().chain([json!(names::FINALIZER)]);
                self.change(&version(object), &json!({"finalizers": all.collect::<Vec<_>>()}));
            }
        }
    }

    /// What the status of each revision should say and does not.
    fn publish(&mut self, issue: &Issue) {
        for (number, object) in self.world.past.objects {
            let Some(status) = revision_status::of(self.world, issue, *number, object) else { continue };
            let is_new = object["status"]["superseded"] == false && status["superseded"] == true;
            if let (true, Some(current)) = (is_new, &issue.report.current) {
                self.notices.push(Notice::Superseded { number: *number, by: current.number });
            }
            let ObjectVersion { name, uid, .. } = version(object);
            let patch = json!({"metadata": {"uid": uid}, "status": status});
            self.statuses.push(Action::PatchRevisionStatus { name, patch });
        }
    }

    /// Only what is different is written.
    fn annotate(&mut self, key: &str, value: Value) {
        if self.world.definition["metadata"]["annotations"][key] != value {
            self.annotations.insert(key.to_owned(), value);
        }
    }

    /// All changes of one revision are one write.
    fn change(&mut self, revision: &ObjectVersion, metadata: &Value) {
        let known = self.revisions.entry(revision.name.clone());
        let (_, patch) = known.or_insert_with(|| (revision.clone(), json!({})));
        for (field, value) in metadata.as_object().into_iter().flatten() {
            match (field.as_str(), value) {
                ("annotations", Value::Object(annotations)) => {
                    for (key, value) in annotations {
                        patch[field][key] = value.clone();
                    }
                }
                (_, _) => patch[field] = value.clone(),
            }
        }
    }

    fn finish(self, told: &[OfLineage]) -> Option<Plan> {
        let mut actions = self.first;
        let is_changed = self.spec.is_some() || !self.annotations.is_empty();
        if actions.is_empty() && is_changed {
            let version = &self.world.definition["metadata"]["resourceVersion"];
            let mut patch = json!({"metadata": {"resourceVersion": version}});
            if !self.annotations.is_empty() {
                patch["metadata"]["annotations"] = self.annotations.into();
            }
            actions.push(match self.spec {
                Some(spec) => {
                    patch["spec"] = spec;
                    Action::RestoreDefinition(patch)
                }
                None => Action::PatchDefinition(patch),
            });
        }
        for (name, (seen, mut metadata)) in self.revisions {
            metadata["uid"] = json!(seen.uid);
            metadata["resourceVersion"] = json!(seen.resource_version);
            actions.push(Action::PatchRevision { name, patch: json!({"metadata": metadata}) });
        }
        actions.extend(self.statuses);
        actions.extend(self.deletions);
        let notices = told.iter().map(Notice::of).chain(self.notices).collect();
        (!actions.is_empty()).then(|| Plan { actions, notices, ..Plan::default() })
    }
}

/// Whether a revision is needed for more than to be looked back at.
pub(super) fn needed(issue: &Issue, number: RevisionNumber) -> bool {
    let reasons = issue.report.kept.get(&number).into_iter().flatten();
    reasons.into_iter().any(|it| match it {
        Reason::Current
        | Reason::Latest
        | Reason::Held
        // Where a propagation that fails goes back to.
        | Reason::LastCompleted
        | Reason::RollbackSource
        | Reason::Named
        | Reason::Assigned
        | Reason::Mark => true,
        Reason::Released | Reason::Recent => false,
    })
}

fn version(object: &Value) -> ObjectVersion {
    let text = |field: &str| super::metadata(object, field).to_owned();
    ObjectVersion { name: text("name"), uid: text("uid"), resource_version: text("resourceVersion") }
}
