//! Codes, groups and days of a document that contradict one another by the rules of the technical note, and the rules of
//! credit and debit notes.

use std::collections::HashSet;

use rust_decimal::Decimal;

use super::{FIRST, FUELS, LATER, NoteRule, SECOND, THIRD, groups, hint, rule, tables};
use crate::base::value::Date;
use crate::features::audit::finding::Incoherence;
use crate::law::nfe::{Grupo, ItemDaNota, NotaFiscal, Tag};

/// `finNFe` of a credit note and of a debit note.
const CREDIT: u8 = 5;
const DEBIT: u8 = 6;

/// A contradiction of the document: rule, what it says, when it is so.
type OfDocument = (NoteRule, &'static str, fn(&NotaFiscal) -> bool);
/// A contradiction of an item: rule, tax, what it says, when it is so.
type OfItem = (NoteRule, &'static str, &'static str, fn(&NotaFiscal, &ItemDaNota) -> bool);

const DOCUMENT: &[OfDocument] = &[
    (rule("B25-110", SECOND), "nota de crédito (finNFe 5) de saída: tpNF é 0", |nota| {
        nota.finalidade == CREDIT && !nota.entrada
    }),
    (rule("B25-120", SECOND), "nota de débito (finNFe 6) de entrada: tpNF é 1", |nota| {
        nota.finalidade == DEBIT && nota.entrada
    }),
    (rule("B25.1-10", FIRST), "tpNFDebito em nota que não é de débito", |nota| {
        nota.finalidade != DEBIT && !nota.reforma.tipo_debito.is_empty()
    }),
    (rule("B25.1-20", FIRST), "nota de débito (finNFe 6) sem tpNFDebito", |nota| {
        nota.finalidade == DEBIT && nota.reforma.tipo_debito.is_empty()
    }),
    (rule("B25.2-10", FIRST), "tpNFCredito em nota que não é de crédito", |nota| {
        nota.finalidade != CREDIT && !nota.reforma.tipo_credito.is_empty()
    }),
    (rule("B25.2-20", FIRST), "nota de crédito (finNFe 5) sem tpNFCredito", |nota| {
        nota.finalidade == CREDIT && nota.reforma.tipo_credito.is_empty()
    }),
    (hint("B25-100", 20_251_117), "nota de crédito (finNFe 5) que refere documento de outro modelo", |nota| {
        let is_open = matches!(nota.reforma.tipo_credito.as_str(), "03" | "06");
        nota.finalidade == CREDIT && !is_open && nota.reforma.refere_outro_modelo
    }),
    (hint("B25.2-30", FIRST), "tpNFCredito 02 antes de 2029", |nota| {
        nota.reforma.tipo_credito == "02" && year(nota) < 2029
    }),
    (hint("UB133-10", THIRD), "tpCredPresIBSZFM repetido", |nota| {
        let kinds = nota.items.iter().map(|item| item.reforma.credito_zfm.as_str()).filter(|kind| !kind.is_empty());
        let mut seen = HashSet::new();
        kinds.into_iter().any(|kind| !seen.insert(kind))
    }),
    (rule("W34-10", FIRST), "IBSCBSTot sem item com o grupo IBSCBS", |nota| nota.reforma.total && !nota.has_reform()),
    (rule("W34-20", FIRST), "item com o grupo IBSCBS sem IBSCBSTot", |nota| !nota.reforma.total && nota.has_reform()),
];

const ITEM: &[OfItem] = &[
    (
        rule("B25-80", LATER),
        "documento",
        "nota de crédito, de débito ou de pagamento com grupo de outro tributo",
        |nota, item| {
            let is_open = matches!(nota.reforma.tipo_credito.as_str(), "03" | "04" | "06")
                || matches!(nota.reforma.tipo_debito.as_str(), "06" | "07");
            (matches!(nota.finalidade, CREDIT | DEBIT) || nota.reforma.pagamento_do_governo)
                && !is_open
                && OTHER_TAXES.iter().any(|grupo| item.reforma.has(*grupo))
        },
    ),
    // Who is registered for CBS and IBS alone issues documents without ICMS since NT 2026.007, and from 2033 on there is no
    // ICMS or ISS (ADCT, art. 129).
    (hint("B25-90", 20_251_117), "documento", "item sem ICMS e sem ISSQN", |nota, item| {
        !matches!(nota.finalidade, CREDIT | DEBIT)
            && !nota.reforma.pagamento_do_governo
            && item.reforma.has(Grupo::Reforma)
            && !item.reforma.has(Grupo::Icms)
            && !item.reforma.has(Grupo::Issqn)
            && year(nota) < 2033
    }),
    (rule("VC02-05", FIRST), "documento", "DFeReferenciado no item e NFref na nota", |nota, item| {
        nota.reforma.referencia && item.reforma.has(Grupo::Referenciado)
    }),
    (hint("VC02-14", FUELS), "documento", "devolução (finNFe 4) sem DFeReferenciado no item", |nota, item| {
        nota.finalidade == 4
            && item.reforma.has(Grupo::Reforma)
            && !item.reforma.has(Grupo::Referenciado)
            && !WITHOUT_REFERENCE.contains(&item.cfop.as_str())
    }),
    // NT 2025.002 v1.52 removed it.
    (rule("UB14-40", FIRST), "cbs", "cClassTrib 620005 fora de nota de crédito (finNFe 5)", |nota, item| {
        let is_past = nota.day.is_some_and(|day| day.ordinal() < FUELS);
        is_past && nota.finalidade != CREDIT && item.classificacao == "620005"
    }),
    (rule("UB24-10", THIRD), "ibs", "devolução (gDevTrib) do IBS da UF, que é vedada", |_, item| {
        item.reforma.has(Grupo::UfDevolucao)
    }),
    (rule("UB43-10", THIRD), "ibs", "devolução (gDevTrib) do IBS do Município, que é vedada", |_, item| {
        item.reforma.has(Grupo::MunDevolucao)
    }),
    (rule("UB62-10", THIRD), "cbs", "devolução (gDevTrib) da CBS em NFC-e", |nota, item| {
        is_nfce(nota) && item.reforma.has(Grupo::CbsDevolucao)
    }),
    (rule("UB62a-10", THIRD), "cbs", "devolução (gDevTrib) da CBS sem pDevTrib", |nota, item| {
        !is_nfce(nota) && item.reforma.has(Grupo::CbsDevolucao) && item.figures.get(Tag::CbsDevolucao).is_none()
    }),
    (rule("UB82a-10", THIRD), "cbs", "compra governamental (gCompraGov) sem gTribCompraGov", |nota, item| {
        nota.reforma.governo && item.reforma.has(Grupo::Tributacao) && !item.reforma.has(Grupo::Governo)
    }),
    (rule("UB82a-30", LATER), "cbs", "gTribCompraGov sem gCompraGov na nota", |nota, item| {
        !nota.reforma.governo && item.reforma.has(Grupo::Governo)
    }),
    (hint("UB85a-10", FUELS), "ibs", "IBS monofásico por unidade (gIBSMonoAdRem) antes de 2029", |nota, item| {
        year(nota) < 2029 && item.reforma.has(Grupo::MonoIbsUnidade)
    }),
    (
        hint("UB90-20", FUELS),
        "ibs",
        "IBS monofásico por percentual (gIBSMonoAdValorem) de 2029 em diante",
        |nota, item| year(nota) >= 2029 && item.reforma.has(Grupo::MonoIbsPercentual),
    ),
    (hint("UB95a-10", FUELS), "cbs", "CBS monofásica por unidade (gCBSMonoAdRem) antes de 2027", |nota, item| {
        year(nota) < 2027 && item.reforma.has(Grupo::MonoCbsUnidade)
    }),
    (
        hint("UB100-20", FUELS),
        "cbs",
        "CBS monofásica por percentual (gCBSMonoAdValorem) de 2027 em diante",
        |nota, item| year(nota) >= 2027 && item.reforma.has(Grupo::MonoCbsPercentual),
    ),
    // A credit note of kind 05 moves credits too, though the text names debit notes alone.
    (
        rule("UB106-30", FIRST),
        "cbs",
        "transferência de crédito (gTransfCred) fora de nota de débito",
        |nota, item| {
            nota.finalidade != DEBIT && nota.reforma.tipo_credito != "05" && item.reforma.has(Grupo::Transferencia)
        },
    ),
    (
        rule("UB106-31", FIRST),
        "cbs",
        "transferência de crédito (gTransfCred) em nota de débito que não é 01 nem 05",
        |nota, item| {
            nota.finalidade == DEBIT
                && !matches!(nota.reforma.tipo_debito.as_str(), "01" | "05")
                && item.reforma.has(Grupo::Transferencia)
        },
    ),
    (rule("UB106-40", FIRST), "cbs", "transferência de crédito (gTransfCred) de zero", |_, item| {
        is_zero(item, Grupo::Transferencia, [Tag::IbsTransferido, Tag::CbsTransferido])
    }),
    (rule("UB112-30", SECOND), "cbs", "ajuste de competência (gAjusteCompet) de zero", |_, item| {
        is_zero(item, Grupo::Competencia, [Tag::IbsDeOutraCompetencia, Tag::CbsDeOutraCompetencia])
    }),
    (
        rule("UB116-20", SECOND),
        "cbs",
        "nota de débito 07 (perda) sem estorno de crédito (gEstornoCred)",
        |nota, item| {
            nota.reforma.tipo_debito == "07" && item.reforma.has(Grupo::Reforma) && !item.reforma.has(Grupo::Estorno)
        },
    ),
    (rule("UB116-30", SECOND), "cbs", "estorno de crédito (gEstornoCred) de zero", |nota, item| {
        nota.reforma.tipo_debito != "07" && is_zero(item, Grupo::Estorno, [Tag::IbsEstornado, Tag::CbsEstornado])
    }),
    (rule("UB120-10", SECOND), "ibs", "crédito presumido (gCredPresOper) em NFC-e", |nota, item| {
        is_nfce(nota) && item.reforma.has(Grupo::CreditoPresumido)
    }),
    (
        rule("UB125-10", SECOND),
        "ibs",
        "crédito presumido do IBS de bem usado (cCredPres 4) maior que o preço",
        |_, item| exceeds_price(item, Tag::IbsCreditoPresumido),
    ),
    (
        rule("UB129-10", SECOND),
        "cbs",
        "crédito presumido da CBS de bem usado (cCredPres 4) maior que o preço",
        |_, item| exceeds_price(item, Tag::CbsCreditoPresumido),
    ),
    (
        rule("UB126-10", SECOND),
        "ibs",
        "crédito presumido do IBS em condição suspensiva antes de 2033, ou com cCredPres que não é 4",
        |nota, item| item.figures.get(Tag::IbsCreditoSuspenso).is_some() && (year(nota) < 2033 || !is_used_goods(item)),
    ),
    (
        rule("UB130-10", SECOND),
        "cbs",
        "crédito presumido da CBS em condição suspensiva antes de 2027, ou com cCredPres que não é 4",
        |nota, item| item.figures.get(Tag::CbsCreditoSuspenso).is_some() && (year(nota) < 2027 || !is_used_goods(item)),
    ),
    (rule("UB131-10", SECOND), "ibs", "crédito presumido da ZFM (gCredPresIBSZFM) em NFC-e", |nota, item| {
        is_nfce(nota) && item.reforma.has(Grupo::CreditoZfm)
    }),
    (
        rule("UB131-40", SECOND),
        "ibs",
        "crédito presumido da ZFM (gCredPresIBSZFM) fora de nota de crédito 02",
        |nota, item| nota.reforma.tipo_credito != "02" && item.reforma.has(Grupo::CreditoZfm),
    ),
    (
        rule("UB131-50", SECOND),
        "ibs",
        "nota de crédito 02 sem crédito presumido da ZFM (gCredPresIBSZFM)",
        |nota, item| {
            nota.reforma.tipo_credito == "02"
                && item.reforma.has(Grupo::Reforma)
                && !item.reforma.has(Grupo::CreditoZfm)
        },
    ),
];

/// CFOPs of returns that need not refer to a document in each item.
const WITHOUT_REFERENCE: [&str; 6] = ["1201", "1202", "1410", "1411", "5921", "6921"];

/// The groups of other taxes, which a credit or debit note of CBS and IBS does not have.
const OTHER_TAXES: [Grupo; 10] = [
    Grupo::Icms,
    Grupo::Issqn,
    Grupo::Ipi,
    Grupo::Importacao,
    Grupo::Pis,
    Grupo::PisSt,
    Grupo::Cofins,
    Grupo::CofinsSt,
    Grupo::IcmsDestino,
    Grupo::ImpostoDevolvido,
];

/// The classification that a kind of note has, and that no other has: `tpNFDebito`, `tpNFCredito`, cClassTrib.
const KINDS: [(&str, &str, &str); 8] = [
    ("01", "", "800002"),
    ("02", "", "811001"),
    ("03", "", "811002"),
    ("05", "", "800001"),
    ("07", "", "410030"),
    ("08", "", "811003"),
    ("", "02", "810001"),
    ("", "05", "800001"),
];

fn year(nota: &NotaFiscal) -> u32 {
    nota.day.map_or(0, Date::year)
}

fn is_nfce(nota: &NotaFiscal) -> bool {
    nota.modelo == "65"
}

fn is_used_goods(item: &ItemDaNota) -> bool {
    item.reforma.credito_presumido.trim_start_matches('0') == "4"
}

fn exceeds_price(item: &ItemDaNota, credit: Tag) -> bool {
    is_used_goods(item) && item.figures.or_zero(credit) > item.figures.or_zero(Tag::Produto)
}

/// Whether an item has the group, and nothing in it.
fn is_zero(item: &ItemDaNota, grupo: Grupo, amounts: [Tag; 2]) -> bool {
    item.reforma.has(grupo) && amounts.iter().all(|tag| item.figures.or_zero(*tag) == Decimal::ZERO)
}

/// The contradictions of the document itself.
pub(in crate::features::audit) fn of_document(nota: &NotaFiscal, day: Date) -> Vec<Incoherence> {
    let so = DOCUMENT.iter().filter(|(_, _, is_so)| is_so(nota));
    so.filter_map(|(rule, text, _)| rule.found(day, "cbs", text)).collect()
}

/// The contradictions of an item.
pub(in crate::features::audit) fn of_item(nota: &NotaFiscal, item: &ItemDaNota, day: Date) -> Vec<Incoherence> {
    let so = ITEM.iter().filter(|(_, _, _, is_so)| is_so(nota, item));
    let mut all: Vec<Incoherence> = so.filter_map(|(rule, tributo, text, _)| rule.found(day, tributo, text)).collect();
    all.extend(groups::of_item(nota, item, day));
    all.extend(tables::of_item(nota, item, day));
    all.extend(kind(nota, item, day));
    all
}

/// The classification of a credit or debit note, by its kind.
fn kind(nota: &NotaFiscal, item: &ItemDaNota, day: Date) -> Option<Incoherence> {
    let (debit, credit) = (nota.reforma.tipo_debito.as_str(), nota.reforma.tipo_credito.as_str());
    let own = item.classificacao.as_str();
    let is_kind = !debit.is_empty() || !credit.is_empty();
    match KINDS.iter().find(|(of_debit, of_credit, _)| is_kind && *of_debit == debit && *of_credit == credit) {
        _ if own.is_empty() => None,
        Some((_, _, code)) if *code == own => None,
        Some((_, "", code)) => {
            let text = format!("nota de débito {debit} com cClassTrib {own}, e não {code}");
            hint("UB14-70", THIRD).found(day, "cbs", &text)
        }
        Some((_, _, code)) => {
            let text = format!("nota de crédito {credit} com cClassTrib {own}, e não {code}");
            hint("UB14-80", THIRD).found(day, "cbs", &text)
        }
        None if KINDS.iter().any(|(_, _, code)| *code == own) => {
            let text = format!("cClassTrib {own} é de outra nota de débito ou de crédito");
            hint("UB14-60", THIRD).found(day, "cbs", &text)
        }
        None => None,
    }
}
