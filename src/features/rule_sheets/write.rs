//! Rules to the rows of a table.

use std::fmt;

use serde_json::Value;

use super::layout::{DETALHES, Layout, LayoutColumn, Placement};
use super::value::{to_cell, to_list_cell};
use crate::base::document::Shape;
use crate::sheet::{self, Cell, ColumnKind, Table, TableHead};

/// The objects that every rule has, also without a member.
pub(super) const ALWAYS: [&str; 2] = ["escopo", "conteudo"];
/// Width of a column in characters, at least and at most.
const WIDTHS: (usize, usize) = (12, 40);

/// What of a rule the table cannot express.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inexpressible {
    pub path: String,
    /// Why not, in Portuguese.
    pub detail: String,
}

impl fmt::Display for Inexpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.detail)
    }
}

/// The cells of one rule: rows as wide as the columns of its tax.
struct Grid {
    width: usize,
    rows: Vec<Vec<Cell<'static>>>,
}

impl Grid {
    fn set(&mut self, row: usize, column: usize, cell: Cell<'_>) {
        while self.rows.len() <= row {
            self.rows.push(vec![Cell::Empty; self.width]);
        }
        if let Some(place) = self.rows.get_mut(row).and_then(|row| row.get_mut(column)) {
            *place = cell.into_owned();
        }
    }
}

/// The rows of a rule. Fails for what they cannot express; nothing is left out.
pub fn rows(layout: &Layout, rule: &Value) -> Result<Vec<Vec<Cell<'static>>>, Inexpressible> {
    let mut grid = Grid { width: layout.columns.len(), rows: Vec::new() };
    // Each example of a rule is of its tax, which has a column of its own.
    let mut rule = rule.clone();
    let tributo = rule.get("tributo").cloned();
    for example in rule.get_mut("exemplos").and_then(Value::as_array_mut).into_iter().flatten() {
        let payload = example.get_mut("payload").and_then(Value::as_object_mut);
        if let Some(payload) = payload.filter(|payload| payload.get("tributo") == tributo.as_ref()) {
            payload.shift_remove("tributo");
        }
    }
    put(layout, &layout.rule, &rule, (0, ""), &mut grid)?;
    Ok(grid.rows)
}

/// Puts the members of an object. Returns how many rows they take.
fn put(
    layout: &Layout,
    members: &[(&'static str, Placement)],
    object: &Value,
    (row, path): (usize, &str),
    grid: &mut Grid,
) -> Result<usize, Inexpressible> {
    let fault = |detail: &str| Inexpressible { path: path.to_owned(), detail: detail.to_owned() };
    // An empty object has no cell that would bring it back, but for those that every rule has.
    let object = object.as_object().filter(|object| !object.is_empty() || ALWAYS.contains(&path));
    let object = object.ok_or_else(|| fault("não é um objeto com membros"))?;
    let mut height = 1;
    for (name, value) in object {
        let here = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let Some((_, kind)) = members.iter().find(|(own, _)| own == name) else {
            return Err(Inexpressible { path: here, detail: "não tem coluna".to_owned() });
        };
        height = height.max(put_value(layout, kind, value, (row, &here), grid)?);
    }
    Ok(height)
}

fn put_value(
    layout: &Layout,
    kind: &Placement,
    value: &Value,
    (row, path): (usize, &str),
    grid: &mut Grid,
) -> Result<usize, Inexpressible> {
    let fault = |detail: String| Inexpressible { path: path.to_owned(), detail };
    let shape = |column: usize| layout.columns.get(column).map_or(Shape::Text, |column| column.shape);
    match kind {
        Placement::Cell(column) => grid.set(row, *column, to_cell(&shape(*column), value).map_err(fault)?),
        Placement::List(column) => {
            let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            let cell =
                if value.is_null() { to_cell(&shape(*column), value) } else { to_list_cell(&shape(*column), values) };
            grid.set(row, *column, cell.map_err(fault)?);
        }
        Placement::Members(members) => return put(layout, members, value, (row, path), grid),
        Placement::Rows(item_kind) => {
            let items = value.as_array().filter(|items| !items.is_empty());
            let mut next = row;
            for (i, item) in items.ok_or_else(|| fault("não é uma lista com itens".to_owned()))?.iter().enumerate() {
                let here = format!("{path}[{i}]");
                // A sentence alone is one without its condition.
                let sentence =
                    item.as_str().map(|text| serde_json::json!({"texto": text})).filter(|_| path == "avisos");
                let height = put_value(layout, item_kind, sentence.as_ref().unwrap_or(item), (next, &here), grid)?;
                if i > 0 && !begins_item(item_kind, grid.rows.get(next).map_or(&[][..], Vec::as_slice)) {
                    let detail = "só tem uma lista dentro, e se confundiria com o item anterior".to_owned();
                    return Err(Inexpressible { path: here, detail });
                }
                next += height;
            }
            return Ok(next - row);
        }
    }
    Ok(1)
}

/// True if the row has a value of the item itself, not only of a list in it.
pub(super) fn begins_item(kind: &Placement, row: &[Cell<'_>]) -> bool {
    match kind {
        Placement::Cell(column) | Placement::List(column) => row.get(*column).is_some_and(|cell| !cell.is_empty()),
        Placement::Members(members) => members.iter().any(|(_, kind)| begins_item(kind, row)),
        Placement::Rows(_) => false,
    }
}

/// The table of these rules: a row of explanations, and the rules. Components of answers have a column only if an
/// example expects them. Fails for what a row cannot express.
pub fn table(layout: &Layout, name: &str, rules: &[Value]) -> Result<Table, Inexpressible> {
    let mut cells = Vec::new();
    for rule in rules {
        cells.extend(rows(layout, rule)?);
    }
    let is_used = |column: usize| cells.iter().any(|row| row.get(column).is_some_and(|cell| *cell != Cell::Empty));
    let shown: Vec<usize> = (0..layout.columns.len())
        .filter(|place| {
            let column = layout.columns.get(*place);
            column.is_some_and(|column| !column.name.starts_with(DETALHES)) || is_used(*place)
        })
        .collect();
    let columns: Vec<&LayoutColumn> = shown.iter().filter_map(|place| layout.columns.get(*place)).collect();
    let explanations = columns.iter().enumerate().map(|(i, column)| {
        let comment = if i == 0 { "# " } else { "" };
        Cell::of(format!("{comment}{}", column.explanation()))
    });
    let pick =
        |row: &Vec<Cell<'static>>| shown.iter().map(|place| row.get(*place).cloned().unwrap_or(Cell::Empty)).collect();
    let rows = std::iter::once(explanations.collect()).chain(cells.iter().map(pick)).collect();
    let columns = columns.into_iter().map(sheet_column).collect();
    Ok(Table { head: TableHead { name: name.to_owned(), columns, frozen: (2, 1) }, rows })
}

fn sheet_column(column: &LayoutColumn) -> sheet::TableColumn {
    let kind = if column.is_list { ColumnKind::Text } else { ColumnKind::of(&column.shape) };
    let choices = match column.shape {
        _ if column.is_list => Vec::new(),
        Shape::OneOf(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        Shape::Bool => vec!["sim".to_owned(), "não".to_owned()],
        _ => Vec::new(),
    };
    let width = column.name.len().clamp(WIDTHS.0, WIDTHS.1);
    sheet::TableColumn { name: column.name.clone(), kind, choices, width }
}

/// The rules of filling in, as a table of one column.
pub fn guide() -> Table {
    let lines = [
        "Cada regra começa na linha que tem rule_code. O nome de cada coluna é o do membro da regra no pacote.",
        "A linha que começa com # é comentário e não é lida; a coluna cujo nome começa com # também não.",
        "Colunas com [] são listas (faixas, avisos, descontos, exemplos): o primeiro item vai na linha da regra, e cada um dos seguintes numa linha abaixo, com rule_code vazio. Listas diferentes descem lado a lado.",
        "Lista de códigos (ncm, item_lista_servico) vai numa célula só, separada por ponto e vírgula.",
        "Célula vazia é membro ausente. A palavra null é valor não estabelecido, que a regra explica em motivo, ou a última faixa, em `ate`.",
        "Percentual em pontos: 18 ou 18% é dezoito por cento. Vírgula ou ponto decimal; \"1.234\" é recusado porque é ambíguo.",
        "Datas: dd/mm/aaaa ou AAAA-MM-DD. vigente_ate é o primeiro dia em que a regra já não responde.",
        "Códigos (NCM, CEST) são texto: as colunas já vêm assim, para que o zero à esquerda não se perca. Num CSV, o Excel o perde ao abrir; prefira .xlsx.",
        "exemplos[].payload é o pedido, e exemplos[].valor o resultado esperado (ou exemplos[].codigo, a recusa). exemplos[].detalhes.NOME confere um componente da resposta: acrescente a coluna.",
        "Depois: taxd bundle from-sheet ARQUIVO --out PACOTE.json, e taxd import PACOTE.json.",
    ];
    let column = sheet::TableColumn {
        name: "Como preencher".to_owned(),
        kind: ColumnKind::Text,
        choices: Vec::new(),
        width: 120,
    };
    let rows = lines.iter().map(|line| vec![Cell::of(*line)]).collect();
    Table { head: TableHead { name: "Como preencher".to_owned(), columns: vec![column], frozen: (1, 0) }, rows }
}
