//! The columns that a result adds to its row.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::cells::in_table_words;
use crate::base::document::{Field, Shape};
use crate::base::problem::TipoRecusa;
use crate::base::value::{Date, parse_decimal};
use crate::law::tax;
use crate::sheet::ColumnKind::{self, Decimal, Text};
use crate::sheet::{Cell, Column, Reader, table_row};

/// The columns that an answer adds to its row, in order.
pub(super) fn columns<'a>() -> [Column<ShownAnswer<'a>>; 10] {
    [
        Column::new("taxd_valor", "Valor calculado", Decimal, |answer| number(answer.valor.as_deref())),
        Column::new("taxd_base", "Base de cálculo", Decimal, |answer| number(answer.base().as_deref())),
        Column::new("taxd_aliquota", "Alíquota (%)", Decimal, |answer| number(answer.rate().as_deref())),
        Column::new("taxd_regra", "Regra", Text, |answer| answer.of_rule(|regra| Cell::of(&regra.rule_id))),
        Column::new("taxd_citacao_legal", "Citação legal", Text, |answer| {
            answer.of_rule(|regra| Cell::of(&regra.citacao_legal))
        }),
        Column::new("taxd_vigente_de", "O taxd responde desde", ColumnKind::Date, |answer| {
            answer.of_rule(|regra| regra.vigente_de.into())
        }),
        Column::new("taxd_vigente_ate", "Deixa de responder em", ColumnKind::Date, |answer| {
            answer.of_rule(|regra| regra.vigente_ate.into())
        }),
        Column::new("taxd_conferencia", "Conferência", Text, |answer| {
            answer.of_rule(|regra| regra.conferencia.as_ref().map(Cell::of).into())
        }),
        Column::new("taxd_avisos", "Avisos", Text, |answer| Cell::of(&answer.avisos.join(" "))),
        Column::new("taxd_erro", "Erro", Text, |answer| answer.fault().as_ref().map(Cell::of).into()),
    ]
}

/// What a row shows of an answer or of a problem document.
#[derive(Deserialize)]
pub(super) struct ShownAnswer<'a> {
    tributo: Option<Cow<'a, str>>,
    valor: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) regra: Option<Proof<'a>>,
    #[serde(borrow, default)]
    detalhes: BTreeMap<Cow<'a, str>, &'a RawValue>,
    #[serde(default)]
    pub(super) avisos: Vec<Cow<'a, str>>,
    codigo: Option<Cow<'a, str>>,
    pub(super) detail: Option<Cow<'a, str>>,
    tipo_recusa: Option<Cow<'a, str>>,
    #[serde(default)]
    erros: Vec<FieldError<'a>>,
    #[serde(borrow, default)]
    candidatos: Vec<BTreeMap<Cow<'a, str>, &'a RawValue>>,
}

#[derive(Deserialize)]
pub(super) struct Proof<'a> {
    pub(super) rule_id: Cow<'a, str>,
    citacao_legal: Cow<'a, str>,
    vigente_de: Date,
    vigente_ate: Option<Date>,
    conferencia: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct FieldError<'a> {
    campo: Cow<'a, str>,
    detail: Cow<'a, str>,
}

/// The cells of a result: the JSON text of an answer or of a problem document, as `calc` gives it.
pub fn result_cells(answer: &[u8]) -> Result<Vec<Cell>, serde_json::Error> {
    Ok(table_row(&columns(), &serde_json::from_slice(answer)?, Reader::Program))
}

pub(super) fn number(text: Option<&str>) -> Cell {
    text.and_then(|text| parse_decimal(text).ok()).into()
}

impl ShownAnswer<'_> {
    fn of_rule(&self, cell: impl Fn(&Proof<'_>) -> Cell) -> Cell {
        self.regra.as_ref().map(cell).into()
    }

    fn declared(&self) -> &'static [Field] {
        match self.tributo.as_deref().and_then(tax::find).map(|entry| &entry.detalhes) {
            Some(Shape::Document(fields)) => fields,
            _ => &[],
        }
    }

    /// A component of the answer, if it is a text.
    fn component(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.detalhes.get(name)?.get()).ok()
    }

    /// The base: the first declared amount whose name says so, or else the first amount.
    fn base(&self) -> Option<String> {
        let amounts = || self.declared().iter().filter(|field| field.shape == Shape::Amount).map(|field| field.name);
        let named = amounts().find(|name| name.starts_with("base"));
        named.or_else(|| amounts().next()).and_then(|name| self.component(name))
    }

    /// The rate: the effective one if the answer has one, or else the first declared rate that it states.
    pub(super) fn rate(&self) -> Option<String> {
        let rates = self.declared().iter().filter(|field| field.shape == Shape::Rate).map(|field| field.name);
        let named = rates.filter(|name| name.starts_with("aliquota"));
        ["aliquota_efetiva"].into_iter().chain(named).find_map(|name| self.component(name))
    }

    /// The data that a refusal asks for: those that its candidates have, or else those that are missing.
    pub(super) fn missing(&self) -> Vec<&str> {
        if self.tipo_recusa.as_deref() != Some(TipoRecusa::FaltaDado.as_str()) {
            return Vec::new();
        }
        let of_candidate = self.candidatos.first().into_iter().flat_map(BTreeMap::keys).map(|name| &**name);
        let chosen: Vec<&str> = of_candidate.filter(|name| *name != "descricao").collect();
        if chosen.is_empty() { self.erros.iter().map(|e| &*e.campo).collect() } else { chosen }
    }

    /// Code and sentence of a refusal, and those of each field if there are several.
    pub(super) fn fault(&self) -> Option<String> {
        let (codigo, detail) = (self.codigo.as_deref()?, self.detail.as_deref().unwrap_or_default());
        let fields: Vec<_> = self.erros.iter().map(|e| format!("`{}`: {}", e.campo, e.detail)).collect();
        let text = if fields.len() > 1 { fields.join(" ") } else { detail.to_owned() };
        Some(format!("{codigo}: {}", in_table_words(&text)))
    }
}
