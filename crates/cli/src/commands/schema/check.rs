//! `krono schema check`.

use super::comparison::Comparison;
use crate::arguments::schema::CheckArguments;
use crate::command_error::{CommandError, ErrorKind};
use crate::described::{Described, DescribedFile};
use crate::document::{self, Source};
use crate::output::Output;

pub(super) fn run(arguments: &CheckArguments, output: &mut Output) -> Result<(), CommandError> {
    document::read_stdin_once(arguments.files.iter().chain(&arguments.against))?;
    match (&arguments.against, arguments.files.as_slice()) {
        (None, files) => check_each(files, output),
        (Some(old), [new]) => compare(old, new, output),
        (Some(_), _) => Err(CommandError::usage("`--against` compares one file with its older form")),
    }
}

/// Goes on after a file that is wrong; the exit code is that of the worst.
fn check_each(files: &[Source], output: &mut Output) -> Result<(), CommandError> {
    let mut worst = None;
    for source in files {
        if let Err(error) = check(source, output) {
            if error.kind == ErrorKind::BrokenPipe {
                return Err(error);
            }
            output.tell(&error)?;
            worst = worst.max(Some(error.kind));
        }
    }
    worst.map_or(Ok(()), |kind| Err(CommandError::told(kind)))
}

fn check(source: &Source, output: &mut Output) -> Result<(), CommandError> {
    let documents = read(source, output)?;
    documents.iter().try_for_each(|it| output.text(&format!("{source}: {} is valid\n", it.title())))
}

fn compare(old: &Source, new: &Source, output: &mut Output) -> Result<(), CommandError> {
    let comparison = Comparison::of(&read_one(old, output)?, &read_one(new, output)?);
    output.text(&comparison.to_string())?;
    match (comparison.changes(), comparison.breaking()) {
        (0, _) => output.text(&format!("{new}: nothing changed since {old}\n")),
        (_, 0) => output.text(&format!("{new}: compatible with {old}\n")),
        (_, count) => Err(breaking(old, new, count)),
    }
}

fn breaking(old: &Source, new: &Source, count: usize) -> CommandError {
    let changes = if count == 1 { "1 change is".to_owned() } else { format!("{count} changes are") };
    CommandError::of(ErrorKind::Breaking, format!("{new} is not compatible with {old}: {changes} breaking"))
        .hint("keep what instances use, or offer the change as a new API version")
}

fn read(source: &Source, output: &mut Output) -> Result<Vec<Described>, CommandError> {
    let file = DescribedFile::read_strictly(source)?;
    file.warnings.iter().try_for_each(|it| output.warn(it))?;
    Ok(file.documents)
}

fn read_one(source: &Source, output: &mut Output) -> Result<Described, CommandError> {
    let mut documents = read(source, output)?;
    match (documents.pop(), documents.len()) {
        (Some(only), 0) => Ok(only),
        _ => Err(CommandError::wrong(format!("{source} describes several schemas; compare them one by one"))),
    }
}
