//! The number behind a quantity.

use std::cmp::Ordering;
use std::fmt;

/// An amount with the notation it was written in, as `resource.Quantity` of Kubernetes.
///
/// Amounts are exact down to a billionth; smaller parts round away from zero. Up to 38 digits are kept, where
/// Kubernetes keeps any number.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    pub(super) mantissa: i128,
    /// The power of ten that the mantissa counts.
    pub(super) scale: i32,
    /// Kubernetes holds such an amount as a big number, which it never takes for an integer.
    pub(super) wide: bool,
    pub(super) notation: Notation,
}

/// How an amount is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// `12e6`
    Exponent,
    /// `12Mi`
    Binary,
    /// `12M`
    Decimal,
}

impl Quantity {
    /// A whole number.
    pub fn from_integer(value: i64) -> Self {
        Self { mantissa: value.into(), scale: 0, wide: false, notation: Notation::Exponent }
    }

    /// -1, 0 or 1.
    pub fn sign(&self) -> i64 {
        self.mantissa.signum() as i64
    }

    /// The amount, if Kubernetes would call it an integer; that excludes some whole amounts with fractional
    /// digits (`1000m`, `1.0`) or more than 18 digits' worth of suffix (`100Ti`).
    pub fn as_integer(&self) -> Option<i64> {
        if self.wide || self.scale < 0 {
            return None;
        }
        self.mantissa_at(0).and_then(|value| value.try_into().ok())
    }

    /// The nearest double, or one close to it: Kubernetes rounds twice, and counts wide amounts in billionths.
    #[expect(clippy::cast_precision_loss, reason = "an approximation is asked for")]
    pub fn as_approximate_double(&self) -> f64 {
        if self.wide {
            return decimal(self.mantissa, self.scale.saturating_add(9)) * decimal(1, -9);
        }
        let mantissa = self.mantissa as f64;
        if self.scale == 0 { mantissa } else { mantissa * decimal(1, self.scale) }
    }

    /// The sum, in the notation of this amount unless it is zero.
    pub fn checked_add(&self, other: Self) -> Option<Self> {
        let notation = if self.mantissa == 0 { other.notation } else { self.notation };
        let wide = self.wide || other.wide;
        if self.mantissa == 0 {
            return Some(Self { wide, ..other });
        }
        if other.mantissa == 0 {
            return Some(Self { wide, ..*self });
        }
        let scale = self.scale.min(other.scale);
        let (left, right) = (self.mantissa_at(scale)?, other.mantissa_at(scale)?);
        let mantissa = left.checked_add(right)?;
        let fits = |value: i128| i64::try_from(value).is_ok();
        let wide = wide || !(fits(left) && fits(right) && fits(mantissa));
        Some(Self { mantissa, scale, wide, notation })
    }

    /// The difference, in the notation of this amount unless it is zero.
    pub fn checked_sub(&self, other: Self) -> Option<Self> {
        self.checked_add(Self { mantissa: other.mantissa.checked_neg()?, ..other })
    }

    /// The mantissa for a smaller or the same scale.
    fn mantissa_at(&self, scale: i32) -> Option<i128> {
        let power = u32::try_from(self.scale.checked_sub(scale)?).ok()?;
        self.mantissa.checked_mul(10_i128.checked_pow(power)?)
    }

    /// The decimal exponent of the first digit; the amount must not be zero.
    fn magnitude(&self) -> i64 {
        i64::from(self.mantissa.unsigned_abs().ilog10()) + i64::from(self.scale)
    }
}

/// The double nearest to a decimal number; parsing rounds correctly, which `powi` does not.
fn decimal(mantissa: i128, exponent: i32) -> f64 {
    format!("{mantissa}e{exponent}").parse().unwrap_or(f64::NAN)
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        let signs = self.sign().cmp(&other.sign());
        if signs.is_ne() || self.mantissa == 0 {
            return signs;
        }
        let magnitudes = self.magnitude().cmp(&other.magnitude());
        let ascending = magnitudes.then_with(|| compare_magnitudes(self, other));
        if self.mantissa < 0 { ascending.reverse() } else { ascending }
    }
}

/// Compares amounts without their signs, whose first digits stand at the same place.
fn compare_magnitudes(left: &Quantity, right: &Quantity) -> Ordering {
    if left.scale < right.scale {
        return compare_magnitudes(right, left).reverse();
    }
    let power = left.scale.abs_diff(right.scale);
    // The places differ by at most the digits of a mantissa.
    let unit = 10_u128.checked_pow(power).unwrap_or(u128::MAX);
    let (fine, coarse) = (right.mantissa.unsigned_abs(), left.mantissa.unsigned_abs());
    coarse.cmp(&(fine / unit)).then(0.cmp(&(fine % unit)))
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Quantity {}

impl fmt::Display for Quantity {
    /// The canonical form: no fraction, the largest suffix that loses nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.mantissa == 0 {
            return f.write_str("0");
        }
        match self.notation {
            Notation::Binary => match self.binary_integer() {
                Some(value) => write_binary(f, value),
                None => self.write_decimal(f, Notation::Decimal),
            },
            Notation::Decimal | Notation::Exponent => self.write_decimal(f, self.notation),
        }
    }
}

impl Quantity {
    /// The amount, if it is written with a binary suffix: a whole number of at least 1024 or at most -1024.
    fn binary_integer(&self) -> Option<i128> {
        let value = if self.scale >= 0 {
            self.mantissa_at(0)?
        } else {
            let unit = 10_i128.checked_pow(self.scale.unsigned_abs())?;
            (self.mantissa % unit == 0).then_some(self.mantissa / unit)?
        };
        (value.unsigned_abs() >= 1024).then_some(value)
    }

    fn write_decimal(&self, f: &mut fmt::Formatter<'_>, notation: Notation) -> fmt::Result {
        let digits = self.mantissa.to_string();
        let significant = digits.trim_end_matches('0');
        let exponent = i64::from(self.scale) + i64::try_from(digits.len() - significant.len()).unwrap_or(0);
        // The exponent must be a multiple of three, and have a suffix if it is not written out.
        let limit = if notation == Notation::Decimal { 18 } else { i64::MAX };
        let written = (exponent - exponent.rem_euclid(3)).min(limit);
        let zeros = usize::try_from(exponent - written).unwrap_or(0);
        write!(f, "{significant}{:0<zeros$}", "")?;
        match notation {
            Notation::Exponent if written == 0 => Ok(()),
            Notation::Exponent => write!(f, "e{written}"),
            Notation::Decimal | Notation::Binary => f.write_str(decimal_suffix(written)),
        }
    }
}

fn write_binary(f: &mut fmt::Formatter<'_>, value: i128) -> fmt::Result {
    const SUFFIXES: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let mut value = value;
    let mut power = 0;
    while value % 1024 == 0 && power + 1 < SUFFIXES.len() {
        value /= 1024;
        power += 1;
    }
    write!(f, "{value}{}", SUFFIXES[power])
}

fn decimal_suffix(exponent: i64) -> &'static str {
    match exponent {
        -9 => "n",
        -6 => "u",
        -3 => "m",
        3 => "k",
        6 => "M",
        9 => "G",
        12 => "T",
        15 => "P",
        18 => "E",
        _ => "",
    }
}
