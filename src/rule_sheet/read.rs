//! The rows of a table to rules.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::layout::{Layout, Placement};
use super::value::{from_cell, from_list_cell, with_two_places};
use super::write::{ALWAYS, begins_item};
use crate::document::nearest;
use crate::sheet::{Cell, Row};
use crate::tax;
use crate::value::shorten;

/// The column that begins a rule.
const FIRST: &str = "rule_code";

/// A fault of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellFault {
    /// The row, as the spreadsheet program shows it.
    pub row: u32,
    /// The column, from 0; `None` if the table lacks it.
    pub column: Option<usize>,
    /// Name of the column.
    pub name: String,
    /// What is wrong and what to do, in Portuguese.
    pub detail: String,
}

/// The row and column of each member of a rule that a cell gave, by its path.
type Places = BTreeMap<String, (u32, usize)>;

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
    #[must_use]
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

/// What was read so far.
struct Reader {
    header: Vec<String>,
    layouts: HashMap<&'static str, Layout>,
    rules: Vec<Value>,
    places: Vec<(u32, Places)>,
    faults: Vec<CellFault>,
}

impl Reader {
    fn new(head: &Row) -> Reader {
        let name = |cell: &Cell| cell.text().map(|name| name.to_lowercase()).unwrap_or_default();
        Reader {
            header: head.cells.iter().map(name).collect(),
            layouts: HashMap::new(),
            rules: Vec::new(),
            places: Vec::new(),
            faults: Vec::new(),
        }
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|own| own == name)
    }

    fn fault(&mut self, row: u32, name: &str, detail: impl Into<String>) {
        let (column, detail) = (self.place(name), detail.into());
        self.faults.push(CellFault { row, column, name: name.to_owned(), detail });
    }

    /// Reads the rows of one rule.
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
        let layout = self.layouts.entry(tributo).or_insert_with(|| Layout::of(entry)).clone();
        let at: Vec<Option<usize>> = layout.columns.iter().map(|column| self.place(&column.name)).collect();
        // The cells in the order of the columns of the tax.
        let cells: Vec<Vec<Cell>> = group
            .iter()
            .map(|row| at.iter().map(|place| place.map_or(Cell::Empty, |place| row.cell(place).clone())).collect())
            .collect();
        let mut taken = Taken {
            layout: &layout,
            at: &at,
            rows: group,
            cells: &cells,
            used: HashSet::new(),
            places: Places::new(),
            faults: Vec::new(),
        };
        let mut rule = taken.members(&layout.rule, (0, group.len()), "").unwrap_or_default();
        taken.check_used();
        let Taken { places, faults, .. } = taken;
        self.faults.extend(faults);
        self.check_foreign(group, &at, tributo);
        complete(&mut rule, tributo);
        self.rules.push(Value::Object(rule));
        self.places.push((first.number, places));
    }

    /// Reports cells in columns that the tax of the rule does not have.
    fn check_foreign(&mut self, group: &[&Row], at: &[Option<usize>], tributo: &str) {
        for row in group {
            for (column, _) in row.cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
                let name = self.header.get(column).cloned().unwrap_or_default();
                if at.contains(&Some(column)) || name.starts_with('#') {
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

    /// Reports the names of the header that no tax of the table has, and repeated ones.
    fn check_header(&mut self, head: &Row) {
        let known: HashSet<&str> =
            self.layouts.values().flat_map(|layout| &layout.columns).map(|column| column.name.as_str()).collect();
        let mut found = Vec::new();
        for (column, name) in self.header.iter().enumerate() {
            let detail = if name.is_empty() || name.starts_with('#') {
                continue;
            } else if self.place(name) != Some(column) {
                "A coluna se repete no cabeçalho; deixe só uma.".to_owned()
            } else if known.is_empty() || known.contains(name.as_str()) {
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

/// The cells of one rule, and what was taken of them.
struct Taken<'a> {
    layout: &'a Layout,
    /// Place of each column in the table.
    at: &'a [Option<usize>],
    rows: &'a [&'a Row],
    cells: &'a [Vec<Cell>],
    used: HashSet<(usize, usize)>,
    places: Places,
    faults: Vec<CellFault>,
}

impl Taken<'_> {
    /// The members of an object between two rows; `None` without one.
    fn members(
        &mut self,
        members: &[(&'static str, Placement)],
        rows: (usize, usize),
        path: &str,
    ) -> Option<Map<String, Value>> {
        let mut object = Map::new();
        for (name, kind) in members {
            let here = if path.is_empty() { (*name).to_owned() } else { format!("{path}.{name}") };
            if let Some(value) = self.value(kind, rows, &here) {
                object.insert((*name).to_owned(), value);
            }
        }
        (!object.is_empty()).then_some(object)
    }

    fn value(&mut self, kind: &Placement, (first, end): (usize, usize), path: &str) -> Option<Value> {
        match kind {
            Placement::Cell(column) => self.cell(first, *column, path, from_cell),
            Placement::List(column) => self.cell(first, *column, path, from_list_cell),
            Placement::Members(members) => self.members(members, (first, end), path).map(Value::Object),
            Placement::Rows(item) => {
                let begins = |row: &usize| self.cells.get(*row).is_some_and(|cells| begins_item(item, cells));
                let starts: Vec<usize> = (first..end).filter(begins).collect();
                let ends = starts.iter().skip(1).copied().chain([end]);
                let spans: Vec<(usize, usize)> = starts.iter().copied().zip(ends).collect();
                let mut items = Vec::with_capacity(spans.len());
                for (i, span) in spans.into_iter().enumerate() {
                    items.extend(self.value(item, span, &format!("{path}[{i}]")));
                }
                (!items.is_empty()).then_some(Value::Array(items))
            }
        }
    }

    fn cell(
        &mut self,
        row: usize,
        column: usize,
        path: &str,
        read: fn(&crate::document::Shape, &Cell) -> Result<Value, String>,
    ) -> Option<Value> {
        let cell = self.cells.get(row)?.get(column).filter(|cell| !cell.is_empty())?;
        let declared = self.layout.columns.get(column)?;
        let (place, number) = (self.at.get(column).copied().flatten()?, self.rows.get(row)?.number);
        self.used.insert((row, column));
        self.places.insert(path.to_owned(), (number, place));
        match read(&declared.shape, cell) {
            // The figures of examples are compared as numbers.
            Ok(value) if path.starts_with("conteudo.") => Some(with_two_places(&declared.shape, value)),
            Ok(value) => Some(value),
            Err(detail) => {
                let name = declared.name.clone();
                self.faults.push(CellFault { row: number, column: Some(place), name, detail });
                None
            }
        }
    }

    /// Reports cells that belong to no item: below the first row of a rule, or of the item that they are in.
    fn check_used(&mut self) {
        for (row, cells) in self.cells.iter().enumerate() {
            for (column, _) in cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
                let (Some(declared), Some(number)) = (self.layout.columns.get(column), self.rows.get(row)) else {
                    continue;
                };
                if !self.used.contains(&(row, column)) {
                    let detail = if declared.name.contains("[]") {
                        "A célula não pertence a nenhum item: preencha também as outras colunas do item nesta linha ou acima."
                    } else {
                        "Esta coluna só se preenche na primeira linha da regra, a que tem rule_code."
                    };
                    self.faults.push(CellFault {
                        row: number.number,
                        column: self.at.get(column).copied().flatten(),
                        name: declared.name.clone(),
                        detail: detail.to_owned(),
                    });
                }
            }
        }
    }
}
