//! What lies ahead as an iCalendar (RFC 5545): an all-day event for each group.

use super::Upcoming;
use super::report::UpcomingGroup;
use crate::value::{Timestamp, sha256_hex};

/// Most octets of a line, without its end (section 3.1).
const LINE_OCTETS: usize = 75;

impl Upcoming {
    /// The calendar. The UID of an event depends on what happens and not on when the calendar was made, so in a
    /// later one an event that did not change keeps its UID.
    #[must_use]
    pub fn to_ics(&self) -> String {
        let mut ics = String::new();
        let mut line = |text: &str| push_folded(&mut ics, text);
        line("BEGIN:VCALENDAR");
        line("VERSION:2.0");
        line(concat!("PRODID:-//taxd//taxd ", env!("CARGO_PKG_VERSION"), "//PT"));
        line("CALSCALE:GREGORIAN");
        line("METHOD:PUBLISH");
        line("X-WR-CALNAME:Regras tributárias (taxd)");
        let stamp = stamp(self.gerado_em);
        for group in self.groups() {
            line("BEGIN:VEVENT");
            line(&format!("UID:{}", uid(&group)));
            line(&format!("DTSTAMP:{stamp}"));
            line(&format!("DTSTART;VALUE=DATE:{}", group.data.ordinal()));
            line(&format!("DTEND;VALUE=DATE:{}", group.data.next_day().unwrap_or(group.data).ordinal()));
            line(&format!("SUMMARY:{}", escaped(&summary(&group))));
            line(&format!("DESCRIPTION:{}", escaped(&description(&group))));
            line(&format!("CATEGORIES:{}", escaped(&group.tributo)));
            line("TRANSP:TRANSPARENT");
            line("END:VEVENT");
        }
        line("END:VCALENDAR");
        ics
    }
}

fn uid(group: &UpcomingGroup) -> String {
    let key = format!("{}\n{}\n{}\n{}", group.data, group.what(), group.tributo, group.local);
    format!("{}@taxd", sha256_hex(key.as_bytes()).get(..32).unwrap_or_default())
}

fn summary(group: &UpcomingGroup) -> String {
    let count = if group.regras == 1 { String::new() } else { format!(" ({} regras)", group.regras) };
    format!("{} {}: {}{count}", group.tributo, group.local, group.what())
}

fn description(group: &UpcomingGroup) -> String {
    let mut lines: Vec<String> = group.nomes.iter().map(ToString::to_string).collect();
    if let Some(more) = group.regras.checked_sub(group.nomes.len()).filter(|more| *more > 0) {
        lines.push(format!("e mais {more}"));
    }
    lines.push(group.citacao_legal.clone());
    lines.join("\n")
}

/// An instant as UTC without fractions of a second (section 3.3.5).
fn stamp(instant: Timestamp) -> String {
    let text = instant.to_string();
    let whole = text.split('.').next().unwrap_or_default();
    format!("{}Z", whole.replace(['-', ':'], "").trim_end_matches('Z'))
}

/// A text value (section 3.3.11).
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | ';' | ',' => escaped.extend(['\\', c]),
            '\n' => escaped.push_str("\\n"),
            '\r' => {}
            c => escaped.push(c),
        }
    }
    escaped
}

/// Adds a line, folded between characters so that no line is longer than [`LINE_OCTETS`].
fn push_folded(ics: &mut String, text: &str) {
    let mut octets = 0;
    for c in text.chars() {
        if octets + c.len_utf8() > LINE_OCTETS {
            ics.push_str("\r\n ");
            octets = 1;
        }
        ics.push(c);
        octets += c.len_utf8();
    }
    ics.push_str("\r\n");
}
