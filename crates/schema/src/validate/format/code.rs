//! Numbers and codes of all sorts.

use std::sync::LazyLock;

use regex::Regex;

/// A pattern of ours, which compiles.
fn matches(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|regex| regex.is_match(text))
}

pub(super) fn is_object_id(text: &str) -> bool {
    text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// At least one group of four; the last may be padded.
pub(super) fn is_base64(text: &str) -> bool {
    let unpadded = text.trim_end_matches('=');
    let alphabet = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !text.is_empty()
        && text.len().is_multiple_of(4)
        && text.len() - unpadded.len() <= 2
        && unpadded.bytes().all(alphabet)
}

pub(super) fn is_credit_card(text: &str) -> bool {
    static ISSUERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let visa = "4[0-9]{12}(?:[0-9]{3})?";
        let others = "5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}";
        let rare = "3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11}";
        Regex::new(&format!("^(?:{visa}|{others}|{rare})$")).ok()
    });
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    matches(&ISSUERS, &digits) && luhn_sum(&digits).is_multiple_of(10)
}

fn luhn_sum(digits: &str) -> u32 {
    let digits = digits.bytes().rev().map(|byte| u32::from(byte - b'0'));
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    digits.enumerate().map(|(place, digit)| if place % 2 == 0 { digit } else { doubled(digit) }).sum()
}

pub(super) fn is_hex_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

pub(super) fn is_rgb_color(text: &str) -> bool {
    static COLOR: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let space = r"[\t\n\f\r ]*";
        let part = format!("{space}(?:0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5]){space}");
        Regex::new(&format!(r"^rgb\({part},{part},{part}\)$")).ok()
    });
    matches(&COLOR, text)
}

pub(super) fn is_isbn(text: &str) -> bool {
    is_isbn10(text) || is_isbn13(text)
}

pub(super) fn is_isbn10(text: &str) -> bool {
    let digits = without_separators(text);
    let values = digits.chars().enumerate().map(|(place, digit)| match digit {
        'X' if place == 9 => Some(10),
        digit => digit.to_digit(10),
    });
    let weighted = values.zip(1_u32..).map(|(value, weight)| value.map(|value| value * weight));
    digits.chars().count() == 10 && weighted.sum::<Option<u32>>().is_some_and(|sum| sum.is_multiple_of(11))
}

pub(super) fn is_isbn13(text: &str) -> bool {
    let digits = without_separators(text);
    let weighted = digits
        .chars()
        .zip([1, 3].into_iter().cycle())
        .map(|(digit, weight)| digit.to_digit(10).map(|digit| digit * weight));
    digits.chars().count() == 13 && weighted.sum::<Option<u32>>().is_some_and(|sum| sum.is_multiple_of(10))
}

fn without_separators(text: &str) -> String {
    text.chars().filter(|it| !matches!(it, '\t' | '\n' | '\x0c' | '\r' | ' ' | '-')).collect()
}

pub(super) fn is_social_security_number(text: &str) -> bool {
    let digit = |byte: &u8| byte.is_ascii_digit();
    let bytes = text.as_bytes();
    bytes.len() == 11
        && bytes.iter().enumerate().all(|(place, byte)| match place {
            3 | 6 => matches!(byte, b'-' | b' '),
            _ => digit(byte),
        })
}

pub(super) fn is_uuid(text: &str) -> bool {
    uuid_digits(text).is_some()
}

pub(super) fn is_uuid3(text: &str) -> bool {
    uuid_digits(text).is_some_and(|digits| digits.as_bytes()[12] == b'3')
}

pub(super) fn is_uuid4(text: &str) -> bool {
    is_random_or_hashed(text, b'4')
}

pub(super) fn is_uuid5(text: &str) -> bool {
    is_random_or_hashed(text, b'5')
}

fn is_random_or_hashed(text: &str, version: u8) -> bool {
    uuid_digits(text).is_some_and(|digits| {
        let bytes = digits.as_bytes();
        bytes[12] == version && matches!(bytes[16], b'8' | b'9' | b'a' | b'b' | b'A' | b'B')
    })
}

/// The 32 digits; each of the four dashes may be missing.
fn uuid_digits(text: &str) -> Option<String> {
    let mut digits = String::with_capacity(32);
    for character in text.chars() {
        match character {
            '-' if matches!(digits.len(), 8 | 12 | 16 | 20) && !digits.is_empty() => {}
            digit if digit.is_ascii_hexdigit() && digits.len() < 32 => digits.push(digit),
            _ => return None,
        }
    }
    let doubled = text.contains("--");
    (digits.len() == 32 && !doubled).then_some(digits)
}
