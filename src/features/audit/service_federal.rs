//! PIS, COFINS, CBS and IBS of an NFS-e.

use std::sync::Arc;

use rust_decimal::Decimal;

use super::compare::{self, Comparison, Declared, Members, special_treatment};
use super::compared::{ICMS, REFORMA};
use super::explain::Facts;
use super::finding::{AuditLine, Layer};
use super::question::Question;
use super::questions::{GOVERNMENT_PURCHASE, MISSING_REGIME};
use super::{PlannedLine, ready, reform, situation};
use crate::base::value::Date;
use crate::law::nfe::payloads::{self, EnginePayload};
use crate::law::nfe::{ContribuicoesDoServico, Contribuinte, NotaDeServico, ReformaDoServico, TributoDoServico};

/// From this day on the fields of PIS and COFINS have what the provider owes, and never what the buyer withholds (NT
/// SE/CGNFS-e 007/2026).
pub(super) const OWN_AMOUNTS_SINCE: u32 = 20_260_209;
/// Why a difference may be right before: what is withheld has rates of its own.
const WITHHELD: &str =
    "a nota diz que há retenção, cujas alíquotas (0,65% e 3%) não são as do regime (Lei nº 10.833/2003, arts. 30 e 31)";

/// Why CBS and IBS of a document with several services are not compared with the rules of one.
const SEVERAL: &str = "a nota tem vários serviços, e CBS e IBS são do documento inteiro";

enum Reason {
    /// There is nothing to compare.
    NotApplicable(&'static str),
    /// What is missing, with its code.
    Refused(&'static str, &'static str),
}

/// What to ask of a tax, and what to compare with the answer.
struct Asked {
    payload: EnginePayload,
    members: &'static Members,
    declared: Declared,
    /// As in [`Comparison`].
    reductions: [Option<Decimal>; 2],
    /// Why a difference may be right.
    doubt: Option<String>,
}

/// The document and what is known of its issuer.
struct Service<'a> {
    nota: &'a NotaDeServico,
    day: Date,
    contribuinte: &'a Contribuinte,
}

/// The lines of the four taxes; none of a tax whose group the document does not have.
pub(super) fn of_service(
    nota: &NotaDeServico,
    day: Date,
    contribuinte: &Contribuinte,
    line: &AuditLine,
) -> Vec<PlannedLine> {
    let of = Service { nota, day, contribuinte };
    let line = line.clone().of_service(&nota.item_lista);
    let mut asked = Vec::new();
    if let Some(group) = &nota.contribuicoes {
        asked.extend([("pis", of.contribution("pis", group, 0)), ("cofins", of.contribution("cofins", group, 1))]);
    }
    if let Some(group) = &nota.reforma {
        let ibs = [group.ibs_uf, group.ibs_mun];
        asked.extend([("cbs", of.reform("cbs", group, &[group.cbs])), ("ibs", of.reform("ibs", group, &ibs))]);
    }
    asked.into_iter().map(|(tributo, asked)| of.planned(tributo, asked, &line)).collect()
}

impl Service<'_> {
    fn planned(&self, tributo: &'static str, asked: Result<Asked, Reason>, line: &AuditLine) -> PlannedLine {
        let line = line.clone().in_layer(Layer::Lei, tributo);
        if !self.nota.unreadable.is_empty() {
            return ready(line.refused("campo_ilegivel", "um campo da nota não é legível: o imposto não é calculado"));
        }
        let Asked { payload, members, declared, reductions, doubt } = match asked {
            Ok(asked) => asked,
            Err(Reason::NotApplicable(reason)) => return ready(line.not_applicable(reason)),
            Err(Reason::Refused(code, missing)) => return ready(line.refused(code, missing)),
        };
        let doubt = special_treatment(self.contribuinte, tributo, self.day).or(doubt);
        let comparison = Comparison { members, declared, reductions, doubt, before_exceptions: false, line };
        let facts = Arc::new(Facts::of_service(self.nota));
        Question::compared(compare::asked(payload), vec![comparison], facts).planned()
    }

    /// Asks PIS (`place` 0) or COFINS (`place` 1).
    fn contribution(
        &self,
        tributo: &'static str,
        group: &ContribuicoesDoServico,
        place: usize,
    ) -> Result<Asked, Reason> {
        let of = |both: [Option<Decimal>; 2]| both.get(place).copied().flatten();
        let valor = of(group.valores).unwrap_or_default();
        if group.simples {
            return Err(Reason::NotApplicable(situation::SIMPLES));
        }
        if let Some(reason) = situation::of_contribution(&group.cst, !valor.is_zero()) {
            return Err(Reason::NotApplicable(reason));
        }
        if self.contribuinte.regime_pis_cofins.is_none() {
            return Err(Reason::Refused("regime_apuracao_ausente", MISSING_REGIME));
        }
        let payload = payloads::contribuicao_de(tributo, self.nota, self.day, self.contribuinte).ok_or(NO_PRICE)?;
        let withheld = group.retidas.get(place) == Some(&true) && self.day.ordinal() < OWN_AMOUNTS_SINCE;
        let other = group.cst.parse::<u8>().is_ok_and(|cst| cst >= 49);
        let doubt = withheld
            .then(|| WITHHELD.to_owned())
            .or_else(|| other.then(|| format!("o CST {} não diz o tratamento", group.cst)));
        let (aliquota, base) = (of(group.aliquotas), group.base);
        let declared = Declared { valor, aliquota, base, ..Declared::default() };
        Ok(Asked { payload, members: &ICMS, declared, reductions: [None; 2], doubt })
    }

    /// CBS, or IBS, which has two parts.
    fn reform(
        &self,
        tributo: &'static str,
        group: &ReformaDoServico,
        parts: &[TributoDoServico],
    ) -> Result<Asked, Reason> {
        if self.nota.simples {
            return Err(Reason::NotApplicable(situation::SIMPLES));
        }
        if !self.nota.outros.is_empty() {
            return Err(Reason::NotApplicable(SEVERAL));
        }
        if group.government_purchase {
            return Err(Reason::Refused("compra_governamental", GOVERNMENT_PURCHASE));
        }
        let payload = if group.base_parcial {
            let base = group.base.ok_or(NO_PRICE)?;
            payloads::reforma_sobre(tributo, base, &self.nota.item_lista, &group.classificacao, self.day)
        } else {
            payloads::reforma_of(tributo, self.nota, group, self.day).ok_or(NO_PRICE)?
        };
        let (declared, reductions, doubt) = reform::declared(group, parts);
        Ok(Asked { payload, members: &REFORMA, declared, reductions, doubt })
    }
}

const NO_PRICE: Reason = Reason::Refused("preco_ausente", "a nota não traz o preço do serviço");
