//! Reading quantities.

use super::amount::{Notation, Quantity};

/// Why a text is no quantity, in the words of Kubernetes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseQuantityError {
    /// The text has another shape.
    #[error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")]
    Shape,
    /// The number has more digits than can be kept.
    #[error("unable to parse numeric part of quantity")]
    Number,
    /// The suffix is none of the known ones.
    #[error("unable to parse quantity's suffix")]
    Suffix,
}

/// The finest unit that is kept, as a power of ten.
const FINEST: i64 = -9;
/// Decimal digits that Kubernetes holds as a plain number.
const NARROW_DIGITS: usize = 18;

impl Quantity {
    /// Reads a number with a suffix, such as `1.5Gi`, `200m` or `12e6`.
    ///
    /// As in Kubernetes, the digits themselves may be missing where it reads a plain number: `Mi` is nothing, `Pi` is wrong.
    pub fn parse(text: &str) -> Result<Self, ParseQuantityError> {
        if text.is_empty() {
            return Err(ParseQuantityError::Shape);
        }
        let written = Written::split(text)?;
        match interpret(written.suffix)? {
            Suffix::Binary(power) => written.binary(power),
            Suffix::Decimal(exponent, notation) => written.decimal(exponent, notation),
        }
    }
}

enum Suffix {
    /// A power of two.
    Binary(u32),
    /// A power of ten.
    Decimal(i32, Notation),
}

fn interpret(suffix: &str) -> Result<Suffix, ParseQuantityError> {
    let decimal = |exponent| Ok(Suffix::Decimal(exponent, Notation::Decimal));
    match suffix {
        "n" => decimal(-9),
        "u" => decimal(-6),
        "m" => decimal(-3),
        "" => decimal(0),
        "k" => decimal(3),
        "M" => decimal(6),
        "G" => decimal(9),
        "T" => decimal(12),
        "P" => decimal(15),
        "E" => decimal(18),
        "Ki" => Ok(Suffix::Binary(10)),
        "Mi" => Ok(Suffix::Binary(20)),
        "Gi" => Ok(Suffix::Binary(30)),
        "Ti" => Ok(Suffix::Binary(40)),
        "Pi" => Ok(Suffix::Binary(50)),
        "Ei" => Ok(Suffix::Binary(60)),
        _ => {
            let exponent = suffix.strip_prefix(['e', 'E']).and_then(|exponent| exponent.parse().ok());
            exponent
                .map(|exponent| Suffix::Decimal(exponent, Notation::Exponent))
                .ok_or(ParseQuantityError::Suffix)
        }
    }
}

/// A quantity taken apart.
struct Written<'t> {
    negative: bool,
    /// Whether there are any digits, be they zeros.
    numeric: bool,
    /// Digits before the point, without leading zeros.
    whole: &'t str,
    /// Digits behind the point.
    fraction: &'t str,
    suffix: &'t str,
}

impl<'t> Written<'t> {
    fn split(text: &'t str) -> Result<Self, ParseQuantityError> {
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (whole, rest) = split_digits(unsigned.trim_start_matches('0'));
        let (fraction, suffix) = rest.strip_prefix('.').map_or(("", rest), split_digits);
        let exponent = suffix.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(ParseQuantityError::Shape);
        }
        let numeric = unsigned.starts_with(|first: char| first.is_ascii_digit()) || !fraction.is_empty();
        Ok(Self { negative: text.starts_with('-'), numeric, whole, fraction, suffix })
    }

    /// How many digits Kubernetes counts; no digits before the point count as one.
    fn digit_count(&self) -> usize {
        self.whole.len().max(1) + self.fraction.len()
    }

    fn decimal(&self, exponent: i32, notation: Notation) -> Result<Quantity, ParseQuantityError> {
        let fraction_digits = i64::try_from(self.fraction.len()).map_err(|_| ParseQuantityError::Number)?;
        let scale = i64::from(exponent) - fraction_digits;
        let wide = self.digit_count() > NARROW_DIGITS || scale < FINEST;
        self.check_digits(wide)?;
        let dropped = usize::try_from(FINEST - scale).unwrap_or(0);
        let magnitude = self.magnitude(dropped)?;
        let scale = i32::try_from(scale.max(FINEST)).map_err(|_| ParseQuantityError::Suffix)?;
        Ok(self.signed(Quantity { mantissa: magnitude, scale, wide, notation }))
    }

    /// A wide amount needs digits.
    fn check_digits(&self, wide: bool) -> Result<(), ParseQuantityError> {
        if wide && !self.numeric { Err(ParseQuantityError::Number) } else { Ok(()) }
    }

    /// All digits as a number, without the last ones; if one of these is not zero, the number is rounded up.
    fn magnitude(&self, dropped: usize) -> Result<i128, ParseQuantityError> {
        let count = self.whole.len() + self.fraction.len();
        let kept = count.saturating_sub(dropped);
        let mut digits = self.whole.bytes().chain(self.fraction.bytes());
        let mut number = 0_i128;
        for digit in digits.by_ref().take(kept) {
            number = append_digit(number, digit).ok_or(ParseQuantityError::Number)?;
        }
        Ok(if digits.any(|digit| digit != b'0') { number + 1 } else { number })
    }

    fn binary(&self, power: u32) -> Result<Quantity, ParseQuantityError> {
        let largest = i128::from(i64::MAX);
        let whole =
            self.whole.bytes().try_fold(0, append_digit).and_then(|whole| whole.checked_mul(1 << power));
        let capped = |mantissa| Quantity { mantissa, scale: 0, wide: true, notation: Notation::Binary };
        let Some(whole) = whole.filter(|whole| *whole <= largest) else {
            return Ok(self.signed(capped(largest)));
        };
        if self.fraction.is_empty() {
            // Fifteen digits, less those of the suffix, are held as a plain number.
            let wide = self.digit_count() + power as usize * 3 / 10 + 1 > 15;
            self.check_digits(wide)?;
            return Ok(self.signed(Quantity { wide, ..capped(whole) }));
        }
        let trimmed = Self { fraction: self.fraction.trim_end_matches('0'), ..*self };
        let quantity = trimmed.binary_fraction(power)?;
        let too_large = quantity > capped(largest);
        Ok(self.signed(if too_large { capped(largest) } else { quantity }))
    }

    fn binary_fraction(&self, power: u32) -> Result<Quantity, ParseQuantityError> {
        let scaled = self.magnitude(0)?.checked_mul(1 << power).ok_or(ParseQuantityError::Number)?;
        let excess = u32::try_from(self.fraction.len()).unwrap_or(u32::MAX).saturating_sub(9);
        // A divisor too large for 128 bits leaves nothing but the rounding up.
        let mantissa = match 10_i128.checked_pow(excess) {
            Some(unit) => scaled / unit + i128::from(scaled % unit != 0),
            None => scaled.signum(),
        };
        let scale = -i32::try_from(self.fraction.len().min(9)).unwrap_or(9);
        let amount = Quantity { mantissa, scale, wide: true, notation: Notation::Binary };
        let below_one = mantissa > 0 && amount < Quantity::from_integer(1);
        Ok(Quantity { notation: if below_one { Notation::Decimal } else { Notation::Binary }, ..amount })
    }

    fn signed(&self, magnitude: Quantity) -> Quantity {
        let mantissa = if self.negative { -magnitude.mantissa } else { magnitude.mantissa };
        Quantity { mantissa, ..magnitude }
    }
}

/// Numbers stay below 10^38, so that adding one or changing the sign cannot overflow.
fn append_digit(number: i128, digit: u8) -> Option<i128> {
    const LIMIT: i128 = 10_i128.pow(38);
    let longer = number.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    (longer < LIMIT).then_some(longer)
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
