//! CEL, the Common Expression Language: parser, checker and an evaluator that borrows JSON.

pub mod ast;
mod checked;
mod checker;
mod compatibility;
mod env;
mod error;
mod function;
mod lexer;
pub mod library;
pub mod macros;
mod meter;
mod number;
mod parser;
mod program;
mod quote;
mod source;
mod template;
pub mod time;
mod types;
mod value;

pub use checked::Checked;
pub use compatibility::Incompatible;
pub use env::{Env, EnvBuilder, Variable};
pub use error::{EvalError, EvalErrorKind};
pub use function::{Build, Implementation, Library, Message, Overload, Prepare, Validate};
pub use macros::{Expand, Expander, Macro};
pub use meter::{DEFAULT_BUDGET, Meter};
pub use program::{Bindings, Program};
pub use source::{Issue, Issues, Position, Span, position};
pub use template::{Placed, Segment, Template, TemplateError};
pub use types::{ListSemantics, ListType, ObjectType, OpaqueType, Type};
pub use value::{Key, ListView, Map, MapView, Opaque, Text, Val};
