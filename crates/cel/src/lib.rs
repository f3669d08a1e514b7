//! CEL, the Common Expression Language: parser, checker and an evaluator that borrows JSON.
//!
//! An [`Env`] says what expressions may use; it is composed of [`library`] functions and variables with a [`Type`]. It compiles text
//! to a [`Program`], or tells all [`Issues`] at once, in cel-go's words. A program is evaluated as often as wanted, on values that it
//! borrows and within the budget of a [`Meter`].
//!
//! ```
//! use krono_cel::library::{self, kro};
//! use krono_cel::{Env, Type};
//! use serde_json::json;
//!
//! let env = kro::environment().variable("app", Type::Dyn).build();
//! let program = env.compile("app.ports.filter(p, p < 1024).map(p, 'low-' + string(p))")?;
//! let app = json!({"ports": [80, 8080]});
//! let value = program.eval(&env.bindings().with("app", &app))?;
//! assert_eq!(value.to_json()?, json!(["low-80"]));
//!
//! let bare = Env::builder().library(library::standard()).build();
//! let issues = bare.compile("1 + 'a'").unwrap_err();
//! assert!(issues.to_string().starts_with(
//!     "ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'"
//! ));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod advice;
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
pub mod quote;
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
pub use types::{FieldTypes, Fields, ListSemantics, ListType, ObjectType, OpaqueType, Type};
pub use value::{Key, ListView, Map, MapView, Opaque, Text, Val};
