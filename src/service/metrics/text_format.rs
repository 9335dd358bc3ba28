//! The two text forms of metrics: `OpenMetrics` 1.0 and the older one, which everything reads.

use std::collections::HashSet;

/// What a scraper names in `Accept` where it reads `OpenMetrics`.
const OPEN_METRICS: &str = "application/openmetrics-text";

/// A text form of metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFormat {
    /// `OpenMetrics` 1.0.
    OpenMetrics,
    /// Version 0.0.4 of Prometheus' own form.
    Plain,
}

impl TextFormat {
    /// The form for a scraper that sends this `Accept`: `OpenMetrics` for who asks for it.
    #[must_use]
    pub fn accepted(accept: &str) -> TextFormat {
        if accept.to_ascii_lowercase().contains(OPEN_METRICS) { TextFormat::OpenMetrics } else { TextFormat::Plain }
    }

    /// The type of the text, for the `Content-Type` header.
    #[must_use]
    pub fn content_type(self) -> &'static str {
        match self {
            TextFormat::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            TextFormat::Plain => "text/plain; version=0.0.4; charset=utf-8",
        }
    }

    /// The text in this form. The forms differ in two ways: `OpenMetrics` has an end, and describes
    /// a counter by its name without the `_total` of its figures.
    pub(super) fn of_open_metrics(self, text: String) -> String {
        if self == TextFormat::OpenMetrics {
            return text;
        }
        let lines = || text.lines().filter(|line| *line != "# EOF");
        let counter = |line: &'_ str| line.strip_prefix("# TYPE ")?.strip_suffix(" counter").map(str::to_owned);
        let counters: HashSet<String> = lines().filter_map(counter).collect();
        let mut plain = String::with_capacity(text.len() + 16 * counters.len());
        for line in lines() {
            let mut words = line.splitn(4, ' ');
            let described = (words.next(), words.next(), words.next(), words.next());
            match described {
                (Some("#"), Some(what), Some(name), Some(rest)) if counters.contains(name) => {
                    for part in ["# ", what, " ", name, "_total ", rest] {
                        plain.push_str(part);
                    }
                }
                _ => plain.push_str(line),
            }
            plain.push('\n');
        }
        plain
    }
}
