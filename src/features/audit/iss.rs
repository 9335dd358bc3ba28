//! ISS of an NFS-e, and of a service on a document of goods.

use std::sync::Arc;

use super::PlannedLine;
use super::compare::{Comparison, Declared, special_treatment};
use super::compared::ICMS;
use super::explain::Facts;
use super::finding::{AuditLine, Layer};
use super::question::Question;
use crate::base::value::Date;
use crate::law::nfe::payloads::{self, EnginePayload};
use crate::law::nfe::{Contribuinte, ISS_ELSEWHERE, ItemDaNota, NotaDeServico, Tag};

/// Why a difference may be right: an estimate, or a rate of the Simples.
const OTHER_WAY: &str = "a nota diz um regime especial de tributação do ISS, ou não diz se o emitente é do Simples";
/// Why a document is not compared: its item is none of LC 116/2003, or it has only a code of its town.
const NO_ITEM: &str = "a NFS-e não traz o item da lista da LC 116/2003: o código do município sozinho não diz a regra";
const NOT_DUE: &str = "isenta, imune, exportada, suspensa ou sem incidência, pela nota";
const ELSEWHERE: &str = "o cupom diz que o serviço é tributado em outro município (cNatOp 2)";
const RATE_OF_SIMPLES: &str = "optante do Simples Nacional: a alíquota é a do regime unificado";

pub(super) fn of_service(
    nota: &NotaDeServico,
    day: Date,
    contribuinte: &Contribuinte,
    line: &AuditLine,
) -> Vec<PlannedLine> {
    let line = line.clone().in_layer(Layer::Lei, "iss").of_service(&nota.item_lista);
    let ready = |line: AuditLine| vec![super::ready(line)];
    if !nota.unreadable.is_empty() {
        return ready(line.refused("campo_ilegivel", "um campo da nota não é legível: o imposto não é calculado"));
    }
    if nota.simples {
        return ready(line.not_applicable(RATE_OF_SIMPLES));
    }
    if nota.exigivel == Some(false) {
        return ready(line.not_applicable(NOT_DUE));
    }
    if nota.por_profissional {
        return ready(
            line.refused("numero_profissionais_ausente", "o imposto é por profissional, e a nota não diz quantos são"),
        );
    }
    if nota.item_lista.is_empty() {
        return ready(line.refused("item_lista_ausente", NO_ITEM));
    }
    let (valor, aliquota, base) = (nota.valor.unwrap_or_default(), nota.aliquota, nota.base);
    let declared = Declared { valor, aliquota, base, ..Declared::default() };
    let benefit = nota.beneficio.then(|| "a nota aplica um benefício do município".to_owned());
    let doubt = special_treatment(contribuinte, "iss", day)
        .or(benefit)
        .or_else(|| nota.valor.is_none().then(|| "a nota não traz o ISS".to_owned()))
        .or_else(|| nota.por_outra_conta.then(|| OTHER_WAY.to_owned()));
    ask(payloads::iss_of(nota, day), declared, doubt, Facts::of_service(nota), line)
}

/// The line of an item with the group `ISSQN`.
pub(super) fn of_item(
    item: &ItemDaNota,
    day: Date,
    simples: bool,
    contribuinte: &Contribuinte,
    line: &AuditLine,
) -> Vec<PlannedLine> {
    let line = line.clone().in_layer(Layer::Lei, "iss");
    let reason = match item.indicador_iss {
        _ if simples => Some(RATE_OF_SIMPLES),
        1 => None,
        ISS_ELSEWHERE => Some(ELSEWHERE),
        _ => Some(NOT_DUE),
    };
    if let Some(reason) = reason {
        return vec![super::ready(line.not_applicable(reason))];
    }
    let get = |tag: Tag| item.figures.get(tag);
    let declared = Declared {
        valor: item.figures.or_zero(Tag::IssValor),
        aliquota: get(Tag::IssAliquota),
        base: get(Tag::IssBase),
        ..Declared::default()
    };
    let less = item.figures.sum(&[Tag::Desconto, Tag::IssDeducao]);
    let price = item.figures.or_zero(Tag::Produto).saturating_sub(less);
    let facts = Facts::with_deductions(item.figures.or_zero(Tag::IssDeducao));
    let doubt = special_treatment(contribuinte, "iss", day);
    ask(payloads::iss(&item.municipio, &item.item_lista, price, day), declared, doubt, facts, line)
}

fn ask(
    payload: Option<EnginePayload>,
    declared: Declared,
    doubt: Option<String>,
    facts: Facts,
    line: AuditLine,
) -> Vec<PlannedLine> {
    let Some(payload) = payload else {
        let detail = "o documento não traz o município de incidência pelo código do IBGE, ou o preço do serviço";
        return vec![super::ready(line.refused("municipio_ausente", detail))];
    };
    let comparison =
        Comparison { members: &ICMS, declared, reductions: [None; 2], doubt, before_exceptions: false, line };
    vec![Question::compared(Arc::new(payload), vec![comparison], Arc::new(facts)).planned()]
}
