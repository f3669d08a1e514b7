use std::cmp::Ordering::{Equal, Greater, Less};

use super::*;

fn amount(text: &str) -> Quantity {
    Quantity::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Each amount is also tried with either sign.
#[test]
fn parses_all_notations() {
    use Notation::{Binary, Decimal, Exponent};
    let check = |text: &str, mantissa: i128, scale: i32, notation: Notation| {
        let expect = Quantity { mantissa, scale, wide: true, notation };
        for (sign, factor) in [("", 1), ("+", 1), ("-", -1)] {
            let parsed = amount(&format!("{sign}{text}"));
            assert_eq!(parsed, Quantity { mantissa: mantissa * factor, ..expect }, "{sign}{text}");
            assert_eq!(parsed.notation, notation, "{sign}{text}");
        }
    };
    for (text, notation) in
        [("0", Decimal), ("0n", Decimal), ("0u", Decimal), ("0k", Decimal), ("0Ki", Binary), ("0Ti", Binary)]
    {
        check(text, 0, 0, notation);
    }
    check("1", 1, 0, Decimal);
    check("1Ki", 1024, 0, Binary);
    check("7Mi", 7 << 20, 0, Binary);
    check("6Gi", 6 << 30, 0, Binary);
    check("5Ti", 5 << 40, 0, Binary);
    check("4Pi", 4 << 50, 0, Binary);
    check("3Ei", 3 << 60, 0, Binary);
    check("100Ti", 100 << 40, 0, Binary);
    check("5n", 5, -9, Decimal);
    check("4u", 4, -6, Decimal);
    check("3m", 3, -3, Decimal);
    check("50k", 5, 4, Decimal);
    check("7M", 7, 6, Decimal);
    check("6G", 6, 9, Decimal);
    check("300T", 3, 14, Decimal);
    check("2P", 2, 15, Decimal);
    check("1E", 1, 18, Decimal);
    check("12E", 12, 18, Decimal);
    check("1E-3", 1, -3, Exponent);
    check("1e3", 1, 3, Exponent);
    check("1E18", 1, 18, Exponent);
    check("1.3E+6", 13, 5, Exponent);
    check("0.5e-1", 5, -2, Exponent);
    check("100.035k", 100_035, 0, Decimal);
    check("0.0005k", 5, -1, Decimal);
    check("0.05000", 5, -2, Decimal);
    check("1.01E", 101, 16, Decimal);
    check("100.035Ki", 10_243_584, -2, Binary);
    check("0.5Mi", 512 * 1024, 0, Binary);
    check("0.05Gi", 536_870_912, -1, Binary);
    check("0.025Ti", 274_877_906_944, -1, Binary);
    check(".001", 1, -3, Decimal);
    check("1.", 1, 0, Decimal);
    check("1.G", 1, 9, Decimal);
    check("Mi", 0, 0, Binary);
    check(".", 0, 0, Decimal);
}

#[test]
fn rounds_away_from_zero_and_caps() {
    let check = |text: &str, expect: &str| assert_eq!(amount(text).to_string(), expect, "{text}");
    check("3.001n", "4n");
    check("1.1E-9", "2e-9");
    check("0.0000000001", "1n");
    check("0.5e-9", "1e-9");
    check("0.00000012345", "124n");
    check("-0.00000012345", "-124n");
    check("0.000000000001Ki", "2n");
    check(&format!("0.{}1", "0".repeat(100_000)), "1n");
    check(&format!("1.{}", "0".repeat(100_000)), "1");
    check(&format!("1.50{}Gi", "0".repeat(100_000)), "1536Mi");
    check("9Ei", "9223372036854775807");
    check("-9Ei", "-9223372036854775807");
    check("9223372036854775807Ki", "9223372036854775807");
    check("100000000000000000000000Ki", "9223372036854775807");
    check("8.1Ei", "9223372036854775807");
}

#[test]
fn refuses_other_text() {
    let check =
        |text: &str, expect: ParseQuantityError| assert_eq!(Quantity::parse(text), Err(expect), "{text}");
    for text in
        ["", "1.1.M", "1+1.0M", "0.1am", "aoeu", " 1", "1 ", "10Mo", "1e3Ki", "1é", "0x1", "1,3G", "Three"]
    {
        check(text, ParseQuantityError::Shape);
    }
    for text in ["0.1mi", ".5i", "1i", "-3.01i", "-3.01e-", "10Mm", "200K", "1e99999999999999999999", "1Kie3"]
    {
        check(text, ParseQuantityError::Suffix);
    }
    check(&"9".repeat(39), ParseQuantityError::Number);
    for empty in ["Pi", "-Ei", ".Pi", "e-10"] {
        check(empty, ParseQuantityError::Number);
    }
}

#[test]
fn prints_the_canonical_form() {
    let check = |text: &str, expect: &str| {
        assert_eq!(amount(text).to_string(), expect, "{text}");
        if expect != "0" {
            assert_eq!(amount(&format!("-{text}")).to_string(), format!("-{expect}"), "-{text}");
        }
    };
    for canonical in [
        "1Gi", "300Mi", "6Ki", "1001Gi", "1Ti", "5", "500m", "1G", "1m", "80m", "1080m", "300M", "1T",
        "1234567M", "3k", "0", "1e9", "1e-3", "1e-9", "80e-3", "300e6", "1e12", "1n", "1080n", "80u",
    ] {
        check(canonical, canonical);
    }
    check("1024Mi", "1Gi");
    check("307200Ki", "300Mi");
    check("5000m", "5");
    check("0.5", "500m");
    check("1000M", "1G");
    check("0.001T", "1G");
    check("1.08", "1080m");
    check("1080000000n", "1080m");
    check(".001e12", "1e9");
    check("1000e-12", "1e-9");
    check(".001Ki", "1024m");
    check(".000000001Ki", "1024n");
    check("1025.5Ki", "1050112");
    check("0.5Ki", "512");
    check("1.0Ki", "1Ki");
    check("1000E", "1000E");
    check("1e2000000000", "100e1999999998");
}

#[test]
fn compares_exactly() {
    let check = |left: &str, right: &str, expect: std::cmp::Ordering| {
        assert_eq!(amount(left).cmp(&amount(right)), expect, "{left} ? {right}");
        assert_eq!(amount(right).cmp(&amount(left)), expect.reverse(), "{right} ? {left}");
    };
    check("200M", "0.2G", Equal);
    check("2000k", "0.002G", Equal);
    check("50M", "50Mi", Less);
    check("-50M", "-50Mi", Greater);
    check("-1", "1n", Less);
    check("0", "0Ki", Equal);
    check("1e2000000000", "1e1999999999", Greater);
    check("1", "1.000000001", Less);
    check("99999999999999999999999999999999999999", "1e38", Less);
    check("12345678901234567890123456789.123456789", "12345678901234567890123456789.123456788", Greater);
}

#[test]
fn adds_and_subtracts() {
    let check = |left: &str, right: &str, sum: &str, difference: &str| {
        let (left, right) = (amount(left), amount(right));
        assert_eq!(left.checked_add(right).unwrap().to_string(), sum);
        assert_eq!(left.checked_sub(right).unwrap().to_string(), difference);
    };
    check("50k", "20", "50020", "49980");
    check("1Gi", "1M", "1074741824", "1072741824");
    check("0.1Ki", "0.9Ki", "1Ki", "-819200m");
    check("0", "1Ki", "1Ki", "-1Ki");
    check("100m", "0", "100m", "100m");
    check("1k", "1m", "1000001m", "999999m");
    check("9223372036854775807", "1", "9223372036854775808", "9223372036854775806");
    assert!(amount("1e2000000000").checked_add(amount("1")).is_none());
}

#[test]
fn converts_to_numbers() {
    let check = |text: &str, integer: Option<i64>, double: f64| {
        assert_eq!(amount(text).as_integer(), integer, "{text}");
        assert_eq!(amount(text).as_approximate_double().to_bits(), double.to_bits(), "{text}");
    };
    check("50k", Some(50_000), 50_000.0);
    check("50.703k", Some(50_703), 50_703.0);
    check("10Ti", Some(10 << 40), 10_995_116_277_760.0);
    check("100Ti", None, 109_951_162_777_600.0);
    check("1.5Gi", None, 1_610_612_736.0);
    check("-1000.25Pi", None, -1.126_181_381_819_334_8e18);
    check("9223372036854775807E", None, 9.223_372_036_854_777e36);
    check("1000m", None, 1.0);
    check("0.3", None, 0.300_000_000_000_000_04);
    check("9999999999999999999999999999999999999G", None, 1.000_000_000_000_000_1e46);
    check("1e400", None, f64::INFINITY);
    check("-1e400", None, f64::NEG_INFINITY);
    let sum = amount("9223372036854775807").checked_add(amount("1")).unwrap();
    assert_eq!(sum.as_integer(), None);
}
