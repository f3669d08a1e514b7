//! The kinds of a cluster by the names that people use.

use krono_cel::advice;
use kube::Client;
use kube::api::ApiResource;
use kube::core::Version;

use crate::command_error::CommandError;

/// A kind that the cluster serves.
#[derive(Clone, Debug)]
pub(crate) struct Type {
    pub(crate) resource: ApiResource,
    pub(crate) namespaced: bool,
    singular: String,
    short_names: Vec<String>,
}

impl Type {
    /// What people call one object of it.
    pub(crate) fn word(&self) -> String {
        if self.singular.is_empty() { self.resource.kind.to_lowercase() } else { self.singular.clone() }
    }
}

/// The kinds that a cluster serves, each in the version it prefers.
#[derive(Debug)]
pub(crate) struct Types(Vec<Type>);

impl Types {
    pub(crate) async fn read(client: &Client) -> Result<Self, CommandError> {
        let unable =
            |error: kube::Error| CommandError::wrong(format!("the cluster does not tell its kinds: {error}"));
        let mut types = Vec::new();
        let core = client.list_core_api_resources("v1").await.map_err(unable)?;
        add("", "v1", core.resources, &mut types);
        for group in client.list_api_groups().await.map_err(unable)?.groups {
            let mut versions: Vec<String> = group.versions.into_iter().map(|it| it.version).collect();
            versions.sort_by_cached_key(|it| std::cmp::Reverse(Version::parse(it).priority()));
            for version in versions {
                let list = client.list_api_group_resources(&format!("{}/{version}", group.name)).await;
                add(&group.name, &version, list.map_err(unable)?.resources, &mut types);
            }
        }
        Ok(Self(types))
    }

    /// The kind that somebody means with `webapp`, `webapps`, `wa`, `WebApp` or `webapps.kro.run`.
    pub(crate) fn find(&self, word: &str) -> Result<&Type, CommandError> {
        let (name, group) = word.split_once('.').map_or((word, None), |(name, group)| (name, Some(group)));
        let name = name.to_lowercase();
        let is_meant = |it: &&Type| {
            group.is_none_or(|group| it.resource.group == group)
                && (it.resource.plural == name
                    || it.singular == name
                    || it.resource.kind.to_lowercase() == name
                    || it.short_names.contains(&name))
        };
        self.0.iter().find(is_meant).ok_or_else(|| self.unknown(word, &name))
    }

    fn unknown(&self, word: &str, name: &str) -> CommandError {
        let error = CommandError::usage(format!("the cluster serves no {word:?}"));
        let names = self.0.iter().flat_map(|it| [it.singular.as_str(), it.resource.plural.as_str()]);
        match advice::nearest(name, &names.filter(|it| !it.is_empty()).collect()) {
            Some(meant) => error.hint(format!("did you mean {meant:?}?")),
            None => error.hint("`kubectl api-resources` lists what it serves"),
        }
    }

    /// The kind of that group and name.
    pub(crate) fn kind(&self, group: &str, kind: &str) -> Option<&Type> {
        self.0.iter().find(|it| it.resource.group == group && it.resource.kind == kind)
    }
}

type Listed = k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResource;

fn add(group: &str, version: &str, listed: Vec<Listed>, types: &mut Vec<Type>) {
    let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    for it in listed {
        let known = |known: &Type| known.resource.group == group && known.resource.kind == it.kind;
        if it.name.contains('/') || types.iter().any(known) {
            continue;
        }
        types.push(Type {
            resource: ApiResource {
                group: group.to_owned(),
                version: version.to_owned(),
                api_version: api_version.clone(),
                kind: it.kind,
                plural: it.name,
            },
            namespaced: it.namespaced,
            singular: it.singular_name,
            short_names: it.short_names.unwrap_or_default(),
        });
    }
}
