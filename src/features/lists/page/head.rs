//! The first line of the answer to a list: its columns, and the fields that they may be.

use std::sync::Arc;

use serde::Serialize;

use crate::base::document::Field;
use crate::features::lists::page::cell::CellJson;
use crate::features::lists::same::SameColumns;
use crate::features::lists::{Asked, List, ResultColumn};
use crate::sheet::{ColumnKind, DecimalMark, Row, column_letters};

/// The column that says which tax a row asks for.
pub(super) const COLUMN_OF_TRIBUTO: &str = "tributo";

/// A list whose header was read, and whose rows were counted.
pub(super) struct OpenList {
    pub(super) list: Arc<List>,
    pub(super) columns: Vec<KeptColumn>,
    pub(super) same: SameColumns,
    pub(super) mark: DecimalMark,
    pub(super) rows: u32,
    pub(super) first: Vec<Row<'static>>,
}

/// A column of the file that comes back with the rows.
#[derive(Serialize)]
pub(super) struct KeptColumn {
    /// Its place in the file, from 0.
    posicao: usize,
    letra: String,
    nome: String,
    pub(super) tipo: ColumnKind,
    campo: Option<&'static str>,
    /// The field that it may be, by its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    sugestao: Option<&'static str>,
}

#[derive(Serialize)]
struct FieldOfList {
    nome: &'static str,
    rotulo: &'static str,
    obrigatorio: bool,
}

/// A column that a row gains.
#[derive(Serialize)]
struct AddedColumn {
    nome: &'static str,
    rotulo: &'static str,
    /// Its head in a file for people. A list that has it is read again without it.
    no_arquivo: String,
    tipo: ColumnKind,
    /// Whether a file has its sum below the rows.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    soma: bool,
}

/// The first line of the answer.
#[derive(Serialize)]
pub(super) struct ListHead<'l> {
    colunas: &'l [KeptColumn],
    campos: Vec<FieldOfList>,
    resultado: Vec<AddedColumn>,
    /// The names of the worksheets, if there are several.
    abas: Vec<String>,
    /// What separates decimals; `None` if each number is to prove it.
    decimal: Option<&'static str>,
    linhas: u32,
    /// The fields that the first rows lack and that have no column, if only the columns were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) faltam: Vec<String>,
}

impl KeptColumn {
    /// The columns that come back, named by the header as it is in the file. `of_tributo` is the one that names the tax
    /// of each row.
    pub(super) fn all(header: &Row, list: &List, of_tributo: Option<usize>) -> Vec<KeptColumn> {
        let near = list.proposals();
        let column = |(posicao, field): (usize, Option<&'static Field>)| KeptColumn {
            posicao,
            letra: column_letters(posicao),
            nome: header.cell(posicao).text().unwrap_or_default().into_owned(),
            tipo: field.map_or(ColumnKind::Text, |field| ColumnKind::of(&field.shape)),
            campo: field.map(|field| field.name).or((of_tributo == Some(posicao)).then_some(COLUMN_OF_TRIBUTO)),
            sugestao: near.iter().find(|(column, ..)| *column == posicao).map(|(.., field)| *field),
        };
        list.kept_fields().map(column).collect()
    }
}

impl<'l> ListHead<'l> {
    /// The head of a list in a file with these worksheets. `is_of_one` if all rows ask the same.
    pub(super) fn of(asked: Asked, is_of_one: bool, open: &'l OpenList, sheets: Vec<Option<String>>) -> ListHead<'l> {
        let field = |field: &'static Field| FieldOfList {
            nome: field.name,
            rotulo: field.label,
            obrigatorio: is_of_one && field.required,
        };
        let tributo = FieldOfList { nome: COLUMN_OF_TRIBUTO, rotulo: "Tributo", obrigatorio: true };
        let added = |column: &'static ResultColumn| AddedColumn {
            nome: &column.name,
            rotulo: &column.label,
            no_arquivo: column.head(),
            tipo: column.kind,
            soma: column.is_summed(),
        };
        let sheets: Vec<String> = sheets.into_iter().flatten().collect();
        ListHead {
            colunas: &open.columns,
            campos: open.list.fields().into_iter().map(field).chain((!is_of_one).then_some(tributo)).collect(),
            resultado: asked.columns().iter().map(added).collect(),
            abas: if sheets.len() > 1 { sheets } else { Vec::new() },
            decimal: match open.mark {
                DecimalMark::Comma | DecimalMark::Usual => Some("virgula"),
                DecimalMark::Point => Some("ponto"),
                DecimalMark::Unknown => None,
            },
            linhas: open.rows,
            faltam: Vec::new(),
        }
    }
}

pub(super) fn own_cells(list: &List, columns: &[KeptColumn], row: &Row<'_>) -> Vec<Option<CellJson>> {
    list.kept_cells(row, true).zip(columns).map(|(cell, column)| CellJson::of(cell, column.tipo)).collect()
}
