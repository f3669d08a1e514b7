//! One rule of a role.

use serde_json::{Map, Value};

use super::{Attributes, Resource, Target};

/// What one entry of a role's `rules` allows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rule {
    /// Verbs; `*` is all of them.
    pub verbs: Vec<String>,
    /// API groups; `*` is all of them.
    pub api_groups: Vec<String>,
    /// Resources, `resource/subresource` or `*/subresource`; `*` is all of them.
    pub resources: Vec<String>,
    /// Names of objects; none is all of them.
    pub resource_names: Vec<String>,
    /// Paths; a `*` at the end stands for any rest.
    pub non_resource_urls: Vec<String>,
}

impl Rule {
    /// The rules of a role or cluster role.
    pub fn of_role(role: &Value) -> Vec<Self> {
        let rules = role.get("rules").and_then(Value::as_array);
        rules.into_iter().flatten().map(Self::read).collect()
    }

    fn read(rule: &Value) -> Self {
        Self {
            verbs: strings(rule, "verbs"),
            api_groups: strings(rule, "apiGroups"),
            resources: strings(rule, "resources"),
            resource_names: strings(rule, "resourceNames"),
            non_resource_urls: strings(rule, "nonResourceURLs"),
        }
    }

    /// The rule as it is written in a role.
    pub fn to_json(&self) -> Value {
        let lists = [
            ("apiGroups", &self.api_groups),
            ("nonResourceURLs", &self.non_resource_urls),
            ("resourceNames", &self.resource_names),
            ("resources", &self.resources),
        ];
        let written = lists.into_iter().filter(|(_, list)| !list.is_empty()).chain([("verbs", &self.verbs)]);
        let member = |(name, list): (&str, &Vec<String>)| (name.to_owned(), Value::from(list.clone()));
        Value::Object(written.map(member).collect::<Map<_, _>>())
    }

    pub(super) fn allows(&self, attributes: &Attributes<'_>) -> bool {
        has_or_all(&self.verbs, attributes.verb)
            && match &attributes.target {
                Target::Resource(resource) => self.allows_resource(resource),
                Target::Path(path) => self.covers_path(path),
            }
    }

    fn allows_resource(&self, wanted: &Resource<'_>) -> bool {
        has_or_all(&self.api_groups, wanted.group)
            && self.resources.iter().any(|it| resource_matches(it, wanted.resource, wanted.subresource))
            && (self.resource_names.is_empty() || has(&self.resource_names, wanted.name))
    }

    pub(super) fn covers_path(&self, path: &str) -> bool {
        self.non_resource_urls.iter().any(|it| path_matches(it, path))
    }

    /// Whether whoever holds this rule holds a grant too.
    pub(super) fn covers(&self, grant: &Grant<'_>) -> bool {
        has_or_all(&self.verbs, grant.verb)
            && match grant.target {
                GrantTarget::Path(path) => self.resource_names.is_empty() && self.covers_path(path),
                GrantTarget::Resource { group, resource, name } => {
                    has_or_all(&self.api_groups, group)
                        && self.covers_resource(resource)
                        && (self.resource_names.is_empty()
                            || name.is_some_and(|it| has(&self.resource_names, it)))
                }
            }
    }

    fn covers_resource(&self, granted: &str) -> bool {
        let (resource, subresource) = granted.split_once('/').unwrap_or((granted, ""));
        self.resources.iter().any(|it| it == granted || resource_matches(it, resource, subresource))
    }

    /// How many grants the rule stands for.
    pub(super) fn grant_count(&self) -> usize {
        let names = self.resource_names.len().max(1);
        let resources = [self.resources.len(), self.verbs.len(), names]
            .iter()
            .fold(self.api_groups.len(), |product, it| product.saturating_mul(*it));
        resources.saturating_add(self.non_resource_urls.len().saturating_mul(self.verbs.len()))
    }

    /// The rule taken apart into single permissions.
    pub(super) fn grants(&self) -> Vec<Grant<'_>> {
        let names: Vec<_> = match self.resource_names.as_slice() {
            [] => vec![None],
            names => names.iter().map(|it| Some(it.as_str())).collect(),
        };
        let mut grants = Vec::new();
        for (group, resource) in pairs(&self.api_groups, &self.resources) {
            for (verb, name) in pairs(&self.verbs, &names) {
                let target = GrantTarget::Resource { group, resource, name: *name };
                grants.push(Grant { target, verb });
            }
        }
        for (path, verb) in pairs(&self.non_resource_urls, &self.verbs) {
            grants.push(Grant { target: GrantTarget::Path(path), verb });
        }
        grants
    }
}

fn pairs<'a, 'b, A, B>(first: &'a [A], second: &'b [B]) -> impl Iterator<Item = (&'a A, &'b B)> {
    first.iter().flat_map(move |a| second.iter().map(move |b| (a, b)))
}

/// One verb on one resource or path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grant<'r> {
    pub(super) target: GrantTarget<'r>,
    pub(super) verb: &'r str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GrantTarget<'r> {
    Resource { group: &'r str, resource: &'r str, name: Option<&'r str> },
    Path(&'r str),
}

fn has(list: &[String], wanted: &str) -> bool {
    list.iter().any(|it| it == wanted)
}

fn has_or_all(list: &[String], wanted: &str) -> bool {
    list.iter().any(|it| it == "*" || it == wanted)
}

fn resource_matches(rule: &str, resource: &str, subresource: &str) -> bool {
    if rule == "*" {
        return true;
    }
    if subresource.is_empty() {
        return rule == resource;
    }
    let Some((rule_resource, rule_subresource)) = rule.split_once('/') else { return false };
    rule_subresource == subresource && (rule_resource == "*" || rule_resource == resource)
}

fn path_matches(rule: &str, path: &str) -> bool {
    rule == path || rule.ends_with('*') && path.starts_with(rule.trim_end_matches('*'))
}

pub(super) fn strings(object: &Value, name: &str) -> Vec<String> {
    let list = object.get(name).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
