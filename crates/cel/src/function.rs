//! Functions and the libraries that declare them.

use std::fmt;
use std::sync::Arc;

use crate::ast::ExprId;
use crate::checked::Checked;
use crate::error::EvalError;
use crate::macros::Macro;
use crate::meter::Meter;
use crate::source::Issue;
use crate::types::Type;
use crate::value::Val;

/// The code of an overload.
///
/// It is called with as many arguments as the overload has parameters, the receiver first. Their types have been checked as far as they
/// are known before run time, so it must still answer [`EvalError::no_such_overload`] for others. It charges the meter *before* work that
/// grows with its arguments.
pub type Implementation =
    Arc<dyn for<'a> Fn(&Meter<'_>, &[Val<'a>]) -> Result<Val<'a>, EvalError> + Send + Sync>;

/// One signature of a function, with its code.
#[derive(Clone)]
pub struct Overload {
    /// cel-go's name of the overload, such as `size_string`.
    pub id: &'static str,
    /// Called as `params[0].name(params[1..])`.
    pub receiver: bool,
    /// Parameter types, the receiver's first; [`Type::Param`] stands for a type parameter.
    pub params: Vec<Type>,
    /// Type of the result.
    pub result: Type,
    /// The code.
    pub implementation: Implementation,
    /// Prepares the code for arguments that never change, such as a regular expression.
    pub prepare: Option<Prepare>,
    /// Finds what is sure to fail in a call whose types agree.
    pub validate: Option<Validate>,
}

/// Gives code prepared for the arguments that are fixed, those that are `Some`; `None` when there is nothing to prepare.
pub type Prepare = fn(&[Option<&Val<'static>>]) -> Option<Implementation>;

/// Looks at a call of the overload for what is sure to fail at run time, such as a format that its arguments do not fit.
pub type Validate = fn(&Checked, ExprId) -> Option<Issue>;

impl Overload {
    /// An overload called as `name(args)`.
    pub fn function<F>(id: &'static str, params: impl Into<Vec<Type>>, result: Type, code: F) -> Self
    where
        F: for<'a> Fn(&Meter<'_>, &[Val<'a>]) -> Result<Val<'a>, EvalError> + Send + Sync + 'static,
    {
        Self {
            id,
            receiver: false,
            params: params.into(),
            result,
            implementation: Arc::new(code),
            prepare: None,
            validate: None,
        }
    }

    /// An overload called as `receiver.name(args)`.
    pub fn method<F>(id: &'static str, params: impl Into<Vec<Type>>, result: Type, code: F) -> Self
    where
        F: for<'a> Fn(&Meter<'_>, &[Val<'a>]) -> Result<Val<'a>, EvalError> + Send + Sync + 'static,
    {
        Self { receiver: true, ..Self::function(id, params, result, code) }
    }

    /// The same, with a way to find what is sure to fail.
    #[must_use]
    pub fn validated_by(mut self, validate: Validate) -> Self {
        self.validate = Some(validate);
        self
    }

    /// The same, with a way to do work on fixed arguments once.
    #[must_use]
    pub fn prepared_by(mut self, prepare: Prepare) -> Self {
        self.prepare = Some(prepare);
        self
    }
}

impl fmt::Debug for Overload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overload")
            .field("id", &self.id)
            .field("receiver", &self.receiver)
            .field("params", &self.params)
            .field("result", &self.result)
            .finish_non_exhaustive()
    }
}

/// A named set of functions, macros and names that an environment can be composed of.
///
/// ```
/// use krono_cel::{Env, Library, Overload, Type, Val};
///
/// let greetings = Library::new().function("greet", [Overload::function(
///     "greet_string",
///     [Type::String],
///     Type::String,
///     |meter, args| {
///         let name = args[0].text()?;
///         meter.charge_text(name.len())?;
///         Ok(Val::string(format!("hello {name}")))
///     },
/// )]);
/// let env = Env::builder().library(greetings).build();
/// let program = env.compile("greet('krono')").unwrap();
/// assert_eq!(program.eval(&env.bindings()).unwrap(), Val::str("hello krono"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Library {
    pub(crate) functions: Vec<(&'static str, Vec<Overload>)>,
    pub(crate) macros: Vec<Macro>,
    pub(crate) constants: Vec<(&'static str, Val<'static>, Type)>,
    pub(crate) messages: Vec<Message>,
}

/// A type that struct literals can make.
#[derive(Clone, Debug)]
pub struct Message {
    /// The name as written in a literal, such as `google.protobuf.Int32Value`.
    pub name: &'static str,
    /// The fields that may be set.
    pub fields: Vec<(&'static str, Type)>,
    /// The type of the literal.
    pub result: Type,
    /// Makes the value from the fields that were set.
    pub build: Build,
}

/// Makes the value of a struct literal from its fields.
pub type Build = for<'a> fn(&[(Arc<str>, Val<'a>)]) -> Result<Val<'a>, EvalError>;

impl Library {
    /// A library with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds overloads of a function; the same name may be added to by several libraries.
    #[must_use]
    pub fn function(mut self, name: &'static str, overloads: impl IntoIterator<Item = Overload>) -> Self {
        self.functions.push((name, overloads.into_iter().collect()));
        self
    }

    /// Adds a macro.
    #[must_use]
    pub fn with_macro(mut self, it: Macro) -> Self {
        self.macros.push(it);
        self
    }

    /// Adds several macros.
    #[must_use]
    pub fn with_macros(mut self, macros: &[Macro]) -> Self {
        self.macros.extend_from_slice(macros);
        self
    }

    /// Adds a name with a fixed value.
    #[must_use]
    pub fn constant(mut self, name: &'static str, value: Val<'static>, ty: Type) -> Self {
        self.constants.push((name, value, ty));
        self
    }

    /// Adds the name of a type, as `type(x)` gives it.
    #[must_use]
    pub fn type_name(self, name: &'static str, ty: Type) -> Self {
        let type_of = Type::type_of(ty.clone());
        self.constant(name, Val::Type(Arc::new(ty)), type_of)
    }

    /// Adds a type that struct literals can make.
    #[must_use]
    pub fn message(mut self, message: Message) -> Self {
        self.messages.push(message);
        self
    }
}
