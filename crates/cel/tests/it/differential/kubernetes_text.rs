//! Text that Kubernetes' functions read: right, nearly right and wrong.

use crate::random::Random;

/// Text of a kind.
pub(super) fn text(kind: &str, random: &mut Random) -> String {
    match kind {
        "quantity_text" => quantity(random),
        "ip_text" => ip(random),
        "cidr_text" => cidr(random),
        "url_text" => url(random),
        "semver_text" => semver(random),
        "name_text" => random.word(NAMES).to_owned(),
        other => panic!("no text of kind {other}"),
    }
}

/// The rule that makes a value of text.
pub(super) fn template(kind: &str) -> &'static str {
    match kind {
        "quantity" => "quantity($quantity_text)",
        "ip" => "ip($ip_text)",
        "cidr" => "cidr($cidr_text)",
        "url" => "url($url_text)",
        _ => "semver($semver_text)",
    }
}

fn quantity(random: &mut Random) -> String {
    let sign = random.word(&["", "", "", "-", "+"]);
    let whole =
        random.word(&["0", "1", "2", "10", "100", "1000", "1024", "999", "007", "9223372036854775807", ""]);
    let fraction = random.word(&["", "", "", ".", ".5", ".25", ".0", ".001", ".1234567891"]);
    let suffix = random.word(&[
        "", "", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "n", "u", "e3", "E3",
        "e-2", "e+1", "K", "mi", "ki", " ", "x", "e", "e3.5",
    ]);
    format!("{sign}{whole}{fraction}{suffix}")
}

fn ip(random: &mut Random) -> String {
    match random.below(4) {
        0 => random.word(ADDRESSES).to_owned(),
        1 => {
            let groups: Vec<_> = (0..8).map(|_| format!("{:x}", random.below(1 << 16))).collect();
            groups.join(":")
        }
        _ => {
            let octet =
                |random: &mut Random| *random.pick(&[0, 1, 8, 10, 127, 128, 169, 192, 254, 255, 256, 224]);
            format!("{}.{}.{}.{}", octet(random), octet(random), octet(random), octet(random))
        }
    }
}

fn cidr(random: &mut Random) -> String {
    let length =
        random.word(&["0", "8", "16", "24", "31", "32", "33", "64", "96", "128", "129", "", "08", "-1", "x"]);
    format!("{}/{length}", ip(random))
}

fn url(random: &mut Random) -> String {
    let scheme = random.word(&[
        "http://", "https://", "HTTPS://", "ftp://", "mailto:", "file:///", "//", "", "1http://", "/",
    ]);
    let user = random.word(&["", "", "", "user@", "user:pass@", "a%40b@"]);
    let host = random.word(&[
        "example.com",
        "EXAMPLE.com",
        "127.0.0.1",
        "[::1]",
        "[fe80::1%25en0]",
        "",
        "a b",
        "h\u{e9}llo.de",
        "x_y",
        "[::1",
        "localhost",
    ]);
    let port = random.word(&["", "", ":80", ":0", ":99999", ":", ":x"]);
    let path = random
        .word(&["", "/", "/a/b", "/a b", "/%41", "/%zz", "/h\u{e9}", "/a/../b", "/a%2Fb", "//x", "/~;,"]);
    let query = random.word(&[
        "",
        "",
        "?",
        "?a=1",
        "?a=1&a=2&b",
        "?a=%20+",
        "?a=%zz",
        "?a;b",
        "#f",
        "?x=1#f",
        "#%zz",
    ]);
    format!("{scheme}{user}{host}{port}{path}{query}")
}

fn semver(random: &mut Random) -> String {
    let number =
        |random: &mut Random| random.word(&["0", "1", "2", "10", "01", "18446744073709551616", "x", ""]);
    let mut version = random.word(&["", "", "", "", "v", "V", " "]).to_owned();
    version += random.word(&["1", "0", "2", "01", "x"]);
    for _ in 0..*random.pick(&[2, 2, 2, 2, 1, 0, 3]) {
        version += ".";
        version += if random.percent(80) { random.word(&["0", "1", "2", "12"]) } else { number(random) };
    }
    version += random.word(&[
        "",
        "",
        "",
        "-alpha",
        "-alpha.1",
        "-alpha.beta",
        "-1",
        "-01",
        "-",
        "-a..b",
        "-rc.1",
        "-\u{e9}",
    ]);
    version += random.word(&["", "", "", "+build", "+001", "+", "+a.b", "+a+b"]);
    version
}

#[rustfmt::skip]
const ADDRESSES: &[&str] = &[
    "", "::", "::1", "0.0.0.0", "127.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.04", "fe80::1", "fe80::1%en0", "ff02::1",
    "::ffff:1.2.3.4", "::1.2.3.4", "2001:db8::", "2001:DB8::1", "2001:0db8::1", "2001:db8:0:0:0:0:0:1", "1::2::3", "12345::",
    "224.0.0.1", "169.254.1.1", "255.255.255.255", "64:ff9b::1.2.3.4", "g::", "1:2:3:4:5:6:7::", "1.2.3.4/8", " 1.2.3.4",
    "100.64.0.1", "ff0e::1", "fc00::1", "239.1.2.3",
];

#[rustfmt::skip]
const NAMES: &[&str] = &[
    "", "a", "abc", "a-b", "-a", "a-", "A", "a.b", "a..b", ".a", "1a", "a1", "a_b", "a/b", "example.com/name", "example.com/", "/name",
    "Example.com/Name", "a/b/c", "x.y.z-1", "abc-", "dns1123Label", "uuid", "date", "uri", "nothing", "h\u{e9}",
    "0123456789012345678901234567890123456789012345678901234567890123", "123e4567-e89b-12d3-a456-426614174000",
    "123E4567-E89B-12D3-A456-426614174000", "123e4567e89b12d3a456426614174000", "a\n", "\na", "a.b.", "A_b.C", "a--b",
];
