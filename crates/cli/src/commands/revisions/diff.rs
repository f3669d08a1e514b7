//! `krono revisions diff`.

use krono_history::RevisionNumber;
use krono_history::diff::Diff;
use serde_json::{Value, json};

use super::super::cluster::subject::{self, Definition, Instance, Subject};
use super::PENDING;
use crate::arguments::revisions::{DiffArguments, DiffFormat};
use crate::arguments::target::{Bare, Grammar, number};
use crate::command_error::CommandError;
use crate::format::Format;
use crate::output::Output;

pub(super) async fn run(arguments: &DiffArguments, output: &mut Output) -> Result<(), CommandError> {
    let (words, is_pending) = without_pending(arguments);
    let (target, wanted) = read(arguments, words, is_pending)?;
    let (_, found) = subject::read_kept(&arguments.place, &target).await?;
    if is_pending {
        return show_pending(arguments.output, &found.into_definition()?, wanted.0, output);
    }
    let (difference, what) = match &found {
        Subject::Definition(it) => (of_definition(it, wanted)?, "revision"),
        Subject::Instance(it) => (of_instance(it, wanted)?, "input revision"),
    };
    let Difference { diff, from, to, moved } = &difference;
    let title = |number: &RevisionNumber| format!("{what} {number}");
    let before = moved.map(|(from, to)| format!("Definition revision {from} -> {to}\n")).unwrap_or_default();
    match arguments.output {
        DiffFormat::Text => output.difference(&(before + &diff.to_text_between(&title(from), &title(to)))),
        DiffFormat::Unified => {
            output.difference(&(before + &diff.to_unified_between(&title(from), &title(to))))
        }
        DiffFormat::Json => output.text(&Format::Json.render(&difference.to_json())),
        DiffFormat::Yaml => output.text(&Format::Yaml.render(&difference.to_json())),
    }
}

/// What two revisions differ in.
struct Difference {
    diff: Diff,
    from: RevisionNumber,
    to: RevisionNumber,
    /// The revisions of the definition that two inputs are for, where they are not the same.
    moved: Option<(RevisionNumber, RevisionNumber)>,
}

impl Difference {
    fn to_json(&self) -> Value {
        let mut told = self.diff.to_json(self.from, self.to);
        if let Some((from, to)) = self.moved {
            told["rgdRevision"] = json!({"from": from.get(), "to": to.get()});
        }
        told
    }
}

/// The older and the newer revision, as far as they were named.
type Wanted = (Option<RevisionNumber>, Option<RevisionNumber>);

/// The words before the pending edit, if that is what is to be compared; a name may be called so too.
fn without_pending(arguments: &DiffArguments) -> (&[String], bool) {
    let words = arguments.object.as_slice();
    let is_behind_name = words.len() > 2 || words.first().is_some_and(|it| it.contains('/'));
    match words.split_last() {
        _ if arguments.to.as_deref() == Some(PENDING) => (words, true),
        Some((last, before)) if last == PENDING && is_behind_name && arguments.to.is_none() => (before, true),
        Some(_) | None => (words, false),
    }
}

fn read(
    arguments: &DiffArguments,
    words: &[String],
    is_pending: bool,
) -> Result<(crate::arguments::target::Target, Wanted), CommandError> {
    let named = |text: Option<&str>| text.map(number).transpose();
    let from = named(arguments.from.as_deref())?;
    let to = named(arguments.to.as_deref().filter(|_| !is_pending))?;
    let places = 2 - [from, to].iter().flatten().count() - usize::from(is_pending);
    let (target, numbers) = Grammar { revisions: places, bare: Bare::IsDefinition }.read(words)?;
    let mut numbers = numbers.into_iter();
    let from = from.or_else(|| numbers.next());
    Ok((target, (from, to.or_else(|| numbers.next()))))
}

/// What an edit that is no revision changes since the newest one, or another.
fn show_pending(
    format: DiffFormat,
    definition: &Definition,
    from: Option<RevisionNumber>,
    output: &mut Output,
) -> Result<(), CommandError> {
    let name = definition.name();
    let newest = definition.revisions.rows.first().ok_or_else(|| too_few(&format!("rgd/{name}")))?;
    if definition.pending().is_none() {
        let words = format!("{name} says what revision {} says; nothing is pending", newest.number);
        return Err(CommandError::wrong(words));
    }
    let row = from.map_or(Ok(newest), |it| definition.find(it))?;
    let diff = Diff::of_definitions(&definition.spec_of(row), &definition.object["spec"]);
    let title = format!("revision {}", row.number);
    let value = || json!({"from": row.number.get(), "to": PENDING, "changes": diff.changes_to_json()});
    match format {
        DiffFormat::Text => output.difference(&diff.to_text_between(&title, PENDING)),
        DiffFormat::Unified => output.difference(&diff.to_unified_between(&title, PENDING)),
        DiffFormat::Json => output.text(&Format::Json.render(&value())),
        DiffFormat::Yaml => output.text(&Format::Yaml.render(&value())),
    }
}

fn of_definition(definition: &Definition, wanted: Wanted) -> Result<Difference, CommandError> {
    let there = definition.revisions.rows.iter().map(|it| it.number).collect::<Vec<_>>();
    let (from, to) = both(wanted, &there).ok_or_else(|| too_few(&format!("rgd/{}", definition.name())))?;
    let spec = |number| definition.find(number).map(|row| definition.spec_of(row));
    Ok(Difference { diff: Diff::of_definitions(&spec(from)?, &spec(to)?), from, to, moved: None })
}

fn of_instance(instance: &Instance, wanted: Wanted) -> Result<Difference, CommandError> {
    let there = instance.inputs.iter().map(|it| it.number).collect::<Vec<_>>();
    let (from, to) = both(wanted, &there).ok_or_else(|| too_few(&instance.name()))?;
    let spec = |number| {
        let row = instance.find(number)?;
        row.spec.clone().ok_or_else(|| {
            CommandError::wrong(format!(
                "what input revision {number} of {} asked for is not kept",
                instance.name()
            ))
        })
    };
    let diff = Diff::of_specs(&spec(from)?, &spec(to)?);
    Ok(Difference { diff, from, to, moved: moved(instance, from, to) })
}

/// The revisions of the definition that two inputs are for, where they are not the same.
fn moved(
    instance: &Instance,
    from: RevisionNumber,
    to: RevisionNumber,
) -> Option<(RevisionNumber, RevisionNumber)> {
    let of = |number| instance.find(number).ok().and_then(|it| it.definition);
    of(from).zip(of(to)).filter(|(from, to)| from != to)
}

/// What is not named is the newest one, or the one before the other.
fn both((from, to): Wanted, newest_first: &[RevisionNumber]) -> Option<(RevisionNumber, RevisionNumber)> {
    let to = to.or_else(|| newest_first.first().copied())?;
    let from = from.or_else(|| newest_first.iter().copied().find(|it| *it < to))?;
    Some((from, to))
}

fn too_few(name: &str) -> CommandError {
    CommandError::wrong(format!("{name} has no two revisions to compare"))
        .hint(format!("`krono revisions list {name}` lists those that are there"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_named_is_the_last_change() {
        let number = |it: u64| RevisionNumber::new(it).unwrap();
        let there = [5, 4, 2].map(number);
        let check = |from: Option<u64>, to: Option<u64>, expected: Option<(u64, u64)>| {
            let found = both((from.map(number), to.map(number)), &there);
            assert_eq!(found.map(|(from, to)| (from.get(), to.get())), expected);
        };
        check(None, None, Some((4, 5)));
        check(Some(2), None, Some((2, 5)));
        check(None, Some(4), Some((2, 4)));
        check(Some(9), Some(1), Some((9, 1)));
        check(None, Some(2), None);
    }
}
