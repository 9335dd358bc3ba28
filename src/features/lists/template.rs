//! A list to fill in: the fields of a tax, or of an operation, as the columns of a table with an example row.

use serde_json::{Map, Value};

use super::Asked;
use crate::base::document::{Document, Field, Shape};
use crate::base::value::{Date, parse_decimal};
use crate::law::operation::OperationFacts;
use crate::law::tax::Entry;
use crate::law::tratamento::Pergunta;
use crate::sheet::{Cell, ColumnKind, Table, TableColumn, TableHead};

/// A sale whose every tax a built-in rule answers.
const OPERATION: &str = r#"{"data_operacao":"2026-03-10","valor_produto":"1000.00","uf_origem":"SP","uf_destino":"SP","ncm":"39241000","papel_na_cadeia":"fabricante_importador","substituicao_tributaria":false,"regime_apuracao":"nao_cumulativo","cumpre_obrigacoes_acessorias":true}"#;

/// A tyre sold from Minas Gerais to São Paulo.
const TREATMENT: &str = r#"{"ncm":"40111000","data":"2026-03-10","cest":"1600100","uf_origem":"MG","uf_destino":"SP"}"#;

/// The list of a tax, of operations or of products. Its header has the labels of the fields, the required ones first, and its row is
/// the example of the tax.
pub fn template(asked: Asked, tributo: Option<&'static Entry>) -> Table {
    let (name, declared, example) = match tributo {
        Some(entry) => (entry.sigla, entry.payload, entry.exemplo),
        None if asked == Asked::Treatment => ("Tratamento", Pergunta::FIELDS, TREATMENT),
        None => ("Operação", OperationFacts::FIELDS, OPERATION),
    };
    let example: Map<String, Value> = serde_json::from_str(example).unwrap_or_default();
    let (mut fields, optional): (Vec<&Field>, Vec<&Field>) = declared.iter().partition(|field| field.required);
    fields.extend(optional);
    let columns = fields.iter().map(|field| column(field)).collect();
    let row =
        fields.iter().map(|field| example.get(field.name).map_or(Cell::Empty, |value| cell(field, value))).collect();
    Table { head: TableHead { name: name.to_owned(), columns, frozen: (1, 0) }, rows: vec![row] }
}

fn column(field: &Field) -> TableColumn {
    let choices = match field.shape {
        Shape::OneOf(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        Shape::Bool => ["sim", "não"].map(str::to_owned).to_vec(),
        _ => Vec::new(),
    };
    let width = field.label.chars().count().clamp(12, 32);
    TableColumn { name: field.label.to_owned(), kind: ColumnKind::of(&field.shape), choices, width }
}

/// A value as a cell of its own type.
fn cell(field: &Field, value: &Value) -> Cell<'static> {
    match (value, ColumnKind::of(&field.shape)) {
        (Value::Bool(value), _) => Cell::of(if *value { "sim" } else { "não" }),
        (Value::String(text), ColumnKind::Date) => Date::parse(text).map_or(Cell::Empty, Cell::Date),
        (Value::String(text), ColumnKind::Text) => Cell::Text(text.clone().into()),
        (Value::String(text), _) => parse_decimal(text).map_or(Cell::Empty, Cell::Number),
        (other, _) => parse_decimal(&other.to_string()).map_or(Cell::Empty, Cell::Number),
    }
}
