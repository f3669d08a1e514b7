//! The query string of a request, read into options.

use krono_schema::FieldError;

use crate::status::Status;
use crate::write::metadata::{self, too_long};

/// Longest query string we read, in bytes.
pub(crate) const MAX_QUERY: usize = 64 * 1024;

/// Longest name of a manager, in bytes.
const MAX_MANAGER: usize = 128;

/// Everything a query string can say, for all verbs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    /// `labelSelector`.
    pub(crate) label_selector: String,
    /// `fieldSelector`.
    pub(crate) field_selector: String,
    /// `limit`; 0 for no limit.
    pub(crate) limit: u64,
    /// `continue`.
    pub(crate) continue_token: String,
    /// `resourceVersion`.
    pub(crate) resource_version: String,
    /// `resourceVersionMatch`.
    pub(crate) version_match: VersionMatch,
    /// `watch`.
    pub(crate) watch: bool,
    /// `allowWatchBookmarks`.
    pub(crate) bookmarks: bool,
    /// `sendInitialEvents`.
    pub(crate) send_initial_events: Option<bool>,
    /// `timeoutSeconds`.
    pub(crate) timeout_seconds: Option<u64>,
    /// `dryRun=All`.
    pub(crate) dry_run: bool,
    /// `fieldManager`.
    pub(crate) field_manager: String,
    /// `fieldValidation`.
    pub(crate) field_validation: FieldValidation,
    /// `force`.
    pub(crate) force: Option<bool>,
    /// `gracePeriodSeconds`.
    pub(crate) grace_period_seconds: Option<i64>,
    /// `propagationPolicy`.
    pub(crate) propagation_policy: Option<String>,
    /// `orphanDependents`.
    pub(crate) orphan_dependents: Option<bool>,
    /// `includeObject` of tables.
    pub(crate) include_object: IncludeObject,
}

/// `resourceVersionMatch`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum VersionMatch {
    /// Not given.
    #[default]
    Unset,
    /// At least as new.
    NotOlderThan,
    /// Exactly this one.
    Exact,
}

/// `fieldValidation`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FieldValidation {
    /// Unknown and duplicate fields are dropped in silence.
    Ignore,
    /// They are dropped and warned of.
    #[default]
    Warn,
    /// They are refused.
    Strict,
}

/// How much of each object a table carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum IncludeObject {
    /// Nothing.
    None,
    /// Its metadata.
    #[default]
    Metadata,
    /// All of it.
    Object,
}

impl Query {
    /// Reads a query string; parameters we do not know are skipped, as the real server does.
    ///
    /// The kind of the options, such as `CreateOptions`, is what complaints are about.
    pub(crate) fn parse(text: &str, options: &'static str) -> Result<Self, Status> {
        if text.len() > MAX_QUERY {
            return Err(Status::bad_request("the query string is too long"));
        }
        let mut query = Self::default();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            query.set(&percent_decode(name, true), percent_decode(value, true), options)?;
        }
        if query.field_manager.len() > MAX_MANAGER && options != "DeleteOptions" {
            return Err(Status::invalid_options(options, &[too_long("fieldManager", MAX_MANAGER)]));
        }
        Ok(query)
    }

    fn set(&mut self, name: &str, value: String, options: &'static str) -> Result<(), Status> {
        match name {
            "labelSelector" => self.label_selector = value,
            "fieldSelector" => self.field_selector = value,
            "limit" => self.limit = number(&value)?.unwrap_or(0),
            "continue" => self.continue_token = value,
            "resourceVersion" => self.resource_version = value,
            "resourceVersionMatch" => {
                self.version_match =
                    version_match(&value).map_err(|it| Status::invalid_options("ListOptions", &[it]))?;
            }
            "watch" => self.watch = switch(&value),
            "allowWatchBookmarks" => self.bookmarks = switch(&value),
            "sendInitialEvents" => self.send_initial_events = Some(switch(&value)),
            "timeoutSeconds" => self.timeout_seconds = number(&value)?,
            "dryRun" => {
                self.dry_run = dry_run(&value).map_err(|it| Status::invalid_options(options, &[it]))?;
            }
            "fieldManager" => self.field_manager = value,
            "fieldValidation" => {
                self.field_validation =
                    field_validation(&value).map_err(|it| Status::invalid_options(options, &[it]))?;
            }
            "force" => self.force = Some(switch(&value)),
            "gracePeriodSeconds" => self.grace_period_seconds = number(&value)?,
            "propagationPolicy" => self.propagation_policy = Some(value),
            "orphanDependents" => self.orphan_dependents = Some(switch(&value)),
            "includeObject" => self.include_object = include_object(&value)?,
            _ => {}
        }
        Ok(())
    }
}

/// A switch as Go's conversion reads it: present means yes.
fn switch(value: &str) -> bool {
    !(value == "0" || value.eq_ignore_ascii_case("false"))
}

fn number<N: std::str::FromStr>(value: &str) -> Result<Option<N>, Status>
where
    N::Err: std::fmt::Display,
{
    if value.is_empty() {
        return Ok(None);
    }
    let read = value
        .parse()
        .map_err(|_| Status::bad_request(format!("strconv.ParseInt: parsing {value:?}: invalid syntax")))?;
    Ok(Some(read))
}

fn version_match(value: &str) -> Result<VersionMatch, FieldError> {
    match value {
        "" => Ok(VersionMatch::Unset),
        "NotOlderThan" => Ok(VersionMatch::NotOlderThan),
        "Exact" => Ok(VersionMatch::Exact),
        other => Err(metadata::unsupported("resourceVersionMatch", other, &["Exact", "NotOlderThan", ""])),
    }
}

fn dry_run(value: &str) -> Result<bool, FieldError> {
    match value {
        "" => Ok(false),
        "All" => Ok(true),
        other => Err(metadata::unsupported("dryRun", vec![other], &["All"])),
    }
}

fn field_validation(value: &str) -> Result<FieldValidation, FieldError> {
    match value {
        "" | "Warn" => Ok(FieldValidation::Warn),
        "Ignore" => Ok(FieldValidation::Ignore),
        "Strict" => Ok(FieldValidation::Strict),
        other => Err(metadata::unsupported("fieldValidation", other, &["", "Ignore", "Strict", "Warn"])),
    }
}

fn include_object(value: &str) -> Result<IncludeObject, Status> {
    match value {
        "" | "Metadata" => Ok(IncludeObject::Metadata),
        "None" => Ok(IncludeObject::None),
        "Object" => Ok(IncludeObject::Object),
        other => Err(Status::bad_request(format!(
            "Unable to convert to Table as requested: includeObject: Invalid value: {other:?}: must be 'Metadata', \
             'Object', 'None', or empty"
        ))),
    }
}

/// Decodes `%41`, and `+` as a space where it stands for one; what is no escape stays as it is.
pub(crate) fn percent_decode(text: &str, plus_is_space: bool) -> String {
    if !text.bytes().any(|byte| byte == b'%' || (plus_is_space && byte == b'+')) {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escape = (byte == b'%').then(|| bytes.get(at + 1..at + 3).and_then(hex)).flatten();
        match escape {
            Some(escaped) => {
                decoded.push(escaped);
                at += 2;
            }
            None if byte == b'+' && plus_is_space => decoded.push(b' '),
            None => decoded.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn hex(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_and_escapes() {
        let check =
            |text: &str, expect: Query| assert_eq!(Query::parse(text, "CreateOptions").unwrap(), expect);
        check("", Query::default());
        check("&limit=500", Query { limit: 500, ..Query::default() });
        check("watch", Query { watch: true, ..Query::default() });
        check("watch=False&x=y", Query::default());
        check(
            "labelSelector=a%20in%20(b,c)&fieldSelector=a%3Db+c",
            Query {
                label_selector: "a in (b,c)".to_owned(),
                field_selector: "a=b c".to_owned(),
                ..Query::default()
            },
        );
        check("continue=%zz%4", Query { continue_token: "%zz%4".to_owned(), ..Query::default() });
    }

    #[test]
    fn nonsense_is_refused() {
        let check = |text: &str, expect: u16| {
            assert_eq!(Query::parse(text, "CreateOptions").unwrap_err().code, expect, "{text}");
        };
        check("limit=x", 400);
        check("resourceVersionMatch=Old", 422);
        check("dryRun=Some", 422);
        check("fieldValidation=strict", 422);
        check(&format!("fieldManager={}", "m".repeat(129)), 422);
    }
}
