//! Allowances over the ends of months and years, and under a clock that is wrong.

use taxd_base::value::{Month, Timestamp};
use taxd_core::calls::MonthCount;
use taxd_core::store::Limit;

fn instant(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn month(text: &str) -> Month {
    Month::of(instant(text))
}

/// `used` calls in the month of that instant.
fn used(text: &str, used: u64) -> MonthCount {
    let mut count = MonthCount::default();
    (0..used).for_each(|_| count.add(month(text)));
    count
}

#[test]
fn a_month_begins_with_its_first_millisecond_of_utc() {
    for (last, first) in [
        ("2026-11-30T23:59:59.999Z", "2026-12-01T00:00:00.000Z"),
        ("2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00.000Z"),
        ("2028-02-29T23:59:59.999Z", "2028-03-01T00:00:00.000Z"),
        ("2027-02-28T23:59:59.999Z", "2027-03-01T00:00:00.000Z"),
        // São Paulo is three hours behind: its evening of the 31st is the 1st in UTC.
        ("2026-08-31T20:59:59.999-03:00", "2026-08-31T21:00:00.000-03:00"),
    ] {
        assert_eq!(instant(last).millis() + 1, instant(first).millis(), "{last}");
        assert_ne!(month(last), month(first), "{last}");
        assert_eq!(month(last).next(), month(first), "{last}");
        assert_eq!(month(last).next().start(), instant(first), "{last}");
        assert!(month(last) < month(first), "{last}");
    }
}

#[test]
fn every_month_of_two_centuries_follows_the_one_before() {
    let mut at = month("1970-01-01T00:00:00Z");
    for i in 0..2_400 {
        assert_eq!(at.to_string(), format!("{:04}-{:02}", 1970 + i / 12, i % 12 + 1));
        assert_eq!(Month::of(at.start()), at, "{at}");
        assert_eq!(Month::from_ordinal(at.ordinal()), at);
        let last = Timestamp::from_millis(at.next().start().millis() - 1).unwrap();
        assert_eq!(Month::of(last), at, "{at}");
        at = at.next();
    }
}

#[test]
fn beyond_the_calendar_no_later_month_is_waited_for() {
    assert_eq!(Month::of(Timestamp::MAX).next().start(), Timestamp::MAX);
}

#[test]
fn an_allowance_is_used_up_by_the_call_that_reaches_it_and_whole_in_the_next_month() {
    let three = Limit(Some(3));
    let (november, december) = (month("2026-11-30T12:00:00Z"), month("2026-12-01T00:00:00Z"));
    let mut count = used("2026-11-30T12:00:00Z", 2);
    assert!(!count.is_used_up(november, three));
    count.add(november);
    assert!(count.is_used_up(november, three));
    assert!(!count.is_used_up(december, three));
    count.add(december);
    assert_eq!((count.month, count.used), (december, 1));
    assert!(!count.is_used_up(november, Limit(None)), "what is unlimited is never used up");
    assert!(MonthCount::default().is_used_up(november, Limit(Some(0))), "of nothing nothing is left");
}

#[test]
fn a_clock_that_is_set_back_over_the_end_of_a_month_neither_gives_nor_takes_an_allowance() {
    for (before, after) in
        [("2026-11-30T23:59:59.999Z", "2026-12-01T00:00:00Z"), ("2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z")]
    {
        let mut count = used(after, 2);
        count.add(month(before));
        assert_eq!((count.month, count.used), (month(after), 3), "counted with the month that was reached");
        assert!(count.is_used_up(month(before), Limit(Some(3))));
        assert_eq!(count.in_month(month(before)).used, 3);
    }
}

#[test]
fn a_clock_that_was_far_ahead_does_not_lock_the_account_until_then() {
    let mut count = used("2031-05-01T00:00:00Z", 5);
    assert!(count.is_used_up(month("2031-05-20T00:00:00Z"), Limit(Some(5))));
    let now = month("2026-11-21T00:00:00Z");
    assert!(!count.is_used_up(now, Limit(Some(5))));
    count.add(now);
    assert_eq!((count.month, count.used), (now, 1));
}
