//! The credits of a company's purchases in a month: the sums of their lines, by tax, situation and reason.

use std::collections::BTreeMap;
use std::fmt::Write;

use rust_decimal::Decimal;
use serde::Serialize;

use super::CreditSituation;
use crate::base::value::{Date, amount_in_brl, text_table};
use crate::features::audit::finding::{AuditLine, brl};
use crate::features::audit::table::subject;
use crate::sheet::ColumnKind::{self, Integer, Text};
use crate::sheet::{self, Cell, Column, Reader, Table};

/// Most reasons of a month that are summed one by one.
const REASONS: usize = 200;
/// The reason of all beyond them.
const OTHERS: &str = "outros motivos";

/// What a company may credit of its purchases in a month.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PurchasesOfMonth {
    /// The company, as [`AuditLine::empresa`](crate::features::audit::AuditLine::empresa) has it.
    pub empresa: String,
    /// `2026-03`.
    pub mes: String,
    pub creditos: Vec<CreditOfPurchase>,
}

/// Items with one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CreditOfPurchase {
    pub tributo: &'static str,
    pub situacao: CreditSituation,
    pub motivo: String,
    pub itens: u64,
    #[serde(serialize_with = "brl")]
    pub base: Decimal,
    /// The credit that is possible, or that is to be checked as far as its amount is known.
    #[serde(serialize_with = "brl")]
    pub credito: Decimal,
}

#[derive(Debug, Default)]
struct Sum {
    items: u64,
    base: Decimal,
    credit: Decimal,
}

#[derive(Debug, Default)]
struct Month {
    shown: String,
    sums: BTreeMap<(&'static str, CreditSituation, String), Sum>,
}

/// The credits of all companies of a run. Their memory is bounded by companies, months and reasons.
#[derive(Debug, Default)]
pub(in crate::features::audit) struct Purchases {
    /// By all digits of the company, and the month.
    months: BTreeMap<(String, String), Month>,
}

impl Purchases {
    /// Adds a line of the layer of purchases.
    pub(in crate::features::audit) fn add(&mut self, line: &AuditLine) {
        let Some(situation) = line.codigo.and_then(CreditSituation::from_word) else { return };
        let month = line.data.map(Date::year_and_month).unwrap_or_default();
        let month = self.months.entry((line.emitente.clone(), month)).or_default();
        month.shown.clone_from(&line.empresa);
        let mut key = (line.tributo, situation, line.detalhe.clone());
        if month.sums.len() >= REASONS && !month.sums.contains_key(&key) {
            OTHERS.clone_into(&mut key.2);
        }
        let sum = month.sums.entry(key).or_default();
        sum.items += 1;
        sum.base = sum.base.saturating_add(line.base_calculada.unwrap_or_default());
        sum.credit = sum.credit.saturating_add(line.calculado.unwrap_or_default());
    }

    /// The sums by company and month, in order.
    pub(in crate::features::audit) fn summary(&self) -> Vec<PurchasesOfMonth> {
        let credit = |((tributo, situacao, motivo), sum): (&(&'static str, CreditSituation, String), &Sum)| {
            let Sum { items: itens, base, credit: credito } = *sum;
            CreditOfPurchase { tributo, situacao: *situacao, motivo: motivo.clone(), itens, base, credito }
        };
        let month = |((_, mes), month): (&(String, String), &Month)| PurchasesOfMonth {
            empresa: month.shown.clone(),
            mes: mes.clone(),
            creditos: month.sums.iter().map(credit).collect(),
        };
        self.months.iter().map(month).collect()
    }
}

/// A credit with its company and month.
type CreditRow<'m> = (&'m PurchasesOfMonth, &'m CreditOfPurchase);

fn columns<'m>() -> [Column<CreditRow<'m>>; 8] {
    [
        Column::new("empresa", "Empresa (CNPJ)", Text, |(month, _): &CreditRow<'m>| Cell::of(&month.empresa)).wide(20),
        Column::new("mes", "Mês", Text, |(month, _)| Cell::of(&month.mes)),
        Column::said(
            "tributo",
            "Tributo",
            Text,
            |(_, of)| Cell::of(of.tributo),
            |(_, of)| Cell::of(subject(of.tributo)),
        ),
        Column::said(
            "situacao",
            "Crédito",
            Text,
            |(_, of)| Cell::of(&of.situacao),
            |(_, of)| Cell::of(CreditSituation::VOCABULARY.label(of.situacao.as_str())),
        ),
        Column::new("itens", "Itens", Integer, |(_, of)| Cell::whole(of.itens)),
        Column::new("base", "Base (R$)", ColumnKind::Decimal, |(_, of)| of.base.into()),
        Column::new("credito", "Crédito (R$)", ColumnKind::Decimal, |(_, of)| of.credito.into()),
        Column::new("motivo", "Por quê", Text, |(_, of): &CreditRow<'m>| Cell::of(&of.motivo)).wide(80),
    ]
}

/// The worksheet of the credits; `None` if there is none.
pub(in crate::features::audit) fn table<'m>(
    months: impl Iterator<Item = &'m PurchasesOfMonth>,
    reader: Reader,
) -> Option<Table> {
    let credits = months.flat_map(|month| month.creditos.iter().map(move |credit| (month, credit)));
    let table = sheet::table("Créditos das compras", &columns(), credits, reader);
    (!table.rows.is_empty()).then_some(table)
}

impl PurchasesOfMonth {
    /// The section of the report. `month` is the month in words.
    pub fn text(&self, month: &str) -> String {
        let mut out = String::new();
        // Writing to a String never fails.
        let _ = writeln!(out, "CRÉDITOS DAS COMPRAS: EMPRESA {}, {month}", self.empresa);
        out.push_str("o que as notas permitem creditar; se cabe, decidem a escrituração e o uso da mercadoria\n\n");
        let rows: Vec<[String; 6]> = self.creditos.iter().map(CreditOfPurchase::cells).collect();
        for line in text_table(&["tributo", "crédito", "itens", "base R$", "crédito R$", "por quê"], &rows) {
            let _ = writeln!(out, "{line}");
        }
        out
    }
}

impl CreditOfPurchase {
    fn cells(&self) -> [String; 6] {
        let amount = |value: Decimal| if value.is_zero() { "–".to_owned() } else { amount_in_brl(value) };
        [
            subject(self.tributo).to_owned(),
            CreditSituation::VOCABULARY.label(self.situacao.as_str()).to_owned(),
            self.itens.to_string(),
            amount(self.base),
            amount(self.credito),
            self.motivo.clone(),
        ]
    }
}
