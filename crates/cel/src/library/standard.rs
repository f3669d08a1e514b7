//! What every CEL environment has: macros, conversions, text, sizes and time.

mod conversions;
mod text;
mod time;

use crate::function::{Library, Overload};
use crate::macros;
use crate::types::Type;
use crate::value::Val;

/// CEL's standard library; operators need no library.
pub fn standard() -> Library {
    let library = Library::new()
        .with_macros(macros::STANDARD)
        .function(
            "dyn",
            [Overload::function("to_dyn", [Type::Param(0)], Type::Dyn, |_, args| Ok(args[0].clone()))],
        )
        .function(
            "type",
            [Overload::function("type", [Type::Param(0)], Type::type_of(Type::Param(0)), |_, args| {
                Ok(Val::Type(args[0].type_of().into()))
            })],
        );
    time::declare(text::declare(conversions::declare(type_names(library))))
}

fn type_names(library: Library) -> Library {
    library
        .type_name("bool", Type::Bool)
        .type_name("bytes", Type::Bytes)
        .type_name("double", Type::Double)
        .type_name("google.protobuf.Duration", Type::Duration)
        .type_name("int", Type::Int)
        .type_name("list", Type::list(Type::Dyn))
        .type_name("map", Type::map(Type::Dyn, Type::Dyn))
        .type_name("null_type", Type::Null)
        .type_name("string", Type::String)
        .type_name("google.protobuf.Timestamp", Type::Timestamp)
        .type_name("type", Type::Type(None))
        .type_name("uint", Type::Uint)
}
