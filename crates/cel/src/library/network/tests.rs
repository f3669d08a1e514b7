use super::super::super::Dialect;
use super::super::{Cidr, Ip};

#[test]
fn addresses_have_one_canonical_form() {
    let check = |text: &str, expect: &str| {
        let address = Ip::parse(text, Dialect::CelGo).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(address.to_string(), expect);
    };
    check("192.168.0.1", "192.168.0.1");
    check("::", "::");
    check("::1", "::1");
    check("1::", "1::");
    check("2001:DB8::68", "2001:db8::68");
    check("2001:0db8:0000:0000:0000:0000:0000:0068", "2001:db8::68");
    check("0:0:1:0:0:0:1:0", "0:0:1::1:0");
    check("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7");
    check("64:ff9b::192.0.2.33", "64:ff9b::c000:221");
    check("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304");
    check("::1.2.3.4", "::102:304");
}

#[test]
fn addresses_in_other_forms_are_refused() {
    let check = |text: &str, expect: &str| {
        let error = Ip::parse(text, Dialect::CelGo).unwrap_err().to_string();
        let context = format!(
            "IP Address \"{text}\" parse error during conversion from string: ParseAddr(\"{text}\"): "
        );
        assert_eq!(error, format!("{context}{expect}"));
    };
    check("", "unable to parse IP");
    check("abc", "unable to parse IP");
    check("%eth0", "missing IPv6 address");
    check("192.168.0.1.0", "IPv4 address too long");
    check("192.168.0", "IPv4 address too short");
    check("192.168.0.01", "IPv4 field has octet with leading zero");
    check("192.168.0.256", "IPv4 field has value >255");
    check("192.168..1", r#"IPv4 field must have at least one digit (at ".1")"#);
    check("192.168.1.", r#"IPv4 field must have at least one digit (at ".")"#);
    check("1.2.3.4a", r#"unexpected character (at "a")"#);
    check("2001:db8:::68", r#"each colon-separated field must have at least one digit (at ":68")"#);
    check("2001:db8", "address string too short");
    check("1::2::3", r#"multiple :: in address (at ":3")"#);
    check("12345::", r#"each group must have 4 or less digits (at "12345::")"#);
    check("1:2:3:4::5:6:7:8", "the :: must expand to at least one field of zeros");
    check("1:2:3:4:5:6:7:8:9", r#"trailing garbage after address (at "9")"#);
    check("1:2:3:4:5:6:7:8:", r#"colon must be followed by more characters (at ":")"#);
    check("1:2é", r#"unexpected character, want colon (at "é")"#);
    check("fe80::1%", "zone must be a non-empty string");
    check("::1.2.3", "IPv4 address too short");
    check(
        "1:1.2.3.4",
        r#"embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")"#,
    );
    check(
        "::1:2:3:4:5:6:7:1.2.3.4",
        r#"too many hex fields to fit an embedded IPv4 at the end of the address (at "1.2.3.4")"#,
    );
}

#[test]
fn zones_and_mapped_addresses_are_refused() {
    let check = |text: &str, expect: &str| {
        assert_eq!(Ip::parse(text, Dialect::CelGo).unwrap_err().to_string(), expect);
    };
    check("fe80::1%en0", r#"IP address "fe80::1%en0" with zone value is not allowed"#);
    check("::ffff:192.168.0.1", r#"IPv4-mapped IPv6 address "::ffff:192.168.0.1" is not allowed"#);
    check("::ffff:c0a8:1", r#"IPv4-mapped IPv6 address "::ffff:c0a8:1" is not allowed"#);
    let unmapped = Ip::parse("::ffff:c0a8:1", Dialect::Specification);
    assert_eq!(unmapped, Ip::parse("192.168.0.1", Dialect::Specification));
    assert!(Ip::parse("::ffff:192.168.0.1", Dialect::Specification).is_err());
}

#[test]
fn kinds_of_addresses_are_told_apart() {
    let check = |text: &str, expect: &str| {
        let address = Ip::parse(text, Dialect::CelGo).unwrap();
        let kinds = [
            (address.is_unspecified(), "unspecified"),
            (address.is_loopback(), "loopback"),
            (address.is_link_local_multicast(), "link-local-multicast"),
            (address.is_link_local_unicast(), "link-local-unicast"),
            (address.is_global_unicast(), "global-unicast"),
        ];
        let named: Vec<&str> = kinds.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
        assert_eq!(named.join(" "), expect, "{text}");
    };
    check("0.0.0.0", "unspecified");
    check("::", "unspecified");
    check("127.0.0.1", "loopback");
    check("::1", "loopback");
    check("224.0.0.1", "link-local-multicast");
    check("224.0.1.1", "");
    check("ff02::1", "link-local-multicast");
    check("ff00::1", "");
    check("169.254.169.254", "link-local-unicast");
    check("fe80::1", "link-local-unicast");
    check("fd80::1", "global-unicast");
    check("192.168.0.1", "global-unicast");
    check("255.255.255.255", "");
    check("2001:db8::abcd", "global-unicast");
}

#[test]
fn networks_contain_addresses_and_networks() {
    let network = |text: &str| Cidr::parse(text, Dialect::CelGo).unwrap();
    let address = |text: &str| Ip::parse(text, Dialect::CelGo).unwrap();
    let check = |outer: &str, inner: &str, expect: bool| {
        let contains = if inner.contains('/') {
            network(outer).contains_network(network(inner))
        } else {
            network(outer).contains_address(address(inner))
        };
        assert_eq!(contains, expect, "{outer} {inner}");
    };
    check("192.168.0.0/24", "192.168.0.1", true);
    check("192.168.0.0/24", "192.168.1.1", false);
    check("192.168.0.7/24", "192.168.0.1", true);
    check("0.0.0.0/0", "1.2.3.4", true);
    check("::/0", "1.2.3.4", false);
    check("2001:db8::/32", "2001:db8::1", true);
    check("::1/128", "::1", true);
    check("192.168.0.0/24", "192.168.0.0/25", true);
    check("192.168.0.0/24", "192.168.0.1/32", true);
    check("192.168.0.0/24", "192.168.0.0/23", false);
    check("10.0.0.0/8", "10.0.0.0/8", true);
    check("0.0.0.0/0", "10.0.0.0/8", true);
    check("0.0.0.0/0", "::/0", false);
    assert_eq!(network("192.168.0.1/24").masked(), network("192.168.0.0/24"));
    assert_eq!(network("2001:db8::1/32").masked().to_string(), "2001:db8::/32");
    assert_eq!(network("192.168.0.1/24").address(), address("192.168.0.1"));
    assert_ne!(network("192.168.0.1/24"), network("192.168.0.0/24"));
}

#[test]
fn networks_in_other_forms_are_refused() {
    let check = |text: &str, expect: &str| {
        assert_eq!(Cidr::parse(text, Dialect::CelGo).unwrap_err().to_string(), expect);
    };
    let once = "network address parse error during conversion from string: ";
    let shape = |text: &str, reason: &str| {
        check(text, &format!("{once}{once}netip.ParsePrefix(\"{text}\"): {reason}"));
    };
    shape("192.168.0.0", "no '/'");
    shape("192.168.0.0/", r#"bad bits after slash: """#);
    shape("192.168.0.0/024", r#"bad bits after slash: "024""#);
    shape("192.168.0.0/+4", r#"bad bits after slash: "+4""#);
    shape("192.168.0.0/33", "prefix length out of range");
    shape("::/129", "prefix length out of range");
    shape("::/999999999999999999999", "prefix length out of range");
    shape("fe80::1%en0/24", "IPv6 zones cannot be present in a prefix");
    shape("192.168.0/16", r#"ParseAddr("192.168.0"): IPv4 address too short"#);
    let mapped = r#"IPv4-mapped IPv6 address "::ffff:192.168.0.1/24" is not allowed"#;
    check("::ffff:192.168.0.1/24", &format!("{once}{mapped}"));
}
