//! Every name that krono writes on objects: labels, annotations, finalizers, field managers, the Lease.
//!
//! Where kro has a name for the same thing it is kro's, so that either can take over what the other left.

/// Public keys; authors may not use it in templates.
pub const PREFIX: &str = "kro.run/";
/// Keys that are nobody's business but the controller's; authors may not use it in templates.
pub const INTERNAL_PREFIX: &str = "internal.kro.run/";

/// The kro release whose wire format this is; written to [`KRO_VERSION_LABEL`] and [`TOOLING`].
///
/// A settled constant and not krono's own version: another value is one more write on every object there is, and kro
/// refuses to delete what the tooling of another name has left.
pub const KRO_VERSION: &str = "v0.9.4";

/// The value of [`APPLYSET_TOOLING_ANNOTATION`].
pub const TOOLING: &str = "kro/v0.9.4";
/// What the tooling annotation starts with, whatever the release.
pub const TOOLING_PREFIX: &str = "kro/";

/// `true` on everything that a definition brings about.
pub const OWNED_LABEL: &str = "kro.run/owned";
/// [`KRO_VERSION`].
pub const KRO_VERSION_LABEL: &str = "kro.run/kro-version";

/// The UID of the definition, on its CRD and instances.
pub const DEFINITION_ID_LABEL: &str = "kro.run/resource-graph-definition-id";
/// The name of the definition, on its CRD, instances and revisions.
pub const DEFINITION_NAME_LABEL: &str = "kro.run/resource-graph-definition-name";

/// The UID of the instance, on its resources.
pub const INSTANCE_ID_LABEL: &str = "kro.run/instance-id";
/// The name of the instance, on its resources.
pub const INSTANCE_NAME_LABEL: &str = "kro.run/instance-name";
/// The namespace of the instance, on its resources; absent when the instance has none.
pub const INSTANCE_NAMESPACE_LABEL: &str = "kro.run/instance-namespace";
/// The API group of the instance, on its resources.
pub const INSTANCE_GROUP_LABEL: &str = "kro.run/instance-group";
/// The API version of the instance, on its resources.
pub const INSTANCE_VERSION_LABEL: &str = "kro.run/instance-version";
/// The kind of the instance, on its resources.
pub const INSTANCE_KIND_LABEL: &str = "kro.run/instance-kind";
/// The node that a resource was made for.
pub const NODE_ID_LABEL: &str = "kro.run/node-id";
/// The position of a resource in its collection, from 0.
pub const COLLECTION_INDEX_LABEL: &str = "kro.run/collection-index";
/// How many resources the collection has.
pub const COLLECTION_SIZE_LABEL: &str = "kro.run/collection-size";
/// Kubernetes' own label for the tool that manages a resource.
pub const MANAGED_BY_LABEL: &str = "app.kubernetes.io/managed-by";
/// The value of [`MANAGED_BY_LABEL`].
pub const MANAGED_BY_VALUE: &str = "kro";

/// The id of the set of resources that an instance is the parent of, on the instance.
pub const APPLYSET_ID_LABEL: &str = "applyset.kubernetes.io/id";
/// The id of the set that a resource is part of.
pub const APPLYSET_PART_OF_LABEL: &str = "applyset.kubernetes.io/part-of";
/// Which tool manages the set, on the instance.
pub const APPLYSET_TOOLING_ANNOTATION: &str = "applyset.kubernetes.io/tooling";
/// The kinds of the resources in the set, on the instance.
pub const APPLYSET_GROUP_KINDS_ANNOTATION: &str = "applyset.kubernetes.io/contains-group-kinds";
/// The namespaces of the resources in the set beside the instance's own, on the instance.
pub const APPLYSET_NAMESPACES_ANNOTATION: &str = "applyset.kubernetes.io/additional-namespaces";
/// Shows whether somebody edited the two annotations above, on the instance.
pub const INVENTORY_DIGEST_ANNOTATION: &str = "internal.kro.run/applyset-inventory-hash";
/// The deletion wave of a resource; the highest goes first.
pub const APPLY_ORDER_ANNOTATION: &str = "internal.kro.run/apply-order";

/// A user's wish that an instance be left alone for now; see [`crate::metadata::is_suspended`].
pub const RECONCILE_ANNOTATION: &str = "kro.run/reconcile";
/// `true` on a definition lets a change of schema through that breaks instances.
pub const ALLOW_BREAKING_ANNOTATION: &str = "kro.run/allow-breaking-changes";
/// Leave for an edit of a definition that takes fields from instances which stay behind: the first digits of its content's digest.
pub const ALLOW_DATA_LOSS_ANNOTATION: &str = "krono.dev/allow-data-loss";
/// What becomes of a resource, or of a definition's instances, when it is no longer wanted.
pub const DELETION_POLICY_ANNOTATION: &str = "krono.dev/deletion-policy";
/// `true` on revisions that a definition left for its instances; they go with the last of those.
pub const ORPHANED_ANNOTATION: &str = "krono.dev/orphaned";
/// On an object that outlived its instance: the `ApplySet` it was made for.
pub const RETAINED_FROM_ANNOTATION: &str = "krono.dev/retained-from";

/// The identity of what a definition asked its CRD to be, on the CRD: tells a new wish from somebody's edit.
pub const CRD_DIGEST_ANNOTATION: &str = "krono.dev/crd-digest";

/// The keys of labels and annotations that a definition's author put on its CRD, on the CRD: those given up are found by it.
pub const CRD_METADATA_ANNOTATION: &str = "krono.dev/crd-metadata";

/// The name of the definition, on its revisions; shortened when it is too long for a label.
pub const REVISION_OF_LABEL: &str = "kro.run/rgd-name";
/// The number, on revisions of definitions.
pub const REVISION_NUMBER_LABEL: &str = "kro.run/revision-number";
/// The whole name of the definition, on its revisions whose label is shortened.
pub const REVISION_OF_ANNOTATION: &str = "krono.dev/rgd-name";
/// The number of a definition's revision: on resources and CRDs the one they are from, as a label on input revisions the one
/// they are based on, on an instance a pin.
pub const RGD_REVISION: &str = "kro.run/rgd-revision";
/// The number of an instance's input revision, on its resources and as a label on input revisions.
pub const INPUT_REVISION: &str = "kro.run/input-revision";
/// The UID of the instance, on its input revisions.
pub const INPUT_REVISION_OF_LABEL: &str = "krono.dev/instance-uid";
/// The whole name of the instance, on its input revisions whose label is shortened.
pub const INSTANCE_NAME_ANNOTATION: &str = "krono.dev/instance-name";

/// Stamps on resources whose own kind comes from a definition: there the plain key is a pin, and nothing but a pin.
pub const OWNER_STAMP_PREFIX: &str = "internal.kro.run/owner-";
/// What the names of stamps end in, after [`PREFIX`] or [`OWNER_STAMP_PREFIX`].
pub const STAMPS: [&str; 5] =
    ["rgd-revision", "input-revision", "instance-name", "instance-namespace", "resource-id"];

/// A request, on a definition: restore what a revision said.
pub const ROLLBACK_ANNOTATION: &str = "kro.run/rollback-to-revision";
/// A request, on an instance: restore an input revision.
pub const INPUT_ROLLBACK_ANNOTATION: &str = "kro.run/rollback-to-input-revision";
/// The requests to roll back that were answered, so that whoever puts one back is not obeyed twice: the last that people made,
/// or a list as JSON of managers with the last request of each.
pub const ANSWERED_ROLLBACK_ANNOTATION: &str = "krono.dev/answered-rollback";
/// The revision that a rollback wrote back, on the definition until the new revision is issued.
pub const RESTORING_ANNOTATION: &str = "krono.dev/restoring-revision";
/// Who asked for the rollback, on the definition until the new revision is issued: an author as in a revision, as JSON.
pub const RESTORING_FOR_ANNOTATION: &str = "krono.dev/restoring-for";
/// Why the last request to roll back was refused, after the generation of the object that it was about.
pub const ROLLBACK_REFUSED_ANNOTATION: &str = "krono.dev/rollback-refused";
/// `true` beside a request to roll back: it is meant even though a tool would put the spec back.
pub const ROLLBACK_FORCE_ANNOTATION: &str = "krono.dev/rollback-force";
/// A request, on a definition whose edits wait for it: issue a revision.
pub const CREATE_REVISION_ANNOTATION: &str = "krono.dev/create-revision";
/// Serve this revision whatever the definition says.
pub const ACTIVE_REVISION_ANNOTATION: &str = "krono.dev/active-revision";
/// Evaluate this input revision whatever the instance says.
pub const HOLD_INPUT_ANNOTATION: &str = "krono.dev/hold-input-revision";
/// `true` beside a request to roll an instance back: its spec alone is restored, and its pin left as it is.
pub const ROLLBACK_SPEC_ONLY_ANNOTATION: &str = "krono.dev/rollback-spec-only";
/// How fast a rollback reaches instances: `Instant` or `Controlled`.
pub const ROLLBACK_MODE_ANNOTATION: &str = "krono.dev/rollback-mode";
/// Why a change was made.
pub const CHANGE_CAUSE_ANNOTATION: &str = "krono.dev/change-cause";
/// Who wrote the spec, after the generation that it is about; written by whoever sees users.
pub const CHANGED_BY_ANNOTATION: &str = "krono.dev/changed-by";
/// Who asked for the rollback that stands beside it; written by whoever sees users.
pub const REQUESTED_BY_ANNOTATION: &str = "krono.dev/requested-by";
/// Who wished for what annotations say or said that stand on an object for long: pins, holds, approvals, by their keys; written
/// by whoever sees users.
pub const WISHED_BY_ANNOTATION: &str = "krono.dev/wished-by";
/// The kind of the second object of an event that tells which user acted.
pub const EVENT_OF_USER: &str = "User";
/// The kind of the second object of an event that tells by which field manager somebody acted whom nobody knows.
pub const EVENT_OF_MANAGER: &str = "FieldManager";
/// Why a change was made, as `kubectl` has it.
pub const KUBERNETES_CHANGE_CAUSE_ANNOTATION: &str = "kubernetes.io/change-cause";
/// How an instance follows its definition: `Auto`, `Manual` or `Paused`.
pub const UPDATE_POLICY_ANNOTATION: &str = "kro.run/update-policy";
/// The pin that krono took away from an instance when it was asked to: nobody else is to blame for that.
pub const UNPINNED_ANNOTATION: &str = "krono.dev/unpinned";
/// The revision that an instance may move to.
pub const APPROVE_REVISION_ANNOTATION: &str = "krono.dev/approve-revision";
/// On a revision that somebody asked for by a rollback, in place of an edit: the revision whose content it is.
pub const ROLLED_BACK_TO_ANNOTATION: &str = "krono.dev/rolled-back-to";
/// On a revision that a propagation gave up.
pub const FAILED_ANNOTATION: &str = "krono.dev/failed";
/// On a revision that reached everybody who takes part: since when, in RFC 3339.
pub const COMPLETED_ANNOTATION: &str = "krono.dev/completed";
/// What people want of a definition's propagation: `paused`, or a request to abort it or to try again.
pub const PROPAGATION_ANNOTATION: &str = "krono.dev/propagation";
/// The stages of a propagation that somebody approved of, after the revision: `3: canary, eu`.
pub const APPROVED_STAGES_ANNOTATION: &str = "krono.dev/approved-stages";
/// The revision whose deletions somebody approved of, on a definition.
pub const ALLOW_DELETES_ANNOTATION: &str = "krono.dev/allow-deletes";
/// When the turn of an instance is; the lowest comes first.
pub const PROPAGATION_ORDER_ANNOTATION: &str = "krono.dev/propagation-order";
/// On a revision since other content took its place: when that was, in RFC 3339. What took it need not be kept.
pub const REPLACED_ANNOTATION: &str = "krono.dev/replaced";
/// Since when nothing needs a revision, in RFC 3339; it is deleted a minute later, one without a definition an hour later.
pub const UNUSED_SINCE_ANNOTATION: &str = "krono.dev/unused-since";

/// The field manager of what krono writes for people: pins, holds, approvals.
pub const MANAGER_KRONO: &str = "krono";

/// On definitions, revisions and instances.
pub const FINALIZER: &str = "kro.run/finalizer";

/// The field manager of resources.
pub const MANAGER_RESOURCES: &str = "kro.run/applyset";
/// The field manager of the inventory on instances.
pub const MANAGER_PARENT: &str = "kro.run/applyset-parent";
/// The field manager of finalizer and labels on instances.
pub const MANAGER_LABELLER: &str = "kro.run/labeller";

/// The Lease that a controller holds while it works; kro's, so that only one of the two does.
pub const LEASE: &str = "controller.kro.run";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tooling_is_of_the_same_release() {
        assert_eq!(TOOLING, format!("{TOOLING_PREFIX}{KRO_VERSION}"));
    }
}
