//! The greatest and the least of numbers; `math.greatest` and `math.least` are rewritten to these.

use std::cmp::Ordering;

use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::library::arity;
use crate::meter::Meter;
use crate::types::Type::{self, Double, Dyn, Int, Uint};
use crate::value::Val;

pub(super) fn declare(library: Library) -> Library {
    library
        .function("math.@min", overloads(&MIN_IDS, &LEAST))
        .function("math.@max", overloads(&MAX_IDS, &GREATEST))
}

/// An end of the order of numbers.
struct Extreme {
    name: &'static str,
    /// How a number compares with one that replaces it.
    beaten: Ordering,
}

static LEAST: Extreme = Extreme { name: "math.@min", beaten: Ordering::Greater };
static GREATEST: Extreme = Extreme { name: "math.@max", beaten: Ordering::Less };

const MIN_IDS: [&str; 15] = [
    "math_@min_double",
    "math_@min_int",
    "math_@min_uint",
    "math_@min_double_double",
    "math_@min_int_int",
    "math_@min_uint_uint",
    "math_@min_int_uint",
    "math_@min_int_double",
    "math_@min_double_int",
    "math_@min_double_uint",
    "math_@min_uint_int",
    "math_@min_uint_double",
    "math_@min_list_double",
    "math_@min_list_int",
    "math_@min_list_uint",
];

const MAX_IDS: [&str; 15] = [
    "math_@max_double",
    "math_@max_int",
    "math_@max_uint",
    "math_@max_double_double",
    "math_@max_int_int",
    "math_@max_uint_uint",
    "math_@max_int_uint",
    "math_@max_int_double",
    "math_@max_double_int",
    "math_@max_double_uint",
    "math_@max_uint_int",
    "math_@max_uint_double",
    "math_@max_list_double",
    "math_@max_list_int",
    "math_@max_list_uint",
];

/// Parameters and result of the overloads, in the order of their names.
fn signatures() -> [(Vec<Type>, Type); 15] {
    let list = |element: Type| (vec![Type::list(element.clone())], element);
    let pair = |left, right| (vec![left, right], Dyn);
    let same = |ty: Type| (vec![ty.clone(), ty.clone()], ty);
    let one = |ty: Type| (vec![ty.clone()], ty);
    [
        one(Double),
        one(Int),
        one(Uint),
        same(Double),
        same(Int),
        same(Uint),
        pair(Int, Uint),
        pair(Int, Double),
        pair(Double, Int),
        pair(Double, Uint),
        pair(Uint, Int),
        pair(Uint, Double),
        list(Double),
        list(Int),
        list(Uint),
    ]
}

fn overloads(ids: &[&'static str; 15], extreme: &'static Extreme) -> Vec<Overload> {
    let overload = |(id, (params, result)): (&&'static str, (Vec<Type>, Type))| {
        Overload::function(id, params, result, move |meter, args| extreme.of_arguments(meter, args))
    };
    ids.iter().zip(signatures()).map(overload).collect()
}

impl Extreme {
    fn of_arguments<'a>(&self, meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
        if let [left, right] = args {
            return self.of_pair(left.clone(), right.clone());
        }
        let [only] = arity(args)?;
        let Some(list) = only.as_list() else { return self.number(only.clone()) };
        meter.charge(list.len() as u64)?;
        let mut elements = list.iter();
        let Some(first) = elements.next() else {
            return Err(EvalError::invalid(format!("{}(list) argument must not be empty", self.name)));
        };
        elements.try_fold(self.number(first)?, |found, next| self.of_pair(found, next))
    }

    fn of_pair<'a>(&self, left: Val<'a>, right: Val<'a>) -> Result<Val<'a>, EvalError> {
        let (left, right) = (self.number(left)?, self.number(right)?);
        match left.compare(&right) {
            Some(order) if order == self.beaten => Ok(right),
            Some(_) => Ok(left),
            None => Err(EvalError::invalid(format!("NaN values cannot be ordered: {}", self.name))),
        }
    }

    fn number<'a>(&self, value: Val<'a>) -> Result<Val<'a>, EvalError> {
        match value {
            Val::Int(_) | Val::Uint(_) | Val::Double(_) => Ok(value),
            _ => Err(EvalError::new(
                crate::EvalErrorKind::NoSuchOverload,
                format!("no such overload: {}", self.name),
            )),
        }
    }
}
