//! What volumes must be.

use std::collections::HashSet;

use serde_json::Value;

use crate::builtin::findings::Findings;
use crate::builtin::place::Place;
use crate::builtin::{names, read};

/// Checks the volumes of a spec; gives their names.
pub(super) fn validate<'v>(spec: &'v Value, at: Place<'_>, findings: &mut Findings) -> HashSet<&'v str> {
    let mut seen = HashSet::new();
    for (index, volume) in read::list(spec, "volumes").iter().enumerate() {
        let at = at.index(index);
        source(volume, at, findings);
        let name = read::text(volume, "name");
        if name.is_empty() {
            findings.required(at.field("name"), "");
        } else {
            findings.complaints(at.field("name"), name, names::label(name));
        }
        if !seen.insert(name) {
            findings.duplicate(at.field("name"), name);
        }
    }
    seen.remove("");
    seen
}

fn source(volume: &Value, at: Place<'_>, findings: &mut Findings) {
    let fields = volume.as_object().into_iter().flatten();
    let sources: Vec<&str> = fields
        .filter(|(name, value)| *name != "name" && !value.is_null())
        .map(|(name, _)| name.as_str())
        .collect();
    let [first, others @ ..] = sources.as_slice() else {
        findings.required(at, "must specify a volume type");
        return;
    };
    for other in others {
        findings.forbidden(at.field(other), "may not specify more than 1 volume type");
    }
    let needed = match *first {
        "hostPath" => "path",
        "secret" => "secretName",
        "configMap" => "name",
        "persistentVolumeClaim" => "claimName",
        "csi" => "driver",
        _ => return,
    };
    let at = at.field(first);
    if read::text(&volume[*first], needed).is_empty() {
        findings.required(at.field(needed), "");
    }
    if let Some(mode) =
        read::integer(&volume[*first], "defaultMode").filter(|mode| !(0..=0o777).contains(mode))
    {
        let detail = "must be a number between 0 and 0777 (octal), both inclusive";
        findings.invalid(at.field("defaultMode"), mode, detail);
    }
}
