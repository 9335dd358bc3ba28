//! Reads a CSV: separator and encoding are detected, and cells in quotes may have separators and lines.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use super::{Cell, MAX_COLUMNS, MAX_ROW_BYTES, Row, SheetError, TakeRow, parse_number};

const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";
/// The separators, in the order in which a tie is decided.
const SEPARATORS: [u8; 3] = [b';', b'\t', b','];
/// Beginning of a first line that names the separator.
const SEP: &[u8] = b"sep=";
/// First bytes of a file that are searched for its encoding, its separator's name, and for another format.
const MAX_START_BYTES: usize = 64 * 1024;
/// Before a text that begins with one of these, an apostrophe keeps a spreadsheet program from running a formula. Some
/// programs take the full-width signs of East Asian keyboards for the ASCII ones.
const FORMULA_STARTS: &[char] = &['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

const NULL_BYTE: &str = "A linha tem um byte nulo: o arquivo não é um CSV, ou está corrompido.";

/// Most digits of a number in a spreadsheet program.
const MAX_DIGITS: usize = 15;

pub(super) fn separator(input: &mut impl BufRead) -> Result<u8, SheetError> {
    Ok(Head::read(input)?.separator())
}

/// Reads a CSV. The separator (`;`, `,` or tab) is the one that the first row has most. The text is UTF-8, or
/// Windows-1252 if a row is not UTF-8.
pub(super) fn read(mut file: impl Read + Seek, row_bytes: u64, take: &mut TakeRow<'_>) -> Result<(), SheetError> {
    let head = Head::read(&mut BufReader::new(&mut file))?;
    if head.start.starts_with(&[0xff, 0xfe]) || head.start.starts_with(&[0xfe, 0xff]) {
        return Err(SheetError::file("O texto está em UTF-16; salve o arquivo como CSV UTF-8."));
    }
    if head.text().trim_ascii_start().starts_with(b"<") {
        return Err(SheetError::file(
            "O arquivo é uma página HTML ou um XML, e não uma planilha; abra-o no programa de planilhas e salve como .xlsx ou CSV.",
        ));
    }
    let mark = u64::try_from(head.start.len() - head.text().len()).unwrap_or_default();
    file.seek(SeekFrom::Start(mark))?;
    let mut encoding = if mark > 0 { Encoding::Utf8 } else { Encoding::Unknown };
    let mut records = Records {
        input: BufReader::new(file),
        separator: head.separator(),
        special: special_bytes(head.separator()),
        row_bytes,
        row: 0,
        after_cr: false,
        bytes: Vec::new(),
        ends: Vec::new(),
    };
    while records.next()? {
        if records.row == 1 && head.named_separator().is_some() {
            continue;
        }
        let cells = encoding.cells(&records)?;
        if cells.iter().any(|cell| *cell != Cell::Empty) && take(Row { number: records.row, cells }).is_break() {
            break;
        }
    }
    Ok(())
}

/// What is seen of a CSV up to the end of its first line that is not blank. The line itself is not kept: it may be as
/// long as the file.
struct Head {
    start: Vec<u8>,
    /// How often the line has each of [`SEPARATORS`] outside of quotes.
    counts: [usize; SEPARATORS.len()],
}

impl Head {
    fn read(input: &mut impl BufRead) -> Result<Head, SheetError> {
        let mut head = Head { start: Vec::new(), counts: [0; SEPARATORS.len()] };
        let (mut left, mut in_quotes, mut is_blank) = (MAX_ROW_BYTES, false, true);
        while left > 0 {
            let available = input.fill_buf()?;
            if available.is_empty() {
                break;
            }
            let kept = available.len().min(MAX_START_BYTES - head.start.len());
            head.start.extend_from_slice(available.get(..kept).unwrap_or_default());
            for byte in available {
                in_quotes ^= *byte == b'"';
                if let Some(place) = SEPARATORS.iter().position(|separator| separator == byte).filter(|_| !in_quotes)
                    && let Some(count) = head.counts.get_mut(place)
                {
                    *count += 1;
                }
                is_blank &= byte.is_ascii_whitespace();
                if *byte == b'\n' && !is_blank {
                    return Ok(head);
                }
            }
            let count = available.len();
            left = left.saturating_sub(u64::try_from(count).unwrap_or(u64::MAX));
            input.consume(count);
        }
        Ok(head)
    }

    /// The first bytes without the mark of UTF-8.
    fn text(&self) -> &[u8] {
        self.start.strip_prefix(UTF8_BOM).unwrap_or(&self.start)
    }

    /// The separator that a first line names, as Excel writes and reads it.
    fn named_separator(&self) -> Option<u8> {
        let start = self.text().trim_ascii_start();
        let name = start.get(..SEP.len()).filter(|name| name.eq_ignore_ascii_case(SEP))?;
        start.get(name.len()).filter(|byte| !byte.is_ascii_whitespace() || **byte == b'\t').copied()
    }

    /// The separator that is named, or else the one that the line has most.
    fn separator(&self) -> u8 {
        let most = self.counts.iter().max();
        let place = self.counts.iter().position(|count| Some(count) == most);
        let most_frequent = place.and_then(|place| SEPARATORS.get(place)).copied().unwrap_or(b';');
        self.named_separator().unwrap_or(most_frequent)
    }
}

/// The rows of a CSV, the current one in `bytes`.
struct Records<R> {
    input: R,
    separator: u8,
    /// Whether each byte means something outside of quotes.
    special: [bool; 256],
    row_bytes: u64,
    /// Number of the current row, from 1; blank ones count.
    row: u32,
    /// The last row ended with a carriage return, so a line feed after it belongs to it.
    after_cr: bool,
    /// The cells of the row without their quotes, one after another.
    bytes: Vec<u8>,
    /// The end of each cell in `bytes`.
    ends: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Start,
    Plain,
    Quoted,
    /// After a quote in a cell in quotes: its end, or the first of two that mean one.
    Quote,
}

/// Whether each byte means something outside of quotes.
fn special_bytes(separator: u8) -> [bool; 256] {
    let mut special = [false; 256];
    for byte in [separator, b'"', b'\n', b'\r', 0] {
        if let Some(is_special) = special.get_mut(usize::from(byte)) {
            *is_special = true;
        }
    }
    special
}

/// How many bytes there are before a special one.
fn plain_run(bytes: &[u8], special: &[bool; 256]) -> usize {
    let ends = |byte: &u8| special.get(usize::from(*byte)) == Some(&true);
    bytes.iter().position(ends).unwrap_or(bytes.len())
}

impl<R: BufRead> Records<R> {
    /// Reads the next row. Returns false at the end.
    fn next(&mut self) -> Result<bool, SheetError> {
        self.bytes.clear();
        self.ends.clear();
        self.row += 1;
        let (mut state, mut is_begun) = (State::Start, false);
        loop {
            let available = self.input.fill_buf()?;
            if available.is_empty() {
                return self.end_of_file(state).map(|()| is_begun);
            }
            let (mut rest, mut is_whole) = (available, false);
            loop {
                if matches!(state, State::Start | State::Plain)
                    && let Some((text, after)) = rest.split_at_checked(plain_run(rest, &self.special))
                    && !text.is_empty()
                {
                    self.bytes.extend_from_slice(text);
                    (state, is_begun, self.after_cr, rest) = (State::Plain, true, false, after);
                }
                let Some((byte, after)) = rest.split_first() else { break };
                rest = after;
                if std::mem::take(&mut self.after_cr) && *byte == b'\n' {
                    continue;
                }
                is_begun = true;
                if *byte == 0 {
                    return Err(SheetError::row(self.row, NULL_BYTE));
                }
                if state != State::Quoted && matches!(*byte, b'\n' | b'\r') {
                    (self.after_cr, is_whole) = (*byte == b'\r', true);
                    break;
                }
                state = match (state, *byte) {
                    (State::Start, b'"') => State::Quoted,
                    (State::Quoted, b'"') => State::Quote,
                    (State::Start | State::Plain | State::Quote, byte) if byte == self.separator => {
                        self.ends.push(self.bytes.len());
                        // While the row is read: a row of a large file may have millions of cells.
                        if self.ends.len() >= MAX_COLUMNS {
                            let detail = format!("A linha tem mais de {MAX_COLUMNS} colunas.");
                            return Err(SheetError::row(self.row, detail));
                        }
                        State::Start
                    }
                    (before, other) => {
                        self.bytes.push(other);
                        let is_quoted = before == State::Quoted || (before, other) == (State::Quote, b'"');
                        if is_quoted { State::Quoted } else { State::Plain }
                    }
                };
            }
            let used = available.len() - rest.len();
            self.input.consume(used);
            self.check_size()?;
            if is_whole {
                self.ends.push(self.bytes.len());
                return Ok(true);
            }
        }
    }

    fn end_of_file(&mut self, state: State) -> Result<(), SheetError> {
        if state == State::Quoted {
            let detail = "As aspas que abrem uma célula desta linha não fecham até o fim do arquivo.";
            return Err(SheetError::row(self.row, detail));
        }
        self.ends.push(self.bytes.len());
        Ok(())
    }

    fn check_size(&self) -> Result<(), SheetError> {
        if u64::try_from(self.bytes.len()).is_ok_and(|len| len > self.row_bytes) {
            return Err(SheetError::long_row(
                self.row,
                self.row_bytes,
                "veja se as aspas de uma célula desta linha fecham",
            ));
        }
        Ok(())
    }
}

/// The encoding, as far as the rows show it: the first row beyond ASCII decides.
#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Unknown,
    Utf8,
    Windows1252,
}

impl Encoding {
    fn cells<'r, R>(&mut self, records: &'r Records<R>) -> Result<Vec<Cell<'r>>, SheetError> {
        let Records { bytes, row, .. } = records;
        let is_ascii = bytes.is_ascii();
        // A row in which a cell ends within a character is not UTF-8.
        let ends_characters = |text: &&str| is_ascii || records.ends.iter().all(|end| text.is_char_boundary(*end));
        let text = std::str::from_utf8(bytes).ok().filter(ends_characters);
        if !is_ascii {
            match (*self, text) {
                (Encoding::Unknown, Some(_)) => *self = Encoding::Utf8,
                (Encoding::Unknown, None) => *self = Encoding::Windows1252,
                (Encoding::Utf8, None) => {
                    let detail = "A linha não é UTF-8, e as anteriores são; salve o arquivo todo como CSV UTF-8.";
                    return Err(SheetError::row(*row, detail));
                }
                _ => {}
            }
        }
        let mut start = 0;
        let mut cells = Vec::with_capacity(records.ends.len());
        for end in &records.ends {
            cells.push(match (*self, text) {
                (Encoding::Unknown | Encoding::Utf8, Some(text)) => cell(text.get(start..*end).unwrap_or_default()),
                _ => {
                    let bytes = bytes.get(start..*end).unwrap_or_default();
                    match encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0 {
                        Cow::Borrowed(text) => cell(text),
                        Cow::Owned(text) => cell(&text).into_owned(),
                    }
                }
            });
            start = *end;
        }
        while cells.last() == Some(&Cell::Empty) {
            cells.pop();
        }
        Ok(cells)
    }
}

fn cell(text: &str) -> Cell<'_> {
    let is_blank = Cell::of(text).is_empty();
    if is_blank { Cell::Empty } else { Cell::Text(without_guard(text).into()) }
}

/// True for a code that a spreadsheet program would read as a number, and so without its zeros, points or last digits.
pub(super) fn is_code(text: &str) -> bool {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    // Points group the digits of a number: 1.234.567.
    let has_points = text.split('.').skip(1).any(|group| group.len() != 3);
    is_number && (text.len() > MAX_DIGITS || has_points || (text.len() > 1 && text.starts_with('0')))
}

/// The text with an apostrophe before it if a spreadsheet program would run it as a formula.
pub(super) fn guarded(text: &str) -> Cow<'_, str> {
    let is_plain = text.starts_with(|first: char| first.is_ascii_alphanumeric());
    let is_run = !is_plain && text.trim_start_matches('\'').starts_with(FORMULA_STARTS);
    if is_run && parse_number(text).is_err() && text != "-" { format!("'{text}").into() } else { text.into() }
}

/// The text without the apostrophe that guards it from being run as a formula, or a code without the formula that keeps
/// it a text.
fn without_guard(text: &str) -> &str {
    let code = text.strip_prefix("=\"").and_then(|rest| rest.strip_suffix('"'));
    if let Some(code) = code.filter(|code| is_code(code)) {
        return code;
    }
    match text.strip_prefix('\'') {
        Some(rest) if rest.trim_start_matches('\'').starts_with(FORMULA_STARTS) => rest,
        _ => text,
    }
}
