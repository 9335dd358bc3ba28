//! The rows of a table to rules.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::cells::{CellFault, Places, RuleCells, TaxColumns};
use super::layout::Layout;
use super::write::ALWAYS;
use crate::base::document::nearest;
use crate::base::value::shorten;
use crate::law::tax::{self, Entry, REGISTRY};
use crate::sheet::{Cell, Row};

/// The column that begins a rule.
const FIRST: &str = "rule_code";

/// The rules of a table.
#[derive(Debug)]
pub struct Made {
    /// The rules, as a bundle has them.
    pub rules: Vec<Value>,
    /// For each of them, its first row and its places.
    places: Vec<(u32, Places)>,
    header: Vec<String>,
}

impl Made {
    /// The row, column and name of column of a member, by its path in the rule: `conteudo.faixas[1].aliquota`. A member
    /// without a cell has the row of what it belongs to.
    pub fn place(&self, rule: usize, path: &str) -> Option<(u32, Option<usize>, String)> {
        let (first, places) = self.places.get(rule)?;
        let mut part = path;
        let found = loop {
            let within = |(known, _): &(&String, &(u32, usize))| {
                known.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            };
            if let Some((_, place)) = places.iter().find(within) {
                break Some(*place);
            }
            match part.rfind(['.', '[']) {
                Some(end) => part = part.get(..end).unwrap_or_default(),
                None => break None,
            }
        };
        let row = found.map_or(*first, |(row, _)| row);
        let name = without_indices(path);
        let of_path = [name.as_str(), name.trim_end_matches("[]")].iter().find_map(|name| self.column(name));
        let column = of_path.or(found.filter(|_| part == path).map(|(_, column)| column));
        let shown = column.and_then(|column| self.header.get(column)).cloned();
        Some((row, column, shown.unwrap_or(name)))
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|own| own == name)
    }
}

/// The path with `[]` for each index.
fn without_indices(path: &str) -> String {
    let mut name = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('[') {
        name += before;
        name += "[]";
        rest = after.split_once(']').map_or("", |(_, rest)| rest);
    }
    name + rest
}

/// Reads the rules of a table, its header in the first row that is not a comment. Fails with every fault of form.
pub fn read(rows: &[Row]) -> Result<Made, Vec<CellFault>> {
    let mut rows = rows.iter().filter(|row| !is_comment(row));
    let Some(head) = rows.next() else {
        let detail = "O arquivo não tem nenhuma linha; comece por `taxd bundle template TRIBUTO`.";
        return Err(vec![CellFault { row: 1, column: None, name: FIRST.to_owned(), detail: detail.to_owned() }]);
    };
    let mut reader = Reader::new(head);
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    for row in rows {
        let begins = reader.place(FIRST).is_some_and(|column| !row.cell(column).is_empty());
        match groups.last_mut() {
            Some(group) if !begins => group.push(row),
            None if !begins => {
                reader.fault(row.number, FIRST, "A linha não pertence a nenhuma regra: falta o rule_code.");
            }
            _ => groups.push(vec![row]),
        }
    }
    for group in &groups {
        reader.rule(group);
    }
    reader.check_header(head);
    if groups.is_empty() && reader.faults.is_empty() {
        reader.fault(head.number, FIRST, "A tabela não tem nenhuma regra abaixo do cabeçalho.");
    }
    if reader.faults.is_empty() {
        return Ok(Made { rules: reader.rules, places: reader.places, header: reader.header });
    }
    reader.faults.sort_by_key(|fault| (fault.row, fault.column));
    Err(reader.faults)
}

fn is_comment(row: &Row) -> bool {
    let first = row.cells.iter().find(|cell| !cell.is_empty());
    matches!(first, Some(Cell::Text(text)) if text.trim_start().starts_with('#'))
}

struct Reader {
    header: Vec<String>,
    /// The first column of each name.
    columns: HashMap<String, usize>,
    /// The columns of the taxes that the table has.
    taxes: HashMap<&'static str, Rc<TaxColumns>>,
    rules: Vec<Value>,
    places: Vec<(u32, Places)>,
    faults: Vec<CellFault>,
}

impl Reader {
    fn new(head: &Row) -> Reader {
        let name = |cell: &Cell| cell.text().map(|name| name.to_lowercase()).unwrap_or_default();
        let header: Vec<String> = head.cells.iter().map(name).collect();
        let mut columns = HashMap::with_capacity(header.len());
        for (column, name) in header.iter().enumerate() {
            columns.entry(name.clone()).or_insert(column);
        }
        Reader { header, columns, taxes: HashMap::new(), rules: Vec::new(), places: Vec::new(), faults: Vec::new() }
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.columns.get(name).copied()
    }

    fn tax_columns(&mut self, entry: &'static Entry) -> Rc<TaxColumns> {
        let columns = &self.columns;
        Rc::clone(self.taxes.entry(entry.tributo.as_str()).or_insert_with(|| Rc::new(TaxColumns::of(entry, columns))))
    }

    fn fault(&mut self, row: u32, name: &str, detail: impl Into<String>) {
        let (column, detail) = (self.place(name), detail.into());
        self.faults.push(CellFault { row, column, name: name.to_owned(), detail });
    }

    fn rule(&mut self, group: &[&Row]) {
        let Some(first) = group.first() else { return };
        let named =
            self.place("tributo").map(|column| first.cell(column).text().map(|name| name.trim().to_lowercase()));
        let entry = match named {
            Some(Ok(name)) if !name.is_empty() => tax::parse(&name),
            Some(Err(why)) => Err(why),
            _ => Err(format!("Falta o tributo da regra; use um destes: {}.", tax::NAMES.join(", "))),
        };
        let entry = match entry {
            Ok(entry) => entry,
            Err(why) => return self.fault(first.number, "tributo", why),
        };
        let tributo = entry.tributo.as_str();
        let columns = self.tax_columns(entry);
        let (mut rule, places, faults) = RuleCells::rule(&columns, group);
        self.faults.extend(faults);
        self.check_foreign(group, &columns, tributo);
        complete(&mut rule, tributo);
        self.rules.push(Value::Object(rule));
        self.places.push((first.number, places));
    }

    /// Reports cells in columns that the tax of the rule does not have.
    fn check_foreign(&mut self, group: &[&Row], columns: &TaxColumns, tributo: &str) {
        for row in group {
            for (column, _) in row.cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
                let name = self.header.get(column).cloned().unwrap_or_default();
                if columns.has(column) || name.starts_with('#') {
                    continue;
                }
                let detail = if name.is_empty() {
                    "A célula está numa coluna sem nome no cabeçalho.".to_owned()
                } else {
                    format!("A coluna {} não existe em regras de {tributo}; esvazie a célula.", shorten(&name))
                };
                let column = Some(column);
                self.faults.push(CellFault { row: row.number, column, name, detail });
            }
        }
    }

    /// Reports the names of the header that no tax has, and repeated ones. A column of a tax that the table does not have
    /// may stay if it is empty.
    fn check_header(&mut self, head: &Row) {
        let known: HashSet<&str> =
            self.taxes.values().flat_map(|tax| &tax.layout.columns).map(|column| column.name.as_str()).collect();
        let mut of_others = None;
        let mut found = Vec::new();
        for (column, name) in self.header.iter().enumerate() {
            let detail = if name.is_empty() || name.starts_with('#') {
                continue;
            } else if self.place(name) != Some(column) {
                "A coluna se repete no cabeçalho; deixe só uma.".to_owned()
            } else if known.is_empty()
                || known.contains(name.as_str())
                || of_others.get_or_insert_with(columns_of_all).contains(name)
            {
                continue;
            } else {
                let near = nearest(name, known.iter().copied());
                let hint = near.map(|near| format!(" Você quis dizer {near}?")).unwrap_or_default();
                format!("A coluna {} não existe.{hint} Um nome que começa com # não é lido.", shorten(name))
            };
            found.push(CellFault { row: head.number, column: Some(column), name: name.clone(), detail });
        }
        // A cell under an unknown name is the same fault again.
        let is_again = |fault: &CellFault| found.iter().any(|own| own.column == fault.column);
        self.faults.retain(|fault| fault.detail.starts_with("A célula está numa coluna sem nome") || !is_again(fault));
        self.faults.extend(found);
        if self.place(FIRST).is_none() {
            let detail = "O cabeçalho não tem a coluna rule_code; comece por `taxd bundle template TRIBUTO`.";
            self.faults.clear();
            self.fault(head.number, FIRST, detail);
        }
    }
}

/// The names of the columns of every tax.
fn columns_of_all() -> HashSet<String> {
    REGISTRY.iter().flat_map(|entry| Layout::of(entry).columns).map(|column| column.name).collect()
}

/// Adds what no cell gives: objects without members, and the tax of each example. A sentence without a condition becomes
/// a text.
fn complete(rule: &mut Map<String, Value>, tributo: &str) {
    for name in ALWAYS {
        rule.entry(name).or_insert_with(|| json!({}));
    }
    for aviso in rule.get_mut("avisos").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(texto) = aviso.get("texto").filter(|_| aviso.get("condicao").is_none()).cloned() {
            *aviso = texto;
        }
    }
    for example in rule.get_mut("exemplos").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(example) = example.as_object_mut() else { continue };
        let mut payload = json!({"tributo": tributo});
        if let (Some(payload), Some(Value::Object(given))) = (payload.as_object_mut(), example.shift_remove("payload"))
        {
            payload.extend(given);
        }
        example.shift_insert(0, "payload".to_owned(), payload);
    }
}
