//! Input revisions in the status of their instance.

use krono_model::wire::InputRevisionSummary;
use serde_json::{Value, json};

use super::{Definition, Input, Inputs, KeptSpec, Origin, PackedSpec, Standing};
use crate::retention::Restorable;
use crate::revision::History;
use crate::{Digest, RevisionNumber};

/// From `status.inputRevisionHistory`; what cannot be read is passed over.
pub fn read(history: &Value) -> Inputs {
    let entries = history.as_array().into_iter().flatten();
    let typed = entries.filter_map(|it| serde_json::from_value::<InputRevisionSummary>(it.clone()).ok());
    Inputs::new(typed.filter_map(|it| input(&it)).collect())
}

fn input(summary: &InputRevisionSummary) -> Option<Input> {
    let digest = |text: &Option<String>| text.as_deref()?.parse::<Digest>().ok();
    Some(Input {
        number: RevisionNumber::from_wire(summary.revision)?,
        definition: Definition {
            number: RevisionNumber::from_wire(summary.rgd_revision)?,
            digest: digest(&summary.rgd_revision_hash)?,
        },
        digest: digest(&summary.spec_hash)?,
        created_at: summary.created_at.clone(),
        restored_from: summary.restored_from.and_then(RevisionNumber::from_wire),
        origin: Origin { author: summary.author.clone(), change_cause: summary.change_cause.clone() },
        standing: summary.status.as_deref().and_then(Standing::read).unwrap_or(Standing::Superseded),
        spec: match &summary.spec {
            Some(text) => KeptSpec::Packed(PackedSpec::from_text(text)),
            None if summary.restorable == Some(false) => KeptSpec::Dropped,
            None => KeptSpec::Elsewhere,
        },
    })
}

/// `status.inputRevisionHistory`, given the revisions of the definition that are kept.
pub fn summaries(inputs: &Inputs, definitions: &History) -> Value {
    inputs.iter().map(|it| json!(summary(it, definitions))).collect()
}

fn summary(input: &Input, definitions: &History) -> InputRevisionSummary {
    let is_lost = input.restorable(definitions) != Restorable::Yes;
    InputRevisionSummary {
        revision: input.number.to_wire(),
        rgd_revision: input.definition.number.to_wire(),
        created_at: input.created_at.clone(),
        status: Some(input.standing.as_str().to_owned()),
        spec_hash: Some(input.digest.to_string()),
        rgd_revision_hash: Some(input.definition.digest.to_string()),
        restored_from: input.restored_from.map(RevisionNumber::to_wire),
        author: input.origin.author.clone(),
        change_cause: input.origin.change_cause.clone(),
        spec: input.packed().map(|it| it.as_str().to_owned()),
        restorable: is_lost.then_some(false),
    }
}
