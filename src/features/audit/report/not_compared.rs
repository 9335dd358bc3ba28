//! What was not compared, and why: counted on the first page of the report, and on a worksheet of an XLSX.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use super::sentences::harmless;
use crate::features::audit::finding::{AuditLine, AuditPlace, Verdict};
use crate::features::audit::table::subject;
use crate::features::audit::technical_note::UNCHECKED;
use crate::sheet::ColumnKind::{Integer, Text};
use crate::sheet::{self, Cell, Column, Reader, Table};

/// Reasons that a page of the text lists.
const LISTED: usize = 20;
/// Most reasons that a page counts one by one. Further ones are added up.
const KEPT: usize = 1_000;
/// The name of all reasons beyond [`KEPT`].
const OTHERS: &str = "outros motivos";

/// Lines that were not compared for one reason.
#[derive(Debug, Default)]
pub(super) struct NotCompared {
    pub(super) lines: u64,
    /// The taxes, and what else they are about.
    pub(super) subjects: BTreeSet<&'static str>,
    /// The sentence of the first one.
    pub(super) example: String,
    /// Where the first one is.
    place: Arc<AuditPlace>,
}

/// Why a line was not compared: whether it was refused; the tax of a refusal; its code, or the sentence.
pub(super) type Reason = (bool, &'static str, String);

/// The reasons of a company in a month.
#[derive(Debug, Default)]
pub(super) struct Reasons(BTreeMap<Reason, NotCompared>);

/// A row of the worksheet.
#[derive(Default)]
struct Row {
    place: Arc<AuditPlace>,
    /// `2026-03`.
    month: String,
    verdict: Option<Verdict>,
    subjects: Vec<&'static str>,
    code: String,
    reason: String,
    lines: Option<u64>,
}

const COLUMNS: [Column<Row>; 11] = [
    Column::new("motivo", "Motivo", Text, |row: &Row| Cell::of(&row.reason)).wide(80),
    Column::new("linhas", "Linhas", Integer, |row| row.lines.map(Cell::whole).into()),
    Column::said(
        "tributos",
        "Tributos",
        Text,
        |row| Cell::of(row.subjects.join(", ")),
        |row| {
            Cell::of(
                row.subjects
                    .iter()
                    .map(|name| subject(name))
                    .collect::<BTreeSet<_>>()
                    .into_iter()
                    .collect::<Vec<_>>()
                    .join(", "),
            )
        },
    ),
    Column::said(
        "veredito",
        "Situação",
        Text,
        |row| row.verdict.as_ref().map(Cell::of).into(),
        |row| row.verdict.map(|verdict| Cell::of(Verdict::VOCABULARY.label(verdict.as_str()))).into(),
    ),
    Column::new("codigo", "Código do motivo", Text, |row| Cell::of(&row.code)),
    Column::new("empresa", "Empresa (CNPJ)", Text, |row| Cell::of(&row.place.empresa)),
    Column::new("mes", "Mês", Text, |row| Cell::of(&row.month)),
    Column::new("arquivo", "Exemplo: arquivo", Text, |row: &Row| Cell::of(&row.place.arquivo)).wide(40),
    Column::new("documento", "Documento do arquivo", Integer, |row| {
        row.lines.map(|_| Cell::whole(row.place.documento)).into()
    }),
    Column::new("numero", "Número", Text, |row| Cell::of(&row.place.numero.numero)),
    Column::new("item", "Item", Integer, |row| row.place.item.map(Cell::whole).into()),
];

/// The table of the reasons of each company and month.
pub(super) fn table<'r>(
    months: impl Iterator<Item = (&'r str, &'r Reasons)>,
    has_reform: bool,
    reader: Reader,
) -> Table {
    let mut rows = Vec::new();
    for (month, reasons) in months {
        rows.extend(reasons.sorted().into_iter().map(|((refused, _, code), of)| Row {
            place: Arc::clone(&of.place),
            month: month.to_owned(),
            verdict: Some(if *refused { Verdict::Recusado } else { Verdict::NaoSeAplica }),
            subjects: of.subjects.iter().copied().collect(),
            code: if *refused { code.clone() } else { String::new() },
            reason: of.example.clone(),
            lines: Some(of.lines),
        }));
    }
    rows.extend(UNCHECKED.iter().filter(|_| has_reform).map(|(rules, reason)| Row {
        subjects: vec!["cbs", "ibs"],
        code: (*rules).to_owned(),
        reason: format!("regra da NT 2025.002 que o taxd não confere: {reason}"),
        ..Row::default()
    }));
    sheet::table("Não conferido", &COLUMNS, rows.into_iter(), reader)
}

impl Reasons {
    pub(super) fn add(&mut self, line: &AuditLine) {
        let mut reason = match line.veredito {
            Verdict::Recusado => (true, line.tributo, line.codigo.unwrap_or_default().to_owned()),
            Verdict::NaoSeAplica => (false, "", line.detalhe.clone()),
            _ => return,
        };
        if self.0.len() >= KEPT && !self.0.contains_key(&reason) {
            (reason.1, reason.2) = ("", OTHERS.to_owned());
        }
        let example = if reason.2 == OTHERS { OTHERS } else { &line.detalhe };
        let first =
            || NotCompared { example: example.to_owned(), place: Arc::clone(&line.place), ..NotCompared::default() };
        let known = self.0.entry(reason.clone()).or_insert_with(first);
        known.lines += 1;
        known.subjects.insert(line.tributo);
    }

    /// Lines that were refused.
    pub(super) fn refused(&self) -> u64 {
        self.0.iter().filter(|((refused, ..), _)| *refused).map(|(_, of)| of.lines).sum()
    }

    /// The most frequent first.
    pub(super) fn sorted(&self) -> Vec<(&Reason, &NotCompared)> {
        let mut reasons: Vec<_> = self.0.iter().collect();
        reasons.sort_by_key(|((refused, ..), of)| (!refused, std::cmp::Reverse(of.lines)));
        reasons
    }

    pub(super) fn write(&self, out: &mut String) {
        let reasons = self.sorted();
        for (number, ((refused, _, code), of)) in reasons.iter().take(LISTED).enumerate() {
            if number == 0 {
                out.push_str("\nO que não foi conferido, e por quê\n");
            }
            let code = if *refused { format!(" ({code})") } else { String::new() };
            let subjects = of.subjects.iter().copied().collect::<Vec<_>>().join(", ");
            let _ = writeln!(out, "{:>8} {subjects}: {}{code}", of.lines, harmless(&of.example));
        }
        if reasons.len() > LISTED {
            let _ = writeln!(out, "... e mais {} motivos", reasons.len() - LISTED);
        }
    }
}
