//! Instants: UTC with milliseconds, `2026-11-21T05:22:40.123Z`.

use std::fmt;

use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Date;
use super::text::shorten;
use crate::sentence::Reader;

/// An instant from 1970 on, to the millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The instant that many milliseconds after 1970; `None` beyond the calendar.
    pub fn from_millis(millis: u64) -> Option<Timestamp> {
        let valid = i64::try_from(millis).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        valid.map(|_| Timestamp(millis))
    }

    /// Milliseconds since 1970.
    pub fn millis(self) -> u64 {
        self.0
    }

    /// Now, by the system's clock.
    pub fn now() -> Timestamp {
        Timestamp(u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or_default())
    }

    /// The last instant of the calendar.
    pub const MAX: Timestamp = Timestamp(253_402_207_199_999);

    pub(super) fn timestamp(self) -> jiff::Timestamp {
        i64::try_from(self.0)
            .ok()
            .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
            .unwrap_or(jiff::Timestamp::MAX)
    }

    /// The first instant of a day, UTC; for a day before 1970 or beyond the calendar, the first or last instant.
    pub fn start_of(day: Date) -> Timestamp {
        let start = day.date().to_zoned(TimeZone::UTC).map(|midnight| midnight.timestamp().as_millisecond());
        start.map_or(Timestamp::MAX, |ms| Timestamp(u64::try_from(ms).unwrap_or_default()))
    }

    /// The last instant of a day, UTC.
    pub fn end_of(day: Date) -> Timestamp {
        Timestamp(Timestamp::start_of(day.plus_days(1)).0.saturating_sub(1))
    }

    /// Parses an ISO 8601 timestamp with an offset, and cuts it to milliseconds. A timestamp before 1970 becomes
    /// the first instant: no data is as old.
    pub fn parse(text: &str) -> Result<Timestamp, String> {
        let refuse = || {
            let shown = shorten(text);
            format!("\"{shown}\" não é um instante; escreva em ISO 8601, como \"2026-01-31T12:00:00.000Z\".")
        };
        let timestamp: jiff::Timestamp = text.parse().map_err(|_| refuse())?;
        Ok(Timestamp(u64::try_from(timestamp.as_millisecond()).unwrap_or_default()))
    }

    /// In the time zone of this machine (`TZ`, else its setting) and with its offset: `2026-11-21 02:22:40 -03:00`.
    pub fn local(self) -> String {
        self.timestamp().to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S %:z").to_string()
    }

    /// The instant as that reader writes it; for a person in the time of Brasília, to the next whole second, so that what
    /// happened at the instant has happened then: `20/11/2026 23:22:40`. The last second of a day is the day, and a whole
    /// minute has no seconds.
    pub fn read_by(self, reader: Reader) -> String {
        if reader == Reader::Program {
            return self.to_string();
        }
        let second = self.0.div_ceil(1000).saturating_mul(1000).saturating_sub(3 * 3_600_000);
        let local = Timestamp(second).timestamp().to_zoned(TimeZone::UTC);
        let day = Date::of(local.date()).dmy();
        let written = match local.strftime("%H:%M:%S").to_string().as_str() {
            "23:59:59" => day,
            time => format!("{day} {}", time.strip_suffix(":00").unwrap_or(time)),
        };
        format!("{written} (hora de Brasília)")
    }

    /// The UTC day of the instant; the last day of rules if the instant is after it, so that listings always have a day.
    pub fn day(self) -> Date {
        Date::of(self.timestamp().to_zoned(TimeZone::UTC).date()).min(Date::LAST_OF_RULES)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.timestamp())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(d)?;
        Timestamp::parse(&text).map_err(serde::de::Error::custom)
    }
}
