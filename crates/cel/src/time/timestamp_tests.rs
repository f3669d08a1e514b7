use super::*;

fn moment(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

#[test]
fn parses_and_prints_in_universal_time() {
    let check = |text: &str, expect: &str| assert_eq!(moment(text).to_string(), expect);
    check("2009-02-13T23:31:30Z", "2009-02-13T23:31:30Z");
    check("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z");
    check("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z");
    check("2011-10-05T14:48:00.000Z", "2011-10-05T14:48:00Z");
    check("2011-10-05T14:48:00.120-07:30", "2011-10-05T22:18:00.12Z");
    check("2024-02-29T00:00:00+00:30", "2024-02-28T23:30:00Z");
    check("2024-01-01T00:00:00.1234567899Z", "2024-01-01T00:00:00.123456789Z");
    check("9999-12-31T23:59:59+23:59", "9999-12-31T00:00:59Z");
}

#[test]
fn refuses_other_text() {
    let check = |text: &str, expect: &str| {
        assert_eq!(Timestamp::parse(text).unwrap_err().to_string(), expect, "{text}");
    };
    for text in [
        "",
        "2009-02-13",
        "2009-02-13 23:31:30Z",
        "2009-02-13T23:31:30",
        "2009-02-13T23:31:30.Z",
        "2009-02-13T23:31:30,5Z",
        "2009-02-13T1:31:30Z",
        "2009-02-13T24:00:00Z",
        "2009-13-13T23:31:30Z",
        "10000-01-01T00:00:00Z",
        "2009-02-13T23:31:30+0100",
        "2009-02-13T23:31:30+24:00",
        "2009-02-13T23:31:30Zx",
        "é2009-02-13T23:31:30Z",
    ] {
        check(text, &format!("invalid RFC 3339 timestamp \"{text}\""));
    }
    for text in
        ["2009-02-13t23:31:30Z", "2009-02-13T23:31:30z", "2009-02-30T23:31:30Z", "2016-12-31T23:59:60Z"]
    {
        check(text, "type conversion error from 'string' to 'google.protobuf.Timestamp'");
    }
    for text in ["0000-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"] {
        check(text, "timestamp overflow");
    }
}

#[test]
fn arithmetic_is_checked() {
    let span = |text: &str| Duration::parse(text).unwrap();
    let check = |start: &str, by: &str, expect: &str| {
        assert_eq!(moment(start).checked_add(span(by)), Ok(moment(expect)));
        assert_eq!(moment(expect).checked_sub(span(by)), Ok(moment(start)));
        assert_eq!(moment(expect).since(moment(start)), Ok(span(by)));
    };
    check("2009-02-13T23:00:00Z", "240s", "2009-02-13T23:04:00Z");
    check("0001-01-01T00:00:01.000000001Z", "-999999999ns", "0001-01-01T00:00:00.000000002Z");
    check("0001-01-01T00:00:01.999999999Z", "999999999ns", "0001-01-01T00:00:02.999999998Z");
    check("1969-12-31T23:59:59.5Z", "-0.75s", "1969-12-31T23:59:58.75Z");

    let overflow = Err(TimeError::TimestampOverflow);
    assert_eq!(Timestamp::MIN.checked_add(span("-1ns")), overflow);
    assert_eq!(Timestamp::MAX.checked_add(span("1ns")), overflow);
    assert_eq!(Timestamp::MAX.checked_sub(Duration::from_nanos(i64::MIN)), Err(TimeError::DurationOverflow));
    assert_eq!(Timestamp::MAX.since(Timestamp::MIN), Err(TimeError::DurationOverflow));
    assert_eq!(Timestamp::from_epoch_seconds(253_402_300_800), Err(TimeError::TimestampOverflow));
    assert_eq!(Timestamp::new(0, 1_000_000_000), Err(TimeError::TimestampOverflow));
}

#[test]
fn calendar_follows_the_zone() {
    let check = |text: &str, zone: &str, date: (i64, u8, u8), clock: (u8, u8, u8), days: (u16, u8)| {
        let civil = moment(text).civil(&Zone::parse(zone).unwrap());
        assert_eq!((civil.year, civil.month, civil.day), date, "{text} {zone}");
        assert_eq!((civil.hour, civil.minute, civil.second), clock, "{text} {zone}");
        assert_eq!((civil.day_of_year, civil.day_of_week), days, "{text} {zone}");
    };
    check("2009-02-13T23:31:30Z", "UTC", (2009, 2, 13), (23, 31, 30), (44, 5));
    check("2009-02-13T23:31:30Z", "Australia/Sydney", (2009, 2, 14), (10, 31, 30), (45, 6));
    check("2009-02-13T23:31:30Z", "US/Central", (2009, 2, 13), (17, 31, 30), (44, 5));
    check("2009-02-13T02:00:00Z", "America/St_Johns", (2009, 2, 12), (22, 30, 0), (43, 4));
    check("2009-02-13T23:31:30Z", "Asia/Kathmandu", (2009, 2, 14), (5, 16, 30), (45, 6));
    check("9999-12-31T23:59:59Z", "Asia/Kathmandu", (10_000, 1, 1), (5, 44, 59), (1, 6));
    check("0001-01-01T00:00:00Z", "-01:00", (0, 12, 31), (23, 0, 0), (366, 0));
}
