//! The log, on stderr: what is logged (`TAXD_LOG`), and how it is written (`TAXD_LOG_FORMAT`).
//!
//! A line is a message and fields. Each event and each failure is logged once. No line contains a key, a
//! secret, a payload or a header, at any level.

use std::{env, fmt, io};

use clap::ValueEnum;
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::{self, FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::fmt::{FmtContext, layer};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

use crate::base::value::Timestamp;
use crate::core::service::is_the_journal;

/// The format of a line of the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people: time, level, where, message, fields
    #[default]
    Text,
    /// For programs: one JSON object a line
    Json,
}

/// Writes the log to stderr. `TAXD_LOG` (`warn`, `info`, `taxd=debug`) overrides the `default` level; without a
/// `format`, `TAXD_LOG_FORMAT` chooses one.
pub(super) fn init(default: LevelFilter, format: Option<Format>) {
    let asked = asked_for("TAXD_LOG").map(|text| filter(&text)).transpose();
    let asked_format = match format {
        Some(format) => Ok(Some(format)),
        None => asked_for("TAXD_LOG_FORMAT").map(|text| Format::from_str(&text, true)).transpose(),
    };
    let filter = match &asked {
        Ok(Some(chosen)) => chosen.clone(),
        Ok(None) | Err(_) => Targets::new().with_default(default),
    };
    let lines = match asked_format {
        Ok(Some(Format::Json)) => {
            let json = layer().json().flatten_event(true).with_current_span(false).with_span_list(false);
            json.with_timer(Utc).with_writer(io::stderr).boxed()
        }
        _ if is_the_journal(2) => {
            let journal = Journal(format::format().without_time());
            layer().event_format(journal).with_ansi(false).with_writer(io::stderr).boxed()
        }
        _ => {
            let colours = io::IsTerminal::is_terminal(&io::stderr());
            layer().with_timer(Utc).with_ansi(colours).with_writer(io::stderr).boxed()
        }
    };
    // Fails only in a test process that has a subscriber already.
    let _ = tracing_subscriber::registry().with(lines.with_filter(filter)).try_init();
    if let Err(error) = asked {
        tracing::warn!(%error, "TAXD_LOG is ignored; write a level (error, warn, info, debug, trace, off), or target=level");
    }
    if asked_format.is_err() {
        tracing::warn!("TAXD_LOG_FORMAT is ignored; write text or json");
    }
}

/// The value of a variable; `None` if it is unset or blank.
fn asked_for(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|asked| !asked.trim().is_empty())
}

/// Reads levels by target. A lone word must be a level: as a target, a mistyped one would log everything of it.
fn filter(text: &str) -> Result<Targets, String> {
    match text.split(',').map(str::trim).find(|part| !part.contains('=') && part.parse::<LevelFilter>().is_err()) {
        Some(word) => Err(format!("\"{word}\" is not a level")),
        None => text.parse::<Targets>().map_err(|error| error.to_string()),
    }
}

/// The time of a line: UTC with milliseconds.
struct Utc;

impl FormatTime for Utc {
    fn format_time(&self, to: &mut Writer<'_>) -> fmt::Result {
        write!(to, "{}", Timestamp::now())
    }
}

/// Lines for the journal (sd-daemon(3)): without a time, which the journal adds, and with the level as a number in
/// front, for `journalctl -p`.
struct Journal(format::Format<format::Full, ()>);

impl<S, N> FormatEvent<S, N> for Journal
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut to: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let priority = match *event.metadata().level() {
            Level::ERROR => 3,
            Level::WARN => 4,
            Level::INFO => 6,
            Level::DEBUG | Level::TRACE => 7,
        };
        write!(to, "<{priority}>")?;
        self.0.format_event(context, to, event)
    }
}
