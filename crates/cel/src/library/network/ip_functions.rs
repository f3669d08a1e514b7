//! What expressions can do with addresses.

use super::super::{Dialect, arity};
use super::Ip;
use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::meter::Meter;
use crate::types::Type::{self, Bool, Int, String};
use crate::value::Val;

pub(super) fn add_to(library: Library, dialect: Dialect) -> Library {
    let bool = |id, question: fn(&Ip) -> bool| {
        Overload::method(id, [Ip::cel_type()], Bool, move |_, args| Ok(Val::Bool(question(only(args)?))))
    };
    library
        .function(
            "ip",
            [Overload::function("string_to_ip", [String], Ip::cel_type(), move |meter, args| {
                parse(meter, arity::<1>(args)?[0].text()?, dialect).map(Val::opaque)
            })],
        )
        .function(
            "isIP",
            [Overload::function("is_ip", [String], Bool, move |meter, args| {
                let text = arity::<1>(args)?[0].text()?;
                meter.charge_text(text.len())?;
                Ok(Val::Bool(Ip::parse(text, dialect).is_ok()))
            })],
        )
        .function(
            "ip.isCanonical",
            [Overload::function("ip_is_canonical", [String], Bool, move |meter, args| {
                let text = arity::<1>(args)?[0].text()?;
                Ok(Val::Bool(parse(meter, text, dialect)?.to_string() == text))
            })],
        )
        .function("family", [answer("ip_family", Int, |it| Val::Int(it.family()))])
        .function(
            "string",
            [Overload::function("ip_to_string", [Ip::cel_type()], String, |_, args| {
                Ok(Val::string(only(args)?.to_string()))
            })],
        )
        .function("isUnspecified", [bool("ip_is_unspecified", Ip::is_unspecified)])
        .function("isLoopback", [bool("ip_is_loopback", Ip::is_loopback)])
        .function("isLinkLocalMulticast", [bool("ip_is_link_local_multicast", Ip::is_link_local_multicast)])
        .function("isLinkLocalUnicast", [bool("ip_is_link_local_unicast", Ip::is_link_local_unicast)])
        .function("isGlobalUnicast", [bool("ip_is_global_unicast", Ip::is_global_unicast)])
        .type_name("net.IP", Ip::cel_type())
}

fn answer(id: &'static str, result: Type, answer: fn(&Ip) -> Val<'static>) -> Overload {
    Overload::method(id, [Ip::cel_type()], result, move |_, args| only(args).map(answer))
}

fn only<'v>(args: &'v [Val<'_>]) -> Result<&'v Ip, EvalError> {
    arity::<1>(args)?[0].library()
}

/// The address a text stands for.
pub(super) fn parse(meter: &Meter<'_>, text: &str, dialect: Dialect) -> Result<Ip, EvalError> {
    meter.charge_text(text.len())?;
    Ip::parse(text, dialect).map_err(|error| EvalError::invalid(error.to_string()))
}
