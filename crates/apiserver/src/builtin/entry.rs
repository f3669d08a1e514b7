//! One line of the table of built-in kinds.

use std::sync::Arc;

use crate::kind::{Kind, LazySchema, Rules, ScalePaths, Scope};

use super::names::{self, NameRule};
use super::schema::{self, AddType};

/// What can be done with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbs {
    /// Everything: objects are stored.
    All,
    /// `create` alone: the answer is computed and nothing is stored.
    Create,
    /// `get` and `list`: objects are computed.
    Read,
}

/// One built-in kind.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) group: &'static str,
    pub(super) version: &'static str,
    pub(super) kind: &'static str,
    plural: &'static str,
    short_names: &'static [&'static str],
    categories: &'static [&'static str],
    scope: Scope,
    has_status: bool,
    scale: bool,
    selectable: &'static [&'static str],
    pub(super) verbs: Verbs,
    pub(super) names: NameRule,
    rules: Rules,
    pub(super) schema: AddType,
}

/// The group version that the next lines of the table belong to.
#[derive(Clone, Copy)]
pub(super) struct Group(pub(super) &'static str, pub(super) &'static str);

impl Group {
    pub(super) const fn namespaced(self, kind: &'static str, plural: &'static str, schema: AddType) -> Entry {
        self.entry(kind, plural, schema, Scope::Namespaced)
    }

    pub(super) const fn cluster(self, kind: &'static str, plural: &'static str, schema: AddType) -> Entry {
        self.entry(kind, plural, schema, Scope::Cluster)
    }

    const fn entry(self, kind: &'static str, plural: &'static str, schema: AddType, scope: Scope) -> Entry {
        Entry {
            group: self.0,
            version: self.1,
            kind,
            plural,
            short_names: &[],
            categories: &[],
            scope,
            has_status: false,
            scale: false,
            selectable: &[],
            verbs: Verbs::All,
            names: names::subdomain,
            rules: Rules::NONE,
            schema,
        }
    }
}

impl Entry {
    pub(super) const fn short(self, short_names: &'static [&'static str]) -> Self {
        Self { short_names, ..self }
    }

    pub(super) const fn in_all(self) -> Self {
        Self { categories: &["all"], ..self }
    }

    pub(super) const fn in_extensions(self) -> Self {
        Self { categories: &["api-extensions"], ..self }
    }

    pub(super) const fn status(self) -> Self {
        Self { has_status: true, ..self }
    }

    pub(super) const fn scale(self) -> Self {
        Self { scale: true, ..self }
    }

    pub(super) const fn selectable(self, selectable: &'static [&'static str]) -> Self {
        Self { selectable, ..self }
    }

    pub(super) const fn verbs(self, verbs: Verbs) -> Self {
        Self { verbs, ..self }
    }

    pub(super) const fn named(self, names: NameRule) -> Self {
        Self { names, ..self }
    }

    pub(super) const fn rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    pub(super) fn is(&self, group: &str, plural: &str) -> bool {
        self.group == group && self.plural == plural
    }

    pub(super) fn kind(&self) -> Kind {
        let add = self.schema;
        Kind {
            group: self.group.into(),
            version: self.version.into(),
            kind: self.kind.into(),
            list_kind: format!("{}List", self.kind).into(),
            plural: self.plural.into(),
            singular: self.kind.to_ascii_lowercase().into(),
            short_names: shared(self.short_names),
            categories: shared(self.categories),
            scope: self.scope,
            has_status: self.has_status,
            scale: self.scale.then(scale_paths),
            columns: Vec::new(),
            selectable: shared(self.selectable),
            rules: self.rules,
            schema: LazySchema::new(move || schema::of(add)),
        }
    }
}

fn shared(texts: &[&str]) -> Vec<Arc<str>> {
    texts.iter().map(|text| Arc::from(*text)).collect()
}

/// All built-in kinds that scale keep their numbers in the same places.
fn scale_paths() -> ScalePaths {
    ScalePaths {
        spec_replicas: ".spec.replicas".into(),
        status_replicas: ".status.replicas".into(),
        label_selector: Some(".spec.selector".into()),
    }
}
