//! Which definition or instance a command is about.

use clap::Args;
use krono_history::RevisionNumber;

use super::cluster::ClusterArguments;
use crate::command_error::CommandError;

/// Where the object is.
#[derive(Clone, Debug, Args)]
pub(crate) struct PlaceArguments {
    /// Where the instance is [default: the namespace of the context]
    #[arg(long, short)]
    pub(crate) namespace: Option<String>,
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
}

/// What somebody named, as kubectl takes names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A definition.
    Definition(String),
    /// An object of a kind that is called so.
    Object { word: String, name: String },
}

/// What may follow the name, and whether a name alone means a definition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grammar {
    /// How many revisions.
    pub(crate) revisions: usize,
    /// Whether the type may be left out.
    pub(crate) bare: Bare,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bare {
    IsDefinition,
    IsWrong,
}

/// Words for definitions; kinds that the cluster serves are asked for there.
const DEFINITION: [&str; 4] = ["rgd", "rgds", "resourcegraphdefinition", "resourcegraphdefinitions"];
/// A word that may stand before the name of an instance.
const INSTANCE: [&str; 2] = ["instance", "instances"];

impl Grammar {
    /// The target and the revisions behind it: `TYPE/NAME REV`, `TYPE NAME REV`, `NAME REV`.
    pub(crate) fn read(self, words: &[String]) -> Result<(Target, Vec<RevisionNumber>), CommandError> {
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        if words.len() > 1 && INSTANCE.contains(&words[0]) {
            words.remove(0);
        }
        let (name, revisions) = words.split_at(self.words_of_name(&words));
        let target = self.target(name).ok_or_else(|| self.no_name(&words))?;
        if revisions.len() > self.revisions {
            let surplus = revisions[self.revisions..].join(" ");
            return Err(CommandError::usage(format!("nothing is expected behind the name: {surplus:?}")));
        }
        let revisions: Result<_, _> = revisions.iter().map(|it| number(it)).collect();
        Ok((target, revisions?))
    }

    fn words_of_name(self, words: &[&str]) -> usize {
        match words {
            [first, ..] if first.contains('/') => 1,
            [first, _, ..] if DEFINITION.contains(first) => 2,
            _ => {
                let is_number = |it: &&&str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
                let numbers = words.iter().skip(1).rev().take(self.revisions).take_while(is_number).count();
                words.len() - numbers
            }
        }
    }

    fn target(self, name: &[&str]) -> Option<Target> {
        let parts: Vec<&str> = name.iter().flat_map(|it| it.split('/')).collect();
        match parts[..] {
            [word, name] if DEFINITION.contains(&word) && !name.is_empty() => {
                Some(Target::Definition(name.to_owned()))
            }
            [word, name] if !word.is_empty() && !name.is_empty() => {
                Some(Target::Object { word: word.to_owned(), name: name.to_owned() })
            }
            [name] if self.bare == Bare::IsDefinition && !name.is_empty() => {
                Some(Target::Definition(name.to_owned()))
            }
            _ => None,
        }
    }

    fn no_name(self, words: &[&str]) -> CommandError {
        let error = CommandError::usage(format!("{:?} is not TYPE/NAME or TYPE NAME", words.join(" ")));
        if self.revisions == 0 {
            error
        } else {
            error.hint("revisions are whole numbers behind the name, such as 3")
        }
    }
}

/// A revision that somebody typed.
pub(crate) fn number(text: &str) -> Result<RevisionNumber, CommandError> {
    text.parse().map_err(|error: krono_history::number::NotANumber| CommandError::usage(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(revisions: usize, bare: Bare, line: &str) -> Option<(String, Vec<u64>)> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let (target, revisions) = Grammar { revisions, bare }.read(&words).ok()?;
        let target = match target {
            Target::Definition(name) => format!("definition {name}"),
            Target::Object { word, name } => format!("{word} {name}"),
        };
        Some((target, revisions.into_iter().map(RevisionNumber::get).collect()))
    }

    #[test]
    fn names_as_kubectl_takes_them() {
        let check = |line: &str, expect: Option<&str>| {
            let found = read(0, Bare::IsWrong, line).map(|(target, _)| target);
            assert_eq!(found.as_deref(), expect, "{line}");
        };
        check("webapp/shop", Some("webapp shop"));
        check("webapp shop", Some("webapp shop"));
        check("instance webapp/shop", Some("webapp shop"));
        check("instance webapp shop", Some("webapp shop"));
        check("rgd/application", Some("definition application"));
        check("rgd application", Some("definition application"));
        check("resourcegraphdefinitions/application", Some("definition application"));
        for wrong in ["webapp", "webapp/", "/shop", "a/b/c", "a/b c", "a b c", "rgd", "", "instance"] {
            check(wrong, None);
        }
    }

    #[test]
    fn revisions_stand_behind_the_name() {
        let check = |line: &str, target: &str, revisions: &[u64]| {
            let found = read(2, Bare::IsDefinition, line);
            assert_eq!(found, Some((target.to_owned(), revisions.to_vec())), "{line}");
        };
        check("application", "definition application", &[]);
        check("application 2 3", "definition application", &[2, 3]);
        check("rgd/application 2", "definition application", &[2]);
        check("rgd application 2 3", "definition application", &[2, 3]);
        check("rgd 7", "definition 7", &[]);
        check("webapp shop 2 3", "webapp shop", &[2, 3]);
        check("webapp/shop 2", "webapp shop", &[2]);
        check("webapp shop", "webapp shop", &[]);
        for wrong in
            ["rgd/application two", "rgd/application 1 2 3", "rgd/a 0", "application x y", "rgd/a 01"]
        {
            assert_eq!(read(2, Bare::IsDefinition, wrong), None, "{wrong}");
        }
    }
}
