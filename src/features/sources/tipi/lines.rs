//! The lines of the spreadsheet that have a rate.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;

use rust_decimal::Decimal;

use super::Situacao;
use crate::base::value::{Ex, Ncm, fold, shorten};
use crate::features::sources::LineFaults;
use crate::features::sources::table::SheetTable;
use crate::sheet::{Cell, SheetError};

/// The columns, by the titles of the spreadsheet.
const COLUMNS: [&str; 4] = ["NCM", "EX", "DESCRIÇÃO", "ALÍQUOTA (%)"];
/// More than any rate of the TIPI, of which cigarettes have the highest: 300.
const HIGHEST: u32 = 1_000;

/// What distinguishes a line: its code and its ex.
pub(super) type LineKey = (Ncm, Option<Ex>);

/// The lines of the table, and those that could not be read.
#[derive(Debug, Default)]
pub struct TipiLines {
    /// What each line says; `None` if it could not be read, or two lines disagree.
    pub(super) lines: BTreeMap<LineKey, Option<Situacao>>,
    /// How many there are, with the faulty ones.
    pub(super) read: u64,
    /// How many have a code or an ex that could not be read.
    pub(super) unkeyed: u64,
    pub(super) faults: LineFaults,
    /// Number and year of the decree that approved the table: `11.158/2022`.
    pub(super) decree: String,
    /// The last act of the list of amendments.
    pub(super) last_amendment: Option<String>,
}

/// Reads the table from an XLSX, or from a CSV of it. Fails if the file is not
/// such a table; a faulty line is left out and reported.
pub fn read(name: &str, file: &File) -> Result<TipiLines, SheetError> {
    let table = SheetTable::read(file, &COLUMNS, COLUMNS.len())?;
    let titles = table.above.join("\n");
    let decree = approval(&titles).ok_or_else(|| {
        SheetError::file("A planilha não diz o decreto que aprovou a TIPI (\"Aprovada pelo Decreto nº ...\") acima dos títulos das colunas; mantenha essas linhas.")
    })?;
    let mut lines = TipiLines { decree, last_amendment: last_amendment(&titles), ..TipiLines::default() };
    // The code of the line above, for an ex without one of its own.
    let mut above = None;
    for row in &table.rows {
        let [code, ex, _, rate] = &row.cells;
        if !code.is_empty() {
            above = parse_code(code);
        }
        let repeats_the_header = code.text().is_ok_and(|text| fold(&text) == "ncm");
        let is_heading = rate.is_empty() && ex.is_empty() && above.is_none();
        let is_text = rate.is_empty() && ex.is_empty() && code.is_empty();
        if repeats_the_header || is_heading || is_text {
            continue;
        }
        lines.read += 1;
        let key = key(code, ex, above);
        let situacao = parse_rate(rate);
        lines.add(name, row.number, key, situacao);
    }
    Ok(lines)
}

impl TipiLines {
    fn add(&mut self, name: &str, row: u32, key: Result<LineKey, String>, situacao: Result<Situacao, String>) {
        let mut fault = |detail: String| self.faults.add(name, row.into(), detail);
        let key = match key {
            Ok(key) => key,
            Err(detail) => {
                self.unkeyed += 1;
                return fault(detail);
            }
        };
        let line = super::codigo(&key);
        let read = situacao.map_err(|detail| fault(format!("{line}: {detail}"))).ok();
        match self.lines.entry(key) {
            Entry::Vacant(vacant) => {
                vacant.insert(read);
            }
            Entry::Occupied(mut there) => {
                if let (Some(before), Some(now)) = (*there.get(), read)
                    && before != now
                {
                    fault(format!(
                        "{line}: outra linha traz o mesmo código com outra alíquota; nenhuma das duas foi usada."
                    ));
                }
                if *there.get() != read {
                    there.insert(None);
                }
            }
        }
    }
}

/// A code of eight digits: `0101.21.00`. Chapters, headings and subheadings have fewer.
fn parse_code(cell: &Cell) -> Option<Ncm> {
    let digits: String = cell.text().ok()?.chars().filter(|c| !matches!(c, '.' | ' ' | '\u{a0}')).collect();
    Ncm::parse(&digits).ok()
}

/// What distinguishes the line: its code, or the one above for an ex without code.
fn key(code: &Cell, ex: &Cell, above: Option<Ncm>) -> Result<LineKey, String> {
    let ncm = above.filter(|_| !code.is_empty() || !ex.is_empty()).ok_or_else(|| {
        let text = code.text().unwrap_or_default();
        format!("\"{}\" não é um código de 8 algarismos da NCM, e a linha tem alíquota.", shorten(&text))
    })?;
    if ex.is_empty() {
        return Ok((ncm, None));
    }
    let text = ex.text()?;
    let digits = text.trim_start_matches(|c: char| c.is_alphabetic() || matches!(c, '.' | ' ' | '\u{a0}'));
    Ok((ncm, Some(Ex::parse(digits).map_err(|why| format!("{ncm}: {why}"))?)))
}

/// `NT`, or a rate in percent points.
fn parse_rate(cell: &Cell) -> Result<Situacao, String> {
    if cell.is_empty() {
        return Err("A linha não traz alíquota.".to_owned());
    }
    if cell.text().is_ok_and(|text| fold(&text) == "nt") {
        return Ok(Situacao::NaoTributado);
    }
    let rate = cell.percent()?.normalize();
    if rate < Decimal::ZERO || rate > Decimal::from(HIGHEST) {
        return Err(format!("{rate} não é uma alíquota da TIPI, que vai de 0 a {HIGHEST}."));
    }
    Ok(if rate.is_zero() { Situacao::Zero } else { Situacao::Tributado(rate) })
}

/// Number and year in `Aprovada pelo Decreto nº 11.158, de 29 de julho de 2022`.
fn approval(titles: &str) -> Option<String> {
    let (_, after) = titles.split_once("Aprovada pelo Decreto n")?;
    let after = after.trim_start_matches(|c: char| !c.is_ascii_digit());
    let (number, date) = after.split_once(',')?;
    let date = date.split([')', '\n']).next()?;
    let year = date.trim_end().rsplit(' ').next()?;
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    (is_digits(number) && year.len() == 4 && is_digits(year)).then(|| format!("{number}/{year}"))
}

/// The last line of the list of amendments.
fn last_amendment(titles: &str) -> Option<String> {
    let (_, list) = titles.split_once("Atualizações:")?;
    let acts = list.lines().map(str::trim).skip_while(|line| line.is_empty());
    acts.take_while(|line| !line.is_empty()).last().map(str::to_owned)
}
