//! The requests to roll back that were answered, so that whoever puts one back is not obeyed twice.

use std::fmt;

use krono_model::names;
use serde_json::Value;

use crate::RevisionNumber;
use crate::writer::Writer;

/// The last answered request of each tool that writes from a manifest, and the last of people; oldest first.
///
/// What people ask for meanwhile is no change of what a tool has in its manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered(Vec<(String, String)>);

/// Stands for people, who mean what they type each time.
const PEOPLE: &str = "";
/// So many are remembered.
const MOST: usize = 8;
/// So much of a text, in letters: numbers of revisions are shorter.
const LONGEST: usize = 64;

impl Answered {
    /// No request was.
    pub const NONE: &'static Self = &Self(Vec::new());

    /// As an object tells.
    pub fn of(object: &Value) -> Self {
        let note = object["metadata"]["annotations"][names::ANSWERED_ROLLBACK_ANNOTATION].as_str();
        note.map_or_else(Self::default, Self::read)
    }

    /// From the text of the annotation; one that is no list is what people asked for.
    pub fn read(text: &str) -> Self {
        let listed = text.starts_with('[').then(|| serde_json::from_str(text).ok()).flatten();
        Self(listed.unwrap_or_else(|| vec![(PEOPLE.to_owned(), shortened(text))]))
    }

    /// The tool that wrote a request again which was answered already; a person who asks for the same a second time means it.
    ///
    /// A tool that never asked has it from somebody else.
    pub fn put_back(&self, text: &str, writer: Option<&Writer>) -> Option<String> {
        let manager = writer.filter(|it| it.is_declarative()).map(|it| it.manager.as_str())?;
        let text = shortened(text);
        let is_answered = match self.last_of(manager) {
            Some(last) => last == text,
            None => self.0.iter().any(|(_, it)| *it == text),
        };
        is_answered.then(|| manager.to_owned())
    }

    /// With one more.
    #[must_use]
    pub fn with(mut self, text: &str, writer: Option<&Writer>) -> Self {
        let tool = writer.filter(|it| it.is_declarative());
        let manager = tool.map_or(PEOPLE, |it| it.manager.as_str());
        self.0.retain(|(it, _)| it != manager);
        self.0.push((manager.to_owned(), shortened(text)));
        let surplus = self.0.len().saturating_sub(MOST);
        self.0.drain(..surplus);
        self
    }

    /// Whether this is what people asked for last.
    pub fn is_last_of_people(&self, text: &str) -> bool {
        self.last_of(PEOPLE).is_some_and(|it| it == shortened(text))
    }

    /// The revisions that were asked for.
    pub fn numbers(&self) -> Vec<RevisionNumber> {
        self.0.iter().filter_map(|(_, text)| text.parse().ok()).collect()
    }

    fn last_of(&self, manager: &str) -> Option<&str> {
        self.0.iter().find(|(it, _)| it == manager).map(|(_, text)| text.as_str())
    }
}

/// The text of the annotation.
impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [(manager, text)] if manager == PEOPLE && !text.starts_with('[') => f.write_str(text),
            all => f.write_str(&serde_json::to_string(all).unwrap_or_default()),
        }
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writer::Operation;

    fn by(manager: &str) -> Writer {
        let operation = if manager == "person" { Operation::Update } else { Operation::Apply };
        Writer { manager: manager.to_owned(), operation }
    }

    #[test]
    fn v19_what_a_tool_has_in_its_manifest_is_ignored_until_that_changes() {
        let story = [("argocd", "2"), ("person", "3"), ("person", "99"), ("flux", "1")];
        let answered =
            story.iter().fold(Answered::default(), |known, (who, text)| known.with(text, Some(&by(who))));
        let check = |who: &str, text: &str, expected: bool| {
            assert_eq!(answered.put_back(text, Some(&by(who))).is_some(), expected, "{who} {text}");
        };
        check("argocd", "2", true);
        check("argocd", "99", false);
        check("argocd", "1", false);
        check("flux", "1", true);
        // Those who never asked have it from somebody else.
        check("helm", "99", true);
        check("helm", "2", true);
        check("helm", "3", false);
        check("person", "99", false);
        assert_eq!(answered.put_back("99", None), None);
        assert!(answered.is_last_of_people("99") && !answered.is_last_of_people("2"));
    }

    #[test]
    fn v19_what_was_answered_is_written_and_read() {
        let check = |answered: Answered, expected: &str| {
            assert_eq!(answered.to_string(), expected);
            assert_eq!(Answered::read(expected), answered);
        };
        let typed = Answered::default().with("2", Some(&by("person")));
        check(typed.clone(), "2");
        check(typed.clone().with("3", Some(&by("argocd"))), r#"[["","2"],["argocd","3"]]"#);
        check(typed.with("3", None), "3");
        check(Answered::default().with("[1]", None), r#"[["","[1]"]]"#);
        check(Answered::default().with("", None), "");
        assert_eq!(Answered::read("[1").to_string(), r#"[["","[1"]]"#);
    }

    #[test]
    fn what_is_remembered_has_an_end() {
        let long = "9".repeat(1000);
        let tools = (0..100).map(|it| format!("tool-{it}"));
        let answered = tools.fold(Answered::default(), |known, it| known.with(&long, Some(&by(&it))));
        assert!(answered.to_string().len() < 1000);
        assert_eq!(answered.put_back(&long, Some(&by("tool-99"))).as_deref(), Some("tool-99"));
    }
}
