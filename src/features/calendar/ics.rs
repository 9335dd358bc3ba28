//! What lies ahead as an iCalendar (RFC 5545): an all-day event for each group, and for each date of a duty.

use super::report::{UpcomingGroup, groups};
use crate::base::value::{Conferencia, Date, Timestamp, counted, sha256_hex};
use crate::core::engine::upcoming::Upcoming;
use crate::law::codes::Prazo;

/// Most octets of a line, without its end (section 3.1).
const LINE_OCTETS: usize = 75;

/// The calendar. The UID of an event depends on what happens and not on when the calendar was made, so in a
/// later one an event that did not change keeps its UID.
pub fn to_ics(upcoming: &Upcoming) -> String {
    let mut ics = String::new();
    let mut line = |text: &str| push_folded(&mut ics, text);
    line("BEGIN:VCALENDAR");
    line("VERSION:2.0");
    line(concat!("PRODID:-//taxd//taxd ", env!("CARGO_PKG_VERSION"), "//PT"));
    line("CALSCALE:GREGORIAN");
    line("METHOD:PUBLISH");
    line("X-WR-CALNAME:Regras tributárias (taxd)");
    let stamp = stamp(upcoming.gerado_em);
    let mut events: Vec<Event> = groups(upcoming).iter().map(Event::of).collect();
    events.extend(upcoming.prazos.iter().map(Event::of_prazo));
    if events.is_empty() {
        events.push(nothing(upcoming));
    }
    for event in events {
        line("BEGIN:VEVENT");
        line(&format!("UID:{}", event.uid));
        line(&format!("DTSTAMP:{stamp}"));
        line(&format!("DTSTART;VALUE=DATE:{}", event.day.ordinal()));
        line(&format!("DTEND;VALUE=DATE:{}", event.day.next_day().unwrap_or(event.day).ordinal()));
        line(&format!("SUMMARY:{}", escaped(&event.summary)));
        line(&format!("DESCRIPTION:{}", escaped(&event.description)));
        line(&format!("CATEGORIES:{}", escaped(&event.category)));
        line("TRANSP:TRANSPARENT");
        line("END:VEVENT");
    }
    line("END:VCALENDAR");
    ics
}

struct Event {
    uid: String,
    day: Date,
    summary: String,
    description: String,
    category: String,
}

impl Event {
    fn of(group: &UpcomingGroup) -> Event {
        Event {
            uid: uid_of(&group.digest()),
            day: group.data,
            summary: summary(group),
            description: description(group),
            category: group.tributo.clone(),
        }
    }

    /// The UID depends on the duty and its day alone: a text that is corrected replaces the event.
    fn of_prazo(prazo: &Prazo) -> Event {
        let key = format!("prazo\n{}\n{}", prazo.codigo, prazo.data);
        let known = Conferencia::VOCABULARY.labelled().find(|(word, _)| *word == prazo.conferencia.as_str());
        let grade = known.map_or("", |(_, label)| label);
        Event {
            uid: uid_of(&sha256_hex(key.as_bytes())),
            day: prazo.data,
            summary: format!("Prazo: {}", prazo.titulo),
            description: format!("{}\nQuem: {}\n{}\n{grade}", prazo.texto, prazo.quem, prazo.citacao_legal),
            category: "Prazo".to_owned(),
        }
    }
}

/// The event of a calendar without any other: a published calendar must have one (RFC 5546, section 3.2.1), and
/// programs refuse a file without. Its UID never changes, so a later one replaces it.
fn nothing(upcoming: &Upcoming) -> Event {
    let days = format!("de {} a {}", upcoming.desde.dmy(), upcoming.ate.dmy());
    Event {
        uid: "nada@taxd".to_owned(),
        day: upcoming.desde,
        summary: format!("Nenhuma regra começa ou termina {days}"),
        description: "O taxd não conhece mudança de regra nestes dias.".to_owned(),
        category: "taxd".to_owned(),
    }
}

fn uid_of(digest: &str) -> String {
    format!("{}@taxd", digest.get(..32).unwrap_or_default())
}

fn summary(group: &UpcomingGroup) -> String {
    let count = match group.regras {
        1 => String::new(),
        many => format!(" ({})", counted(many, "regra", "regras")),
    };
    format!("{} {}: {}{count}", group.tributo, group.local, group.que)
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
