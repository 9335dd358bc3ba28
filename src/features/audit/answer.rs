//! An answer of the engine, or its refusal, as far as a document is compared with it.

use std::borrow::Cow;

use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::base::problem::ErrorCode;
use crate::base::value::{Conferencia, Date, parse_decimal};
use crate::law::rule::Condicao;

/// The rule that answered or refused, as the answer names it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CitedRule {
    pub rule_id: String,
    pub citacao_legal: String,
    pub vigente_de: Date,
    /// The first day after it; `None` if it has no end.
    pub vigente_ate: Option<Date>,
    /// How its figures were checked, if the rule says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conferencia: Option<Conferencia>,
}

/// An answer, or the problem document of a refusal.
#[derive(Deserialize)]
pub(super) struct ReadAnswer<'a> {
    #[serde(default, deserialize_with = "figure")]
    pub(super) valor: Option<Decimal>,
    pub(super) regra: Option<CitedRule>,
    #[serde(borrow, default)]
    pub(super) detalhes: Components<'a>,
    #[serde(default)]
    pub(super) avisos: Vec<String>,
    #[serde(default)]
    pub(super) condicoes_dos_avisos: Vec<Option<Condicao>>,
    /// The code of a refusal; `None` in an answer.
    codigo: Option<Cow<'a, str>>,
    #[serde(default)]
    pub(super) detail: Cow<'a, str>,
    #[serde(borrow, default)]
    erros: Vec<Fault<'a>>,
    #[serde(borrow, default)]
    candidatos: Vec<Candidate<'a>>,
}

/// The components of the taxes that documents declare. A tax has some of them.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Components<'a> {
    #[serde(deserialize_with = "figure")]
    pub(super) valor_icms: Option<Decimal>,
    #[serde(deserialize_with = "figure")]
    pub(super) valor_fcp: Option<Decimal>,
    #[serde(deserialize_with = "figure")]
    pub(super) valor_difal: Option<Decimal>,
    #[serde(deserialize_with = "figure")]
    pub(super) valor_destaque: Option<Decimal>,
    #[serde(deserialize_with = "figure")]
    pub(super) aliquota_aplicada: Option<Decimal>,
    #[serde(deserialize_with = "figure")]
    pub(super) aliquota_interna: Option<Decimal>,
    #[serde(deserialize_with = "figure")]
    pub(super) mva_aplicada: Option<Decimal>,
    #[serde(deserialize_with = "figure")]
    pub(super) percentual_reducao: Option<Decimal>,
    #[serde(deserialize_with = "figure")]
    pub(super) base_calculo: Option<Decimal>,
    #[serde(deserialize_with = "figure")]
    pub(super) base_calculo_difal: Option<Decimal>,
    #[serde(deserialize_with = "figure")]
    pub(super) base_calculo_st: Option<Decimal>,
    #[serde(deserialize_with = "figure")]
    pub(super) preco_servico: Option<Decimal>,
    responsavel_difal: Option<Cow<'a, str>>,
    motivo_zero: Option<Cow<'a, str>>,
    isencao_base_legal: Option<Cow<'a, str>>,
    nao_sujeicao_base_legal: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) memoria: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Fault<'a> {
    codigo: Cow<'a, str>,
    detail: Cow<'a, str>,
}

/// A rule that came near.
#[derive(Deserialize)]
struct Candidate<'a> {
    #[serde(borrow, default)]
    excluida_por: Vec<Cow<'a, str>>,
}

/// A figure, which is a text. `None` if it is null.
fn figure<'d, D: Deserializer<'d>>(from: D) -> Result<Option<Decimal>, D::Error> {
    Ok(Option::<&str>::deserialize(from)?.and_then(|text| parse_decimal(text).ok()))
}

impl<'a> ReadAnswer<'a> {
    /// Reads a line of JSON. `None` if it is neither an answer nor a problem document.
    pub(super) fn read(line: &'a [u8]) -> Option<ReadAnswer<'a>> {
        serde_json::from_slice(line).ok()
    }

    /// The code of a refusal, as the problem document writes it.
    pub(super) fn refusal_code(&self) -> Option<&str> {
        self.codigo.as_deref()
    }

    /// True if there is no rule for the request.
    pub(super) fn lacks_rule(&self) -> bool {
        self.refusal_code() == Some(ErrorCode::RegraInexistente.as_str())
    }

    /// True if only the day rules out a rule that came near: it answers on other days.
    pub(super) fn is_answered_on_another_day(&self) -> bool {
        self.candidatos.iter().any(|candidate| candidate.excluida_por == ["data"])
    }

    /// The code and the sentence of the refusal, then those of each field at fault.
    pub(super) fn faults(&self) -> impl Iterator<Item = (ErrorCode, &str)> {
        let whole = self.codigo.iter().map(|codigo| (codigo, &self.detail));
        let all = whole.chain(self.erros.iter().map(|fault| (&fault.codigo, &fault.detail)));
        all.filter_map(|(codigo, detail)| Some((ErrorCode::from_name(codigo)?, &**detail)))
    }

    /// Why it is a refusal. If several fields are at fault, the reason of each: nobody filled them in, so nobody is to
    /// correct them.
    pub(super) fn why(&self) -> String {
        if self.erros.len() < 2 {
            return self.detail.clone().into_owned();
        }
        let mut faults: Vec<&str> = self.erros.iter().map(|fault| &*fault.detail).collect();
        faults.dedup();
        faults.join(" ")
    }

    /// True if it leaves the difference of rates to the buyer, and does not calculate it.
    pub(super) fn leaves_difference_to_buyer(&self) -> bool {
        self.detalhes.valor_difal.is_none() && self.detalhes.responsavel_difal.as_deref() == Some("destinatario")
    }

    /// Why it says that nothing is due.
    pub(super) fn zero_reason(&self) -> Option<&str> {
        let Components { motivo_zero, isencao_base_legal, nao_sujeicao_base_legal, .. } = &self.detalhes;
        [motivo_zero, isencao_base_legal, nao_sujeicao_base_legal].into_iter().find_map(Option::as_deref)
    }
}
