//! URLs: `url("https://example.com:80/path?k=v")`.

mod escape;
mod url;

pub use url::{ParseUrlError, Url};

use super::super::arity;
use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::meter::Meter;
use crate::types::Type::{self, Bool, String};
use crate::value::{Key, Map, Opaque, Text, Val};

/// `url`, `isURL` and the parts of a URL.
pub fn urls() -> Library {
    let text_part = |id, part: fn(&Url) -> std::string::String| {
        Overload::method(id, [Url::cel_type()], String, move |_, args| Ok(Val::string(part(only(args)?))))
    };
    let lists_by_name = Type::map(String, Type::list(String));
    Library::new()
        .function("url", [Overload::function("string_to_url", [String], Url::cel_type(), parse)])
        .function("isURL", [Overload::function("is_url_string", [String], Bool, is_url)])
        .function("getScheme", [text_part("url_get_scheme", |it| it.scheme().to_owned())])
        .function("getHost", [text_part("url_get_host", |it| it.host().to_owned())])
        .function("getHostname", [text_part("url_get_hostname", |it| it.hostname().to_owned())])
        .function("getPort", [text_part("url_get_port", |it| it.port().to_owned())])
        .function("getEscapedPath", [text_part("url_get_escaped_path", |it| it.escaped_path().to_owned())])
        .function(
            "getQuery",
            [Overload::method("url_get_query", [Url::cel_type()], lists_by_name, get_query)],
        )
        .type_name("kubernetes.URL", Url::cel_type())
}

impl Url {
    /// The type of URLs in expressions.
    pub fn cel_type() -> Type {
        Type::object("kubernetes.URL", [])
    }
}

impl Opaque for Url {
    fn type_of(&self) -> Type {
        Self::cel_type()
    }

    fn equals(&self, other: &dyn Opaque) -> bool {
        (other as &dyn std::any::Any).downcast_ref::<Self>().is_some_and(|other| self == other)
    }
}

fn only<'v>(args: &'v [Val<'_>]) -> Result<&'v Url, EvalError> {
    arity::<1>(args)?[0].library()
}

fn parse<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [text] = arity(args)?;
    meter.charge_text(text.text()?.len())?;
    Url::parse(text.text()?).map(Val::opaque).map_err(|error| EvalError::invalid(error.to_string()))
}

fn is_url<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [text] = arity(args)?;
    meter.charge_text(text.text()?.len())?;
    Ok(Val::Bool(Url::is_url(text.text()?)))
}

fn get_query<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let query = only(args)?.query();
    meter.charge(query.len() as u64)?;
    let entry = |(name, values): (std::string::String, Vec<std::string::String>)| {
        let values = values.into_iter().map(Val::string).collect();
        (Key::String(Text::Shared(name.into())), Val::list(values))
    };
    Ok(Val::map(Map::new(query.into_iter().map(entry).collect())?))
}
