//! The table of measured and wanted figures.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// The target of a figure.
#[derive(Clone, Copy)]
pub enum Wanted {
    AtLeast(f64),
    AtMost(f64),
    /// No target: the figure is shown for comparison.
    Nothing,
}

/// One figure.
pub struct Row {
    pub measure: String,
    pub wanted: Wanted,
    pub unit: &'static str,
    median: f64,
    least: f64,
    most: f64,
    pub detail: String,
}

impl Row {
    /// Returns the median.
    pub fn new(measure: &str, wanted: Wanted, unit: &'static str, mut values: Vec<f64>, detail: String) -> Row {
        values.sort_by(f64::total_cmp);
        let (least, most) = (values[0], values[values.len() - 1]);
        Row { measure: measure.to_owned(), wanted, unit, median: median(&values), least, most, detail }
    }

    fn reached(&self) -> Option<bool> {
        match self.wanted {
            Wanted::AtLeast(bound) => Some(self.median >= bound),
            Wanted::AtMost(bound) => Some(self.median <= bound),
            Wanted::Nothing => None,
        }
    }
}

/// Returns the median of sorted values.
pub fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
}

/// Formats a number with about three significant digits.
pub fn number(value: f64) -> String {
    match value {
        v if v >= 1_000.0 => thousands(&format!("{v:.0}")),
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

fn thousands(digits: &str) -> String {
    let mut grouped = String::new();
    for (i, digit) in digits.char_indices() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Returns the rows as a Markdown table.
pub fn markdown(rows: &[Row]) -> String {
    let mut text = "| measure | wanted | measured | least to most | |\n|---|---|---|---|---|\n".to_owned();
    for row in rows {
        let with_unit = |value: f64| format!("{} {}", number(value), row.unit).trim().to_owned();
        let wanted = match row.wanted {
            Wanted::AtLeast(bound) => format!("at least {}", with_unit(bound)),
            Wanted::AtMost(bound) => format!("at most {}", with_unit(bound)),
            Wanted::Nothing => String::new(),
        };
        let mark = if row.reached() == Some(false) { "**not reached** " } else { "" };
        let spread =
            if row.least < row.most { format!("{} to {}", number(row.least), number(row.most)) } else { String::new() };
        let measured = with_unit(row.median);
        writeln!(text, "| {} | {wanted} | {mark}{measured} | {spread} | {} |", row.measure, row.detail)
            .expect("text grows");
    }
    text
}

/// Returns the rows as JSON.
pub fn document(rows: &[Row]) -> Value {
    let row = |row: &Row| {
        let (at_least, at_most) = match row.wanted {
            Wanted::AtLeast(bound) => (Some(bound), None),
            Wanted::AtMost(bound) => (None, Some(bound)),
            Wanted::Nothing => (None, None),
        };
        json!({
            "measure": row.measure, "unit": row.unit, "at_least": at_least, "at_most": at_most,
            "median": row.median, "least": row.least, "most": row.most, "reached": row.reached(), "detail": row.detail,
        })
    };
    rows.iter().map(row).collect()
}
