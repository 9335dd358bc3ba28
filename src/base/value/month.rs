//! Calendar months in UTC, in which allowances are counted.

use std::fmt;

use jiff::civil;
use jiff::tz::TimeZone;

use super::Timestamp;

/// A calendar month in UTC, `2026-11`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(u32);

impl Month {
    pub fn of(instant: Timestamp) -> Month {
        let date = instant.timestamp().to_zoned(TimeZone::UTC).date();
        Month(u32::from(date.year().unsigned_abs()) * 100 + u32::from(date.month().unsigned_abs()))
    }

    /// As a number that orders like the calendar: 202611.
    pub fn ordinal(self) -> u32 {
        self.0
    }

    /// The month of that number, as [`ordinal`](Self::ordinal) gave it.
    pub fn from_ordinal(ordinal: u32) -> Month {
        Month(ordinal)
    }

    pub fn next(self) -> Month {
        Month(if self.0 % 100 >= 12 { (self.0 / 100 + 1) * 100 + 1 } else { self.0 + 1 })
    }

    /// Its first instant; the last of the calendar beyond it.
    pub fn start(self) -> Timestamp {
        let (year, month) = (i16::try_from(self.0 / 100), i8::try_from(self.0 % 100));
        let first = year.ok().zip(month.ok()).and_then(|(year, month)| civil::Date::new(year, month, 1).ok());
        let start = first.and_then(|date| date.to_zoned(TimeZone::UTC).ok()).map(|zoned| zoned.timestamp());
        let millis = start.and_then(|t| u64::try_from(t.as_millisecond()).ok());
        millis.and_then(Timestamp::from_millis).unwrap_or(Timestamp::MAX)
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.0 / 100, self.0 % 100)
    }
}
