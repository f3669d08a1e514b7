use super::*;

#[test]
fn takes_urls_apart() {
    let check = |text: &str, expect: &str| {
        let url = Url::parse(text).unwrap_or_else(|error| panic!("{error}"));
        let query: Vec<String> =
            url.query().iter().map(|(name, values)| format!("{name}={}", values.join(","))).collect();
        let parts =
            [url.scheme(), url.host(), url.hostname(), url.port(), url.escaped_path(), &query.join(" ")];
        assert_eq!(parts.join("|"), expect, "{text}");
    };
    check("https://example.com:80/path?k=v", "https|example.com:80|example.com|80|/path|k=v");
    check("https://example.com/", "https|example.com|example.com||/|");
    check("https://user:pa%3Ass@example.com:80/", "https|example.com:80|example.com|80|/|");
    check("HTTP://EXAMPLE.com/%7Efoo%2fbar", "http|EXAMPLE.com|EXAMPLE.com||/%7Efoo%2fbar|");
    check("/absolute-path", "||||/absolute-path|");
    check("/absolute-path?q=1#frag", "||||/absolute-path|q=1");
    check("//host/path", "|host|host||/path|");
    check("///path", "||||///path|");
    check("https://[::1]:80/", "https|[::1]:80|::1|80|/|");
    check("https://[::1%25en0]/x", "https|[::1%en0]|::1%en0||/x|");
    check("https://[::ffff:1.2.3.4]/", "https|[::ffff:1.2.3.4]|::ffff:1.2.3.4||/|");
    check("relative:colon/x", "relative|||||");
    check("mailto:a@b.c", "mailto|||||");
    check("mailto:", "mailto|||||");
    check("*", "||||*|");
    check("postgres://h1:1,h2:2/db", "postgres|h1:1,h2:2|h1:1,h2|2|/db|");
    check("https://a:/x", "https|a:|a||/x|");
    check("https://a/b c", "https|a|a||/b%20c|");
    check("https://a/é", "https|a|a||/%C3%A9|");
    check("https://a/%C3%A9", "https|a|a||/%C3%A9|");
    check("https://é/x", "https|é|é||/x|");
    check("https://a/x?q=%zz&r=1", "https|a|a||/x|r=1");
    check("https://a/x?a=1&a=2&b=&c&=d&x;y=1&z=%20+%41", "https|a|a||/x|=d a=1,2 b= c= z=  A");
    check("https://a/x?", "https|a|a||/x|");
    check("https://a/x??", "https|a|a||/x|?=");
    check("https://a/x?y#f g", "https|a|a||/x|y=");
    check(r#"https://a/[b]'"<>^`{|}"#, "https|a|a||/%5Bb%5D%27%22%3C%3E%5E%60%7B%7C%7D|");
    check("https://a@b@c/", "https|c|c||/|");
    check("https://u:p:q@c/", "https|c|c||/|");
    check("http:///path", "http||||/path|");
    check("http:/path", "http||||/path|");
    check("http:path?x", "http|||||x=");
    check("https://a/;b,c=$&+@:!*'()~", "https|a|a||/;b,c=$&+@:!*'()~|");
    check(r#"https://<a>"b/"#, r#"https|<a>"b|<a>"b||/|"#);
    check("https://a/%2F%2f", "https|a|a||/%2F%2f|");
}

#[test]
fn refuses_other_text() {
    let check = |text: &str, expect: &str| {
        let error = Url::parse(text).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("URL parse error during conversion from string: parse \"{text}\": {expect}")
        );
        assert!(!Url::is_url(text));
    };
    check("https://[::1%en0]/", r#"invalid URL escape "%en""#);
    check("https://[1.2.3.4]/", "invalid IP-literal");
    check("https://a[::1]/", "invalid IP-literal");
    check("https://[::1", "missing ']' in host");
    check("https://[::1]a/", r#"invalid port "a" after host"#);
    check("../relative", "invalid URI for request");
    check("foo", "invalid URI for request");
    check("https://a:b:c/", r#"invalid port ":b:c" after host"#);
    check("https://a:b/", r#"invalid port ":b" after host"#);
    check("https://a b/", r#"invalid character " " in host name"#);
    check("https://a%20b/", r#"invalid URL escape "%20""#);
    check("https://a/b%zz", r#"invalid URL escape "%zz""#);
    check("https://a/b%2", r#"invalid URL escape "%2""#);
    check("https://a/x#frag%zz", r#"invalid URL escape "%zz""#);
    check("https://u ser@c/", "net/url: invalid userinfo");
    check(":nope", "missing protocol scheme");
    check("1http://x", "invalid URI for request");
    check("h_t://x", "invalid URI for request");
    check("", "empty url");
    let control = Url::parse("https://a/\n").unwrap_err().to_string();
    assert!(control.ends_with("net/url: invalid control character in URL"), "{control}");
}

#[test]
fn equal_urls_are_written_alike() {
    let check = |left: &str, right: &str, expect: bool| {
        assert_eq!(Url::parse(left) == Url::parse(right), expect, "{left} {right}");
    };
    check("https://a/b c", "https://a/b%20c", true);
    check("HTTPS://a", "https://a", true);
    check("https://A", "https://a", false);
    check("https://a/%2f", "https://a/%2F", false);
    check("https://a/x?", "https://a/x", false);
    check("https://a/x#", "https://a/x", true);
    check("https://a/x#f g", "https://a/x#f%20g", true);
    check("https://u%7E:p@a", "https://u~:p@a", true);
    check("http:///x", "http:/x", false);
    check("https://%C3%A9/", "https://é/", true);
}
