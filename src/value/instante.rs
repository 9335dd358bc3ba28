//! Instants: UTC with milliseconds, `2026-11-21T05:22:40.123Z`.

use std::fmt;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Data;
use super::text::shorten;

/// An instant from 1970 on, to the millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instante(u64);

impl Instante {
    /// The instant that many milliseconds after 1970, where the calendar reaches it.
    #[must_use]
    pub fn from_millis(millis: u64) -> Option<Instante> {
        let valid = i64::try_from(millis).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
        valid.map(|_| Instante(millis))
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub fn millis(self) -> u64 {
        self.0
    }

    /// Now, by the system's clock.
    #[must_use]
    pub fn now() -> Instante {
        Instante(u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default())
    }

    /// The last instant of the calendar.
    pub const MAX: Instante = Instante(253_402_207_199_999);

    pub(super) fn timestamp(self) -> Timestamp {
        i64::try_from(self.0).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok()).unwrap_or(Timestamp::MAX)
    }

    /// The first instant of a day, UTC; for a day before 1970 or beyond the calendar, the first or last instant.
    #[must_use]
    pub fn start_of(day: Data) -> Instante {
        let start = day.date().to_zoned(TimeZone::UTC).map(|midnight| midnight.timestamp().as_millisecond());
        start.map_or(Instante::MAX, |ms| Instante(u64::try_from(ms).unwrap_or_default()))
    }

    /// Reads an ISO 8601 timestamp with an offset; what is finer than a millisecond is cut off.
    /// One from before 1970 reads as the first instant there is: nothing here is as old.
    pub fn parse(text: &str) -> Result<Instante, String> {
        let refuse = || {
            let shown = shorten(text);
            format!("\"{shown}\" não é um instante; escreva em ISO 8601, como \"2026-01-31T12:00:00.000Z\".")
        };
        let timestamp: Timestamp = text.parse().map_err(|_| refuse())?;
        Ok(Instante(u64::try_from(timestamp.as_millisecond()).unwrap_or_default()))
    }

    /// The UTC day of the instant, or the last day of rules for a clock beyond it: there is always a day to list for.
    #[must_use]
    pub fn day(self) -> Data {
        Data::of(self.timestamp().to_zoned(TimeZone::UTC).date()).min(Data::LAST_OF_RULES)
    }
}

impl fmt::Display for Instante {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.timestamp())
    }
}

impl Serialize for Instante {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Instante {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(d)?;
        Instante::parse(&text).map_err(serde::de::Error::custom)
    }
}
