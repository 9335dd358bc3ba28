//! Days, exercises and instants.

use serde_json::json;
use taxd_base::document::{Faults, FromNode, Node, Object, Path};
use taxd_base::problem::ErrorCode;
use taxd_base::value::{Date, Exercicio, Timestamp};

#[test]
fn only_days_of_the_calendar_are_dates() {
    for (text, may_have_rules) in [
        ("2026-01-01", true),
        ("2024-02-29", true),
        ("2000-02-29", true),
        ("1900-01-01", true),
        ("2200-12-31", true),
        ("2026-04-30", true),
        ("1899-12-31", false),
        ("2201-01-01", false),
        ("0001-01-01", false),
        ("9999-12-31", false),
    ] {
        let day = Date::parse(text).unwrap();
        assert_eq!((day.to_string().as_str(), day.may_have_rules()), (text, may_have_rules));
    }
    for text in [
        "2026-02-30",
        "2023-02-29",
        "1900-02-29",
        "2100-02-29",
        "2026-04-31",
        "2026-13-01",
        "2026-00-10",
        "2026-01-00",
        "2026-01-32",
        "0000-01-01",
    ] {
        assert!(Date::parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_date_has_exactly_the_form_of_the_contract() {
    for text in [
        "",
        "2024-1-01",
        "2024-01-1",
        "24-01-01",
        "20240101",
        "2024/01/01",
        "01-01-2024",
        "01/01/2024",
        "2024-01",
        "2024-01-01T00:00:00",
        "2024-01-01T00:00:00Z",
        "2024-01-01 00:00",
        " 2024-01-01",
        "2024-01-01 ",
        "2024-W01-1",
        "2024-001",
        "-024-01-01",
        "+024-01-01",
        "2024-+1-01",
        "2024-01--1",
        "２０２４-01-01",
        "2024-é-01",
        "202é-01-0",
        "2024\u{2010}01\u{2010}01",
        "hoje",
    ] {
        assert!(Date::parse(text).is_err(), "{text:?} was taken for {:?}", Date::parse(text));
    }
    assert!(Date::parse(&"2".repeat(5_000)).unwrap_err().len() < 200, "a fault never echoes a page");
}

#[test]
fn every_day_from_1900_to_2200_orders_and_comes_back() {
    let mut previous: Option<Date> = None;
    let mut count = 0;
    for year in 1900..=2200 {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        for month in 1..=12 {
            let length = match month {
                2 if leap => 29,
                2 => 28,
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            assert!(Date::parse(&format!("{year}-{month:02}-{:02}", length + 1)).is_err());
            for day in 1..=length {
                let data = Date::parse(&format!("{year}-{month:02}-{day:02}")).unwrap();
                assert!(previous.is_none_or(|p| p < data && p.ordinal() < data.ordinal()), "{data}");
                assert_eq!(Date::from_ordinal(data.ordinal()), Some(data));
                previous = Some(data);
                count += 1;
            }
        }
    }
    assert_eq!(count, 301 * 365 + 73, "301 years with 73 leap days");
}

#[test]
fn an_exercise_is_a_whole_year_of_four_digits_at_most() {
    let read = |document: serde_json::Value| {
        let text = document.to_string();
        let mut faults = Faults::default();
        let node = Node::parse(text.as_bytes()).unwrap();
        let year = Exercicio::from_node(&node, &Object::default(), &Path::ROOT, &mut faults);
        year.map(|y| y.first_day().to_string()).ok_or_else(|| faults.into_list()[0].codigo)
    };
    assert_eq!(read(json!(2026)), Ok("2026-01-01".to_owned()));
    assert_eq!(read(json!(2026.0)), Ok("2026-01-01".to_owned()), "as JSON Schema counts it");
    assert_eq!(read(json!(1)), Ok("0001-01-01".to_owned()));
    assert_eq!(read(json!(9999)), Ok("9999-01-01".to_owned()));
    for year in [json!(0), json!(-2026), json!(10_000), json!(202_600), json!(i64::MAX), json!(i64::MIN)] {
        assert_eq!(read(year.clone()), Err(ErrorCode::ForaDoIntervalo), "{year}");
    }
    for year in [json!("2026"), json!(2026.5), json!(true), json!(u64::MAX)] {
        assert_eq!(read(year.clone()), Err(ErrorCode::TipoInvalido), "{year}");
    }
}

#[test]
fn an_instant_is_utc_with_milliseconds() {
    for (text, wanted) in [
        ("2026-11-21T05:22:40.123Z", "2026-11-21T05:22:40.123Z"),
        ("2026-11-21T05:22:40Z", "2026-11-21T05:22:40.000Z"),
        ("2026-11-21T02:22:40.123-03:00", "2026-11-21T05:22:40.123Z"),
        ("2026-11-20T23:00:00-03:00", "2026-11-21T02:00:00.000Z"),
        ("2026-11-21T05:22:40.123999Z", "2026-11-21T05:22:40.123Z"),
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"),
        // Nothing here is as old.
        ("1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z"),
    ] {
        let instant = Timestamp::parse(text).unwrap();
        assert_eq!(instant.to_string(), wanted);
        assert_eq!(Timestamp::parse(wanted), Ok(instant), "what is written is read back");
        assert_eq!(Timestamp::from_millis(instant.millis()), Some(instant));
        assert_eq!(instant.day().to_string(), wanted[..10]);
    }
    for text in
        ["", "2026-11-21", "2026-11-21T05:22:40", "2026-13-21T05:22:40Z", "2026-02-30T05:22:40Z", "ontem", "1763702560"]
    {
        assert!(Timestamp::parse(text).is_err(), "{text:?} was taken for {:?}", Timestamp::parse(text));
    }
    assert_eq!(Timestamp::from_millis(u64::MAX), None);
    for (day, start) in [
        ("2026-11-21", "2026-11-21T00:00:00.000Z"),
        ("1899-12-31", "1970-01-01T00:00:00.000Z"),
        ("0001-01-01", "1970-01-01T00:00:00.000Z"),
        ("9999-12-30", "9999-12-30T00:00:00.000Z"),
    ] {
        assert_eq!(Timestamp::start_of(Date::parse(day).unwrap()).to_string(), start);
    }
    assert_eq!(Timestamp::start_of(Date::parse("9999-12-31").unwrap()), Timestamp::MAX);
}

/// A clock 200 years ahead had no day, and every listing of rules was an internal error.
#[test]
fn a_clock_beyond_the_days_of_rules_is_at_the_last_of_them() {
    for clock in ["2201-01-01T00:00:00Z", "2226-11-22T05:22:40Z", "9999-12-30T21:59:59Z"] {
        assert_eq!(Timestamp::parse(clock).unwrap().day(), Date::LAST_OF_RULES);
    }
    assert_eq!(Timestamp::MAX.day(), Date::LAST_OF_RULES);
}
