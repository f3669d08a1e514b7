//! The expression and its variables, read from where the command line says they are.

use krono_cel::{Bindings, Env, EnvBuilder, Type};
use serde_json::Value;

use crate::arguments::cel::ExpressionArguments;
use crate::command_error::CommandError;
use crate::document::Source;
use crate::engine;
use crate::output::Output;

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
    pub(super) value: Option<Value>,
}

impl Inputs {
    /// Reads all there is to read, telling what looks like a mistake.
    pub(super) fn read(arguments: ExpressionArguments, output: &mut Output) -> Result<Self, CommandError> {
        one_reader_of_stdin(&arguments)?;
        let mut inputs = Self { expression: String::new(), variables: Vec::new() };
        for named in arguments.variables {
            let (value, warnings) = named.source.read_document()?;
            warnings.iter().try_for_each(|it| output.warn(it))?;
            inputs.give(named.name, value)?;
        }
        for named in arguments.values {
            inputs.give(named.name, named.value)?;
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

    fn give(&mut self, name: String, value: Value) -> Result<(), CommandError> {
        match self.variables.iter_mut().find(|it| it.name == name) {
            Some(Input { value: Some(_), .. }) => {
                Err(CommandError::usage(format!("the variable `{name}` is given twice")))
            }
            Some(input) => {
                input.value = Some(value);
                Ok(())
            }
            None => {
                self.variables.push(Input { name, ty: Type::Dyn, value: Some(value) });
                Ok(())
            }
        }
    }
}

fn expression(written: String) -> Result<String, CommandError> {
    if written != "-" {
        return Ok(written);
    }
    let text = Source::Stdin.read_text()?;
    Ok(text.trim_end().to_owned())
}

fn one_reader_of_stdin(arguments: &ExpressionArguments) -> Result<(), CommandError> {
    let files = arguments.variables.iter();
    let dashes =
        files.filter(|it| it.source == Source::Stdin).count() + usize::from(arguments.expression == "-");
    if dashes > 1 {
        return Err(CommandError::usage("`-` stands for stdin more than once; it can be read only once"));
    }
    Ok(())
}
