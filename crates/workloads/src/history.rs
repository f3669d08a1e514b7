//! Numbered revisions of a Pod template, as objects.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use k8s_openapi::apimachinery::pkg::runtime::RawExtension;
use serde_json::{Value, json};

use crate::action::Plan;
use crate::adoption;
use crate::fingerprint::name_suffix;
use crate::kind::{Kept, World};
use crate::owner;

/// The label of Pods that says which revision they are of.
pub(crate) const REVISION_LABEL: &str = "controller-revision-hash";
const HASH_LABEL: &str = "controller.kubernetes.io/hash";

/// The revisions of one owner.
pub(crate) struct History<'a> {
    /// Oldest first.
    revisions: Vec<&'a Arc<ControllerRevision>>,
    /// The name of the revision of the current template.
    pub(crate) latest: String,
    /// What tells that revision's name from others'.
    pub(crate) hash: String,
}

impl<'a> History<'a> {
    /// The history of the owner, in which the template is made the latest revision.
    pub(crate) fn keep<O: Kept>(
        world: &'a World,
        owner: &O,
        selector: &LabelSelector,
        template: &PodTemplateSpec,
        plan: &mut Plan,
    ) -> Self {
        let mut revisions: Vec<&Arc<ControllerRevision>> = adoption::claim(world, owner, selector, plan);
        revisions.sort_by_key(|it| (it.revision, it.metadata.name.clone()));
        let data = data(template);
        let next = revisions.last().map_or(1, |it| it.revision + 1);
        let known = revisions.iter().position(|it| it.data.as_ref().is_some_and(|it| it.0 == data));
        let Some(position) = known else {
            let hash = name_suffix(&data, None);
            let revision = revision(owner, template, data, &hash, next);
            let latest = revision.metadata.name.clone().unwrap_or_default();
            plan.create(&revision);
            return Self { revisions, latest, hash };
        };
        let known = revisions[position];
        if position + 1 < revisions.len() {
            plan.patch(&**known, json!({"revision": next}));
        }
        let latest = known.metadata.name.clone().unwrap_or_default();
        let hash = known.metadata.labels.as_ref().and_then(|it| it.get(HASH_LABEL)).cloned();
        Self { revisions, latest, hash: hash.unwrap_or_default() }
    }

    /// The template of a revision.
    pub(crate) fn template(&self, name: &str) -> Option<PodTemplateSpec> {
        let found = self.revisions.iter().find(|it| it.metadata.name.as_deref() == Some(name))?;
        let mut template = found.data.as_ref()?.0.pointer("/spec/template")?.clone();
        template.as_object_mut()?.remove("$patch");
        serde_json::from_value(template).ok()
    }

    /// Deletes the oldest revisions beyond the limit that nothing uses.
    pub(crate) fn clean_up(&self, limit: Option<i32>, is_used: impl Fn(&str) -> bool, plan: &mut Plan) {
        let limit = usize::try_from(limit.unwrap_or(10)).unwrap_or_default();
        let name = |it: &ControllerRevision| it.metadata.name.clone().unwrap_or_default();
        let idle: Vec<_> =
            self.revisions.iter().filter(|it| name(it) != self.latest && !is_used(&name(it))).collect();
        let surplus = idle.len().saturating_sub(limit);
        for revision in idle.into_iter().take(surplus) {
            plan.delete(&***revision);
        }
    }
}

/// What `kubectl rollout undo` sends back as a patch.
fn data(template: &PodTemplateSpec) -> Value {
    let mut template = json!(template);
    template["$patch"] = json!("replace");
    json!({"spec": {"template": template}})
}

fn revision<O: Kept>(
    owner: &O,
    template: &PodTemplateSpec,
    data: Value,
    hash: &str,
    number: i64,
) -> ControllerRevision {
    let mut labels = template.metadata.as_ref().and_then(|it| it.labels.clone()).unwrap_or_default();
    labels.insert(HASH_LABEL.to_owned(), hash.to_owned());
    if O::KIND == crate::kind::Kind::DaemonSet {
        labels.insert(REVISION_LABEL.to_owned(), hash.to_owned());
    }
    ControllerRevision {
        metadata: ObjectMeta {
            name: Some(format!("{}-{hash}", owner.meta().name.as_deref().unwrap_or_default())),
            namespace: owner.meta().namespace.clone(),
            labels: Some(labels),
            annotations: owner.meta().annotations.clone(),
            owner_references: Some(vec![owner::reference(owner)]),
            ..ObjectMeta::default()
        },
        data: Some(RawExtension(data)),
        revision: number,
    }
}
