//! What expressions can do with networks.

use super::super::{Dialect, arity};
use super::{Cidr, Ip, ip_functions};
use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::meter::Meter;
use crate::types::Type::{self, Bool, Int, String};
use crate::value::Val;

pub(super) fn add_to(library: Library, dialect: Dialect) -> Library {
    library
        .function(
            "cidr",
            [Overload::function("string_to_cidr", [String], Cidr::cel_type(), move |meter, args| {
                parse(meter, arity::<1>(args)?[0].text()?, dialect).map(Val::opaque)
            })],
        )
        .function(
            "isCIDR",
            [Overload::function("is_cidr", [String], Bool, move |meter, args| {
                let text = arity::<1>(args)?[0].text()?;
                meter.charge_text(text.len())?;
                Ok(Val::Bool(Cidr::parse(text, dialect).is_ok()))
            })],
        )
        .function(
            "containsIP",
            [
                contains_ip("cidr_contains_ip_string", String, dialect),
                contains_ip("cidr_contains_ip_ip", Ip::cel_type(), dialect),
            ],
        )
        .function(
            "containsCIDR",
            [
                contains_cidr("cidr_contains_cidr_string", String, dialect),
                contains_cidr("cidr_contains_cidr", Cidr::cel_type(), dialect),
            ],
        )
        .function("ip", [answer("cidr_ip", Ip::cel_type(), |it| Val::opaque(it.address()))])
        .function(
            "prefixLength",
            [answer("cidr_prefix_length", Int, |it| Val::Int(it.prefix_length().into()))],
        )
        .function("masked", [answer("cidr_masked", Cidr::cel_type(), |it| Val::opaque(it.masked()))])
        .function(
            "string",
            [Overload::function("cidr_to_string", [Cidr::cel_type()], String, |_, args| {
                Ok(Val::string(only(args)?.to_string()))
            })],
        )
        .type_name("net.CIDR", Cidr::cel_type())
}

/// A method that only looks at the network.
pub(super) fn answer(id: &'static str, result: Type, answer: fn(&Cidr) -> Val<'static>) -> Overload {
    Overload::method(id, [Cidr::cel_type()], result, move |_, args| only(args).map(answer))
}

fn contains_ip(id: &'static str, inner: Type, dialect: Dialect) -> Overload {
    Overload::method(id, [Cidr::cel_type(), inner], Bool, move |meter, args| {
        let [network, address] = arity(args)?;
        let address = match address {
            Val::String(text) => ip_functions::parse(meter, text, dialect)?,
            _ => *address.library()?,
        };
        Ok(Val::Bool(network.library::<Cidr>()?.contains_address(address)))
    })
}

fn contains_cidr(id: &'static str, inner: Type, dialect: Dialect) -> Overload {
    Overload::method(id, [Cidr::cel_type(), inner], Bool, move |meter, args| {
        let [network, inner] = arity(args)?;
        let inner = match inner {
            Val::String(text) => parse(meter, text, dialect)?,
            _ => *inner.library()?,
        };
        Ok(Val::Bool(network.library::<Cidr>()?.contains_network(inner)))
    })
}

fn only<'v>(args: &'v [Val<'_>]) -> Result<&'v Cidr, EvalError> {
    arity::<1>(args)?[0].library()
}

fn parse(meter: &Meter<'_>, text: &str, dialect: Dialect) -> Result<Cidr, EvalError> {
    meter.charge_text(text.len())?;
    Cidr::parse(text, dialect).map_err(|error| EvalError::invalid(error.to_string()))
}
