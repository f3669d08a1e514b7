//! `krono cel eval` and `krono cel check`.

mod advice;
mod diagnosis;
mod inputs;
mod result;
mod snippet;

use krono_cel::{Checked, Meter};

use self::diagnosis::Diagnosis;
use self::inputs::Inputs;
use crate::arguments::cel::{CelCommand, CheckArguments, EvalArguments};
use crate::command_error::CommandError;
use crate::output::Output;

pub(super) fn run(command: CelCommand, output: &mut Output) -> Result<(), CommandError> {
    match command {
        CelCommand::Eval(arguments) => eval(arguments, output),
        CelCommand::Check(arguments) => check(arguments, output),
    }
}

fn eval(arguments: EvalArguments, output: &mut Output) -> Result<(), CommandError> {
    let inputs = Inputs::read(arguments.expression, output)?;
    let env = inputs.environment();
    let program = env.program(&checked(&inputs, &env)?);
    let bindings = inputs.bindings(&env);
    let meter = Meter::new(arguments.budget);
    let value =
        program.eval_metered(&bindings, &meter).map_err(|error| Diagnosis::of(&inputs).eval_error(&error))?;
    output.text(&result::render(&value, arguments.output)?)
}

fn check(arguments: CheckArguments, output: &mut Output) -> Result<(), CommandError> {
    let inputs = Inputs::read(arguments.expression, output)?;
    let checked = checked(&inputs, &inputs.environment())?;
    output.text(&format!("{}\n", checked.result_type()))
}

fn checked(inputs: &Inputs, env: &krono_cel::Env) -> Result<Checked, CommandError> {
    let checked = env.parse(&inputs.expression).and_then(|ast| env.check(ast));
    checked.map_err(|issues| Diagnosis::of(inputs).issues(&issues))
}
