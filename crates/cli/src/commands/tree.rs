//! `krono tree`.

use futures_util::future::{BoxFuture, FutureExt as _};
use krono_model::applyset::Inventory;
use krono_model::names;
use krono_views::{Branch, Row, rows};
use kube::Client;
use kube::api::{Api, ApiResource, DynamicObject, ListParams};
use serde_json::Value;

use super::cluster;
use super::cluster::types::{Type, Types};
use super::server::block_on;
use crate::arguments::tree::TreeArguments;
use crate::command_error::CommandError;
use crate::output::Output;

/// How deep definitions are followed into each other.
const DEEPEST: usize = 20;

pub(crate) fn run(arguments: &TreeArguments, output: &mut Output) -> Result<(), CommandError> {
    let tree = block_on(read(arguments))?;
    output.text(&text(&rows(&tree)))
}

async fn read(arguments: &TreeArguments) -> Result<Branch, CommandError> {
    let (word, name) = named(&arguments.object)?;
    let (client, _) = cluster::connect(&arguments.cluster).await?;
    let forest = Forest { types: Types::read(&client).await?, client };
    let kind = forest.types.find(&word)?;
    let namespace = arguments.namespace.as_deref().unwrap_or(forest.client.default_namespace());
    let object = forest.get(kind, namespace, &name).await?;
    forest.branch(object, 0).await
}

/// `TYPE/NAME` or `TYPE NAME`.
fn named(words: &[String]) -> Result<(String, String), CommandError> {
    let parts: Vec<&str> = words.iter().flat_map(|it| it.split('/')).collect();
    match parts[..] {
        [word, name] if !word.is_empty() && !name.is_empty() => Ok((word.to_owned(), name.to_owned())),
        _ => Err(CommandError::usage(format!("{:?} is not TYPE/NAME or TYPE NAME", words.join(" ")))),
    }
}

struct Forest {
    client: Client,
    types: Types,
}

impl Forest {
    async fn get(&self, kind: &Type, namespace: &str, name: &str) -> Result<Value, CommandError> {
        let api: Api<DynamicObject> = if kind.namespaced {
            Api::namespaced_with(self.client.clone(), namespace, &kind.resource)
        } else {
            Api::all_with(self.client.clone(), &kind.resource)
        };
        let object = api.get(name).await.map_err(|error| refused(&error))?;
        Ok(value(object, &kind.resource))
    }

    async fn list(&self, resource: &ApiResource, labels: &str) -> Result<Vec<Value>, CommandError> {
        let api: Api<DynamicObject> = Api::all_with(self.client.clone(), resource);
        let list = api.list(&ListParams::default().labels(labels)).await.map_err(|error| refused(&error))?;
        Ok(list.items.into_iter().map(|it| value(it, resource)).collect())
    }

    /// An object with all that was made for it.
    fn branch(&self, object: Value, depth: usize) -> BoxFuture<'_, Result<Branch, CommandError>> {
        async move {
            let mut made = Vec::new();
            if depth < DEEPEST {
                for child in self.made(&object).await? {
                    made.push(self.branch(child, depth + 1).await?);
                }
            }
            Ok(Branch { object, made })
        }
        .boxed()
    }

    async fn made(&self, object: &Value) -> Result<Vec<Value>, CommandError> {
        if object["kind"] == "ResourceGraphDefinition" {
            return self.instances(object).await;
        }
        let Some(id) = object["metadata"]["labels"][names::APPLYSET_ID_LABEL].as_str() else {
            return Ok(Vec::new());
        };
        let inventory = Inventory::read(object).map_err(|error| CommandError::wrong(error.to_string()))?;
        let mut made = Vec::new();
        for of in inventory.unwrap_or_default().group_kinds {
            if let Some(kind) = self.types.kind(&of.group, &of.kind) {
                made.extend(
                    self.list(&kind.resource, &format!("{}={id}", names::APPLYSET_PART_OF_LABEL)).await?,
                );
            }
        }
        Ok(made)
    }

    async fn instances(&self, definition: &Value) -> Result<Vec<Value>, CommandError> {
        let schema = &definition["spec"]["schema"];
        let group = schema["group"].as_str().filter(|it| !it.is_empty()).unwrap_or("kro.run");
        match self.types.kind(group, schema["kind"].as_str().unwrap_or_default()) {
            Some(kind) => self.list(&kind.resource, "").await,
            None => Ok(Vec::new()),
        }
    }
}

fn value(object: DynamicObject, resource: &ApiResource) -> Value {
    let mut value = serde_json::to_value(object).unwrap_or_default();
    // Items of lists come without.
    value["apiVersion"] = resource.api_version.as_str().into();
    value["kind"] = resource.kind.as_str().into();
    value
}

fn refused(error: &kube::Error) -> CommandError {
    if let kube::Error::Api(status) = error {
        return CommandError::wrong(status.message.clone());
    }
    CommandError::wrong(error.to_string())
}

/// The rows in columns.
fn text(rows: &[Row]) -> String {
    let width = |of: fn(&Row) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let names = width(|it| it.lead.chars().count() + it.name.chars().count());
    let healths = width(|it| it.health.word.chars().count());
    let nodes = width(|it| it.node.chars().count());
    let line = |row: &Row| {
        let name = format!("{}{}", row.lead, row.name);
        let line =
            format!("{name:names$}  {:healths$}  {:nodes$}  {}", row.health.word, row.node, row.message);
        format!("{}\n", line.trim_end())
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_kubectl_takes_them() {
        let check = |words: &[&str], expect: Option<(&str, &str)>| {
            let words: Vec<String> = words.iter().map(|it| (*it).to_owned()).collect();
            let found = named(&words).ok();
            assert_eq!(
                found.as_ref().map(|(word, name)| (word.as_str(), name.as_str())),
                expect,
                "{words:?}"
            );
        };
        check(&["webapp/shop"], Some(("webapp", "shop")));
        check(&["webapp", "shop"], Some(("webapp", "shop")));
        check(&["webapp"], None);
        check(&["webapp/"], None);
        check(&["a/b", "c"], None);
    }
}
