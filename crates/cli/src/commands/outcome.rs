//! What came of a change, in words or as the object that was changed.

use serde_json::Value;

use super::cluster::objects::Objects;
use super::cluster::types::Type;
use crate::arguments::outcome::{ChangeArguments, OutcomeArguments, OutcomeFormat};
use crate::command_error::CommandError;
use crate::format::Format;
use crate::output::Output;

impl OutcomeArguments {
    /// Tells something in words, where words are wanted.
    pub(super) fn say(self, words: &str, output: &mut Output) -> Result<(), CommandError> {
        match self.output {
            OutcomeFormat::Text => output.text(words),
            OutcomeFormat::Json | OutcomeFormat::Yaml | OutcomeFormat::Name => Ok(()),
        }
    }

    /// Prints the object that was changed, where that is wanted.
    pub(super) fn show(self, object: &Value, output: &mut Output) -> Result<(), CommandError> {
        match self.output {
            OutcomeFormat::Text => Ok(()),
            OutcomeFormat::Json => output.text(&Format::Json.render(&without_managed_fields(object.clone()))),
            OutcomeFormat::Yaml => output.text(&Format::Yaml.render(&without_managed_fields(object.clone()))),
            OutcomeFormat::Name => output.text(&format!("{}\n", name(object))),
        }
    }

    /// Reads the object again and prints it, where that is wanted.
    pub(super) async fn show_again(
        self,
        objects: &Objects,
        kind: &Type,
        object: &Value,
        output: &mut Output,
    ) -> Result<(), CommandError> {
        if self.output == OutcomeFormat::Text {
            return Ok(());
        }
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        self.show(&objects.get(kind, name).await?, output)
    }
}

impl ChangeArguments {
    /// Tells in words what has changed, or would have.
    pub(super) fn say(self, words: &str, output: &mut Output) -> Result<(), CommandError> {
        let trial = if self.dry_run { " (dry run)" } else { "" };
        self.outcome.say(&format!("{words}{trial}\n"), output)
    }

    /// Prints the object that was changed, where that is wanted.
    pub(super) fn show(self, object: &Value, output: &mut Output) -> Result<(), CommandError> {
        self.outcome.show(object, output)
    }
}

/// The name of an object as kubectl prints and takes it.
fn name(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (kind, name) = (text(&object["kind"]).to_lowercase(), text(&object["metadata"]["name"]));
    match text(&object["apiVersion"]).split_once('/') {
        Some((group, _)) => format!("{kind}.{group}/{name}"),
        None => format!("{kind}/{name}"),
    }
}

pub(super) fn without_managed_fields(mut object: Value) -> Value {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    object
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_as_kubectl_prints_them() {
        let check = |api_version: &str, expected: &str| {
            let object = json!({"apiVersion": api_version, "kind": "WebApp", "metadata": {"name": "shop"}});
            assert_eq!(name(&object), expected);
        };
        check("kro.run/v1alpha1", "webapp.kro.run/shop");
        check("v1", "webapp/shop");
    }
}
