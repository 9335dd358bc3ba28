//! Days as plain numbers, and back: the model knows no other date.

use std::sync::LazyLock;

/// Number of a day: 0 is 1 January 2015.
pub type Day = usize;

/// The ten years on each day of which somebody is asked: 2016 to 2025, 3,653 days.
pub const TEN_YEARS: std::ops::Range<Day> = 365..365 + 3_653;

static WRITTEN: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut days = Vec::new();
    for year in 2015..2028 {
        let february = if year % 4 == 0 { 29 } else { 28 };
        for (month, length) in (1..).zip([31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
            days.extend((1..=length).map(|day| format!("{year}-{month:02}-{day:02}")));
        }
    }
    days
});

/// The day as bundles and payloads write it.
pub fn written(day: Day) -> &'static str {
    &WRITTEN[day]
}

#[test]
fn the_ten_years_are_whole() {
    let (first, last) = (TEN_YEARS.start, TEN_YEARS.end - 1);
    assert_eq!([first, last].map(written), ["2016-01-01", "2025-12-31"]);
}
