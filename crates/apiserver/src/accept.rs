//! In which form a client wants its answer.

use crate::status::Status;

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The object itself.
    Object,
    /// Rows and columns for people.
    Table,
    /// Metadata alone.
    Metadata,
    /// Discovery in one document.
    Discovery,
}

/// Picks the first form of an `Accept` header that we can write.
pub(crate) fn negotiate(accept: Option<&str>, possible: &[Form]) -> Result<Form, Status> {
    let Some(accept) = accept.filter(|text| !text.trim().is_empty()) else { return Ok(Form::Object) };
    let found = accept.split(',').filter_map(form).find(|form| possible.contains(form));
    found.ok_or_else(Status::not_acceptable)
}

fn form(choice: &str) -> Option<Form> {
    let mut parts = choice.split(';').map(str::trim);
    let essence = parts.next()?;
    if !matches!(essence, "application/json" | "application/*" | "*/*") {
        return None;
    }
    let (mut wanted, mut group, mut version) = ("", "", "");
    for (name, value) in parts.filter_map(|part| part.split_once('=')) {
        match name {
            "as" => wanted = value,
            "g" => group = value,
            "v" => version = value,
            _ => {}
        }
    }
    match (wanted, group, version) {
        ("", ..) => Some(Form::Object),
        ("Table", "meta.k8s.io", "v1") => Some(Form::Table),
        ("PartialObjectMetadata" | "PartialObjectMetadataList", "meta.k8s.io", "v1") => Some(Form::Metadata),
        ("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2") => Some(Form::Discovery),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_match_wins() {
        let all = [Form::Object, Form::Table, Form::Metadata];
        let check = |accept: &str, expect: Option<Form>| {
            assert_eq!(negotiate(Some(accept), &all).ok(), expect, "{accept}");
        };
        check("", Some(Form::Object));
        check("*/*", Some(Form::Object));
        check("application/vnd.kubernetes.protobuf,application/json", Some(Form::Object));
        check("application/json;as=Table;v=v1;g=meta.k8s.io,application/json", Some(Form::Table));
        check("application/json;as=Table;v=v1beta1;g=meta.k8s.io, application/json", Some(Form::Object));
        check("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", Some(Form::Metadata));
        check("application/json;as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2", None);
        check("text/html", None);
    }
}
