//! The companies as a table, one CSV as Excel saves it: a row a company, with the facts of the TOML file in columns, and a
//! further row of the same CNPJ for each further treatment, price or month.

use std::collections::HashMap;
use std::io::Cursor;
use std::ops::ControlFlow;

use super::COMPANY_FACTS;
use super::entry::{CompanyEntry, CompanyReader, EntryField, EntryValue, FilePlace};
use crate::base::document::nearest;
use crate::base::value::{Date, fold, format_decimal};
use crate::law::nfe::{RegimeDasContribuicoes, tax_number};
use crate::sheet::{self, Cell, DecimalEvidence, DecimalMark, Row};

/// How the cells of a column are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    /// `sim` or `não`.
    Flag,
    Day,
    /// `03/2026`, or any day of the month.
    Month,
    Amount,
    /// `Simples Nacional`, `lucro presumido`, `lucro real`.
    Regime,
    /// What the firm calls the company.
    Name,
    /// What the firm writes for itself.
    Own,
}

struct TableColumn {
    /// The list of the company that the field is of; empty for one of the company itself.
    list: &'static str,
    field: &'static str,
    kind: Kind,
    /// Other heads, folded.
    also: &'static [&'static str],
}

const fn of(field: &'static str, kind: Kind, also: &'static [&'static str]) -> TableColumn {
    TableColumn { list: "", field, kind, also }
}

const fn within(list: &'static str, field: &'static str, kind: Kind) -> TableColumn {
    TableColumn { list, field, kind, also: &[] }
}

const CNPJ: &str = "cnpj";
const NOME: &str = "nome";
const REGIME_PIS_COFINS: &str = "regime_pis_cofins";
const REGIME_ESPECIAL: &str = "regime_especial";
const SIMPLES: &str = "simples_nacional";
const PRECO: &str = "preco_venda_varejo";

const COLUMNS: [TableColumn; 23] = [
    of(CNPJ, Kind::Text, &["raiz_do_cnpj", "cnpj_raiz", "cnpj_cpf", "cnpj_da_empresa", "c_n_p_j"]),
    of(NOME, Kind::Name, &["razao_social", "empresa", "cliente"]),
    of("uf", Kind::Own, &["estado"]),
    of("municipio", Kind::Own, &["cidade"]),
    of("regime", Kind::Regime, &["regime_tributario"]),
    of(REGIME_PIS_COFINS, Kind::Text, &[]),
    of("contribuinte_ipi", Kind::Flag, &["ipi"]),
    of("destinacao_autopropulsado", Kind::Flag, &[]),
    of("regime_especial_por_unidade", Kind::Flag, &[]),
    within(REGIME_ESPECIAL, "tributo", Kind::Text),
    within(REGIME_ESPECIAL, "desde", Kind::Day),
    within(REGIME_ESPECIAL, "ate", Kind::Day),
    within(REGIME_ESPECIAL, "descricao", Kind::Text),
    within(SIMPLES, "mes", Kind::Month),
    within(SIMPLES, "receita_bruta_12_meses", Kind::Amount),
    within(SIMPLES, "receita_exportacao_12_meses", Kind::Amount),
    within(SIMPLES, "receita_bruta_ano", Kind::Amount),
    within(SIMPLES, "inicio_atividade", Kind::Day),
    within(SIMPLES, "anexo_servicos", Kind::Text),
    within(PRECO, "produto", Kind::Text),
    within(PRECO, "preco", Kind::Amount),
    within(PRECO, "desde", Kind::Day),
    within(PRECO, "ate", Kind::Day),
];

/// A head as it is compared: `Regime especial: até` is `regime_especial_ate`.
fn folded(head: &str) -> String {
    fold(&head.replace(|c: char| !c.is_alphanumeric(), " "))
        .split(' ')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("_")
}

impl TableColumn {
    /// Its head in a file that a program writes.
    fn head(&self) -> String {
        if self.list.is_empty() { self.field.to_owned() } else { format!("{}_{}", self.list, self.field) }
    }

    fn is_called(&self, head: &str) -> bool {
        let label = COMPANY_FACTS.iter().find(|(name, _)| *name == self.field).map(|(_, label)| folded(label));
        head == self.head() || self.also.contains(&head) || label.as_deref() == Some(head)
    }

    /// The value of a cell as the TOML file writes it; `None` if there is none.
    fn value(&self, cell: &Cell, mark: DecimalMark) -> Result<Option<EntryValue>, String> {
        let text = || cell.text().map(std::borrow::Cow::into_owned);
        Ok(Some(match self.kind {
            Kind::Own => return Ok(None),
            Kind::Text | Kind::Name => EntryValue::Text(text()?),
            Kind::Flag => EntryValue::Flag(cell.boolean()?),
            Kind::Day => EntryValue::Text(cell.date()?.to_string()),
            Kind::Month => EntryValue::Text(month(cell)?),
            Kind::Amount => EntryValue::Text(format_decimal(cell.decimal_by(mark)?)),
            Kind::Regime => return regime(&text()?),
        }))
    }
}

/// The months as Excel shows them: it makes `mar/26` of 03/2026.
const MONTHS: [&str; 12] = ["jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez"];

/// The month of a cell: `03/2026`, `mar/26`, `2026-03`, or a day of it.
fn month(cell: &Cell) -> Result<String, String> {
    let text = cell.text()?.to_lowercase();
    let day = match text.split_once('/') {
        Some((name, year)) if MONTHS.contains(&name) => {
            let month = MONTHS.iter().position(|month| *month == name).unwrap_or_default() + 1;
            let century = if year.len() == 2 { "20" } else { "" };
            Date::parse(&format!("{century}{year}-{month:0>2}-01"))
        }
        Some((month, year)) if year.len() == 4 => Date::parse(&format!("{year}-{month:0>2}-01")),
        _ if text.len() == 7 => Date::parse(&format!("{text}-01")),
        _ => cell.date(),
    };
    let day = day.map_err(|_| "escreva o mês como 03/2026")?;
    Ok(day.to_string().chars().take(7).collect())
}

/// How a company of that regime pays PIS and COFINS: of the presumed profit without credits (Lei nº 10.637/2002, art. 8º,
/// II; Lei nº 10.833/2003, art. 10, II), of the real one with them, but for the exceptions of the same articles, which
/// `regime_pis_cofins` says. The documents themselves say that their issuer is in the Simples Nacional.
fn regime(text: &str) -> Result<Option<EntryValue>, String> {
    let regime = match folded(text).as_str() {
        "simples_nacional" | "simples" | "mei" | "imune" | "isenta" => return Ok(None),
        "lucro_presumido" | "presumido" | "lucro_arbitrado" => RegimeDasContribuicoes::Cumulativo,
        "lucro_real" | "real" => RegimeDasContribuicoes::NaoCumulativo,
        _ => return Err("escreva um de: Simples Nacional, lucro presumido, lucro real, lucro arbitrado".to_owned()),
    };
    Ok(Some(EntryValue::Text(regime.as_str().to_owned())))
}

/// Whether a file is a table: its first line has cells, or the head CNPJ.
pub(super) fn is_table(file: &[u8]) -> bool {
    let line = file.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let is_toml = line.trim_start().starts_with(['[', '#']) || line.contains('=');
    let has_cnpj = || {
        let mut heads = line.trim_start_matches('\u{feff}').split(',').map(folded);
        heads.any(|head| COLUMNS.iter().any(|column| column.field == CNPJ && column.is_called(&head)))
    };
    !is_toml && !line.contains('\0') && (line.contains([';', '\t']) || has_cnpj())
}

/// Reads a table. A company is the rows with its CNPJ; each adds a treatment, a price or a month, and none contradicts the
/// others.
pub(super) fn read(file: &[u8], reader: &mut CompanyReader) -> Vec<CompanyEntry> {
    let mut rows = Vec::new();
    let mut take = |row: Row<'_>| {
        rows.push(row.into_owned());
        ControlFlow::Continue(())
    };
    let separator = sheet::separator(&mut Cursor::new(file)).unwrap_or_default();
    if let Err(error) = sheet::read(Cursor::new(file), None, &mut take) {
        let line = error.row.and_then(|row| usize::try_from(row).ok()).unwrap_or(1);
        reader.fault(&FilePlace { line, column: None }, error.detail);
        return Vec::new();
    }
    let mut rows = rows.into_iter();
    let heads = rows.next().map(|row| columns(&row, reader)).unwrap_or_default();
    if heads.iter().flatten().all(|(_, column)| column.field != CNPJ) {
        reader.fault(&FilePlace { line: 1, column: None }, "falta a coluna CNPJ, com os 14 algarismos ou os 8 da raiz");
        return Vec::new();
    }
    let rows: Vec<Row> = rows.collect();
    let mut evidence = DecimalEvidence::default();
    for (place, column) in heads.iter().enumerate() {
        let is_amount = column.as_ref().is_some_and(|(_, column)| column.kind == Kind::Amount);
        let cells = rows.iter().map(|row| row.cell(place)).filter(|_| is_amount);
        cells.filter_map(|cell| cell.text().ok()).for_each(|text| evidence.see(&text));
    }
    let table = Sheet { heads, mark: DecimalMark::of_csv(separator, evidence) };
    let mut found = Found::default();
    for row in &rows {
        table.add(&mut found, row, reader);
    }
    found.entries
}

/// The companies that were read, and the place of each by its CNPJ.
#[derive(Default)]
struct Found {
    entries: Vec<CompanyEntry>,
    places: HashMap<String, usize>,
}

fn line(row: &Row) -> usize {
    usize::try_from(row.number).unwrap_or(1)
}

/// The column of each cell; `None` if its head is not known, which is a fault.
fn columns(row: &Row, reader: &mut CompanyReader) -> Vec<Option<(String, &'static TableColumn)>> {
    let place = FilePlace { line: line(row), column: None };
    let mut found: Vec<Option<(String, &'static TableColumn)>> = Vec::new();
    for cell in &row.cells {
        let head = cell.shown();
        let column = COLUMNS.iter().find(|column| column.is_called(&folded(&head)));
        match column {
            None => {
                let heads: Vec<String> = COLUMNS.iter().map(TableColumn::head).collect();
                let near = nearest(&folded(&head), heads.iter().map(String::as_str));
                let near = near.map(|near| format!(" Você quis dizer \"{near}\"?")).unwrap_or_default();
                reader.fault(&place, format!("não há a coluna \"{head}\".{near}"));
            }
            Some(column) if found.iter().flatten().any(|(_, known)| std::ptr::eq(*known, column)) => {
                reader.fault(&place, format!("a coluna \"{head}\" está duas vezes"));
            }
            Some(_) => {}
        }
        found.push(column.map(|column| (head, column)));
    }
    found
}

struct Sheet {
    heads: Vec<Option<(String, &'static TableColumn)>>,
    mark: DecimalMark,
}

impl Sheet {
    /// Adds a row to the companies.
    fn add(&self, found: &mut Found, row: &Row, reader: &mut CompanyReader) {
        let place = FilePlace { line: line(row), column: None };
        let (mut fields, mut regime, mut says) = (Vec::new(), None, false);
        for (at, column) in self.heads.iter().enumerate() {
            let (Some((head, column)), cell) = (column, row.cell(at)) else { continue };
            if cell.is_empty() {
                continue;
            }
            says |= !matches!(column.kind, Kind::Own | Kind::Name);
            let place = FilePlace { column: Some(head.clone()), ..place.clone() };
            match column.value(cell, self.mark) {
                Ok(None) => {}
                Ok(Some(value)) if column.kind == Kind::Regime => {
                    regime = Some(EntryField { place, name: REGIME_PIS_COFINS.to_owned(), value });
                }
                Ok(Some(value)) => {
                    put(&mut fields, column.list, EntryField { place, name: column.field.to_owned(), value });
                }
                Err(why) => reader.fault(&place, why),
            }
        }
        // What is said of PIS and COFINS is more than what follows from the regime.
        fields.extend(regime.filter(|_| fields.iter().all(|field| field.name != REGIME_PIS_COFINS)));
        let read = CompanyEntry { place, fields };
        let cnpj = read.cnpj();
        match found.places.get(&cnpj).and_then(|at| found.entries.get_mut(*at)) {
            // In a TOML file it would be said of all.
            _ if cnpj.is_empty() => {
                if says {
                    reader.fault(&read.place, "a linha não tem CNPJ");
                }
            }
            Some(entry) => entry.fields = merged(std::mem::take(&mut entry.fields), read.fields, reader),
            None => {
                found.places.insert(cnpj, found.entries.len());
                found.entries.push(read);
            }
        }
    }
}

/// Adds a field of the company, or one of the only entry of its list.
fn put(fields: &mut Vec<EntryField>, list: &str, field: EntryField) {
    if list.is_empty() {
        return fields.push(field);
    }
    let known = fields.iter_mut().find(|known| known.name == list).map(|known| &mut known.value);
    match known {
        Some(EntryValue::List(entries)) => entries.iter_mut().for_each(|entry| entry.fields.push(field.clone())),
        _ => {
            let place = FilePlace { column: None, ..field.place };
            let entry = CompanyEntry { place: place.clone(), fields: vec![field] };
            fields.push(EntryField { place, name: list.to_owned(), value: EntryValue::List(vec![entry]) });
        }
    }
}

/// The fields of a company with those of a further row. A fact that another row has differently is a fault.
fn merged(mut known: Vec<EntryField>, more: Vec<EntryField>, reader: &mut CompanyReader) -> Vec<EntryField> {
    for field in more {
        match (known.iter_mut().find(|known| known.name == field.name), field.value) {
            (Some(EntryField { value: EntryValue::List(entries), .. }), EntryValue::List(more)) => entries.extend(more),
            (Some(known), value) if known.value == value || [CNPJ, NOME].contains(&known.name.as_str()) => {}
            (Some(known), _) => {
                let detail = format!("a linha {} diz outra coisa do mesmo CNPJ", known.place.line);
                reader.fault(&field.place, detail);
            }
            (None, value) => known.push(EntryField { value, ..field }),
        }
    }
    known
}

impl CompanyEntry {
    /// The letters and digits of its CNPJ.
    fn cnpj(&self) -> String {
        let text = self.fields.iter().find(|field| field.name == CNPJ).map(|field| &field.value);
        match text {
            Some(EntryValue::Text(text)) => tax_number(text),
            _ => String::new(),
        }
    }
}
