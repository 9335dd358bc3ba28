//! Instants that options take.

use super::AdminError;
use crate::base::value::{Date, Timestamp};

/// Reads the value of an option: an instant, or a day, which begins at midnight UTC.
pub(super) fn read_since(option: &str, text: &str) -> Result<Timestamp, AdminError> {
    let day = Date::parse(text).map(Timestamp::start_of);
    day.or_else(|_| Timestamp::parse(text)).map_err(|_| no_instant(option, text, "its first moment"))
}

/// The same of an instant that is not in the future.
pub(super) fn past_instant(option: &str, text: &str, now: Timestamp) -> Result<Timestamp, AdminError> {
    not_in_the_future(option, read_since(option, text)?, now)
}

/// Reads `--conhecido-em`: a day counts to its end, and today to now.
pub(super) fn known_at(text: &str, now: Timestamp) -> Result<Timestamp, AdminError> {
    const OPTION: &str = "--conhecido-em";
    let day = Date::parse(text).map(|day| if day == now.day() { now } else { Timestamp::end_of(day) });
    let instant = day.or_else(|_| Timestamp::parse(text)).map_err(|_| no_instant(OPTION, text, "its end"))?;
    not_in_the_future(OPTION, instant, now)
}

fn no_instant(option: &str, text: &str, of_day: &str) -> AdminError {
    AdminError::new(format!(
        "{option}: \"{text}\" is not an instant; write 2026-01-31T12:00:00Z, or 2026-01-31 for {of_day} in UTC"
    ))
}

fn not_in_the_future(option: &str, instant: Timestamp, now: Timestamp) -> Result<Timestamp, AdminError> {
    if instant > now {
        return Err(AdminError::new(format!("{option}: {instant} is in the future; now it is {now}")));
    }
    Ok(instant)
}
