//! The segregation as lines of a table, which has the same columns for every line, and as a section of the report.

use std::fmt::Write;

use super::{DasOfMonth, Market, SegregatedMonth, SegregatedRevenue};
use crate::base::sentence::in_words;
use crate::base::value::{Date, amount_in_brl, text_table};
use crate::features::audit::finding::{AuditLine, AuditPlace, Layer};
use crate::features::audit::named;
use crate::sheet::ColumnKind::{self, Text};
use crate::sheet::{self, Cell, Column, Reader, Table};

const TRIBUTO: &str = "simples_nacional";

const COLUMNS: [Column<AuditLine>; 8] = [
    Column::new("empresa", "Empresa (CNPJ)", Text, |line: &AuditLine| Cell::of(&line.empresa)).wide(20),
    Column::new("mes", "Mês", Text, |line| line.data.map(|day| Cell::of(day.year_and_month())).into()),
    Column::new("codigo", "Código", Text, |line| line.codigo.map(Cell::of).into()),
    Column::new("detalhe", "O que é", Text, |line: &AuditLine| Cell::of(&line.detalhe)).wide(80),
    Column::new("base_calculada", "Receita (R$)", ColumnKind::Decimal, |line| line.base_calculada.into()),
    Column::new("calculado", "DAS (R$)", ColumnKind::Decimal, |line| line.calculado.into()),
    Column::new("aliquota_calculada", "Alíquota efetiva (%)", ColumnKind::Decimal, |line| {
        line.aliquota_calculada.into()
    }),
    Column::new("citacao_legal", "Citação legal", Text, |line: &AuditLine| {
        line.regra.as_ref().map(|rule| Cell::of(rule.citacao_legal.as_str())).into()
    })
    .wide(40),
];

/// The worksheet of the revenue of companies of the Simples; `None` if there is none.
pub(in crate::features::audit) fn table<'m>(
    months: impl Iterator<Item = &'m SegregatedMonth>,
    reader: Reader,
) -> Option<Table> {
    let lines = months.flat_map(SegregatedMonth::lines);
    let table = sheet::table("Simples Nacional", &COLUMNS, lines, reader);
    (!table.rows.is_empty()).then_some(table)
}

impl SegregatedMonth {
    /// A line for each revenue, for each DAS with its payload and answer, and for what is out of both or not known.
    pub fn lines(&self) -> Vec<AuditLine> {
        let (empresa, data) = (self.empresa.clone(), Date::parse(&format!("{}-01", self.mes)).ok());
        let place = AuditPlace { empresa, data, ..AuditPlace::default() };
        let line = AuditLine::at(place).in_layer(Layer::Segregacao, TRIBUTO);
        let with = |codigo: &'static str, detail: &str| line.clone().not_compared(codigo, detail);
        let revenue = |one: &SegregatedRevenue| AuditLine {
            base_calculada: Some(one.receita),
            ..with("receita", &one.in_words())
        };
        let das = |one: &DasOfMonth| AuditLine {
            base_calculada: Some(one.receita),
            calculado: one.valor,
            aliquota_calculada: one.aliquota_efetiva,
            regra: one.regra.clone(),
            payload: one.payload.clone(),
            resposta: one.resposta.clone(),
            ..with("das", &one.in_words())
        };
        let amounts = self.fora.iter().map(|one| ("fora_da_receita", one));
        let amounts = amounts.chain(self.conferir.iter().map(|one| ("conferir", one)));
        let amounts =
            amounts.map(|(code, one)| AuditLine { base_calculada: Some(one.valor), ..with(code, &one.motivo) });
        let faults = self.faltas.iter().map(|fault| with("falta", &format!("não se sabe {fault}")));
        self.receitas.iter().map(revenue).chain(self.das.iter().map(das)).chain(amounts).chain(faults).collect()
    }

    /// The month for a person: a refusal of the engine has what people call its fields.
    pub fn for_person(mut self) -> SegregatedMonth {
        let named = named(Some(TRIBUTO));
        for missing in self.das.iter_mut().filter_map(|das| das.falta.as_mut()) {
            *missing = in_words(missing, &named);
        }
        self
    }

    /// The section of the report. `month` is the month in words.
    pub fn text(&self, month: &str) -> String {
        let mut out = String::new();
        // Writing to a String never fails.
        let _ = writeln!(out, "SIMPLES NACIONAL, RECEITA PARA O PGDAS-D: EMPRESA {}, {month}", self.empresa);
        let _ = writeln!(out, "notas: {}, canceladas e fora da conta: {}\n", self.notas, self.canceladas);
        let rows: Vec<[String; 4]> = self.receitas.iter().map(SegregatedRevenue::cells).collect();
        for line in text_table(&["receita", "vendas R$", "devoluções R$", "a declarar R$"], &rows) {
            let _ = writeln!(out, "{line}");
        }
        for das in &self.das {
            let _ = writeln!(out, "{}", das.in_words());
        }
        for (title, all) in [("Fora da receita", &self.fora), ("A conferir", &self.conferir)] {
            for one in all {
                let _ = writeln!(out, "{title}: {}: {}", one.motivo, amount_in_brl(one.valor));
            }
        }
        for fault in &self.faltas {
            let _ = writeln!(out, "Não se sabe {fault}");
        }
        out
    }
}

impl SegregatedRevenue {
    fn in_words(&self) -> String {
        let (sales, returns) = (amount_in_brl(self.vendas), amount_in_brl(self.devolucoes));
        format!("{}: vendas {sales}, devoluções {returns}, itens: {}", self.descricao, self.itens)
    }

    fn cells(&self) -> [String; 4] {
        let [sales, returns, revenue] = [self.vendas, self.devolucoes, self.receita].map(amount_in_brl);
        [self.descricao.clone(), sales, returns, revenue]
    }
}

impl DasOfMonth {
    /// The DAS and what it would charge twice, or what is missing to know them.
    pub fn in_words(&self) -> String {
        let anexo = if self.anexo.is_empty() { "de serviços".to_owned() } else { format!("do Anexo {}", self.anexo) };
        let market = if self.mercado == Market::Externo { ", exportação" } else { "" };
        let revenue = amount_in_brl(self.receita);
        match (self.valor, self.cobrado_em_dobro, &self.falta) {
            (Some(due), Some(twice), _) => format!(
                "DAS {anexo}{market}, sobre {revenue}: {}; sem segregar, cobraria mais {}",
                amount_in_brl(due),
                amount_in_brl(twice)
            ),
            (_, _, Some(missing)) => format!("DAS {anexo}{market}, sobre {revenue}: falta {missing}"),
            _ => format!("DAS {anexo}{market}, sobre {revenue}: sem resposta"),
        }
    }
}
