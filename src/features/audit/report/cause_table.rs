//! "O que corrigir": a row for each cause, of the text, the worksheet and the page.

use std::fmt::Write;

use rust_decimal::Decimal;
use serde::Serialize;

use super::causes::{Cause, CauseUnit};
use super::plain::label;
use super::products_table::sum;
use super::sentences::{harmless, phrase};
use crate::base::value::{Date, amount_in_brl};
use crate::features::audit::finding::{Certainty, Layer, brl};
use crate::features::audit::table::subject;
use crate::sheet::ColumnKind::{self, Integer, Text};
use crate::sheet::{self, Cell, Column, Reader, Table};

/// Causes that the text of a company lists.
const LISTED: usize = 50;

/// A cause in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CauseOfReport {
    /// What the firm calls the company, or its CNPJ.
    #[serde(skip)]
    pub(super) empresa: String,
    pub tributo: &'static str,
    pub camada: Layer,
    /// A stable name of what differs.
    pub codigo: &'static str,
    pub certeza: Option<Certainty>,
    /// What is wrong, for someone who knows no law.
    pub resumo: String,
    /// What is wrong, with the law of the explanation.
    pub detalhe: String,
    pub o_que_fazer: &'static str,
    /// The citations of the rules; empty for an error inside the documents.
    pub lei: String,
    /// The last day of the rule, if it ends.
    pub vale_ate: Option<Date>,
    pub linhas: u64,
    pub notas: u64,
    /// `39 notas`, `1 registro da EFD`: what the lines are of, counted.
    pub contagem: String,
    #[serde(skip)]
    is_of_book: bool,
    /// The numbers of the first notes, and how many more.
    pub numeros: String,
    pub ncm: String,
    pub desde: Option<Date>,
    pub ate: Option<Date>,
    #[serde(serialize_with = "brl")]
    pub a_maior: Decimal,
    #[serde(serialize_with = "brl")]
    pub a_menor: Decimal,
    /// What lines differ by that are not among the sums: the arithmetic inside a document.
    #[serde(serialize_with = "brl")]
    pub fora_das_somas: Decimal,
}

const COLUMNS: [Column<CauseOfReport>; 20] = [
    Column::new("empresa", "Empresa", Text, |row: &CauseOfReport| Cell::of(&row.empresa)).wide(28),
    Column::said(
        "certeza",
        "Certeza",
        Text,
        |row| row.certeza.as_ref().map(Cell::of).into(),
        |row| row.certeza.map(|certainty| Cell::of(Certainty::VOCABULARY.label(certainty.as_str()))).into(),
    ),
    Column::said("tributo", "Tributo", Text, |row| Cell::of(row.tributo), |row| Cell::of(subject(row.tributo))),
    Column::said(
        "codigo",
        "Causa",
        Text,
        |row: &CauseOfReport| Cell::of(row.codigo),
        |row| Cell::of(label(row.codigo)),
    ),
    Column::new("resumo", "O que está errado", Text, |row: &CauseOfReport| Cell::of(&row.resumo)).wide(50),
    Column::new("o_que_fazer", "O que fazer", Text, |row: &CauseOfReport| Cell::of(row.o_que_fazer)).wide(44),
    Column::new("a_maior", "A maior (R$)", ColumnKind::Decimal, |row| sum(row.a_maior)),
    Column::new("a_menor", "A menor (R$)", ColumnKind::Decimal, |row| sum(row.a_menor)),
    Column::new("fora_das_somas", "Diferença fora das somas (R$)", ColumnKind::Decimal, |row| sum(row.fora_das_somas)),
    Column::new("notas", "Notas", Integer, |row| Cell::whole(row.notas)),
    Column::new("numeros", "Números", Text, |row: &CauseOfReport| Cell::of(&row.numeros)).wide(30),
    Column::new("desde", "Da emissão em", ColumnKind::Date, |row| row.desde.map(Cell::Date).into()),
    Column::new("ate", "Até a emissão em", ColumnKind::Date, |row| row.ate.map(Cell::Date).into()),
    Column::new("linhas", "Linhas", Integer, |row| Cell::whole(row.linhas)),
    Column::new("ncm", "NCM ou subitem", Text, |row: &CauseOfReport| Cell::of(&row.ncm)),
    Column::new("lei", "Lei", Text, |row: &CauseOfReport| Cell::of(&row.lei)).wide(50),
    Column::new("vale_ate", "A regra vale até", ColumnKind::Date, |row| row.vale_ate.map(Cell::Date).into()),
    Column::new("detalhe", "Em detalhe", Text, |row: &CauseOfReport| Cell::of(&row.detalhe)).wide(60),
    Column::new("camada", "", Text, |row| Cell::of(&row.camada)),
    Column::new("", "Conferência", Text, |row| Cell::of(Layer::VOCABULARY.label(row.camada.as_str()))),
];

/// The worksheet.
pub(super) fn table(rows: &[CauseOfReport], reader: Reader) -> Table {
    sheet::table("O que corrigir", &COLUMNS, rows.iter(), reader)
}

/// The names, and how many more there are, if that is known.
fn first_of(names: &[String], more: Option<u64>) -> String {
    let named = names.join(", ");
    match more {
        Some(0) => named,
        Some(more) => format!("{named} e mais {more}"),
        None => format!("{named} e outros"),
    }
}

impl CauseOfReport {
    pub(super) fn of(cause: &Cause, empresa: &str) -> CauseOfReport {
        let laws: Vec<&str> = cause.rules.iter().map(|rule| rule.citacao_legal.as_str()).collect();
        let mut lei = if laws.is_empty() { cause.law.to_owned() } else { laws.join("; ") };
        if cause.has_more_rules {
            lei.push_str("; e outras");
        }
        let known = u64::try_from(cause.numbers.len()).unwrap_or(u64::MAX);
        let amounts = cause.amounts();
        CauseOfReport {
            empresa: empresa.to_owned(),
            tributo: cause.tributo,
            camada: cause.camada,
            codigo: cause.codigo,
            certeza: cause.certeza,
            resumo: cause.plainly(),
            detalhe: cause.in_full(),
            o_que_fazer: cause.advice(),
            lei,
            vale_ate: cause.ends().map(Date::previous_day),
            linhas: cause.lines,
            notas: cause.notes,
            contagem: cause.unit.counted(cause.notes),
            is_of_book: cause.unit != CauseUnit::Note,
            numeros: first_of(&cause.numbers, Some(cause.notes.saturating_sub(known))),
            ncm: first_of(&cause.ncms, if cause.has_more_ncms { None } else { Some(0) }),
            desde: cause.days.map(|(first, _)| first),
            ate: cause.days.map(|(_, last)| last),
            a_maior: amounts.over,
            a_menor: amounts.under,
            fora_das_somas: cause.beside,
        }
    }

    /// `39 notas (101, 102 e mais 37), de 02/03/2026 a 30/03/2026`.
    pub(super) fn notes_in_words(&self) -> String {
        let days = match (self.desde, self.ate) {
            // The day of an EFD is its first.
            _ if self.is_of_book => String::new(),
            (Some(first), Some(last)) if first == last => format!(", de {}", first.dmy()),
            (Some(first), Some(last)) => format!(", de {} a {}", first.dmy(), last.dmy()),
            _ => String::new(),
        };
        format!("{} ({}){days}", self.contagem, harmless(&self.numeros))
    }
}

/// The section of the text.
pub(super) fn write(rows: &[CauseOfReport], out: &mut String) {
    for (number, row) in rows.iter().take(LISTED).enumerate() {
        let sure = row.certeza.map_or("", phrase);
        // Writing to a String never fails.
        let _ = writeln!(out, "{:>3}. {} {}: {} ({sure})", number + 1, row.tributo, row.codigo, harmless(&row.detalhe));
        let _ = write!(out, "     {}", row.notes_in_words());
        let sums = [("a maior", row.a_maior), ("a menor", row.a_menor), ("diferença de", row.fora_das_somas)];
        for (side, amount) in sums {
            if !amount.is_zero() {
                let _ = write!(out, "; {side} {}", amount_in_brl(amount));
            }
        }
        if !row.lei.is_empty() {
            let _ = write!(out, "; {}", row.lei);
        }
        if let Some(day) = row.vale_ate {
            let _ = write!(out, "; a regra vale até {}", day.dmy());
        }
        out.push('\n');
    }
    if rows.len() > LISTED {
        let _ = writeln!(out, "... e mais {} causas", rows.len() - LISTED);
    }
}
