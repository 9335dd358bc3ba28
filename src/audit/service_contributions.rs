//! PIS and COFINS of an NFS-e of the national layout.

use super::PlannedLine;
use super::compare::{Comparison, Declared, Question, special_treatment};
use super::finding::{AuditLine, Layer};
use super::questions::{ICMS, MISSING_REGIME};
use super::situation;
use crate::nfe::{Contribuinte, NotaDeServico, payloads};
use crate::value::Date;

/// Why a difference may be right: what is withheld has rates of its own.
const WITHHELD: &str =
    "a nota diz que há retenção, cujas alíquotas (0,65% e 3%) não são as do regime (Lei nº 10.833/2003, arts. 30 e 31)";

/// The lines of PIS and COFINS; none if the document has no such group.
pub(super) fn of_service(
    nota: &NotaDeServico,
    day: Date,
    contribuinte: &Contribuinte,
    line: &AuditLine,
) -> Vec<PlannedLine> {
    let Some(group) = &nota.contribuicoes else { return Vec::new() };
    let line = AuditLine { ncm: nota.item_lista.clone(), ..line.clone() };
    let declared = group.aliquotas.into_iter().zip(group.valores);
    let planned = ["pis", "cofins"].into_iter().zip(declared).map(|(tributo, (aliquota, valor))| {
        let line = line.clone().in_layer(Layer::Lei, tributo);
        let ready = |line: AuditLine| PlannedLine::Ready(Box::new(line));
        let valor = valor.unwrap_or_default();
        if !nota.unreadable.is_empty() {
            return ready(line.refused("campo_ilegivel", "um campo da nota não é legível: o imposto não é calculado"));
        }
        if group.simples {
            return ready(line.not_applicable("optante do Simples Nacional: recolhe pelo regime unificado"));
        }
        if let Some(reason) = situation::of_contribution(&group.cst, !valor.is_zero()) {
            return ready(line.not_applicable(reason));
        }
        if contribuinte.regime_pis_cofins.is_none() {
            return ready(line.refused("regime_apuracao_ausente", MISSING_REGIME));
        }
        let Some(payload) = payloads::contribuicao_de(tributo, nota, day, contribuinte) else {
            return ready(line.refused("preco_ausente", "a nota não traz o preço do serviço"));
        };
        let other = group.cst.parse::<u8>().is_ok_and(|cst| cst >= 49);
        let doubt = special_treatment(contribuinte, tributo, day)
            .or_else(|| group.retidas.then(|| WITHHELD.to_owned()))
            .or_else(|| other.then(|| format!("o CST {} não diz o tratamento", group.cst)));
        let comparison =
            Comparison { members: &ICMS, declared: Declared { valor, aliquota, base: group.base }, doubt, line };
        let payload = serde_json::to_vec(&payload).unwrap_or_default();
        PlannedLine::Question(Box::new(Question { payload, comparisons: vec![comparison], ncm: None }))
    });
    planned.collect()
}
