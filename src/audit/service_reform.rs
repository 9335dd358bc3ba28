//! CBS and IBS of an NFS-e of the national layout.

use rust_decimal::Decimal;

use super::PlannedLine;
use super::compare::{Comparison, Declared, Question, special_treatment};
use super::finding::{AuditLine, Layer};
use super::questions::{GOVERNMENT_PURCHASE, REFORMA};
use crate::nfe::{Contribuinte, NotaDeServico, TributoDoServico, payloads};
use crate::value::Date;

/// The lines of CBS and IBS; none if the document has no such group.
pub(super) fn of_service(
    nota: &NotaDeServico,
    day: Date,
    contribuinte: &Contribuinte,
    line: &AuditLine,
) -> Vec<PlannedLine> {
    let Some(reforma) = &nota.reforma else { return Vec::new() };
    let line = AuditLine { ncm: nota.item_lista.clone(), ..line.clone() };
    let both = [("cbs", &[reforma.cbs][..]), ("ibs", &[reforma.ibs_uf, reforma.ibs_mun][..])];
    let planned = both.map(|(tributo, parts)| {
        let line = line.clone().in_layer(Layer::Lei, tributo);
        let ready = |line: AuditLine| PlannedLine::Ready(Box::new(line));
        if !nota.unreadable.is_empty() {
            return ready(line.refused("campo_ilegivel", "um campo da nota não é legível: o imposto não é calculado"));
        }
        if nota.simples {
            return ready(line.not_applicable("optante do Simples Nacional: recolhe pelo regime unificado"));
        }
        if reforma.government_purchase {
            return ready(line.refused("compra_governamental", GOVERNMENT_PURCHASE));
        }
        let Some(payload) = payloads::reforma_of(tributo, nota, reforma, day) else {
            return ready(line.refused("preco_ausente", "a nota não traz o preço do serviço"));
        };
        let sum = |of: fn(&TributoDoServico) -> Option<Decimal>| {
            parts.iter().filter_map(of).fold(Decimal::ZERO, Decimal::saturating_add)
        };
        let declared = Declared {
            valor: sum(|part| part.valor).saturating_add(sum(|part| part.diferido)),
            aliquota: Some(sum(|part| part.aliquota)).filter(|_| parts.iter().any(|part| part.aliquota.is_some())),
            base: reforma.base,
        };
        let deferred = (sum(|part| part.diferido) > Decimal::ZERO).then(|| "a nota difere uma parte".to_owned());
        let doubt = special_treatment(contribuinte, tributo, day).or(deferred);
        let comparison = Comparison { members: &REFORMA, declared, doubt, line };
        let payload = serde_json::to_vec(&payload).unwrap_or_default();
        PlannedLine::Question(Box::new(Question { payload, comparisons: vec![comparison], ncm: None }))
    });
    planned.into()
}
