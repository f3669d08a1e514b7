//! All roles and bindings, found by whom they are for.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::Value;

use super::aggregation::{self, ClusterRole};
use super::message::quoted;
use super::rule::Rule;
use super::subject::{Subject, SubjectKey};
use super::{Attributes, EscalationError, Target, User, Verdict};

/// The roles and bindings of a cluster.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Policy {
    cluster_roles: BTreeMap<String, ClusterRole>,
    roles: HashMap<ObjectKey, Arc<[Rule]>>,
    /// Bindings by namespace; those for the whole cluster under the empty one.
    scopes: HashMap<String, Scope>,
}

/// Namespace and name.
type ObjectKey = (String, String);

/// The bindings of one namespace, or of the whole cluster.
#[derive(Debug, Default, PartialEq, Eq)]
struct Scope {
    bindings: BTreeMap<String, Binding>,
    by_subject: HashMap<SubjectKey, BTreeSet<String>>,
}

#[derive(Debug, PartialEq, Eq)]
struct Binding {
    role_kind: String,
    role_name: String,
    subjects: Vec<Subject>,
}

/// What a user may do in a namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserRules {
    /// Every rule of every role the user is bound to.
    pub rules: Vec<Rule>,
    /// Roles that could not be found, as one message; empty when there are none.
    pub error: String,
}

impl Policy {
    /// A policy of these roles and bindings; other objects are ignored.
    pub fn new<'a>(objects: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut policy = Self::default();
        for object in objects {
            policy.put_without_aggregation(object);
        }
        aggregation::aggregate(&mut policy.cluster_roles);
        policy
    }

    /// Adds or replaces a role or binding; other objects are ignored.
    pub fn put(&mut self, object: &Value) {
        self.put_without_aggregation(object);
        if text(object, "/kind") == "ClusterRole" {
            aggregation::aggregate(&mut self.cluster_roles);
        }
    }

    /// Forgets a role or binding; `namespace` is empty for those of the cluster.
    pub fn remove(&mut self, kind: &str, namespace: &str, name: &str) {
        match kind {
            "ClusterRole" => {
                self.cluster_roles.remove(name);
                aggregation::aggregate(&mut self.cluster_roles);
            }
            "Role" => {
                self.roles.remove(&(namespace.to_owned(), name.to_owned()));
            }
            "ClusterRoleBinding" | "RoleBinding" => self.remove_binding(namespace, name),
            _ => {}
        }
    }

    /// Decides about a request.
    pub fn authorize(&self, user: &User, attributes: &Attributes<'_>) -> Verdict {
        if user.is_master() {
            return Verdict { allowed: true, reason: String::new() };
        }
        let namespace = match attributes.target {
            Target::Resource(resource) => resource.namespace,
            Target::Path(_) => "",
        };
        let mut errors = BTreeSet::new();
        for bound in self.bindings_of(user, namespace) {
            match self.rules_of(&bound) {
                Ok(rules) if rules.iter().any(|it| it.allows(attributes)) => {
                    return Verdict { allowed: true, reason: bound.reason(user) };
                }
                Ok(_) => {}
                Err(error) => {
                    errors.insert(error);
                }
            }
        }
        let reason = if errors.is_empty() { String::new() } else { format!("RBAC: {}", joined(&errors)) };
        Verdict { allowed: false, reason }
    }

    /// The cluster roles that are made of others, with the rules they come to.
    pub fn gathered(&self) -> Vec<(String, Vec<Rule>)> {
        let made = self.cluster_roles.iter().filter(|(_, role)| role.is_made());
        made.map(|(name, role)| (name.clone(), role.rules.to_vec())).collect()
    }

    /// What a user may do in a namespace and in the cluster as a whole.
    pub fn rules_for(&self, user: &User, namespace: &str) -> UserRules {
        let mut seen = BTreeSet::new();
        let mut errors = BTreeSet::new();
        let mut rules = Vec::new();
        for bound in self.bindings_of(user, namespace) {
            if !seen.insert((bound.namespace, bound.name)) {
                continue;
            }
            match self.rules_of(&bound) {
                Ok(found) => rules.extend(found.iter().cloned()),
                Err(error) => {
                    errors.insert(error);
                }
            }
        }
        UserRules { rules, error: joined(&errors) }
    }

    /// The rules of the role a binding in `namespace` refers to.
    pub(super) fn role_rules(
        &self,
        kind: &str,
        namespace: &str,
        name: &str,
    ) -> Result<&[Rule], EscalationError> {
        let (resource, rules) = match kind {
            "ClusterRole" => ("clusterrole", self.cluster_roles.get(name).map(|it| &it.rules)),
            "Role" => ("role", self.roles.get(&(namespace.to_owned(), name.to_owned()))),
            _ => return Err(EscalationError::BadReference(kind.to_owned())),
        };
        rules.map(|it| &**it).ok_or_else(|| EscalationError::NoRole { resource, name: name.to_owned() })
    }

    fn rules_of(&self, bound: &Bound<'_>) -> Result<&[Rule], String> {
        let rules = self.role_rules(&bound.binding.role_kind, bound.namespace, &bound.binding.role_name);
        rules.map_err(|error| error.to_string())
    }

    /// The bindings that are for a user, those of the cluster first; one that is for him twice may come twice.
    pub(super) fn bindings_of<'p>(
        &'p self,
        user: &'p User,
        namespace: &'p str,
    ) -> impl Iterator<Item = Bound<'p>> + use<'p> {
        let local = (!namespace.is_empty()).then_some(namespace);
        let scopes = [""].into_iter().chain(local);
        let scopes = scopes.filter_map(|it| self.scopes.get_key_value(it));
        scopes.flat_map(|(namespace, scope)| scope.bindings_of(namespace, user))
    }

    fn put_without_aggregation(&mut self, object: &Value) {
        let (namespace, name) = (text(object, "/metadata/namespace"), text(object, "/metadata/name"));
        match text(object, "/kind") {
            "ClusterRole" => {
                self.cluster_roles.insert(name.to_owned(), ClusterRole::read(object));
            }
            "Role" => {
                let key = (namespace.to_owned(), name.to_owned());
                self.roles.insert(key, Rule::of_role(object).into());
            }
            "ClusterRoleBinding" => self.put_binding("", name, object),
            "RoleBinding" if !namespace.is_empty() => self.put_binding(namespace, name, object),
            _ => {}
        }
    }

    fn put_binding(&mut self, namespace: &str, name: &str, object: &Value) {
        self.remove_binding(namespace, name);
        let binding = Binding::read(object, namespace);
        let scope = self.scopes.entry(namespace.to_owned()).or_default();
        for key in binding.subjects.iter().filter_map(|it| it.key.clone()) {
            scope.by_subject.entry(key).or_default().insert(name.to_owned());
        }
        scope.bindings.insert(name.to_owned(), binding);
    }

    fn remove_binding(&mut self, namespace: &str, name: &str) {
        let Some(scope) = self.scopes.get_mut(namespace) else { return };
        let Some(binding) = scope.bindings.remove(name) else { return };
        for key in binding.subjects.iter().filter_map(|it| it.key.as_ref()) {
            let names = scope.by_subject.get_mut(key);
            if names.is_some_and(|it| it.remove(name) && it.is_empty()) {
                scope.by_subject.remove(key);
            }
        }
        if scope.bindings.is_empty() {
            self.scopes.remove(namespace);
        }
    }
}

impl Scope {
    fn bindings_of<'p>(
        &'p self,
        namespace: &'p str,
        user: &'p User,
    ) -> impl Iterator<Item = Bound<'p>> + use<'p> {
        let groups = user.groups.iter().cloned().map(SubjectKey::Group);
        let keys = [SubjectKey::User(user.name.clone())].into_iter().chain(groups);
        let names = keys.filter_map(|it| self.by_subject.get(&it)).flatten();
        let bindings = names.filter_map(|it| self.bindings.get_key_value(it));
        bindings.map(move |(name, binding)| Bound { namespace, name, binding })
    }
}

impl Binding {
    fn read(object: &Value, namespace: &str) -> Self {
        let subjects = object.get("subjects").and_then(Value::as_array);
        Self {
            role_kind: text(object, "/roleRef/kind").to_owned(),
            role_name: text(object, "/roleRef/name").to_owned(),
            subjects: subjects.into_iter().flatten().map(|it| Subject::read(it, namespace)).collect(),
        }
    }
}

/// A binding that is for a user.
pub(super) struct Bound<'p> {
    /// Empty for bindings of the cluster.
    namespace: &'p str,
    name: &'p str,
    binding: &'p Binding,
}

impl Bound<'_> {
    fn reason(&self, user: &User) -> String {
        let Self { namespace, name, binding } = self;
        let subject = binding.subjects.iter().find(|it| it.is(user)).map_or("", |it| &it.description);
        let source = if namespace.is_empty() {
            format!("ClusterRoleBinding {}", quoted(name))
        } else {
            format!("RoleBinding {}", quoted(&format!("{name}/{namespace}")))
        };
        let (kind, role) = (&binding.role_kind, quoted(&binding.role_name));
        format!("RBAC: allowed by {source} of {kind} {role} to {subject}")
    }
}

/// One error as it is, several in brackets.
fn joined(errors: &BTreeSet<String>) -> String {
    let list: Vec<_> = errors.iter().map(String::as_str).collect();
    if list.len() > 1 { format!("[{}]", list.join(", ")) } else { list.concat() }
}

fn text<'v>(object: &'v Value, pointer: &str) -> &'v str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}
