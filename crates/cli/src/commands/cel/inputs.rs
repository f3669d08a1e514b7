//! The expression and its variables, read from where the command line says they are.

use krono_cel::{Bindings, Env, EnvBuilder, Type};
use krono_schema::cel::cel_type;
use krono_schema::{Schema, Validator};
use serde_json::Value;

use crate::arguments::cel::ExpressionArguments;
use crate::command_error::CommandError;
use crate::described::{Described, DescribedFile};
use crate::document::{self, Source};
use crate::engine;
use crate::output::Output;

/// A value that fits its schema nowhere has more to tell than anyone reads.
const MOST_WARNINGS: usize = 5;

/// What a command of `krono cel` works on.
#[derive(Debug)]
pub(super) struct Inputs {
    pub(super) expression: String,
    pub(super) variables: Vec<Input>,
}

/// A declared variable; one with a schema only has no value.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) schema: Option<Schema>,
    pub(super) value: Option<Value>,
}

impl Inputs {
    /// Reads all there is to read, telling what looks like a mistake.
    pub(super) fn read(arguments: ExpressionArguments, output: &mut Output) -> Result<Self, CommandError> {
        let files = arguments.variables.iter().chain(&arguments.schemas).map(|it| &it.source);
        let piped = (arguments.expression == "-").then_some(&Source::Stdin);
        document::read_stdin_once(files.chain(piped))?;
        let mut inputs = Self { expression: String::new(), variables: Vec::new() };
        for named in &arguments.schemas {
            inputs.describe(&named.name, schema(&named.source, output)?)?;
        }
        for named in arguments.variables {
            let (value, warnings) = named.source.read_document()?;
            warnings.iter().try_for_each(|it| output.warn(it))?;
            inputs.give(named.name, value, output)?;
        }
        for named in arguments.values {
            inputs.give(named.name, named.value, output)?;
        }
        inputs.expression = expression(arguments.expression)?;
        Ok(inputs)
    }

    /// The environment the expression is checked in.
    pub(super) fn environment(&self) -> Env {
        let declare = |env: EnvBuilder, it: &Input| env.variable(&it.name, it.ty.clone());
        self.variables.iter().fold(engine::environment(), declare).build()
    }

    /// The values of the variables, in an environment that declares them.
    pub(super) fn bindings<'a>(&'a self, env: &'a Env) -> Bindings<'a> {
        let given = self.variables.iter().filter_map(|it| Some((it.name.as_str(), it.value.as_ref()?)));
        given.fold(env.bindings(), |bindings, (name, value)| bindings.with(name, value))
    }

    fn describe(&mut self, name: &str, schema: Schema) -> Result<(), CommandError> {
        if self.variables.iter().any(|it| it.name == name) {
            return Err(CommandError::usage(format!("the schema of `{name}` is given twice")));
        }
        let ty = cel_type(&schema.clone().into(), name);
        self.variables.push(Input { name: name.to_owned(), ty, schema: Some(schema), value: None });
        Ok(())
    }

    fn give(&mut self, name: String, value: Value, output: &mut Output) -> Result<(), CommandError> {
        match self.variables.iter_mut().find(|it| it.name == name) {
            Some(Input { value: Some(_), .. }) => {
                return Err(CommandError::usage(format!("the variable `{name}` is given twice")));
            }
            Some(input) => {
                input.compare(&value, output)?;
                input.value = Some(value);
            }
            None => self.variables.push(Input { name, ty: Type::Dyn, schema: None, value: Some(value) }),
        }
        Ok(())
    }
}

impl Input {
    /// Tells where a value does not fit the schema; expressions that do not read those parts work all the same.
    fn compare(&self, value: &Value, output: &mut Output) -> Result<(), CommandError> {
        let Some(schema) = &self.schema else { return Ok(()) };
        let errors = Validator::new(schema).validate(value);
        let lines = errors.iter().take(MOST_WARNINGS).map(ToString::to_string);
        let more = errors.len().saturating_sub(MOST_WARNINGS);
        let rest = (more > 0).then(|| format!("and {more} more problems"));
        lines.chain(rest).try_for_each(|it| {
            output.warn(&format!("the value of `{}` does not fit its schema: {it}", self.name))
        })
    }
}

/// The schema that a file with one document describes.
fn schema(source: &Source, output: &mut Output) -> Result<Schema, CommandError> {
    let file = DescribedFile::read(source)?;
    file.warnings.iter().try_for_each(|it| output.warn(it))?;
    let mut schemas = file.documents.iter().filter_map(Described::variable);
    match (schemas.next(), schemas.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(CommandError::wrong(format!("{source} describes several schemas where one is expected"))),
    }
}

fn expression(written: String) -> Result<String, CommandError> {
    if written != "-" {
        return Ok(written);
    }
    let text = Source::Stdin.read_text()?;
    Ok(text.trim_end().to_owned())
}
