//! Which groups of CBS and IBS an item may and must have, by its CST.

use super::{FIRST, LATER, NoteRule, hint, rule};
use crate::base::value::Date;
use crate::features::audit::finding::Incoherence;
use crate::law::nfe::{Grupo, ItemDaNota, NotaFiscal, Tags};

/// CSTs with amounts of CBS and IBS.
const CHARGED: &[&str] = &["000", "010", "011", "200", "220", "221", "222", "510", "515", "550", "830"];
/// The other CSTs of which the technical note says what groups they take. Of a later one nothing is said.
const UNCHARGED: [&str; 7] = ["400", "410", "620", "800", "810", "811", "820"];
const DEFERRED: &[&str] = &["510", "515"];
/// CSTs with a reduction of the rate.
const REDUCED: &[&str] = &["011", "200", "515"];
const SINGLE_PHASE: &[&str] = &["620"];
const TRANSFER: &[&str] = &["800"];
const CREDIT_OF_ZFM: &[&str] = &["810"];
const PERIOD: &[&str] = &["811"];

/// Whether a rule is against a group under other CSTs, or demands it under these.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Only,
    Must,
}
use Way::{Must, Only};

const PLACES: &[(NoteRule, Way, &str, Grupo, &[&str])] = &[
    (rule("UB13-20", LATER), Only, "cbs", Grupo::Tributacao, CHARGED),
    (rule("UB13-30", LATER), Must, "cbs", Grupo::Tributacao, CHARGED),
    (rule("UB13-39", FIRST), Only, "cbs", Grupo::Mono, SINGLE_PHASE),
    (hint("UB13-40", 20_270_104), Must, "cbs", Grupo::Mono, SINGLE_PHASE),
    (rule("UB13-44", FIRST), Only, "cbs", Grupo::Transferencia, TRANSFER),
    (rule("UB13-45", FIRST), Must, "cbs", Grupo::Transferencia, TRANSFER),
    (rule("UB22-10", LATER), Only, "ibs", Grupo::UfDiferimento, DEFERRED),
    (rule("UB22-20", LATER), Must, "ibs", Grupo::UfDiferimento, DEFERRED),
    (rule("UB26-10", LATER), Only, "ibs", Grupo::UfReducao, REDUCED),
    (rule("UB26-20", LATER), Must, "ibs", Grupo::UfReducao, REDUCED),
    (rule("UB40-20", LATER), Only, "ibs", Grupo::MunDiferimento, DEFERRED),
    (rule("UB40-10", LATER), Must, "ibs", Grupo::MunDiferimento, DEFERRED),
    (rule("UB45-10", LATER), Only, "ibs", Grupo::MunReducao, REDUCED),
    (rule("UB45-20", LATER), Must, "ibs", Grupo::MunReducao, REDUCED),
    (rule("UB59-20", LATER), Only, "cbs", Grupo::CbsDiferimento, DEFERRED),
    (rule("UB59-10", LATER), Must, "cbs", Grupo::CbsDiferimento, DEFERRED),
    (rule("UB64-10", LATER), Only, "cbs", Grupo::CbsReducao, REDUCED),
    (rule("UB64-20", LATER), Must, "cbs", Grupo::CbsReducao, REDUCED),
    (rule("UB112-10", LATER), Only, "cbs", Grupo::Competencia, PERIOD),
    (rule("UB112-20", LATER), Must, "cbs", Grupo::Competencia, PERIOD),
    (rule("UB131-20", LATER), Only, "ibs", Grupo::CreditoZfm, CREDIT_OF_ZFM),
    (rule("UB131-30", LATER), Must, "ibs", Grupo::CreditoZfm, CREDIT_OF_ZFM),
];

/// The groups of an item that its CST does not take, and those that it lacks.
pub(super) fn of_item(nota: &NotaFiscal, item: &ItemDaNota, day: Date) -> Vec<Incoherence> {
    let cst = item.cst_reforma.as_str();
    if !CHARGED.contains(&cst) && !UNCHARGED.contains(&cst) {
        return Vec::new();
    }
    let wrong = |&(rule, way, tributo, grupo, csts): &(NoteRule, Way, &'static str, Grupo, &[&str])| {
        let (has, takes) = (item.reforma.has(grupo), csts.contains(&cst));
        let is_reduction = matches!(grupo, Grupo::UfReducao | Grupo::MunReducao | Grupo::CbsReducao);
        let is_part =
            is_reduction || matches!(grupo, Grupo::UfDiferimento | Grupo::MunDiferimento | Grupo::CbsDiferimento);
        let faulty = match way {
            // The public administration reduces every rate.
            Only => has && !takes && !(is_reduction && nota.reforma.governo),
            // A part of the group of amounts is not missed without that group.
            Must if is_part && !item.reforma.has(Grupo::Tributacao) => false,
            Must if is_reduction && nota.reforma.governo => !has,
            // The reversal of a loss has no amounts of its own.
            Must => takes && !has && nota.reforma.tipo_debito != "07",
        };
        let with = if has { "com" } else { "sem" };
        let text = || format!("CST {cst} {with} o grupo {}", grupo.name());
        if faulty { rule.found(day, tributo, &text()) } else { None }
    };
    PLACES.iter().filter_map(wrong).collect()
}
