//! `krono tree`.

use std::collections::BTreeSet;

use futures_util::future::{BoxFuture, FutureExt as _};
use krono_model::applyset::Inventory;
use krono_model::names;
use krono_views::{Branch, Row, kind_of_instances, rows};
use serde_json::Value;

use super::cluster::objects::Objects;
use super::server::block_on;
use crate::arguments::target::{Bare, Grammar, Target};
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
    let grammar = Grammar { revisions: 0, bare: Bare::IsWrong };
    let (target, _) = grammar.read(&arguments.object)?;
    let objects = Objects::of(&arguments.cluster, arguments.namespace.as_deref()).await?;
    let (word, name) = match target {
        Target::Definition(name) => ("rgd".to_owned(), name),
        Target::Object { word, name } => (word, name),
    };
    let object = objects.get(objects.types.find(&word)?, &name).await?;
    let mut shown = BTreeSet::from([uid(&object)]);
    Forest { objects }.branch(object, &mut shown, 0).await
}

struct Forest {
    objects: Objects,
}

impl Forest {
    /// An object with all that was made for it, as far as it is not shown already.
    fn branch<'f>(
        &'f self,
        object: Value,
        shown: &'f mut BTreeSet<String>,
        depth: usize,
    ) -> BoxFuture<'f, Result<Branch, CommandError>> {
        async move {
            let mut made = Vec::new();
            if depth < DEEPEST {
                let mut children = self.made(&object).await?;
                children.retain(|it| shown.insert(uid(it)));
                for child in children {
                    made.push(self.branch(child, shown, depth + 1).await?);
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
            if let Some(kind) = self.objects.types.kind(&of.group, &of.kind) {
                let label = format!("{}={id}", names::APPLYSET_PART_OF_LABEL);
                made.extend(self.objects.list(&kind.resource, &label).await?.items);
            }
        }
        Ok(made)
    }

    async fn instances(&self, definition: &Value) -> Result<Vec<Value>, CommandError> {
        let (group, kind) = kind_of_instances(definition);
        match self.objects.types.kind(group, kind) {
            Some(kind) => Ok(self.objects.list(&kind.resource, "").await?.items),
            None => Ok(Vec::new()),
        }
    }
}

fn uid(object: &Value) -> String {
    object["metadata"]["uid"].as_str().unwrap_or_default().to_owned()
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
