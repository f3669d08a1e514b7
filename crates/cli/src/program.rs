//! The name that the program was called by.

use std::ffi::OsString;
use std::path::Path;

use clap::{Command, CommandFactory, FromArgMatches};

use crate::arguments::Arguments;

/// `kubectl krono …` runs a program of this name.
const PLUGIN: &str = "kubectl-krono";
const PLUGIN_NAME: &str = "kubectl krono";

/// Reads a command line, the first word of which is the name that the program was called by.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let words: Vec<OsString> = words.into_iter().collect();
    let called = words.first().map(Path::new).and_then(Path::file_stem);
    let mut command = Arguments::command();
    if called.is_some_and(|it| it == PLUGIN) {
        command = renamed(command).bin_name(PLUGIN_NAME);
    }
    let matches = command.try_get_matches_from_mut(words)?;
    Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// The same command with examples as a plugin's user types them.
fn renamed(command: Command) -> Command {
    let examples = command.get_after_help().map(|it| typed_as_plugin(&it.to_string()));
    let command = command.mut_subcommands(renamed);
    match examples {
        Some(examples) => command.after_help(examples),
        None => command,
    }
}

fn typed_as_plugin(examples: &str) -> String {
    let places = ["\n  ", "| ", "|| ", "&& ", "; ", "$("];
    places.iter().fold(examples.to_owned(), |text, place| {
        text.replace(&format!("{place}krono "), &format!("{place}{PLUGIN_NAME} "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(words: &[&str]) -> String {
        parse(words.iter().map(OsString::from)).unwrap_err().render().to_string()
    }

    #[test]
    fn as_a_plugin_it_is_called_kubectl_krono() {
        let help = help(&["/usr/local/bin/kubectl-krono", "revisions", "list", "--help"]);
        assert!(help.contains("Usage: kubectl krono revisions list "), "{help}");
        assert!(help.contains("\n  kubectl krono revisions list rgd/application\n"), "{help}");
    }

    #[test]
    fn under_any_other_name_it_is_krono() {
        let help = help(&["krono", "revisions", "list", "--help"]);
        assert!(help.contains("Usage: krono revisions list "), "{help}");
        assert!(help.contains("\n  krono revisions list rgd/application\n"), "{help}");
    }
}
