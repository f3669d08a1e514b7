//! krono and its rivals behind one face.

use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use krono_cel::{Env, ListView, Val};
use serde_json::Value;

use super::datum::Datum;

/// What an engine makes of an expression.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Value(Datum),
    Error(String),
    /// It was found wrong before it was evaluated.
    Refused(String),
}

impl Outcome {
    /// The same value, or no value.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        self.value() == other.value()
    }

    pub(super) fn value(&self) -> Option<&Datum> {
        match self {
            Self::Value(value) => Some(value),
            Self::Error(_) | Self::Refused(_) => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => write!(f, "{value}"),
            Self::Error(error) => write!(f, "ERROR {error}"),
            Self::Refused(issues) => write!(f, "REFUSED {issues}"),
        }
    }
}

/// Something that evaluates expressions.
pub(super) trait Engine {
    fn eval(&self, source: &str) -> Outcome;
}

/// A variable: its name, its value as JSON, and an expression for the same value.
pub(super) struct Variable {
    pub(super) name: &'static str,
    pub(super) json: Value,
    pub(super) expression: &'static str,
}

/// krono with some environment.
pub(super) struct Krono {
    env: Env,
    variables: Vec<Variable>,
}

impl Krono {
    pub(super) fn new(env: Env, variables: Vec<Variable>) -> Self {
        Self { env, variables }
    }
}

impl Engine for Krono {
    fn eval(&self, source: &str) -> Outcome {
        let program = match self.env.compile(source) {
            Ok(program) => program,
            Err(issues) => return Outcome::Refused(issues.to_string()),
        };
        let bindings =
            self.variables.iter().fold(self.env.bindings(), |bindings, it| bindings.with(it.name, &it.json));
        match program.eval(&bindings) {
            Ok(value) => Outcome::Value(from_krono(&value)),
            Err(error) => Outcome::Error(error.to_string()),
        }
    }
}

fn from_krono(value: &Val<'_>) -> Datum {
    match value {
        Val::Null => Datum::Null,
        Val::Bool(value) => Datum::Bool(*value),
        Val::Int(value) => Datum::Int(*value),
        Val::Uint(value) => Datum::Uint(*value),
        Val::Double(value) => Datum::Double(*value),
        Val::String(text) => Datum::String(text.to_string()),
        Val::Bytes(bytes) => Datum::Bytes(bytes.to_vec()),
        Val::Timestamp(value) => Datum::Timestamp(value.epoch_seconds(), value.subsecond_nanos()),
        Val::Duration(value) => Datum::Duration(value.whole_nanos().into()),
        Val::Optional(value) => Datum::Optional(value.as_ref().map(|it| Box::new(from_krono(it)))),
        Val::Type(ty) => Datum::Other(format!("type {}", ty.runtime_name())),
        Val::Opaque(value) => Datum::Other(value.type_of().runtime_name().to_owned()),
        Val::Json(..) | Val::List(_) | Val::United(..) | Val::Map(_) => {
            let list = |it: ListView<'_, '_>| Datum::List(it.iter().map(|it| from_krono(&it)).collect());
            value.as_list().map_or_else(|| map_from_krono(value), list)
        }
    }
}

fn map_from_krono(value: &Val<'_>) -> Datum {
    let entries = value.entries().unwrap().entries().into_iter();
    Datum::map(entries.map(|(key, value)| (from_krono(&key.to_val()), from_krono(&value))).collect())
}

thread_local! {
    static IN_RIVAL: Cell<bool> = const { Cell::new(false) };
}

/// Leaves panics of rivals unmentioned; there are many.
pub(super) fn silence_rivals() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !IN_RIVAL.get() {
            usual(panic);
        }
    }));
}

/// The value of an expression, or that there was a panic, which says nothing about the expression.
fn guarded(run: impl FnOnce() -> Result<Datum, String>) -> Outcome {
    IN_RIVAL.set(true);
    let result = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err(PANIC.to_owned()));
    IN_RIVAL.set(false);
    result.map_or_else(Outcome::Error, Outcome::Value)
}

/// The error of a rival that panicked.
pub(super) const PANIC: &str = "panic";

/// The crate `cel`.
pub(super) struct Cel {
    env: Arc<cel::Env>,
    context: cel::Context<'static, 'static>,
}

impl Cel {
    pub(super) fn new(variables: &[Variable]) -> Self {
        let mut env = cel::Env::stdlib();
        env.add_extension(cel::extensions::strings).unwrap();
        env.add_extension(cel::extensions::math).unwrap();
        env.add_extension(cel::extensions::lists).unwrap();
        env.add_extension(cel::extensions::encoders).unwrap();
        let env = Arc::new(env);
        let empty = cel::Context::with_env(Arc::clone(&env));
        let mut context = cel::Context::with_env(Arc::clone(&env));
        for it in variables {
            let value = env.compile(it.expression).unwrap().execute(&empty).unwrap();
            context.add_variable_from_value(it.name, value);
        }
        Self { env, context }
    }
}

impl Engine for Cel {
    fn eval(&self, source: &str) -> Outcome {
        guarded(|| {
            let program = self.env.compile(source).map_err(|it| it.to_string())?;
            let value = program.execute(&self.context).map_err(|it| it.to_string())?;
            Ok(from_cel(&value))
        })
    }
}

fn from_cel(value: &cel::Value) -> Datum {
    use cel::Value;
    match value {
        Value::Null => Datum::Null,
        Value::Bool(value) => Datum::Bool(*value),
        Value::Int(value) => Datum::Int(*value),
        Value::UInt(value) => Datum::Uint(*value),
        Value::Float(value) => Datum::Double(*value),
        Value::String(text) => Datum::String(text.to_string()),
        Value::Bytes(bytes) => Datum::Bytes(bytes.to_vec()),
        Value::Timestamp(value) => Datum::Timestamp(value.timestamp(), value.timestamp_subsec_nanos()),
        Value::Duration(value) => Datum::Duration(
            i128::from(value.num_seconds()) * 1_000_000_000 + i128::from(value.subsec_nanos()),
        ),
        Value::List(elements) => Datum::List(elements.iter().map(from_cel).collect()),
        Value::Map(map) => {
            let entries = map.map.iter();
            Datum::map(entries.map(|(key, value)| (from_cel(&key.clone().into()), from_cel(value))).collect())
        }
        Value::Opaque(_) | Value::Function(..) | Value::Struct(_) => {
            match <&cel::objects::OptionalValue>::try_from(value) {
                Ok(optional) => Datum::Optional(optional.value().map(|it| Box::new(from_cel(it)))),
                Err(_) => Datum::Other(format!("{value:?}")),
            }
        }
    }
}

/// The crate `cel-core`.
pub(super) struct CelCore {
    env: cel_core::Env,
    activation: cel_core::MapActivation,
}

impl CelCore {
    pub(super) fn new(variables: &[Variable]) -> Self {
        let mut env = cel_core::Env::with_standard_library().with_all_extensions();
        let mut activation = cel_core::MapActivation::new();
        for it in variables {
            let program = env.program(&env.compile(it.expression).unwrap()).unwrap();
            activation.insert(it.name, program.eval_empty());
        }
        for it in variables {
            env.add_variable(it.name, cel_core::CelType::Dyn);
        }
        Self { env, activation }
    }
}

impl Engine for CelCore {
    fn eval(&self, source: &str) -> Outcome {
        guarded(|| {
            // Its checker refuses fields of elements of `dyn` and recurses without end on some types; evaluation needs none.
            let ast = self.env.parse_only(source).map_err(|it| it.to_string())?;
            let program = self.env.program(&ast).map_err(|it| it.to_string())?;
            from_cel_core(&program.eval(&self.activation))
        })
    }
}

fn from_cel_core(value: &cel_core::Value) -> Result<Datum, String> {
    use cel_core::Value;
    Ok(match value {
        Value::Null => Datum::Null,
        Value::Bool(value) => Datum::Bool(*value),
        Value::Int(value) => Datum::Int(*value),
        Value::UInt(value) => Datum::Uint(*value),
        Value::Double(value) => Datum::Double(*value),
        Value::String(text) => Datum::String(text.to_string()),
        Value::Bytes(bytes) => Datum::Bytes(bytes.to_vec()),
        Value::Timestamp(value) => Datum::Timestamp(value.seconds, value.nanos.try_into().unwrap()),
        Value::Duration(value) => {
            Datum::Duration(i128::from(value.seconds) * 1_000_000_000 + i128::from(value.nanos))
        }
        Value::List(elements) => Datum::List(elements.iter().map(from_cel_core).collect::<Result<_, _>>()?),
        Value::Map(map) => {
            let entry = |(key, value): (&cel_core::MapKey, &Value)| {
                Ok((from_cel_core(&key.to_value())?, from_cel_core(value)?))
            };
            Datum::map(map.iter().map(entry).collect::<Result<_, String>>()?)
        }
        Value::Optional(optional) => {
            Datum::Optional(optional.as_value().map(from_cel_core).transpose()?.map(Box::new))
        }
        Value::Error(error) => return Err(error.to_string()),
        Value::Type(ty) => Datum::Other(format!("type {}", ty.name)),
        Value::Message(_) | Value::Enum(_) => Datum::Other(format!("{value:?}")),
    })
}

/// The crate `kube-cel`, which is `cel` 0.13 with Kubernetes' functions.
pub(super) struct KubeCel {
    context: kube_cel::cel::Context<'static>,
}

impl KubeCel {
    pub(super) fn new() -> Self {
        use kube_cel::KubeCelExt;
        Self { context: kube_cel::cel::Context::default().with_all() }
    }
}

impl Engine for KubeCel {
    fn eval(&self, source: &str) -> Outcome {
        guarded(|| {
            let program = kube_cel::cel::Program::compile(source).map_err(|it| it.to_string())?;
            let value = program.execute(&self.context).map_err(|it| it.to_string())?;
            Ok(from_kube_cel(&value))
        })
    }
}

fn from_kube_cel(value: &kube_cel::cel::Value) -> Datum {
    use kube_cel::cel::Value;
    match value {
        Value::Null => Datum::Null,
        Value::Bool(value) => Datum::Bool(*value),
        Value::Int(value) => Datum::Int(*value),
        Value::UInt(value) => Datum::Uint(*value),
        Value::Float(value) => Datum::Double(*value),
        Value::String(text) => Datum::String(text.to_string()),
        Value::Bytes(bytes) => Datum::Bytes(bytes.to_vec()),
        Value::Timestamp(value) => Datum::Timestamp(value.timestamp(), value.timestamp_subsec_nanos()),
        Value::Duration(value) => Datum::Duration(
            i128::from(value.num_seconds()) * 1_000_000_000 + i128::from(value.subsec_nanos()),
        ),
        Value::List(elements) => Datum::List(elements.iter().map(from_kube_cel).collect()),
        Value::Map(map) => {
            let entries = map.map.iter();
            Datum::map(
                entries
                    .map(|(key, value)| (from_kube_cel(&key.clone().into()), from_kube_cel(value)))
                    .collect(),
            )
        }
        Value::Opaque(opaque) => Datum::Other(opaque.runtime_type_name().to_owned()),
        Value::Function(..) => Datum::Other(format!("{value:?}")),
    }
}
