//! Durations as people write them.

use jiff::{Span, SpanRelativeTo};

/// Reads `90s`, `30m`, `24h`, `7d`, `1d 12h`, in milliseconds; a day has 24 hours.
pub(crate) fn millis(text: &str) -> Result<u64, String> {
    let refuse = || format!("\"{text}\" is not a duration; write it like 30m, 24h or 7d");
    let span: Span = text.parse().map_err(|_| refuse())?;
    let duration = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| refuse())?;
    u64::try_from(duration.as_millis()).map_err(|_| refuse())
}
