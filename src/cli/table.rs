//! Tables for people, which fit the terminal.

use std::io;

use rustix::termios::tcgetwinsize;

use crate::base::value::text_table;

/// Characters in the narrowest column whose text is wrapped.
const NARROWEST: usize = 30;
/// Characters between two columns.
const GAP: usize = 2;

/// Characters in a line of the terminal on stdout; `None` if stdout is not a terminal.
pub(super) fn terminal_width() -> Option<usize> {
    let size = tcgetwinsize(io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|width| *width > 0)
}

/// The lines of a table, each column as wide as its widest cell. If they are longer than `width`, the text of the last
/// column is wrapped; if too little is left for it, each row becomes a block of lines, one a cell.
pub(super) fn fitted(headings: &[&str], rows: &[Vec<String>], width: Option<usize>) -> Vec<String> {
    let lines = text_table(headings, rows);
    let Some(width) = width.filter(|width| longest(&lines) > *width) else { return lines };
    let (last_heading, other_headings) = headings.split_last().unwrap_or((&"", &[]));
    let split = |row: &Vec<String>| row.split_last().map(|(last, others)| (last.clone(), others.to_vec()));
    let (texts, others): (Vec<String>, Vec<Vec<String>>) = rows.iter().filter_map(split).unzip();
    let left = width.saturating_sub(longest(&text_table(other_headings, &others)) + GAP);
    if left < NARROWEST.max(last_heading.chars().count()) {
        return blocks(headings, rows, width);
    }
    let wrapped_row = |(text, others): (&String, &Vec<String>)| -> Vec<Vec<String>> {
        let line = |(number, line): (usize, String)| {
            let cells = if number == 0 { others.clone() } else { vec![String::new(); others.len()] };
            cells.into_iter().chain([line]).collect()
        };
        wrapped(text, left).into_iter().enumerate().map(line).collect()
    };
    text_table(headings, &texts.iter().zip(&others).flat_map(wrapped_row).collect::<Vec<_>>())
}

/// The cells that are not empty, each on lines of its own, and an empty line between two rows.
fn blocks(headings: &[&str], rows: &[Vec<String>], width: usize) -> Vec<String> {
    let named = headings.iter().map(|heading| heading.chars().count()).max().unwrap_or(0) + GAP;
    let left = width.saturating_sub(named).max(NARROWEST);
    let lines = |(heading, cell): (&&str, &String)| -> Vec<String> {
        let heading = |number| if number == 0 { *heading } else { "" };
        let cell = wrapped(cell, left).into_iter().enumerate();
        cell.map(|(number, line)| format!("{:<named$}{line}", heading(number))).collect()
    };
    let block = |row: &Vec<String>| -> Vec<String> {
        headings.iter().zip(row).filter(|(_, cell)| !cell.is_empty()).flat_map(lines).collect()
    };
    rows.iter().map(block).collect::<Vec<_>>().join(&String::new())
}

/// The words of a text in lines of at most `width` characters; a longer word has a line of its own.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn longest(lines: &[String]) -> usize {
    lines.iter().map(|line| line.chars().count()).max().unwrap_or(0)
}
