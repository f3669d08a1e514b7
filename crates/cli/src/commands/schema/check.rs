//! `krono schema check`.

use crate::arguments::schema::CheckArguments;
use crate::command_error::{CommandError, ErrorKind};
use crate::described::DescribedFile;
use crate::document::Source;
use crate::output::Output;

pub(super) fn run(arguments: &CheckArguments, output: &mut Output) -> Result<(), CommandError> {
    let mut worst = None;
    for source in &arguments.files {
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
    let file = DescribedFile::read(source)?;
    file.warnings.iter().try_for_each(|it| output.warn(it))?;
    file.documents.iter().try_for_each(|it| output.text(&format!("{source}: {} is valid\n", it.title())))
}
