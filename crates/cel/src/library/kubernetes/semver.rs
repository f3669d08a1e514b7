//! Semantic versions: `semver("1.2.3-rc.1")`.

mod version;

use std::cmp::Ordering;

pub use version::{ParseSemverError, Semver};

use super::super::arity;
use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::meter::Meter;
use crate::types::Type::{self, Bool, Int, String};
use crate::value::{Opaque, Val};

/// `semver`, `isSemver`, their parts and comparisons.
pub fn semver() -> Library {
    let semver = Semver::cel_type;
    Library::new()
        .function(
            "semver",
            [
                Overload::function("string_to_semver", [String], semver(), parse),
                Overload::function("string_bool_to_semver", [String, Bool], semver(), parse),
            ],
        )
        .function(
            "isSemver",
            [
                Overload::function("is_semver_string", [String], Bool, is_semver),
                Overload::function("is_semver_string_bool", [String, Bool], Bool, is_semver),
            ],
        )
        .function(
            "isGreaterThan",
            [Overload::method("semver_is_greater_than", [semver(), semver()], Bool, greater)],
        )
        .function("isLessThan", [Overload::method("semver_is_less_than", [semver(), semver()], Bool, less)])
        .function("compareTo", [Overload::method("semver_compare_to", [semver(), semver()], Int, compare_to)])
        .function(
            "major",
            [Overload::method("semver_major", [semver()], Int, |_, args| part(args, |it| it.major))],
        )
        .function(
            "minor",
            [Overload::method("semver_minor", [semver()], Int, |_, args| part(args, |it| it.minor))],
        )
        .function(
            "patch",
            [Overload::method("semver_patch", [semver()], Int, |_, args| part(args, |it| it.patch))],
        )
        .type_name("kubernetes.Semver", semver())
}

impl Semver {
    /// The type of versions in expressions.
    pub fn cel_type() -> Type {
        Type::object("kubernetes.Semver", [])
    }
}

impl Opaque for Semver {
    fn type_of(&self) -> Type {
        Self::cel_type()
    }

    fn equals(&self, other: &dyn Opaque) -> bool {
        (other as &dyn std::any::Any).downcast_ref::<Self>().is_some_and(|other| self == other)
    }
}

fn parsed(meter: &Meter<'_>, args: &[Val<'_>]) -> Result<Result<Semver, ParseSemverError>, EvalError> {
    let (text, normalize) = match args {
        [text] => (text.text()?, false),
        [text, Val::Bool(normalize)] => (text.text()?, *normalize),
        _ => return Err(EvalError::no_such_overload()),
    };
    meter.charge_text(text.len())?;
    Ok(if normalize { Semver::parse_normalized(text) } else { Semver::parse(text) })
}

fn parse<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    parsed(meter, args)?.map(Val::opaque).map_err(|error| EvalError::invalid(error.to_string()))
}

fn is_semver<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    Ok(Val::Bool(parsed(meter, args)?.is_ok()))
}

fn part<'a>(args: &[Val<'a>], part: impl Fn(&Semver) -> u64) -> Result<Val<'a>, EvalError> {
    let [version] = arity(args)?;
    // Kubernetes lets numbers beyond 63 bits wrap around.
    Ok(Val::Int(part(version.library()?).cast_signed()))
}

fn order(args: &[Val<'_>]) -> Result<Ordering, EvalError> {
    let [left, right] = arity(args)?;
    Ok(left.library::<Semver>()?.cmp(right.library()?))
}

fn greater<'a>(_: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    Ok(Val::Bool(order(args)?.is_gt()))
}

fn less<'a>(_: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    Ok(Val::Bool(order(args)?.is_lt()))
}

fn compare_to<'a>(_: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    Ok(Val::Int(order(args)? as i64))
}
